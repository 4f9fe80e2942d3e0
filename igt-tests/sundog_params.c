// SPDX-License-Identifier: MIT
/*
 * Version of the driver, parameters of the device and capabilities of the renderer.
 */
#include "sundog_test.h"

#include <unistd.h>

#include <xf86drm.h>

IGT_TEST_DESCRIPTION("Version, parameters and capabilities of a sundog device");

#define CAPS_SIZE sizeof(struct sundog_caps)
#define FORMAT_R8G8B8A8_UNORM 37

static void test_version(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);

	igt_assert(version);
	igt_assert(!strcmp(version->name, "sundog"));
	igt_assert_eq(version->version_major, 3);
	igt_assert(version->date_len >= 0 && version->desc_len > 0);
	drmFreeVersion(version);
}

static void test_known(int fd)
{
	igt_assert_eq(sd_param(fd, DRM_SUNDOG_PARAM_PROTOCOL) >> 16, SUNDOG_VERSION_MAJOR);
	sd_param(fd, DRM_SUNDOG_PARAM_FEATURES);
	igt_assert(sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE) >= 1 << 20);
	igt_assert(sd_vram_free(fd) <= sd_param(fd, DRM_SUNDOG_PARAM_VRAM_SIZE));
	igt_assert(sd_param(fd, DRM_SUNDOG_PARAM_MAX_LIST) >= SUNDOG_LIST_PER_SLOT);
	igt_assert(sd_param(fd, DRM_SUNDOG_PARAM_MAX_LIST) <= SUNDOG_LIST_ENTRIES);
	igt_assert(sd_param(fd, DRM_SUNDOG_PARAM_MAX_SYNCS) >= 1024);
	igt_assert_eq_u64(sd_param(fd, DRM_SUNDOG_PARAM_MAX_STREAM),
			  SUNDOG_MAX_STREAM_DWORDS * 4ull);
}

static void test_unknown(int fd)
{
	uint64_t value;

	igt_assert_eq(sd_param_try(fd, 1000, &value), -EINVAL);
	igt_assert_eq(sd_param_try(fd, UINT32_MAX, &value), -EINVAL);
}

static void test_vram_free(int fd)
{
	const uint64_t before = sd_idle_vram_free(fd);
	struct sd_bo bo = sd_alloc(fd, 16 * PAGE);

	igt_assert_eq_u64(before - sd_vram_free(fd), 16 * PAGE);
	sd_dealloc(fd, &bo);
	sd_wait_vram_free(fd, before);
}

static int get_caps(int fd, void *data, uint32_t *size)
{
	struct drm_sundog_get_caps args = { .data = (uintptr_t)data, .size = *size };
	int ret = sd_try(fd, DRM_IOCTL_SUNDOG_GET_CAPS, &args);

	if (!ret)
		igt_assert_eq(args.version >> 16, SUNDOG_VERSION_MAJOR);
	*size = args.size;
	return ret;
}

static void test_caps(int fd)
{
	struct sundog_caps caps;
	uint32_t size = sizeof(caps);

	igt_assert_eq(get_caps(fd, &caps, &size), 0);
	igt_assert_eq(size, CAPS_SIZE);
	igt_assert_eq(caps.size, CAPS_SIZE);
	igt_assert_eq(caps.version >> 16, SUNDOG_VERSION_MAJOR);
	igt_assert(caps.features & SUNDOG_FEATURE_RENDER);
	igt_assert_eq_u64(caps.features | SUNDOG_FEATURE_DISCARD,
			  sd_param(fd, DRM_SUNDOG_PARAM_FEATURES) | SUNDOG_FEATURE_DISCARD);
	igt_assert(memchr(caps.host_driver, 0, sizeof(caps.host_driver)));
	igt_assert(memchr(caps.host_device, 0, sizeof(caps.host_device)));
	igt_assert(caps.max_image_2d >= 2048);
	igt_assert(caps.formats[FORMAT_R8G8B8A8_UNORM] & SUNDOG_FORMAT_FEATURE_SAMPLED);
	igt_assert(caps.formats[FORMAT_R8G8B8A8_UNORM] & SUNDOG_FORMAT_FEATURE_COLOR);
	igt_info("host: %s, %s\n", caps.host_driver, caps.host_device);
}

/*
 * A short buffer gets the part that fits, a long one zeros after the end, and a call without a
 * buffer only asks for the size; the returned size is the full size.
 */
static void test_caps_size(int fd)
{
	unsigned char whole[CAPS_SIZE], buffer[CAPS_SIZE + 64];
	uint32_t size = sizeof(whole);

	igt_assert_eq(get_caps(fd, whole, &size), 0);
	size = 0;
	igt_assert_eq(get_caps(fd, NULL, &size), 0);
	igt_assert_eq(size, CAPS_SIZE);
	memset(buffer, 0xaa, sizeof(buffer));
	size = 16;
	igt_assert_eq(get_caps(fd, buffer, &size), 0);
	igt_assert_eq(size, CAPS_SIZE);
	igt_assert(!memcmp(buffer, whole, 16));
	igt_assert_eq(buffer[16], 0xaa);

	size = sizeof(buffer);
	igt_assert_eq(get_caps(fd, buffer, &size), 0);
	igt_assert_eq(size, CAPS_SIZE);
	igt_assert(!memcmp(buffer, whole, CAPS_SIZE));
	for (int i = 0; i < 64; i++)
		igt_assert_eq(buffer[CAPS_SIZE + i], 0);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open();

	igt_describe("The driver is called sundog and has a version.");
	igt_subtest("version")
		test_version(fd);

	igt_describe("GET_PARAM returns a plausible value for every parameter.");
	igt_subtest("known")
		test_known(fd);

	igt_describe("GET_PARAM rejects an unknown parameter with EINVAL.");
	igt_subtest("unknown")
		test_unknown(fd);

	igt_describe("VRAM_FREE shrinks by the size of a new allocation, and grows again when it "
		     "is freed.");
	igt_subtest("vram-free")
		test_vram_free(fd);

	igt_fixture() {
		close(fd);
		fd = sd_open_renderer();
	}

	igt_describe("GET_CAPS returns a complete capability block.");
	igt_subtest("caps")
		test_caps(fd);

	igt_describe("GET_CAPS fills a short buffer with the part that fits, and a long buffer "
		     "with zeros after the end.");
	igt_subtest("caps-size")
		test_caps_size(fd);

	igt_fixture()
		close(fd);
}
