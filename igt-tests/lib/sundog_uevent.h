/* SPDX-License-Identifier: MIT */
/*
 * Events that the kernel sends to udev, for tests.
 */
#ifndef SUNDOG_UEVENT_H
#define SUNDOG_UEVENT_H

/* Returns a socket that receives the events of all devices from now on. */
int sd_uevents_open(void);
/* Waits for an event with @property, for example "HOTPLUG=1", and fails after sd_deadline(). */
void sd_uevents_wait(int events, const char *property);

#endif
