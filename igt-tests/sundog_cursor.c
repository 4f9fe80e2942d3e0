// SPDX-License-Identifier: MIT
/*
 * Cursors and their hot spots: which clients may use them, which registers the driver writes, and
 * that a move alone writes nothing but the position. A head's CRC includes the cursor whether or
 * not the host shows the cursor by itself.
 */
#include "sundog_gate.h"
#include "sundog_head.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm_fourcc.h>

IGT_TEST_DESCRIPTION("Cursors of a sundog device, and their hot spots");

#define SIZE 64
#define COLOR 0xff3366cc
#define OTHER_COLOR 0xffcc6633
#define BLACK 0xff000000

/* Plane indices of the first head in the device's registers. */
#define PRIMARY 0
#define CURSOR (SUNDOG_HEAD_PLANES - 1)

/* A value that the device accepts, and that has no effect on a picture without chroma. */
#define MARK SUNDOG_PLANE_ENCODING_BT709

static const int places[][2] = { { 5, 9 }, { -13, 20 }, { 20, -17 }, { 300, 200 }, { 5, 9 } };

static volatile uint32_t *regs;

/*
 * Maps the registers; skips if that is impossible, so each subtest that reads registers calls this
 * first.
 */
static void map_regs(const struct sd_head *head)
{
	if (!regs)
		regs = sd_map_bar(head->fd, 0, 0, PAGE, PROT_READ | PROT_WRITE);
}

static uint32_t read_reg(uint32_t reg)
{
	return regs[reg / 4];
}

/* Sets a mark that the driver overwrites when it writes all registers of the plane. */
static void mark(void)
{
	regs[SUNDOG_REG_PLANE_ENCODING(CURSOR) / 4] = MARK;
	igt_assert_eq_u32(read_reg(SUNDOG_REG_PLANE_ENCODING(CURSOR)), MARK);
}

static bool is_marked(void)
{
	return read_reg(SUNDOG_REG_PLANE_ENCODING(CURSOR)) == MARK;
}

static void check_hot_spot(int32_t x, int32_t y)
{
	igt_assert_eq_u32(read_reg(SUNDOG_REG_PLANE_POINTER(CURSOR)), 1);
	igt_assert_eq((int32_t)read_reg(SUNDOG_REG_PLANE_HOT_X(CURSOR)), x);
	igt_assert_eq((int32_t)read_reg(SUNDOG_REG_PLANE_HOT_Y(CURSOR)), y);
}

static void check_place(int32_t x, int32_t y)
{
	igt_assert_eq((int32_t)read_reg(SUNDOG_REG_PLANE_DST_X(CURSOR)), x);
	igt_assert_eq((int32_t)read_reg(SUNDOG_REG_PLANE_DST_Y(CURSOR)), y);
}

static uint32_t cursor_plane(const struct sd_head *head)
{
	return head->planes[head->count - 1];
}

/* A screen and a cursor; @expected is for the CRC of both together. */
struct scene {
	const struct sd_head *head;
	struct sd_picture canvas, cursor, expected;
};

static void scene_start(struct scene *s, const struct sd_head *head)
{
	map_regs(head);
	s->head = head;
	s->expected = sd_canvas(head);
	s->canvas = sd_canvas(head);
	s->cursor = sd_picture(head->fd, DRM_FORMAT_ARGB8888, SIZE, SIZE);
	sd_paint(&s->cursor, 0, 0, SIZE, SIZE, COLOR);
	igt_assert_eq(sd_show_try(head, (const struct sd_shown[]) { { .picture = &s->canvas } }, 1),
		      0);
}

static void scene_end(struct scene *s)
{
	const int fd = s->head->fd;

	igt_assert_eq(sd_turn_off(s->head), 0);
	sd_picture_free(fd, &s->cursor);
	sd_picture_free(fd, &s->canvas);
	sd_picture_free(fd, &s->expected);
}

static void check_shown(struct scene *s, int x, int y, uint32_t color)
{
	sd_paint(&s->expected, 0, 0, s->expected.width, s->expected.height, BLACK);
	sd_paint(&s->expected, x, y, SIZE, SIZE, color);
	igt_assert_eq_u32(sd_next_crc(s->head), sd_crc32(&s->expected));
}

static void set_cursor(struct scene *s, int32_t hot_x, int32_t hot_y)
{
	igt_assert_eq(drmModeSetCursor2(s->head->fd, s->head->crtc, s->cursor.handle, SIZE, SIZE,
					hot_x, hot_y), 0);
}

