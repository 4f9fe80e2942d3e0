// SPDX-License-Identifier: MIT
/*
 * sundog-dis: prints the packets of a command stream, or of the stream in a device coredump of the
 * kernel driver. "sundog dis" runs it. One thread; the input is not trusted.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

#define MAX_INPUT (256u << 20)

struct stream {
	uint32_t *dw;
	size_t count;
	uint64_t first;		/* offset of dw[0] in the submission's stream, bytes */
	uint64_t fault;		/* offset of the packet that faulted */
	bool has_fault;
};

static void die(const char *name, const char *text)
{
	fprintf(stderr, "sundog dis: %s: %s\n", name, text);
	exit(1);
}

/* Returns the whole file, with a zero byte behind it. */
static char *read_all(const char *name, FILE *file, size_t *size)
{
	size_t room = 1 << 16;
	char *data = malloc(room + 1);

	*size = 0;
	while (data && !feof(file) && !ferror(file) && *size <= MAX_INPUT) {
		if (*size == room) {
			char *larger = realloc(data, 2 * room + 1);

			if (!larger)
				free(data);
			data = larger;
			room *= 2;
		}
		if (data)
			*size += fread(data + *size, 1, room - *size, file);
	}
	if (!data)
		die(name, "out of memory");
	if (ferror(file))
		die(name, strerror(errno));
	if (*size > MAX_INPUT)
		die(name, "longer than 256 MiB");
	data[*size] = 0;
	return data;
}

/* The name of a process may have escape sequences. */
static void print_text(const char *text, const char *end)
{
	for (; text < end; text++) {
		if ((*text >= ' ' && *text <= '~') || *text == '\n')
			putchar(*text);
		else
			printf("\\x%02x", (unsigned char)*text);
	}
}

/* Returns the start of the stream in a coredump's text, NULL if the text is no coredump. */
static const char *find_stream(const char *text)
{
	const char *at = !strncmp(text, "sundog ", 7) ? strstr(text, "\nstream, 0x") : NULL;

	return at ? at + 1 : NULL;
}

/* Reads the lines "  OFFSET: WORD WORD..." of a coredump. */
static void read_lines(struct stream *s, const char *line)
{
	char *at;

	while (line && *line == ' ') {
		strtoul(line, &at, 16);
		if (*at++ != ':')
			return;
		while (*at == ' ') {
			char *end;
			const unsigned long word = strtoul(at, &end, 16);

			if (end == at)
				break;
			s->dw[s->count++] = word;
			at = end;
		}
		line = *at == '\n' ? at + 1 : NULL;
	}
}

static void read_coredump(struct stream *s, const char *name, const char *text,
			  const char *stream)
{
	const char *fault = strstr(text, "\nfault "), *lines = strchr(stream, '\n');
	unsigned long long first, offset;

	if (sscanf(stream, "stream, 0x%*x bytes from 0x%llx:", &first) != 1 || !lines)
		die(name, "the coredump is cut off");
	s->first = first;
	fault = fault && fault < stream ? strstr(fault, " at offset 0x") : NULL;
	s->has_fault = fault && sscanf(fault, " at offset 0x%llx", &offset) == 1;
	if (s->has_fault)
		s->fault = offset;
	/* A word takes at least two characters. */
	s->dw = calloc(strlen(lines) / 2 + 1, sizeof(*s->dw));
	if (!s->dw)
		die(name, "out of memory");
	read_lines(s, lines + 1);
	print_text(text, stream);
	printf("stream:\n");
}

/* Returns true if packets follow each other from dword @at to the one that faulted. */
static bool leads_to_fault(const struct stream *s, size_t at)
{
	const size_t target = (s->fault - s->first) / 4;
	uint32_t arg;

	while (at < target && !sundog_packet_check(s->dw + at, s->count - at, &arg))
		at += SUNDOG_PACKET_DWORDS(s->dw[at]);
	return at == target;
}

/* A dump of a long stream does not begin with a packet: returns the first dword that may be one. */
static size_t first_packet(const struct stream *s)
{
	size_t at = 0;

	if (!s->first || !s->has_fault || s->fault < s->first ||
	    (s->fault - s->first) / 4 >= s->count)
		return 0;
	while (!leads_to_fault(s, at))
		at++;
	return at;
}

static void print_packet(const uint32_t *dw)
{
	const int size = sundog_packet_print(dw, NULL, 0);
	char *text = malloc(size + 1);

	if (text)
		sundog_packet_print(dw, text, size + 1);
	puts(text ? text : "out of memory");
	free(text);
}

/* Returns false if a packet is invalid. It is skipped if its length is possible. */
static bool print_stream(const struct stream *s)
{
	bool ok = true;
	uint32_t arg;

	for (size_t at = first_packet(s); at < s->count;) {
		const uint64_t offset = s->first + at * 4;
		const uint32_t *dw = s->dw + at, dwords = SUNDOG_PACKET_DWORDS(*dw);
		const enum sundog_fault_code code = sundog_packet_check(dw, s->count - at, &arg);

		printf("%s%08llx: ", s->has_fault && offset == s->fault ? "=>" : "  ",
		       (unsigned long long)offset);
		if (!code) {
			print_packet(dw);
		} else {
			printf("invalid: header 0x%08x, fault %s, argument 0x%x\n", *dw,
			       sundog_fault_name(code), arg);
			ok = false;
		}
		if (!dwords || dwords > s->count - at) {
			if (s->count - at > 1)
				printf("  %08llx: %zu bytes are not printed, no packet begins "
				       "there\n", (unsigned long long)offset + 4,
				       (s->count - at - 1) * 4);
			break;
		}
		at += dwords;
	}
	return ok;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 && strcmp(argv[1], "-") ? argv[1] : "standard input";
	struct stream s = { 0 };
	const char *stream;
	FILE *file = stdin;
	size_t size;
	char *data;
	bool ok;

	if (argc == 2 && !strcmp(argv[1], "--version")) {
		printf("sundog %s, protocol %d.%d\n", SUNDOG_RELEASE, SUNDOG_VERSION_MAJOR,
		       SUNDOG_VERSION_MINOR);
		return 0;
	}
	if (argc > 2) {
		fprintf(stderr, "usage: sundog-dis [FILE] | --version\n");
		return 2;
	}
	if (argc == 2 && strcmp(argv[1], "-"))
		file = fopen(argv[1], "rb");
	if (!file)
		die(name, strerror(errno));
	data = read_all(name, file, &size);
	stream = find_stream(data);
	if (stream)
		read_coredump(&s, name, data, stream);
	else if (size % 4)
		die(name, "neither a coredump of sundog nor a stream: no multiple of 4 bytes");
	else
		s = (struct stream){ .dw = (uint32_t *)data, .count = size / 4 };
	ok = print_stream(&s);
	if (stream)
		free(s.dw);
	free(data);
	if (file != stdin)
		fclose(file);
	return fflush(stdout) || ferror(stdout) || !ok;
}
