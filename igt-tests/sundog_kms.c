// SPDX-License-Identifier: MIT
/*
 * Mode setting: framebuffers, flips and vblanks, and that the screen shows a picture only after the
 * drawing to it is done.
 */
#include "sundog_gate.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Planes and framebuffers of a sundog device");

/* Fills of a screen that keep the device busy for many frames. */
#define LONG 200
#define FLIPS 20
#define FRAMES 300
#define CURSOR 64

struct screen {
	int fd;
	uint32_t crtc, connector;
	drmModeModeInfo mode;
};

struct picture {
	struct sd_bo bo;
	uint32_t fb;
};

/*
 * Opens the primary node for mode setting, which needs the DRM master, and closes the render node.
 * Skips if the file is not the master.
 */
static int open_primary(int render)
{
	drmDevicePtr device;
	int fd;

	igt_assert_eq(drmGetDevice2(render, 0, &device), 0);
	fd = open(device->nodes[DRM_NODE_PRIMARY], O_RDWR | O_CLOEXEC);
	igt_assert(fd >= 0);
	drmFreeDevice(&device);
	close(render);
	igt_require(drmIsMaster(fd));
	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
	return fd;
}

static struct screen find_screen(int fd)
{
	drmModeResPtr res = drmModeGetResources(fd);
	drmModeConnectorPtr connector = drmModeGetConnector(fd, res->connectors[0]);
	struct screen screen = {
		.fd = fd,
		.crtc = res->crtcs[0],
		.connector = res->connectors[0],
	};

	igt_require(connector->connection == DRM_MODE_CONNECTED && connector->count_modes);
	screen.mode = connector->modes[0];
	drmModeFreeConnector(connector);
	drmModeFreeResources(res);
	return screen;
}

static int add_fb_try(const struct screen *screen, const struct sd_bo *bo, uint32_t pitch,
		      uint64_t modifier, uint32_t *fb)
{
	const uint32_t handles[4] = { bo->handle }, pitches[4] = { pitch }, offsets[4] = { 0 };
	const uint64_t modifiers[4] = { modifier };

	return drmModeAddFB2WithModifiers(screen->fd, screen->mode.hdisplay, screen->mode.vdisplay,
					  DRM_FORMAT_XRGB8888, handles, pitches, offsets, modifiers,
					  fb, DRM_MODE_FB_MODIFIERS);
}

static uint32_t packed_pitch(const struct screen *screen)
{
	return screen->mode.hdisplay * 4;
}

static struct sd_bo screen_bo(const struct screen *screen)
{
	uint64_t size = (uint64_t)packed_pitch(screen) * screen->mode.vdisplay;

	return sd_alloc(screen->fd, (size + PAGE - 1) & ~(uint64_t)(PAGE - 1));
}

static struct picture picture_new(const struct screen *screen)
{
	struct picture picture = { .bo = screen_bo(screen) };

	igt_assert_eq(add_fb_try(screen, &picture.bo, packed_pitch(screen), DRM_FORMAT_MOD_LINEAR,
				 &picture.fb), 0);
	return picture;
}

static void picture_free(const struct screen *screen, const struct picture *picture)
{
	igt_assert_eq(drmModeRmFB(screen->fd, picture->fb), 0);
	sd_dealloc(screen->fd, &picture->bo);
}

static int show_as(struct screen *screen, const struct picture *picture, drmModeModeInfo mode)
{
	return drmModeSetCrtc(screen->fd, screen->crtc, picture->fb, 0, 0, &screen->connector, 1,
			      &mode);
}

static void show(struct screen *screen, const struct picture *picture)
{
	igt_assert_eq(show_as(screen, picture, screen->mode), 0);
}

static void flip(const struct screen *screen, const struct picture *picture)
{
	igt_assert_eq(drmModePageFlip(screen->fd, screen->crtc, picture->fb,
				      DRM_MODE_PAGE_FLIP_EVENT, NULL), 0);
}

/* Waits for a flip. The event has the vblank of the flip. */
static struct drm_event_vblank wait_flip(const struct screen *screen)
{
	struct drm_event_vblank event;