static void move_cursor(struct scene *s, int x, int y)
{
	igt_assert_eq(drmModeMoveCursor(s->head->fd, s->head->crtc, x, y), 0);
}

static void commit(const struct sd_head *head, drmModeAtomicReqPtr req)
{
	igt_assert_eq(drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL), 0);
	drmModeAtomicFree(req);
}

static void set_two(const struct sd_head *head, const char *x_name, int64_t x, const char *y_name,
		    int64_t y)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	sd_set_plane(req, head->fd, cursor_plane(head), x_name, x);
	sd_set_plane(req, head->fd, cursor_plane(head), y_name, y);
	commit(head, req);
}

static void set_hot_spot(const struct sd_head *head, int32_t x, int32_t y)
{
	set_two(head, "HOTSPOT_X", x, "HOTSPOT_Y", y);
}

static void set_active(const struct sd_head *head, bool active)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", active);
	commit(head, req);
}

static void check_properties(const struct sd_head *head, int x, int y)
{
	uint64_t value;

	igt_assert(sd_find_prop(head->fd, cursor_plane(head), DRM_MODE_OBJECT_PLANE, "HOTSPOT_X",
				&value));
	igt_assert_eq((int)value, x);
	igt_assert(sd_find_prop(head->fd, cursor_plane(head), DRM_MODE_OBJECT_PLANE, "HOTSPOT_Y",
				&value));
	igt_assert_eq((int)value, y);
}


static uint32_t count_planes(int fd)
{
	drmModePlaneResPtr planes = drmModeGetPlaneResources(fd);
	const uint32_t count = planes->count_planes;

	drmModeFreePlaneResources(planes);
	return count;
}

static void test_capability(const struct sd_head *head)
{
	const uint32_t heads = sd_count_heads(head->fd);
	int fd = sd_open_primary();

	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT, 1), -1);
	igt_assert_eq(errno, EINVAL);
	igt_assert_eq_u32(count_planes(fd), SUNDOG_HEAD_PLANES * heads);
	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1), 0);
	igt_assert_eq_u32(count_planes(fd), (SUNDOG_HEAD_PLANES - 1) * heads);
	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT, 1), 0);
	igt_assert_eq_u32(count_planes(fd), SUNDOG_HEAD_PLANES * heads);
	close(fd);
}

static void test_properties(const struct sd_head *head)
{
	for (uint32_t i = 0; i < head->count; i++) {
		const bool is_cursor = head->planes[i] == cursor_plane(head);

		igt_assert_eq(!!sd_find_prop(head->fd, head->planes[i], DRM_MODE_OBJECT_PLANE,
					     "HOTSPOT_X", NULL), is_cursor);
		igt_assert_eq(!!sd_find_prop(head->fd, head->planes[i], DRM_MODE_OBJECT_PLANE,
					     "HOTSPOT_Y", NULL), is_cursor);
	}
	set_hot_spot(head, -3, 1000);
	check_properties(head, -3, 1000);
	set_hot_spot(head, 0, 0);
	check_properties(head, 0, 0);
}

/* A hot spot outside of the picture is valid, too; it only means that no UI can show the cursor. */
static void test_atomic(const struct sd_head *head)
{
	static const int32_t hot_xs[] = { -1, 0, SIZE - 1, SIZE };
	struct scene s;
	struct sd_shown shown[SUNDOG_HEAD_PLANES] = { 0 };

	scene_start(&s, head);
	shown[PRIMARY].picture = &s.canvas;
	shown[CURSOR] = (struct sd_shown) {
		.picture = &s.cursor, .x = 30, .y = 40, .names = { "HOTSPOT_X", "HOTSPOT_Y" },
		.values = { 7, 11 },
	};
	igt_assert_eq(sd_show_try(head, shown, SUNDOG_HEAD_PLANES), 0);
	check_hot_spot(7, 11);
	check_place(30, 40);
	igt_assert_eq_u32(read_reg(SUNDOG_REG_PLANE_POINTER(PRIMARY)), 0);
	check_shown(&s, 30, 40, COLOR);
	for (size_t i = 0; i < sizeof(hot_xs) / sizeof(hot_xs[0]); i++) {
		mark();
		set_hot_spot(head, hot_xs[i], 12);
		check_hot_spot(hot_xs[i], 12);
		igt_assert(!is_marked());
		check_shown(&s, 30, 40, COLOR);
	}
	scene_end(&s);
}

