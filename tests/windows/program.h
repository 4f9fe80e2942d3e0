/* SPDX-License-Identifier: MIT */
/* What the programs of Windows have in common: tests that print TAP, and a window. */
#ifndef SUNDOG_WINDOWS_PROGRAM_H
#define SUNDOG_WINDOWS_PROGRAM_H

#include <windows.h>

#define WINDOW_WIDTH 800
#define WINDOW_HEIGHT 600

/* The next test was passed, or not. */
void check(int ok, const char *what);

/* A test: are the low BYTES of two pixels at (x, y) alike, each of them within STEPS? */
void check_colour(int x, int y, UINT value, UINT expected, int bytes, int steps, const char *what);

/* Ends the program if a call failed. */
#define NEED(call) need(call, #call)
void need(HRESULT result, const char *what);

/* A window without borders in the corner of the desktop. */
HWND open_window(void);

/* There are no more tests: shows what FRAME draws and presents in the window, until somebody kills the program. */
void show(void (*frame)(void));

#endif
