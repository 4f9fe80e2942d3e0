/* SPDX-License-Identifier: MIT */
/* TAP output and the window of the Windows programs, see program.h. */
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

static int tests;

void check(int ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, what);
	fflush(stdout);
}

void check_colour(int x, int y, UINT value, UINT expected, int bytes, int steps, const char *what)
{
	int ok = 1;

	for (int shift = 0; shift < 8 * bytes; shift += 8)
		ok &= abs((int)(value >> shift & 255) - (int)(expected >> shift & 255)) <= steps;
	if (!ok)
		printf("# pixel %d, %d: %08x instead of %08x\n", x, y, value, expected);
	check(ok, what);
}

void need(HRESULT result, const char *what)
{
	if (SUCCEEDED(result))
		return;
	printf("Bail out! %s: %08lx\n", what, result);
	exit(1);
}

HWND open_window(void)
{
	const WNDCLASSA class = { .lpfnWndProc = DefWindowProcA, .lpszClassName = "test" };

	RegisterClassA(&class);
	return CreateWindowA("test", "test", WS_POPUP | WS_VISIBLE, 0, 0, WINDOW_WIDTH,
			     WINDOW_HEIGHT, NULL, NULL, NULL, NULL);
}

void show(void (*frame)(void))
{
	MSG message;

	printf("1..%d\n", tests);
	fflush(stdout);
	for (;;) {
		while (PeekMessageA(&message, NULL, 0, 0, PM_REMOVE))
			DispatchMessageA(&message);
		frame();
	}
}