	igt_assert_eq(read(screen->fd, &event, sizeof(event)), sizeof(event));
	igt_assert_eq(event.base.type, DRM_EVENT_FLIP_COMPLETE);
	return event;
}

static bool is_idle(const struct screen *screen, const struct picture *picture)
{
	int ret = sd_wait_try(screen->fd, picture->bo.handle, WRITE, 0);

	igt_assert(!ret || ret == -ETIME);
	return !ret;
}

static void start_drawing(struct sd_context *ctx, const struct picture *picture)
{
	sd_emit_fill(ctx, &picture->bo, 0xff336699, LONG);
	sd_submit(ctx);
}

static void test_in_formats(const struct screen *screen)
{
	drmModePlaneResPtr planes = drmModeGetPlaneResources(screen->fd);

	for (uint32_t i = 0; i < planes->count_planes; i++) {
		drmModeObjectPropertiesPtr props = drmModeObjectGetProperties(screen->fd,
			planes->planes[i], DRM_MODE_OBJECT_PLANE);
		bool found = false;

		for (uint32_t p = 0; p < props->count_props; p++) {
			drmModePropertyPtr prop = drmModeGetProperty(screen->fd, props->props[p]);
			drmModeFormatModifierIterator it = { 0 };
			drmModePropertyBlobPtr blob;

			if (!strcmp(prop->name, "IN_FORMATS")) {
				blob = drmModeGetPropertyBlob(screen->fd, props->prop_values[p]);
				while (drmModeFormatModifierBlobIterNext(blob, &it)) {
					igt_assert_eq_u64(it.mod, DRM_FORMAT_MOD_LINEAR);
					found = true;
				}
				drmModeFreePropertyBlob(blob);
			}
			drmModeFreeProperty(prop);
		}
		igt_assert(found);
		drmModeFreeObjectProperties(props);
	}
	drmModeFreePlaneResources(planes);
}

static void test_framebuffer(const struct screen *screen)
{
	struct sd_bo bo = screen_bo(screen);
	uint32_t pitch = packed_pitch(screen);
	uint32_t fb;

	igt_assert_eq(add_fb_try(screen, &bo, pitch, DRM_FORMAT_MOD_LINEAR, &fb), 0);
	igt_assert_eq(drmModeRmFB(screen->fd, fb), 0);
	igt_assert_eq(add_fb_try(screen, &bo, pitch, I915_FORMAT_MOD_X_TILED, &fb), -EINVAL);
	igt_assert_eq(add_fb_try(screen, &bo, pitch + 2, DRM_FORMAT_MOD_LINEAR, &fb), -EINVAL);
	igt_assert_eq(add_fb_try(screen, &bo, pitch + PAGE, DRM_FORMAT_MOD_LINEAR, &fb), -EINVAL);
	sd_dealloc(screen->fd, &bo);
}

/* A framebuffer on screen keeps its memory after the handle is closed. */
static void test_keeps_memory(struct screen *screen)
{
	struct picture picture = picture_new(screen);
	uint64_t free = sd_vram_free(screen->fd);

	show(screen, &picture);
	sd_dealloc(screen->fd, &picture.bo);
	igt_assert_eq_u64(sd_vram_free(screen->fd), free);
	igt_assert_eq(drmModeRmFB(screen->fd, picture.fb), 0);
	sd_wait_vram_free(screen->fd, free + picture.bo.size);
}

static void test_flip_waits(struct screen *screen)
{
	struct picture a = picture_new(screen), b = picture_new(screen);
	struct sd_context *ctx = sd_context(screen->fd);
	struct sd_gate gate;

	show(screen, &a);
	gate = sd_gate_before(ctx);
	start_drawing(ctx, &b);
	igt_assert(!is_idle(screen, &b));
	flip(screen, &b);
	sd_gate_lift(&gate);
	wait_flip(screen);
	igt_assert(is_idle(screen, &b));
	sd_context_free(ctx);
	picture_free(screen, &b);
	picture_free(screen, &a);
}

