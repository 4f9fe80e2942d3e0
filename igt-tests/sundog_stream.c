// SPDX-License-Identifier: MIT
/*
 * Malformed streams: each stops its own context, with a fault record that has the reason and the
 * offset; the client gets EIO, and all other contexts go on.
 */
#include "sundog_test.h"

#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Malformed command streams");

#define SIZE (4 * PAGE)
#define NO_SUCH_OPCODE 0xfff

/* Objects that a bad stream can use. */
struct scene {
	struct sd_context *ctx;
	struct sd_bo bo, unlisted;
	uint64_t bad;			/* offset of the bad packet in bytes */
};

/* Expected fields of the fault record. */
struct expected {
	uint32_t code;
	uint64_t arg;
};

static void emit_fill(struct sd_context *ctx, struct sundog_mem mem, uint64_t offset, uint64_t size)
{
	const struct sundog_cmd_fill_buffer fill = {
		.dst = { .mem = mem, .offset = offset, .size = size },
		.value = 1,
	};

	sundog_emit_fill_buffer(&ctx->stream, &fill);
}

static uint32_t *emit_raw(struct sd_context *ctx, uint32_t opcode, uint32_t dwords, uint32_t room)
{
	uint32_t *at = sundog_stream_reserve(&ctx->stream, opcode, room);

	igt_assert(at);
	memset(at, 0, (room - 1) * 4);
	at[-1] = SUNDOG_PACKET(opcode, dwords);
	return at;
}

static struct expected wrong_length(struct scene *scene)
{
	emit_raw(scene->ctx, SUNDOG_OP_END_RENDERING, 2, 2);
	return (struct expected){ SUNDOG_FAULT_CODE_LENGTH, 2 };
}

static struct expected zero_length(struct scene *scene)
{
	emit_raw(scene->ctx, SUNDOG_OP_NOP, 0, 2);
	return (struct expected){ SUNDOG_FAULT_CODE_LENGTH, 0 };
}

static struct expected past_end(struct scene *scene)
{
	emit_raw(scene->ctx, SUNDOG_OP_NOP, 100, 2)[0] = 98;
	return (struct expected){ SUNDOG_FAULT_CODE_LENGTH, 100 };
}

static struct expected unknown_opcode(struct scene *scene)
{
	emit_raw(scene->ctx, NO_SUCH_OPCODE, 1, 1);
	return (struct expected){ SUNDOG_FAULT_CODE_OPCODE, NO_SUCH_OPCODE };
}

static struct expected bad_field(struct scene *scene)
{
	const struct sundog_cmd_destroy destroy = { .kind = 99, .id = 1 };

	sundog_emit_destroy(&scene->ctx->stream, &destroy);
	return (struct expected){ SUNDOG_FAULT_CODE_FIELD, 1 };
}

static struct expected object_out_of_range(struct scene *scene)
{
	const struct sundog_cmd_create_sampler sampler = {
		.id = SUNDOG_MAX_OBJECTS,
		.max_anisotropy = 1,
	};

	sundog_emit_create_sampler(&scene->ctx->stream, &sampler);
	return (struct expected){ SUNDOG_FAULT_CODE_OBJECT, SUNDOG_MAX_OBJECTS };
}

static struct expected object_missing(struct scene *scene)
{
	const struct sundog_cmd_destroy destroy = {
		.kind = SUNDOG_OBJECT_KIND_IMAGE,
		.id = 1234,
	};

	sundog_emit_destroy(&scene->ctx->stream, &destroy);
	return (struct expected){ SUNDOG_FAULT_CODE_OBJECT, 1234 };
}

static struct expected past_allocation(struct scene *scene)
{
	emit_fill(scene->ctx, scene->bo.mem, SIZE - 4, 8);
	return (struct expected){ SUNDOG_FAULT_CODE_RANGE, scene->bo.device_handle };
}

