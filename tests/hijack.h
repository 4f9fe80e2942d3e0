/* SPDX-License-Identifier: MIT */
/*
 * A renderer whose workers run the tester's code, sundog-renderd-hijacked: the renderer as it is, but a stream that is
 * a struct hijack is done as such. It stands for a worker that was taken over: whatever code is in it, that code
 * reads and writes its memory, and makes system calls. And for one that lacks a check.
 */
#ifndef HIJACK_H
#define HIJACK_H

#include <stdint.h>

/* In the environment of the broker: its workers can be interrupted in such calls, as with Linux before 5.19. */
#define HIJACK_OLD_LINUX "SUNDOG_HIJACK_OLD_LINUX"

#define HIJACK_MAGIC 0x6b6a6968u	/* no packet begins so */

enum hijack_op {
	HIJACK_SYSCALL,			/* args[0]: its number */
	HIJACK_READ,			/* 8 bytes at args[0] */
	HIJACK_WRITE,			/* args[1] there */
	HIJACK_LIE,			/* what is to be unmapped from now on stays, and is said not to */
	HIJACK_DAWDLE,			/* channels end late from now on, each args[0] seconds after the one before */
	HIJACK_CLAIM,			/* tell the broker of progress, args[0] times */
	HIJACK_UNCHECKED,		/* textures fit every shader from now on; no result */
	HIJACK_INTERRUPT,		/* questions about guest pages, of args[0] bytes, are interrupted from now on */
};

struct hijack {
	uint32_t magic;
	uint32_t op;
	uint32_t thread;		/* 1: in another thread than the main one */
	uint32_t reserved;
	uint64_t args[7];
	uint64_t result;		/* address for a struct hijack_result */
};

struct hijack_result {
	int64_t value;			/* -errno of a system call; -EFAULT: there is no memory */
	uint64_t data;			/* what HIJACK_READ found */
};

#endif
