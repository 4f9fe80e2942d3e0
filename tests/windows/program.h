/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the Windows programs that run in the guest's Wine: tests that print TAP, and a window.
 * Implemented by program.c.
 */
#ifndef SUNDOG_WINDOWS_PROGRAM_H
#define SUNDOG_WINDOWS_PROGRAM_H

#include <windows.h>

#define WINDOW_WIDTH 800
#define WINDOW_HEIGHT 600

/* Prints the result of a test. */
void check(int ok, const char *what);

/*
 * Tests that the low BYTES bytes of the colours VALUE and EXPECTED of pixel (x, y) are within
 * STEPS.
 */
void check_colour(int x, int y, UINT value, UINT expected, int bytes, int steps, const char *what);

/* Ends the program with "Bail out!" if the call failed. */
#define NEED(call) need(call, #call)
void need(HRESULT result, const char *what);

/* Opens a window without borders in the corner of the desktop. */
HWND open_window(void);

/*
 * Ends the tests by printing the plan. Then calls FRAME, which draws and presents a frame in the
 * window, over and over until somebody kills the program.
 */
void show(void (*frame)(void));

#endif