/*
 * A guest that has no CPU for a while misses vblanks, but the driver knows their number, and the
 * time of each up to the drift between the guest's clock and the device's.
 */
static void test_flip_each_vblank(struct screen *screen)
{
	const double frame = screen->mode.htotal * screen->mode.vtotal * 1e3 / screen->mode.clock;
	const int flips = sd_rounds(60, 10000);
	struct picture pictures[2] = { picture_new(screen), picture_new(screen) };
	struct drm_event_vblank last, now;
	uint32_t frames, missed = 0;
	double error, worst = 0;

	show(screen, &pictures[0]);
	flip(screen, &pictures[1]);
	last = wait_flip(screen);
	for (int i = 0; i < flips; i++) {
		flip(screen, &pictures[i % 2]);
		now = wait_flip(screen);
		frames = now.sequence - last.sequence;
		igt_assert(frames > 0 && frames < 1000);
		error = (now.tv_sec - last.tv_sec) * 1e6 + (now.tv_usec - (double)last.tv_usec) -
			frames * frame;
		worst = error > worst ? error : -error > worst ? -error : worst;
		missed += frames - 1;
		last = now;
	}
	igt_info("%d flips, %u vblanks missed, at most %.0f us from where one should be\n", flips,
		 missed, worst);
	igt_assert(worst < frame / 2);
	picture_free(screen, &pictures[0]);
	picture_free(screen, &pictures[1]);
}

/* Takes CPU time that the interrupt handlers need, too. */
static void *burn_time(void *stop)
{
	while (!atomic_load((atomic_bool *)stop))
		;
	return NULL;
}

static struct drm_event_crtc_sequence next_vblank(const struct screen *screen)
{
	struct drm_event_crtc_sequence event;
	uint64_t queued;

	igt_assert_eq(drmCrtcQueueSequence(screen->fd, screen->crtc, DRM_CRTC_SEQUENCE_RELATIVE, 1,
					   &queued, 0), 0);
	igt_assert_eq(read(screen->fd, &event, sizeof(event)), sizeof(event));
	igt_assert_eq(event.base.type, DRM_EVENT_CRTC_SEQUENCE);
	return event;
}

/* The criterion of IGT's kms_flip: three standard deviations are less than 0.5 % of a frame. */
static void check_frames(const struct screen *screen, const struct drm_event_crtc_sequence *events)
{
	const double expected =
		screen->mode.htotal * screen->mode.vtotal * 1e6 / screen->mode.clock;
	const struct drm_event_crtc_sequence *last = &events[FRAMES - 1];
	const double mean = (double)(last->time_ns - events[0].time_ns) /
			    (last->sequence - events[0].sequence);
	double variance = 0;

	for (int i = 1; i < FRAMES; i++) {
		int64_t frames = events[i].sequence - events[i - 1].sequence;
		int64_t time = events[i].time_ns - events[i - 1].time_ns;
		double error = (double)time / frames - mean;

		igt_assert(frames > 0 && time > 0);
		variance += error * error / (FRAMES - 1);
	}
	igt_info("%llu frames of %.0f ns, variance %.0f\n",
		 (unsigned long long)(last->sequence - events[0].sequence), mean, variance);
	igt_assert(9 * variance < 0.005 * 0.005 * mean * mean);
	/* The guest's clock may be a little off. */
	igt_assert(mean > 0.98 * expected && mean < 1.02 * expected);
}

static void test_vblank_times(struct screen *screen)
{
	struct picture picture = picture_new(screen);
	struct drm_event_crtc_sequence events[FRAMES];
	pthread_t threads[8];
	atomic_bool stop = false;

	show(screen, &picture);
	for (int i = 0; i < 8; i++)
		igt_assert_eq(pthread_create(&threads[i], NULL, burn_time, &stop), 0);
	for (int i = 0; i < FRAMES; i++)
		events[i] = next_vblank(screen);
	atomic_store(&stop, true);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	check_frames(screen, events);
	picture_free(screen, &picture);
}

