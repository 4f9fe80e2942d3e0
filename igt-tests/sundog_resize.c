// SPDX-License-Identifier: MIT
/*
 * The host resizes the windows of heads: each head prefers the size of its own window, reports a
 * hotplug event, and can show that size.
 */
#include "sundog_test.h"
#include "sundog_uevent.h"

#include <unistd.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Heads of a sundog device whose windows are resized");

static int primary;

/* Returns the mode that the head prefers. The kernel asks the device for it. */
static drmModeModeInfo preferred_mode(uint32_t id)
{
	drmModeConnectorPtr connector = drmModeGetConnector(primary, id);
	drmModeModeInfo mode = { 0 };

	igt_assert(connector);
	for (int i = 0; i < connector->count_modes; i++)
		if (connector->modes[i].type & DRM_MODE_TYPE_PREFERRED)
			mode = connector->modes[i];
	drmModeFreeConnector(connector);
	return mode;
}

/* Shows a mode as a desktop does after a hotplug event. */
static void show(uint32_t crtc, uint32_t connector, drmModeModeInfo *mode)
{
	uint32_t handles[4] = { 0 }, pitches[4] = { 0 }, offsets[4] = { 0 }, fb;
	uint64_t size;

	igt_assert_eq(drmModeCreateDumbBuffer(primary, mode->hdisplay, mode->vdisplay, 32, 0,
					      &handles[0], &pitches[0], &size), 0);
	igt_assert_eq(drmModeAddFB2(primary, mode->hdisplay, mode->vdisplay, DRM_FORMAT_XRGB8888,
				    handles, pitches, offsets, &fb, 0), 0);
	igt_assert_eq(drmModeSetCrtc(primary, crtc, fb, 0, 0, &connector, 1, mode), 0);
	igt_assert_eq(drmModeCloseFB(primary, fb), 0);
	igt_assert_eq(drmModeDestroyDumbBuffer(primary, handles[0]), 0);
}

static void draw_for_ever(void)
{
	int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, 64 * PAGE);

	for (;;) {
		sd_emit_fill(ctx, &bo, 7, 1);
		sd_run(ctx);
	}
}

static void test_follow(void)
{
	drmModeResPtr res = drmModeGetResources(primary);
	pid_t busy = sd_start_child(draw_for_ever);
	const int rounds = sd_rounds(8, 200);
	int events = sd_uevents_open();

	for (int i = 0; i < rounds; i++) {
		const int head = i % res->count_crtcs, width = 640 + 2 * i, height = 900 - i;
		const uint32_t connector = res->connectors[head];
		drmModeModeInfo mode;
		char ask[64];

		snprintf(ask, sizeof(ask), "resize %d %d %d", head, width, height);
		sd_ask(ask);
		/* The first event may be that of an earlier size. */
		do {
			sd_uevents_wait(events, "HOTPLUG=1");
			mode = preferred_mode(connector);
		} while (mode.hdisplay != width || mode.vdisplay != height);
		show(res->crtcs[head], connector, &mode);
	}
	close(events);
	sd_kill_child(busy);
	drmModeFreeResources(res);
}

igt_main()
{
	igt_fixture() {
		close(sd_open_renderer());
		sd_require_host();
		primary = sd_open_primary();
		igt_require(drmIsMaster(primary));
		sd_ask("resize 0 1024 768");
	}

	igt_describe("The host resizes the windows of all heads in turn; after a hotplug event "
		     "each head prefers the new size and shows it.");
	igt_subtest("follow")
		test_follow();

	igt_fixture()
		close(primary);
}
