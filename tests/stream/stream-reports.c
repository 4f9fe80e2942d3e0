// SPDX-License-Identifier: MIT
/*
 * Tests report_shader: what is reported of shaders, where it is written, and invalid packets. Runs
 * on the device that device.h finds. Prints TAP.
 */
#include <stdio.h>
#include <string.h>

#include "hostile.h"
#include "strips.vert.h"

#define BUFFER_SIZE 65536u
#define REPORT sizeof(struct sundog_shader_report)
#define UNTOUCHED 0x5a

enum { ID_VERTEX = HOSTILE_FREE, ID_REFUSED, ID_LAYOUT, ID_LAYOUT_VERTEX, ID_LATE };

struct scene {
	struct hostile *h;
	struct sdrm_bo *buffer;
};

static void make_shader(struct scene *s, uint32_t id, uint32_t stage)
{
	const struct sundog_cmd_create_shader cmd = { .stage = stage };

	hostile_shader(s->h, id, &cmd, strips_vert, sizeof(strips_vert));
}

static void make_shaders(struct scene *s)
{
	const struct sundog_cmd_create_pipeline_layout layout = { .id = ID_LAYOUT };

	make_shader(s, ID_VERTEX, SUNDOG_STAGE_VERTEX);
	/* The module has no entry point of this stage. */
	make_shader(s, ID_REFUSED, SUNDOG_STAGE_FRAGMENT);
	sundog_emit_create_pipeline_layout(s->h->stream, &layout, NULL);
	sundog_emit_create_layout_shader(s->h->stream, &(struct sundog_cmd_create_layout_shader){
		ID_LAYOUT_VERTEX, SUNDOG_STAGE_VERTEX, ID_LAYOUT, sizeof(strips_vert) / 4 },
		strips_vert);
}

static void report(struct scene *s, uint32_t id, uint64_t offset)
{
	hostile_list(s->h, s->buffer);
	sundog_emit_report_shader(s->h->stream, &(struct sundog_cmd_report_shader){
		id, sdrm_bo_mem(s->buffer), offset });
}

static struct sundog_shader_report *report_at(const struct scene *s, uint64_t offset)
{
	return (void *)((char *)sdrm_bo_map(s->buffer) + offset);
}

static void clear(struct scene *s)
{
	memset(sdrm_bo_map(s->buffer), UNTOUCHED, BUFFER_SIZE);
}

/* Valid use */

static bool is_accepted(const struct sundog_shader_report *r)
{
	static const struct sundog_shader_report accepted = {
		.state = SUNDOG_SHADER_STATE_ACCEPTED };

	return !memcmp(r, &accepted, sizeof(accepted));
}

/* The reason is text, and all behind its end is zero. */
static bool is_refused(const struct sundog_shader_report *r)
{
	const size_t length = strnlen(r->reason, sizeof(r->reason));

	if (r->state != SUNDOG_SHADER_STATE_REFUSED || r->result || !length ||
	    length == sizeof(r->reason))
		return false;
	printf("# %s\n", r->reason);
	for (size_t i = 0; i < sizeof(r->reason); i++)
		if (i < length ? r->reason[i] < ' ' || r->reason[i] > '~' : r->reason[i])
			return false;
	return true;
}

static bool reports(struct scene *s)
{
	clear(s);
	report(s, ID_VERTEX, 0);
	report(s, ID_LAYOUT_VERTEX, REPORT);
	report(s, ID_REFUSED, 2 * REPORT);
	return hostile_runs(s->h) && is_accepted(report_at(s, 0)) &&
	       is_accepted(report_at(s, REPORT)) && is_refused(report_at(s, 2 * REPORT));
}

/* The stream that creates a shader may report it. */
static bool reports_at_once(struct scene *s)
{
	clear(s);
	make_shader(s, ID_LATE, SUNDOG_STAGE_FRAGMENT);
	report(s, ID_LATE, 0);
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SHADER, ID_LATE });
	make_shader(s, ID_LATE, SUNDOG_STAGE_VERTEX);
	report(s, ID_LATE, REPORT);
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_SHADER, ID_LATE });
	return hostile_runs(s->h) && is_refused(report_at(s, 0)) &&
	       is_accepted(report_at(s, REPORT));
}

/* A report has REPORT bytes, at any word of the memory. */
static bool is_in_place(struct scene *s)
{
	const uint64_t first = 12, last = BUFFER_SIZE - REPORT;
	const unsigned char *bytes = sdrm_bo_map(s->buffer);

	clear(s);
	report(s, ID_REFUSED, first);
	report(s, ID_VERTEX, last);
	if (!hostile_runs(s->h) || !is_refused(report_at(s, first)) ||
	    !is_accepted(report_at(s, last)))
		return false;
	for (uint64_t i = 0; i < last; i++)
		if ((i < first || i >= first + REPORT) && bytes[i] != UNTOUCHED)
			return false;
	return true;
}

/* Invalid packets */

static void no_shader(struct scene *s)
{
	report(s, ID_LATE, 0);
}

static void past_all_ids(struct scene *s)
{
	report(s, UINT32_MAX, 0);
}

static void other_object(struct scene *s)
{
	report(s, ID_LAYOUT, 0);
}

static void past_the_end(struct scene *s)
{
	report(s, ID_VERTEX, BUFFER_SIZE - REPORT + 4);
}

static void far_past_the_end(struct scene *s)
{
	report(s, ID_VERTEX, UINT64_MAX - 3);
}

static void askew(struct scene *s)
{
	report(s, ID_VERTEX, 2);
}

static void unlisted(struct scene *s)
{
	sundog_emit_report_shader(s->h->stream, &(struct sundog_cmd_report_shader){
		ID_VERTEX, sdrm_bo_mem(s->buffer), 0 });
}

static void read_only(struct scene *s)
{
	sdrm_submit_add(s->h->submit, s->buffer, SUNDOG_ACCESS_READ);
	unlisted(s);
}

static const struct hostile_fault faults[] = {
	{ "a report of no shader", no_shader, SUNDOG_FAULT_CODE_OBJECT },
	{ "a report of an id past all ids", past_all_ids, SUNDOG_FAULT_CODE_OBJECT },
	{ "a report of a layout", other_object, SUNDOG_FAULT_CODE_OBJECT },
	{ "a report past the end", past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a report far past the end", far_past_the_end, SUNDOG_FAULT_CODE_RANGE },
	{ "a report that is not at a word", askew, SUNDOG_FAULT_CODE_RANGE },
	{ "a report to memory that is not listed", unlisted, SUNDOG_FAULT_CODE_NOT_LISTED },
	{ "a report to memory that is listed for reading", read_only, SUNDOG_FAULT_CODE_ACCESS },
};

int main(void)
{
	struct scene s = { .h = hostile_new() };

	hostile_guard_front(s.h);
	s.buffer = hostile_bo(s.h, BUFFER_SIZE);
	hostile_guard_back(s.h);
	make_shaders(&s);
	hostile_need(s.h, "shaders");
	hostile_result(reports(&s), "shaders are reported as accepted or refused");
	hostile_result(reports_at_once(&s), "the stream that creates a shader reports it");
	hostile_result(is_in_place(&s), "a report is written to its place only");
	hostile_faults(s.h, &s, faults, sizeof(faults) / sizeof(faults[0]));
	hostile_result(reports(&s), "shaders are reported after all of that");
	sdrm_bo_del(s.buffer);
	hostile_del(s.h);
	return hostile_status();
}