/*
 * The cursor moves in the flip's frame; a move that waited for the flip would be in the frame after
 * it.
 */
static void test_cursor_moves_with_flip(struct screen *screen)
{
	struct picture pictures[2] = { picture_new(screen), picture_new(screen) };
	struct sd_bo cursor = sd_alloc(screen->fd, CURSOR * CURSOR * 4);
	const int64_t end = sd_deadline();
	int together = 0, flips = 0;

	show(screen, &pictures[0]);
	igt_assert_eq(drmModeSetCursor(screen->fd, screen->crtc, cursor.handle, CURSOR, CURSOR), 0);
	while (flips < FLIPS || (!together && sd_now_plus_ms(0) < end)) {
		/*
		 * Begin at a vblank, so that a frame's time is left for both, unless this machine
		 * stands still.
		 */
		next_vblank(screen);
		flip(screen, &pictures[++flips % 2]);
		igt_assert_eq(drmModeMoveCursor(screen->fd, screen->crtc, flips % FLIPS,
						-(flips % FLIPS)), 0);
		together += !sd_is_ready(screen->fd, POLLIN, 0);
		wait_flip(screen);
	}
	igt_info("%d of %d moves were in the flip's frame\n", together, flips);
	igt_assert(together);
	igt_assert_eq(drmModeSetCursor(screen->fd, screen->crtc, 0, 0, 0), 0);
	sd_dealloc(screen->fd, &cursor);
	picture_free(screen, &pictures[0]);
	picture_free(screen, &pictures[1]);
}

/* Creates a framebuffer of the maximum size that mode setting reports. */
static void test_largest_framebuffer(const struct screen *screen)
{
	drmModeResPtr res = drmModeGetResources(screen->fd);
	uint32_t handle, pitch, fb;
	uint64_t size;

	igt_assert_eq(drmModeCreateDumbBuffer(screen->fd, res->max_width, res->max_height, 32, 0,
					      &handle, &pitch, &size), 0);
	igt_assert_eq(drmModeAddFB(screen->fd, res->max_width, res->max_height, 24, 32, pitch,
				   handle, &fb), 0);
	igt_assert_eq(drmModeRmFB(screen->fd, fb), 0);
	igt_assert_eq(drmModeDestroyDumbBuffer(screen->fd, handle), 0);
	drmModeFreeResources(res);
}

/*
 * The screen pins a BO in VRAM, an import by another driver keeps it out of VRAM: one excludes the
 * other.
 */
static void test_shared_or_shown(struct screen *screen)
{
	const int before = sd_count_dma_bufs();
	int other = sd_open_vgem(), dma_buf;
	struct picture picture, shown;
	uint32_t handle;

	sd_require_guest_heap(screen->fd);
	picture = picture_new(screen);
	shown = picture_new(screen);
	show(screen, &shown);
	dma_buf = sd_export(screen->fd, picture.bo.handle);
	igt_assert_eq(sd_import_try(other, dma_buf, &handle), 0);
	igt_assert_eq(show_as(screen, &picture, screen->mode), -EBUSY);
	sd_gem_close(other, handle);
	show(screen, &picture);
	igt_assert_eq(sd_import_try(other, dma_buf, &handle), -EBUSY);
	show(screen, &shown);
	igt_assert_eq(sd_import_try(other, dma_buf, &handle), 0);
	sd_gem_close(other, handle);
	close(dma_buf);
	picture_free(screen, &picture);
	picture_free(screen, &shown);
	close(other);
	sd_wait_dma_bufs(before);
}

static void test_dirty_waits(struct screen *screen)
{
	struct picture picture = picture_new(screen);
	struct sd_context *ctx = sd_context(screen->fd);
	struct sd_gate gate;

	show(screen, &picture);
	gate = sd_gate_before(ctx);
	start_drawing(ctx, &picture);
	igt_assert(!is_idle(screen, &picture));
	sd_gate_lift_later(&gate);
	igt_assert_eq(drmModeDirtyFB(screen->fd, picture.fb, NULL, 0), 0);
	igt_assert(is_idle(screen, &picture));
	sd_gate_join(&gate);
	sd_context_free(ctx);
	picture_free(screen, &picture);
}

