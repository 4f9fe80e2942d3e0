// SPDX-License-Identifier: MIT
/*
 * Golden test of the packet format: test-packets GOLDEN.
 *
 * Bytes: the generated packers make packets of every shape; their hexadecimal dwords and the text
 * of the disassembler must equal the golden file. Checks: every packet is built from its table with
 * its smallest legal values and must pass; then each limit is exceeded by one and the packet must
 * fail. Prints TAP. To write the golden file: test-packets --write GOLDEN.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "sundog_emit.h"

static int tests;

static void result(bool ok, const char *what, const char *name)
{
	printf("%sok %d - %s: %s\n", ok ? "" : "not ", ++tests, name, what);
}

/* Bytes */

static void emit_samples(struct sundog_stream *s)
{
	struct sundog_texture_binding textures[2] = { { 7, 8 }, { 9, 10 } };
	struct sundog_viewport viewport = { 1.0f, 2.0f, 3.5f, -4.0f, 0.0f, 1.0f };
	uint32_t words[3] = { 0x11111111, 0x22222222, 0x33333333 };

	sundog_emit_end_rendering(s);
	sundog_emit_draw(s, &(struct sundog_cmd_draw){ 3, 1, 0x01020304, 5 });
	sundog_emit_draw_indexed(s, &(struct sundog_cmd_draw_indexed){ 6, 1, 2, -3, 0 });
	sundog_emit_create_image(s, &(struct sundog_cmd_create_image){
		.id = 1, .mem = { 2, 3 }, .offset = 0x0123456789abcdefull,
		.flags = SUNDOG_IMAGE_FLAG_CUBE_COMPATIBLE,
		.type = 1, .format = 37, .extent = { 64, 32, 1 }, .levels = 7, .layers = 6,
		.samples = 1,
		.usage = SUNDOG_IMAGE_USAGE_SAMPLED,
	});
	sundog_emit_set_viewports(s, &(struct sundog_cmd_set_viewports){ 1 }, &viewport);
	sundog_emit_bind_textures(s, &(struct sundog_cmd_bind_textures){
		SUNDOG_STAGE_FRAGMENT, 4, 2 }, textures);
	sundog_emit_push_constants(s, &(struct sundog_cmd_push_constants){ 8, 3 }, words);
	sundog_emit_bind_ubo(s, &(struct sundog_cmd_bind_ubo){
		.slot = 15, .range = { { 0, 77 }, 0x1000, 0x40 } });
}

static char *render_samples(void)
{
	static uint32_t map[1024];
	struct sundog_stream s = { .map = map, .size = 1024 };
	size_t size = 1 << 16, used = 0;
	char *text = calloc(1, size);

	emit_samples(&s);
	for (uint32_t at = 0; at < s.used; at += SUNDOG_PACKET_DWORDS(map[at])) {
		for (uint32_t i = 0; i < SUNDOG_PACKET_DWORDS(map[at]); i++)
			used += snprintf(text + used, size - used, "%s%08x", i ? " " : "",
					 map[at + i]);
		used += snprintf(text + used, size - used, "\n\t");
		used += sundog_packet_print(map + at, text + used, size - used);
		used += snprintf(text + used, size - used, "\n");
	}
	return text;
}

static bool matches(const char *path, const char *text)
{
	FILE *f = fopen(path, "r");
	size_t size = strlen(text) + 2;
	char *golden = calloc(1, size);
	bool same = f && fread(golden, 1, size - 1, f) == strlen(text) &&
		    !memcmp(golden, text, strlen(text));

	if (f)
		fclose(f);
	if (!same)
		printf("# now:\n%s", text);
	free(golden);
	return same;
}

static void test_overflow(void)
{
	uint32_t map[4] = { 0 };
	struct sundog_stream s = { .map = map, .size = 4 };

	sundog_emit_draw(&s, &(struct sundog_cmd_draw){ 1, 1, 0, 0 });
	result(s.overflow && !s.used && !map[0], "a packet that does not fit is dropped whole",
	       "stream");
}

/* Checks */

#define MAX_DWORDS 4096

/* Builds the packet with the smallest legal values, with two elements if it has an array. Returns
 * its length in dwords. */
static uint32_t build(uint32_t opcode, uint32_t *dw)
{
	const struct sundog_packet_desc *desc = &sundog_packets[opcode];
	uint32_t dwords = desc->dwords;

	memset(dw, 0, MAX_DWORDS * sizeof(*dw));
	for (uint32_t i = 0; i < desc->n_fields; i++)
		if (desc->fields[i].kind == SUNDOG_FIELD_U32)
			dw[1 + desc->fields[i].dword] = desc->fields[i].min;
	if (desc->array) {
		dw[1 + desc->count_dword] = 2;
		dwords += 2 * desc->element_dwords;
		for (uint32_t i = 0; i < 2 * desc->n_elements; i++) {
			const struct sundog_field *f = &desc->elements[i % desc->n_elements];

			if (f->kind == SUNDOG_FIELD_U32)
				dw[desc->dwords + i / desc->n_elements * desc->element_dwords +
				   f->dword] = f->min;
		}
	}
	dw[0] = SUNDOG_PACKET(opcode, dwords);
	return dwords;
}