static struct expected offset_overflow(struct scene *scene)
{
	emit_fill(scene->ctx, scene->bo.mem, UINT64_MAX - 3, 8);
	return (struct expected){ SUNDOG_FAULT_CODE_RANGE, scene->bo.device_handle };
}

static struct expected not_listed(struct scene *scene)
{
	emit_fill(scene->ctx, scene->unlisted.mem, 0, 4);
	return (struct expected){ SUNDOG_FAULT_CODE_NOT_LISTED, scene->unlisted.device_handle };
}

static struct expected no_write_access(struct scene *scene)
{
	emit_fill(scene->ctx, scene->unlisted.mem, 0, 4);
	sd_list(scene->ctx, &scene->unlisted, READ);
	return (struct expected){ SUNDOG_FAULT_CODE_ACCESS, scene->unlisted.device_handle };
}

static struct expected invalid_spirv(struct scene *scene)
{
	static const uint32_t code[] = { 0x07230203, 0x00010500, 0, 8, 0, 0xdeadbeef };
	const struct sundog_cmd_create_shader shader = {
		.id = 77,
		.stage = SUNDOG_STAGE_COMPUTE,
		.n_dwords = sizeof(code) / 4,
	};

	sundog_emit_create_shader(&scene->ctx->stream, &shader, code);
	sundog_emit_bind_shaders(&scene->ctx->stream, &(struct sundog_cmd_bind_shaders){
		.shaders = { [SUNDOG_STAGE_COMPUTE] = 77 } });
	scene->bad = scene->ctx->stream.used * 4;
	sundog_emit_dispatch(&scene->ctx->stream, &(struct sundog_cmd_dispatch){ { 1, 1, 1 } });
	return (struct expected){ SUNDOG_FAULT_CODE_SHADER, 77 };
}

static struct expected wrong_state(struct scene *scene)
{
	sundog_emit_end_rendering(&scene->ctx->stream);
	return (struct expected){ SUNDOG_FAULT_CODE_STATE, SUNDOG_OP_END_RENDERING };
}

static uint64_t submit_with_fence(struct sd_context *ctx, uint32_t *syncobj)
{
	struct drm_sundog_sync out = { .flags = SIGNAL };
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.stream = ctx->stream_bo.handle,
		.stream_size = ctx->stream.used * 4,
		.allocs = (uintptr_t)ctx->list,
		.n_allocs = ctx->count,
		.alloc_stride = sizeof(ctx->list[0]),
		.syncs = (uintptr_t)&out,
		.n_syncs = 1,
		.sync_stride = sizeof(out),
	};

	igt_assert(!drmSyncobjCreate(ctx->fd, 0, &out.handle));
	sd_ioctl(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	*syncobj = out.handle;
	return args.seqno;
}

static void check_works(struct sd_context *ctx, uint32_t value)
{
	struct sd_bo bo = sd_alloc(ctx->fd, SIZE);

	sd_emit_fill(ctx, &bo, value, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(ctx->fd, &bo, value));
	sd_dealloc(ctx->fd, &bo);
}

static void check_record(const struct drm_sundog_context_query *query, struct expected expected,
			 uint64_t seqno, uint64_t offset)
{
	igt_assert_eq(query->fault, expected.code);
	igt_assert_eq_u64(query->seqno, seqno);
	igt_assert_eq_u64(query->offset, offset);
	igt_assert_eq_u64(query->arg, expected.arg);
}

