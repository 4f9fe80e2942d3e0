// SPDX-License-Identifier: MIT
/*
 * Loads and unloads the driver, and leaves it loaded.
 */
#include "sundog_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Loading and unloading sundog.ko");

#define VTCONSOLE "/sys/class/vtconsole"

/* The framebuffer console holds the driver; hand the console to the dummy driver. */
static void unbind_console(const char *name)
{
	char path[512], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), VTCONSOLE "/%s/name", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	if (!strstr(text, "frame buffer"))
		return;
	snprintf(path, sizeof(path), VTCONSOLE "/%s/bind", name);
	fd = open(path, O_WRONLY);
	igt_assert(fd >= 0);
	igt_assert(write(fd, "0", 1) == 1);
	close(fd);
}

static void unbind_consoles(void)
{
	DIR *dir = opendir(VTCONSOLE);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unbind_console(entry->d_name);
	if (dir)
		closedir(dir);
}

static bool unload_try(void)
{
	unbind_consoles();
	return !system("modprobe -r sundog 2>/dev/null");
}

/* The console opens the driver some time after it was loaded, so one try may not suffice. */
static bool unload(void)
{
	const int64_t end = sd_deadline();
	bool gone = unload_try();

	while (!gone && sd_now_plus_ms(0) < end) {
		usleep(100000);
		gone = unload_try();
	}
	return gone;
}

static void load(void)
{
	igt_assert_eq(system("modprobe sundog"), 0);
}

/* Uses the driver for a moment: memory, and with a renderer a submission. */
static void use(void)
{
	struct sundog_caps caps;
	struct drm_sundog_get_caps args = { .data = (uintptr_t)&caps, .size = sizeof(caps) };
	int fd = sd_open();
	struct sd_bo bo = sd_alloc(fd, PAGE);

	if (!sd_try(fd, DRM_IOCTL_SUNDOG_GET_CAPS, &args)) {
		struct sd_context *ctx = sd_context(fd);

		sd_emit_fill(ctx, &bo, 7, 1);
		sd_run(ctx);
		igt_assert(sd_is_filled(fd, &bo, 7));
		sd_context_free(ctx);
	}
	close(fd);
}

static void test_reload(void)
{
	for (int i = 0; i < sd_rounds(3, 100); i++) {
		use();
		igt_assert_f(unload(), "unloading, round %d\n", i);
		load();
	}
	use();
}

static void test_busy(void)
{
	int fd = sd_open();
	struct sd_bo bo = sd_alloc(fd, PAGE);

	igt_assert(!unload_try());
	igt_assert(sd_is_filled(fd, &bo, 0));
	close(fd);
	igt_assert(unload());
	load();
}

igt_main()
{
	igt_fixture() {
		close(sd_open());
		igt_require(!access("/sys/module/sundog/initstate", F_OK));
	}

	igt_describe("The driver can be unloaded and loaded many times, with use of the device in "
		     "between.");
	igt_subtest("reload")
		test_reload();

	igt_describe("The driver cannot be unloaded while a file is open.");
	igt_subtest("busy")
		test_busy();
}