static bool faults(const uint32_t *dw, uint32_t avail, enum sundog_fault_code code, uint32_t arg)
{
	uint32_t got_arg;
	enum sundog_fault_code got = sundog_packet_check(dw, avail, &got_arg);

	if (got == code && (code == SUNDOG_FAULT_CODE_NONE || got_arg == arg))
		return true;
	printf("# fault %s, arg %u; expected %s, %u\n", sundog_fault_name(got), got_arg,
	       sundog_fault_name(code), arg);
	return false;
}

/* Exceeds each limit of the field at @at by one, and restores it. Returns true if all faulted. */
static bool limits_hold(uint32_t *dw, uint32_t dwords, uint32_t at, const struct sundog_field *f)
{
	const uint32_t saved = dw[at];
	bool ok = true;

	if (f->kind == SUNDOG_FIELD_U32 && f->max != UINT32_MAX) {
		dw[at] = f->max + 1;
		ok &= faults(dw, dwords, SUNDOG_FAULT_CODE_FIELD, at);
	}
	if (f->kind == SUNDOG_FIELD_U32 && f->min) {
		dw[at] = f->min - 1;
		ok &= faults(dw, dwords, SUNDOG_FAULT_CODE_FIELD, at);
	}
	if (f->kind == SUNDOG_FIELD_I32 && (int32_t)f->max != INT32_MAX) {
		dw[at] = f->max + 1;
		ok &= faults(dw, dwords, SUNDOG_FAULT_CODE_FIELD, at);
		dw[at] = f->min - 1;
		ok &= faults(dw, dwords, SUNDOG_FAULT_CODE_FIELD, at);
	}
	if (f->kind == SUNDOG_FIELD_MASK) {
		dw[at] = f->max + 1;
		ok &= faults(dw, dwords, SUNDOG_FAULT_CODE_FIELD, at);
	}
	dw[at] = saved;
	return ok;
}

static void test_packet(uint32_t opcode)
{
	const struct sundog_packet_desc *desc = &sundog_packets[opcode];
	uint32_t dw[MAX_DWORDS], dwords = build(opcode, dw);
	bool ok = true;

	result(faults(dw, dwords, SUNDOG_FAULT_CODE_NONE, 0), "smallest legal values pass",
	       desc->name);
	dw[0] = SUNDOG_PACKET(opcode, dwords + 1);
	ok &= faults(dw, dwords + 1, SUNDOG_FAULT_CODE_LENGTH, dwords + 1);
	dw[0] = SUNDOG_PACKET(opcode, dwords - 1);
	ok &= faults(dw, dwords, SUNDOG_FAULT_CODE_LENGTH, dwords - 1);
	dw[0] = SUNDOG_PACKET(opcode, dwords);
	if (dwords > 1)
		ok &= faults(dw, dwords - 1, SUNDOG_FAULT_CODE_LENGTH, dwords);
	result(ok, "a wrong length is seen", desc->name);

	ok = true;
	for (uint32_t i = 0; i < desc->n_fields; i++)
		ok &= limits_hold(dw, dwords, 1 + desc->fields[i].dword, &desc->fields[i]);
	for (uint32_t i = 0; i < desc->n_elements; i++)
		ok &= limits_hold(dw, dwords,
				  desc->dwords + desc->element_dwords + desc->elements[i].dword,
				  &desc->elements[i]);
	result(ok, "a value past its limit is seen", desc->name);
}

static void test_opcodes(void)
{
	uint32_t dw = SUNDOG_PACKET(0xfff, 1);

	result(faults(&dw, 1, SUNDOG_FAULT_CODE_OPCODE, 0xfff), "past the table", "unknown opcode");
	dw = SUNDOG_PACKET(0x1f, 1);
	result(!sundog_packets[0x1f].name && faults(&dw, 1, SUNDOG_FAULT_CODE_OPCODE, 0x1f),
	       "in a gap", "unknown opcode");
	dw = SUNDOG_PACKET(SUNDOG_OP_END_RENDERING, 0);
	result(faults(&dw, 1, SUNDOG_FAULT_CODE_LENGTH, 0), "length 0", "end_rendering");
}

int main(int argc, char **argv)
{
	char *text = render_samples();

	if (argc == 3 && !strcmp(argv[1], "--write")) {
		FILE *f = fopen(argv[2], "w");

		return !f || fputs(text, f) < 0 || fclose(f);
	}
	if (argc != 2) {
		fprintf(stderr, "usage: test-packets [--write] GOLDEN\n");
		return 2;
	}
	result(matches(argv[1], text), "bytes and text are the golden ones", "packers");
	free(text);
	test_overflow();
	test_opcodes();
	for (uint32_t opcode = 0; opcode < SUNDOG_NUM_OPCODES; opcode++)
		if (sundog_packets[opcode].name)
			test_packet(opcode);
	printf("1..%d\n", tests);
	return 0;
}