static void test(int fd, struct expected (*emit)(struct scene *scene))
{
	const uint64_t before = sd_idle_vram_free(fd);
	int other_fd = sd_open();
	struct sd_context *neighbour = sd_context(fd), *stranger = sd_context(other_fd);
	struct scene scene = {
		.ctx = sd_context(fd),
		.bo = sd_alloc(fd, SIZE),
		.unlisted = sd_alloc(fd, SIZE),
	};
	struct drm_sundog_context_query query;
	struct expected expected;
	uint64_t seqno, ignored;
	uint32_t syncobj;

	sd_emit_fill(scene.ctx, &scene.bo, 0x600d600d, 1);
	scene.bad = scene.ctx->stream.used * 4;
	expected = emit(&scene);
	emit_fill(scene.ctx, scene.bo.mem, 0, SIZE);
	seqno = submit_with_fence(scene.ctx, &syncobj);
	igt_assert_eq(drmSyncobjWait(fd, &syncobj, 1, sd_deadline(), 0, NULL), 0);
	query = sd_wait_dead(scene.ctx);
	check_record(&query, expected, seqno, scene.bad);

	igt_assert_eq(sd_submit_try(scene.ctx, &ignored), -EIO);
	igt_assert(sd_is_filled(fd, &scene.unlisted, 0));
	check_works(neighbour, 2);
	check_works(stranger, 3);

	drmSyncobjDestroy(fd, syncobj);
	sd_context_free(scene.ctx);
	sd_context_free(neighbour);
	sd_context_free(stranger);
	sd_dealloc(fd, &scene.bo);
	sd_dealloc(fd, &scene.unlisted);
	close(other_fd);
	sd_wait_vram_free(fd, before);
}

/* Submissions behind the bad one are not executed, and their fences signal, too. */
static void test_queue_behind(int fd)
{
	struct scene scene = { .ctx = sd_context(fd), .bo = sd_alloc(fd, SIZE) };
	uint64_t seqno;
	int ret;

	unknown_opcode(&scene);
	sd_submit(scene.ctx);
	for (int i = 0; i < 2 * SUNDOG_RING_SLOTS; i++) {
		sd_emit_fill(scene.ctx, &scene.bo, 1, 1);
		ret = sd_submit_try(scene.ctx, &seqno);
		igt_assert(!ret || ret == -EIO);
		if (ret)
			break;
	}
	sd_wait_dead(scene.ctx);
	sd_wait(fd, &scene.bo);
	igt_assert(sd_is_filled(fd, &scene.bo, 0));
	sd_dealloc(fd, &scene.bo);
	sd_context_free(scene.ctx);
}

igt_main()
{
	static const struct {
		const char *name, *description;
		struct expected (*emit)(struct scene *scene);
	} tests[] = {
		{ "wrong-length",
		  "A packet whose length is wrong for its opcode faults the context.",
		  wrong_length },
		{ "zero-length", "A packet of length 0 faults the context.", zero_length },
		{ "past-stream-end", "A packet that exceeds its stream faults the context.",
		  past_end },
		{ "unknown-opcode", "An unknown opcode faults the context.", unknown_opcode },
		{ "bad-field", "A field that is out of its range faults the context.", bad_field },
		{ "object-id-out-of-range", "An object id past the maximum faults the context.",
		  object_out_of_range },
		{ "object-missing", "An object id without an object faults the context.",
		  object_missing },
		{ "past-allocation", "A range that exceeds its allocation faults the context.",
		  past_allocation },
		{ "offset-overflow", "An offset that overflows with its size faults the context.",
		  offset_overflow },
		{ "not-listed",
		  "Access to memory that the submission does not list faults the context.",
		  not_listed },
		{ "no-write-access",
		  "A write to memory that is listed for reading faults the context.",
		  no_write_access },
		{ "invalid-spirv", "A dispatch of an invalid shader faults the context.",
		  invalid_spirv },
		{ "wrong-state",
		  "A packet that is not allowed in the current state faults the context.",
		  wrong_state },
	};
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	for (unsigned int i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		igt_describe(tests[i].description);
		igt_subtest(tests[i].name)
			test(fd, tests[i].emit);
	}

	igt_describe("Submissions behind a faulting stream are not executed, and their fences "
		     "signal.");
	igt_subtest("queue-behind-fault")
		test_queue_behind(fd);

	igt_fixture()
		close(fd);
}