static void test_legacy(const struct sd_head *head)
{
	struct scene s;

	scene_start(&s, head);
	set_cursor(&s, 3, 5);
	check_hot_spot(3, 5);
	check_properties(head, 3, 5);
	move_cursor(&s, 100, 90);
	check_hot_spot(3, 5);
	check_shown(&s, 100, 90, COLOR);
	set_cursor(&s, 6, 2);
	check_hot_spot(6, 2);
	check_properties(head, 6, 2);
	check_shown(&s, 100, 90, COLOR);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, s.cursor.handle, SIZE, SIZE), 0);
	check_hot_spot(0, 0);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, 0, 0, 0), 0);
	igt_assert_eq_u32(sd_next_crc(head), sd_crc_of_picture(head, &s.canvas));
	scene_end(&s);
}

static void move_by_commit(struct scene *s, int x, int y)
{
	set_two(s->head, "CRTC_X", x, "CRTC_Y", y);
}

static void set_plane(struct scene *s, int x, int y)
{
	const struct sd_head *head = s->head;

	igt_assert_eq(drmModeSetPlane(head->fd, cursor_plane(head), head->crtc, s->cursor.fb, 0, x,
				      y, SIZE, SIZE, 0, 0, SIZE << 16, SIZE << 16), 0);
}

/*
 * Moves the cursor. The driver writes only the position, or (@place_only is false) all registers of
 * the plane, and the head shows the cursor there.
 */
static void test_moves(const struct sd_head *head, void (*move)(struct scene *s, int x, int y),
		       bool place_only)
{
	struct scene s;

	scene_start(&s, head);
	set_cursor(&s, 3, 5);
	move(&s, 0, 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		mark();
		move(&s, places[i][0], places[i][1]);
		check_place(places[i][0], places[i][1]);
		check_hot_spot(3, 5);
		igt_assert_eq(is_marked(), place_only);
		check_shown(&s, places[i][0], places[i][1], COLOR);
	}
	scene_end(&s);
}

/*
 * The client draws to the picture that is shown and commits it again, at the same or at another
 * position.
 */
static void test_drawn(const struct sd_head *head, void (*show)(struct scene *s, int x, int y),
		       bool moved)
{
	struct scene s;

	scene_start(&s, head);
	set_plane(&s, 10, 10);
	check_shown(&s, 10, 10, COLOR);
	sd_paint(&s.cursor, 0, 0, SIZE, SIZE, OTHER_COLOR);
	mark();
	show(&s, moved ? 40 : 10, 10);
	igt_assert(!is_marked());
	check_shown(&s, moved ? 40 : 10, 10, OTHER_COLOR);
	scene_end(&s);
}

/* A commit of a picture waits for the job that still draws to it. */
static void test_drawn_by_job(const struct sd_head *head)
{
	struct sd_context *ctx = sd_context(head->fd);
	struct sd_gate gate;
	uint64_t seqno;
	struct scene s;

	scene_start(&s, head);
	set_plane(&s, 10, 10);
	gate = sd_gate_before(ctx);
	sd_list(ctx, &(struct sd_bo){ .handle = s.cursor.handle }, WRITE);
	seqno = sd_submit(ctx);
	sd_gate_lift_later(&gate);
	set_plane(&s, 10, 10);
	igt_assert(ctx->status->completed >= seqno);
	sd_gate_join(&gate);
	sd_context_free(ctx);
	scene_end(&s);
}

static void commit_picture(struct scene *s, int x, int y)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();

	sd_set_plane(req, s->head->fd, cursor_plane(s->head), "FB_ID", s->cursor.fb);
	sd_set_plane(req, s->head->fd, cursor_plane(s->head), "CRTC_X", x);
	sd_set_plane(req, s->head->fd, cursor_plane(s->head), "CRTC_Y", y);
	commit(s->head, req);
}

/*
 * Setting a cursor again after drawing to it writes all registers, and so does a cursor that
 * returns from outside of the screen.
 */
static void test_set_again(const struct sd_head *head)
{
	struct scene s;

	scene_start(&s, head);
	set_cursor(&s, 3, 5);
	move_cursor(&s, 10, 10);
	mark();
	sd_paint(&s.cursor, 0, 0, SIZE, SIZE, OTHER_COLOR);
	set_cursor(&s, 3, 5);
	igt_assert(!is_marked());
	check_shown(&s, 10, 10, OTHER_COLOR);
	move_cursor(&s, -SIZE, 10);
	check_shown(&s, -SIZE, 10, OTHER_COLOR);
	mark();
	move_cursor(&s, 20, 10);
	igt_assert(!is_marked());
	check_shown(&s, 20, 10, OTHER_COLOR);
	scene_end(&s);
}

