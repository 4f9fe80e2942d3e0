/* SPDX-License-Identifier: MIT */
/*
 * Requests to sundog-renderd-hijacked, a renderer that executes a stream that is a struct hijack as
 * the request in it. It stands for a worker that an attacker took over (such a worker runs any
 * code, so it can access its memory and make system calls) and for a worker that lacks a check.
 */
#ifndef HIJACK_H
#define HIJACK_H

#include <stdint.h>

/*
 * Environment variable of the broker: a signal can interrupt the workers' mmap() requests to it, as
 * with Linux before 5.19.
 */
#define HIJACK_OLD_LINUX "SUNDOG_HIJACK_OLD_LINUX"

#define HIJACK_MAGIC 0x6b6a6968u	/* no packet starts with this dword */

enum hijack_op {
	HIJACK_SYSCALL,			/* args[0]: number of the system call */
	HIJACK_READ,			/* reads 8 bytes at args[0] */
	HIJACK_WRITE,			/* writes args[1] to args[0] */
	/* from now on the worker keeps mappings that it reports as unmapped */
	HIJACK_LIE,
	/* from now on the end of each channel takes args[0] seconds */
	HIJACK_DAWDLE,
	HIJACK_CLAIM,			/* sends the broker args[0] progress messages */
	/* from now on textures match the types that shaders declare; no result */
	HIJACK_UNCHECKED,
	/* from now on signals interrupt requests for guest pages, which have args[0] bytes */
	HIJACK_INTERRUPT,
};

struct hijack {
	uint32_t magic;
	uint32_t op;
	uint32_t thread;		/* 1: run in a new thread instead of the main thread */
	uint32_t reserved;
	uint64_t args[7];
	uint64_t result;		/* address of a struct hijack_result */
};

struct hijack_result {
	int64_t value;			/* -errno of a system call; -EFAULT: no memory at args[0] */
	uint64_t data;			/* result of HIJACK_READ */
};

#endif