/*
 * Submits one stream again and again, which keeps the device busy for longer than the test waits.
 * Each job is shorter than the renderer's limit of a batch.
 */
static void draw_for_ever(struct sd_context *ctx, const struct sd_bo *large,
			  const struct picture *picture)
{
	struct drm_sundog_submit args = {
		.ctx = ctx->id,
		.stream = ctx->stream_bo.handle,
		.allocs = (uintptr_t)ctx->list,
		.alloc_stride = sizeof(ctx->list[0]),
	};

	sd_list(ctx, &picture->bo, WRITE);
	sd_emit_fill(ctx, large, 1, LONG / 8);
	args.stream_size = ctx->stream.used * 4;
	args.n_allocs = ctx->count;
	for (int i = 0; i < 400; i++)
		sd_ioctl(ctx->fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
}

static void wait_second_renderer(void)
{
	struct sundog_caps caps;
	struct drm_sundog_get_caps args = { .data = (uintptr_t)&caps, .size = sizeof(caps) };
	const int64_t end = sd_deadline();
	int fd = sd_open_second();

	while (sd_try(fd, DRM_IOCTL_SUNDOG_GET_CAPS, &args)) {
		igt_assert(sd_now_plus_ms(0) < end);
		usleep(10000);
	}
	close(fd);
}

/* A flip completes when its drawing has failed because the driver was unbound. */
static void test_unbind(void)
{
	struct screen screen = find_screen(open_primary(sd_open_second()));
	const uint64_t vram = sd_param(screen.fd, DRM_SUNDOG_PARAM_VRAM_SIZE);
	struct picture a = picture_new(&screen), b = picture_new(&screen);
	struct sd_context *ctx = sd_context(screen.fd);
	struct sd_bo large = sd_alloc(screen.fd, vram / 2);
	int dma_buf = sd_export(screen.fd, b.bo.handle), sync_file;
	char name[64];

	show(&screen, &a);
	draw_for_ever(ctx, &large, &b);
	sync_file = sd_export_sync_file(dma_buf, DMA_BUF_SYNC_READ);
	close(dma_buf);
	flip(&screen, &b);
	sd_device_name(screen.fd, name, sizeof(name));
	sd_tell_driver("unbind", name);
	igt_assert_eq(sd_sync_file_status(sync_file), -EIO);
	wait_flip(&screen);

	close(sync_file);
	sd_context_unmap(ctx);
	close(screen.fd);
	sd_tell_driver("bind", name);
	wait_second_renderer();
}

/* Like test_unbind(), but the file is closed: its drawing fails, and is not done before. */
static void test_close(void)
{
	struct screen screen = find_screen(open_primary(sd_open_second()));
	struct picture a = picture_new(&screen), b = picture_new(&screen);
	struct sd_context *ctx = sd_context(screen.fd);
	struct sd_bo large = sd_alloc(screen.fd, 16 << 20);
	int dma_buf = sd_export(screen.fd, b.bo.handle), sync_file;

	show(&screen, &a);
	draw_for_ever(ctx, &large, &b);
	sync_file = sd_export_sync_file(dma_buf, DMA_BUF_SYNC_READ);
	close(dma_buf);
	flip(&screen, &b);
	sd_context_unmap(ctx);
	close(screen.fd);
	igt_assert(sd_sync_file_status(sync_file) < 0);
	close(sync_file);
}

/* User space does not run while a machine suspends, so no process can end the drawing. */
static void test_sleep(struct screen *screen)
{
	struct picture a, b;
	struct sd_context *ctx;
	struct sd_bo large;

	sd_require_sleep();
	a = picture_new(screen);
	b = picture_new(screen);
	ctx = sd_context(screen->fd);
	large = sd_alloc(screen->fd, sd_param(screen->fd, DRM_SUNDOG_PARAM_VRAM_SIZE) / 2);
	show(screen, &a);
	draw_for_ever(ctx, &large, &b);
	flip(screen, &b);
	igt_assert_eq(sd_sleep_try(), -EBUSY);
	igt_assert(!is_idle(screen, &b));
	sd_context_free(ctx);
	wait_flip(screen);
	sd_dealloc(screen->fd, &large);
	igt_assert_eq(sd_sleep_try(), 0);
	picture_free(screen, &a);
	picture_free(screen, &b);
}

static void test_modes(struct screen *screen)
{
	struct picture picture = picture_new(screen);
	drmModeModeInfo mode;

	show(screen, &picture);
	mode = screen->mode;
	mode.flags |= DRM_MODE_FLAG_INTERLACE;
	igt_assert_eq(show_as(screen, &picture, mode), -EINVAL);
	mode = screen->mode;
	mode.flags |= DRM_MODE_FLAG_DBLSCAN;
	igt_assert_eq(show_as(screen, &picture, mode), -EINVAL);
	mode = screen->mode;
	mode.vscan = 2;
	igt_assert_eq(show_as(screen, &picture, mode), -EINVAL);
	mode = screen->mode;
	mode.clock = 1;
	igt_assert_eq(show_as(screen, &picture, mode), -EINVAL);
	picture_free(screen, &picture);
}

igt_main()
{
	static struct screen screen;

	igt_fixture()
		screen = find_screen(open_primary(sd_open_renderer()));

	igt_describe("IN_FORMATS of every plane has DRM_FORMAT_MOD_LINEAR and no other modifier.");
	igt_subtest("planes-are-linear")
		test_in_formats(&screen);

	igt_describe("ADDFB2 rejects a tiled modifier, an unaligned pitch and a BO that is too "
		     "small.");
	igt_subtest("framebuffer-checks")
		test_framebuffer(&screen);

	igt_describe("A framebuffer on screen keeps its memory after its handle was closed.");
	igt_subtest("framebuffer-keeps-memory")
		test_keeps_memory(&screen);

	igt_describe("A page flip completes only after the drawing to its framebuffer is done.");
	igt_subtest("flip-waits-for-drawing")
		test_flip_waits(&screen);

	igt_describe("Mode sets with interlace, doublescan, vscan or an invalid clock fail with "
		     "EINVAL.");
	igt_subtest("modes-checked")
		test_modes(&screen);

	igt_describe("Each page flip completes at a vblank of its own, whose time matches its "
		     "sequence number.");
	igt_subtest("flip-each-vblank")
		test_flip_each_vblank(&screen);

	igt_describe("Vblank timestamps are accurate while the CPUs are busy.");
	igt_subtest("vblank-times")
		test_vblank_times(&screen);

	igt_describe("A cursor move after a page flip takes effect in the flip's frame.");
	igt_subtest("cursor-moves-with-flip")
		test_cursor_moves_with_flip(&screen);

	igt_describe("A framebuffer of the largest size that mode setting reports can be created.");
	igt_subtest("largest-framebuffer")
		test_largest_framebuffer(&screen);

	igt_describe("A BO that another driver imports cannot be shown, and a BO on screen cannot "
		     "be imported: EBUSY.");
	igt_subtest("shared-or-shown")
		test_shared_or_shown(&screen);

	igt_describe("DIRTYFB returns only after the drawing to the framebuffer is done.");
	igt_subtest("dirty-waits-for-drawing")
		test_dirty_waits(&screen);

	igt_describe("Suspend fails with EBUSY while a page flip waits for endless drawing.");
	igt_subtest("sleep-while-flip-waits")
		test_sleep(&screen);

	igt_fixture()
		close(screen.fd);

	igt_describe("When the file is closed while a page flip waits for endless drawing, the "
		     "drawing's fence signals an error.");
	igt_subtest("closed-while-flip-waits")
		test_close();

	igt_describe("When the driver is unbound while a page flip waits for endless drawing, the "
		     "drawing fails and the flip completes.");
	igt_subtest("unbind-while-flip-waits")
		test_unbind();
}