/* A commit with a move and another picture writes all registers. */
static void test_moves_with_picture(const struct sd_head *head)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	struct sd_picture other;
	struct scene s;

	scene_start(&s, head);
	other = sd_picture(head->fd, DRM_FORMAT_ARGB8888, SIZE, SIZE);
	sd_paint(&other, 0, 0, SIZE, SIZE, OTHER_COLOR);
	set_cursor(&s, 3, 5);
	move_cursor(&s, 10, 10);
	mark();
	sd_set_plane(req, head->fd, cursor_plane(head), "FB_ID", other.fb);
	sd_set_plane(req, head->fd, cursor_plane(head), "CRTC_X", 70);
	commit(head, req);
	igt_assert(!is_marked());
	check_shown(&s, 70, 10, OTHER_COLOR);
	scene_end(&s);
	sd_picture_free(head->fd, &other);
}

/* After moves while the head is off, turning it on writes all registers. */
static void test_moves_while_off(const struct sd_head *head)
{
	struct scene s;

	scene_start(&s, head);
	set_cursor(&s, 3, 5);
	move_cursor(&s, 10, 10);
	set_active(head, false);
	move_cursor(&s, 50, 60);
	set_active(head, true);
	check_hot_spot(3, 5);
	check_shown(&s, 50, 60, COLOR);
	scene_end(&s);
}

/* One commit moves the cursor and turns the head on. */
static void test_moves_with_mode(const struct sd_head *head)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	struct scene s;

	scene_start(&s, head);
	set_cursor(&s, 3, 5);
	move_cursor(&s, 10, 10);
	set_active(head, false);
	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
	sd_set_plane(req, head->fd, cursor_plane(head), "CRTC_X", 70);
	commit(head, req);
	check_shown(&s, 70, 10, COLOR);
	scene_end(&s);
}

/*
 * Setting a cursor that does not fit into VRAM beside the screen fails; the old cursor stays, with
 * its hot spot.
 */
static void test_refused(const struct sd_head *head)
{
	const uint64_t vram = sd_param(head->fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
	const uint32_t width = 4096, height = (vram - (1 << 20)) / (width * 4);
	uint32_t handle, pitch;
	uint64_t size;
	struct scene s;

	scene_start(&s, head);
	set_cursor(&s, 3, 5);
	move_cursor(&s, 10, 10);
	igt_assert_eq(drmModeCreateDumbBuffer(head->fd, width, height, 32, 0, &handle, &pitch,
					      &size), 0);
	igt_assert(drmModeSetCursor2(head->fd, head->crtc, handle, width, height, 9, 8) < 0);
	move_cursor(&s, 50, 60);
	check_hot_spot(3, 5);
	check_shown(&s, 50, 60, COLOR);
	igt_assert_eq(drmModeDestroyDumbBuffer(head->fd, handle), 0);
	scene_end(&s);
}

/* A copy of the head with a mode of so few frames per second that much fits into one frame. */
static struct sd_head slow_head(const struct sd_head *head, uint32_t frames_per_second)
{
	struct sd_head slow = *head;

	slow.mode.clock = slow.mode.htotal * slow.mode.vtotal * frames_per_second / 1000 + 1;
	return slow;
}

static void show_and_hide(struct scene *s, const struct sd_picture *other)
{
	const struct sd_head *head = s->head;

	set_cursor(s, 3, 5);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, other->handle, SIZE, SIZE), 0);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, 0, 0, 0), 0);
	set_cursor(s, 3, 5);
}

/*
 * A client that waits for a vblank may wake up before the flip of that vblank has completed: retry
 * on EBUSY.
 */
static void flip(const struct scene *s)
{
	const struct sd_head *head = s->head;
	int ret;

	do
		ret = drmModePageFlip(head->fd, head->crtc, s->canvas.fb, 0, NULL);
	while (ret == -EBUSY && !usleep(100));
	igt_assert_eq(ret, 0);
}

/* Showing or hiding a cursor waits for the previous flip; changing a visible cursor does not. */
static void show_after_flip(struct scene *s, const struct sd_picture *other)
{
	const struct sd_head *head = s->head;

	flip(s);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, other->handle, SIZE, SIZE), 0);
	set_cursor(s, 3, 5);
}

/*
 * Cursor changes take much less than a frame, but the host may not schedule the guest for a while:
 * most of the tries have to complete in the frame that they begin in.
 */
static void test_no_wait(const struct sd_head *first,
			 void (*change)(struct scene *s, const struct sd_picture *other))
{
	const struct sd_head slow = slow_head(first, 20), *head = &slow;
	const int tries = 21;
	struct sd_picture other;
	int waited = 0;
	struct scene s;

	scene_start(&s, head);
	other = sd_picture(head->fd, DRM_FORMAT_ARGB8888, SIZE, SIZE);
	sd_paint(&other, 0, 0, SIZE, SIZE, OTHER_COLOR);
	for (int i = 0; i < tries; i++) {
		uint32_t begin;

		set_cursor(&s, 3, 5);
		sd_wait_vblank(head);
		begin = read_reg(SUNDOG_REG_VBLANK_COUNT(0));
		change(&s, &other);
		waited += read_reg(SUNDOG_REG_VBLANK_COUNT(0)) != begin;
	}
	igt_info("in %d of %d tries there was a vblank\n", waited, tries);
	igt_assert(waited <= tries / 2);
	move_cursor(&s, 10, 10);
	check_shown(&s, 10, 10, COLOR);
	scene_end(&s);
	sd_picture_free(head->fd, &other);
}

static uint32_t create_dumb(int fd, uint32_t width, uint32_t height)
{
	uint32_t handle, pitch;
	uint64_t size;

	igt_assert_eq(drmModeCreateDumbBuffer(fd, width, height, 32, 0, &handle, &pitch, &size), 0);
	return handle;
}

/*
 * A picture on screen keeps its VRAM until the end of the frame in which another one replaces it: a
 * third picture waits for that, or fails. Returns false if the guest was too slow to see it.
 */
static bool is_kept(const struct sd_head *head, const uint32_t large[3], uint32_t width,
		    uint32_t height)
{
	uint32_t begin, end;
	bool seen;
	int ret;

	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, large[0], width, height), 0);
	sd_wait_vblank(head);
	sd_wait_vblank(head);
	begin = read_reg(SUNDOG_REG_VBLANK_COUNT(0));
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, large[1], width, height), 0);
	seen = read_reg(SUNDOG_REG_VBLANK_COUNT(0)) == begin;
	ret = drmModeSetCursor(head->fd, head->crtc, large[2], width, height);
	end = read_reg(SUNDOG_REG_VBLANK_COUNT(0));
	sd_wait_vblank(head);
	sd_wait_vblank(head);
	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, large[2], width, height), 0);
	igt_assert(ret < 0 || begin != end);
	return seen;
}

/*
 * A picture that was never scanned out keeps no VRAM: there may be many of them in a frame. Returns
 * false like is_kept().
 */
static bool is_let_go(const struct sd_head *head, const uint32_t large[3], uint32_t width,
		      uint32_t height)
{
	uint32_t begin, end;
	int ret = 0;

	igt_assert_eq(drmModeSetCursor(head->fd, head->crtc, 0, 0, 0), 0);
	sd_wait_vblank(head);
	sd_wait_vblank(head);
	begin = read_reg(SUNDOG_REG_VBLANK_COUNT(0));
	for (int i = 0; !ret && i < 3; i++) {
		ret = drmModeSetCursor(head->fd, head->crtc, large[i], width, height) ?:
		      drmModeSetCursor(head->fd, head->crtc, 0, 0, 0);
	}
	end = read_reg(SUNDOG_REG_VBLANK_COUNT(0));
	if (begin == end)
		igt_assert_eq(ret, 0);
	return begin == end;
}

/*
 * Runs @try with three pictures, so large that only two of them fit into VRAM beside the screen's
 * picture. The head shows a corner of each.
 */
static void try_large(const struct sd_head *first,
		      bool (*try)(const struct sd_head *head, const uint32_t large[3],
				  uint32_t width, uint32_t height))
{
	const struct sd_head slow = slow_head(first, 1), *head = &slow;
	/* The width of a square picture that fills VRAM. */
	const uint32_t width = sqrt(sd_param(head->fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 4),
		height = width / 20 * 3;
	struct sd_picture screen;
	uint32_t large[3];
	bool seen = false;

	igt_require(width <= 8192);
	map_regs(head);
	screen = sd_picture(head->fd, DRM_FORMAT_XRGB8888, width, width / 20 * 12);
	igt_assert_eq(drmModeSetCrtc(head->fd, head->crtc, screen.fb, 0, 0,
				     (uint32_t *)&head->connector, 1,
				     (drmModeModeInfo *)&head->mode), 0);
	for (int i = 0; i < 3; i++)
		large[i] = create_dumb(head->fd, width, height);
	for (int i = 0; !seen && i < 5; i++)
		seen = try(head, large, width, height);
	igt_assert(seen);
	igt_assert_eq(sd_turn_off(head), 0);
	sd_picture_free(head->fd, &screen);
	for (int i = 0; i < 3; i++)
		igt_assert_eq(drmModeDestroyDumbBuffer(head->fd, large[i]), 0);
}

igt_main()
{
	static struct sd_head head;
	int fd;

	igt_fixture() {
		fd = sd_open_master();
		head = sd_find_head(fd, 0);
		igt_assert_eq_u32(head.count, SUNDOG_HEAD_PLANES);
	}

	igt_describe("A client with atomic commits sees cursor planes only after it sets "
		     "DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT.");
	igt_subtest("capability")
		test_capability(&head);

	igt_describe("Cursor planes have the hot spot properties, which keep their values; other "
		     "planes do not.");
	igt_subtest("properties")
		test_properties(&head);

	igt_describe("An atomic commit sets the hot spot in the device's registers, also if "
		     "nothing else changes.");
	igt_subtest("atomic")
		test_atomic(&head);

	igt_describe("drmModeSetCursor2() sets the hot spot, a move keeps it, and "
		     "drmModeSetCursor() resets it.");
	igt_subtest("legacy")
		test_legacy(&head);

	igt_describe("drmModeMoveCursor() writes only the new position to the device.");
	igt_subtest("moves-legacy")
		test_moves(&head, move_cursor, true);

	igt_describe("drmModeSetPlane() with a new position and the same framebuffer writes only "
		     "the position.");
	igt_subtest("moves-set-plane")
		test_moves(&head, set_plane, true);

	igt_describe("An atomic commit of a new position writes all registers, since the picture "
		     "may have been drawn to.");
	igt_subtest("moves-atomic")
		test_moves(&head, move_by_commit, false);

	igt_describe("An atomic commit that moves a cursor whose picture was drawn to writes all "
		     "registers.");
	igt_subtest("drawn-and-moved")
		test_drawn(&head, commit_picture, true);

	igt_describe("An atomic commit of a cursor whose picture was drawn to writes all "
		     "registers, also without a move.");
	igt_subtest("drawn")
		test_drawn(&head, commit_picture, false);

	igt_describe("drmModeSetPlane() of a cursor whose picture was drawn to, at the same "
		     "position, writes all registers.");
	igt_subtest("drawn-set-plane")
		test_drawn(&head, set_plane, false);

	igt_describe("drmModeSetPlane() of a cursor waits for a queued job that draws to its "
		     "picture.");
	igt_subtest("drawn-by-job-set-plane")
		test_drawn_by_job(&head);

	igt_describe("drmModeSetCursor2() of the same cursor writes all registers, and so does a "
		     "move back onto the screen.");
	igt_subtest("set-again")
		test_set_again(&head);

	igt_describe("An atomic commit that moves a cursor and changes its framebuffer writes all "
		     "registers.");
	igt_subtest("moves-with-picture")
		test_moves_with_picture(&head);

	igt_describe("A cursor that moves while its head is off is at the new position when the "
		     "head is turned on.");
	igt_subtest("moves-while-off")
		test_moves_while_off(&head);

	igt_describe("An atomic commit that turns a head on and moves its cursor shows the cursor "
		     "at the new position.");
	igt_subtest("moves-with-mode")
		test_moves_with_mode(&head);

	igt_describe("If drmModeSetCursor2() fails because the cursor does not fit into VRAM, the "
		     "old cursor and its hot spot stay.");
	igt_subtest("refused")
		test_refused(&head);

	igt_describe("Showing, changing and hiding a cursor do not wait for a vblank.");
	igt_subtest("no-wait")
		test_no_wait(&head, show_and_hide);

	igt_describe("Changing a visible cursor does not wait for a pending page flip.");
	igt_subtest("no-wait-for-flip")
		test_no_wait(&head, show_after_flip);

	igt_describe("A cursor's picture that was scanned out keeps its VRAM until the end of the "
		     "frame in which it is replaced.");
	igt_subtest("kept")
		try_large(&head, is_kept);

	igt_describe("A cursor's picture that is hidden before it was scanned out keeps no VRAM.");
	igt_subtest("let-go")
		try_large(&head, is_let_go);

	igt_fixture() {
		if (regs)
			munmap((void *)regs, PAGE);
		close(fd);
	}
}
