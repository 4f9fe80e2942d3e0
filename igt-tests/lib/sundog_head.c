// SPDX-License-Identifier: MIT
/*
 * Heads, pictures, planes and CRCs for the tests of mode setting, see sundog_head.h.
 */
#include "sundog_head.h"
#include "sundog_share.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/fb.h>

#include <drm_fourcc.h>
#include <drm_mode.h>

int sd_open_master(void)
{
	int fd = sd_open_primary();

	igt_require(drmIsMaster(fd));
	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_ATOMIC, 1), 0);
	igt_assert_eq(drmSetClientCap(fd, DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT, 1), 0);
	return fd;
}

/* Properties by name */

uint32_t sd_find_prop(int fd, uint32_t object, uint32_t type, const char *name, uint64_t *value)
{
	drmModeObjectPropertiesPtr props = drmModeObjectGetProperties(fd, object, type);
	uint32_t id = 0;

	igt_assert(props);
	for (uint32_t i = 0; i < props->count_props && !id; i++) {
		drmModePropertyPtr prop = drmModeGetProperty(fd, props->props[i]);

		if (!strcmp(prop->name, name)) {
			id = prop->prop_id;
			if (value)
				*value = props->prop_values[i];
		}
		drmModeFreeProperty(prop);
	}
	drmModeFreeObjectProperties(props);
	return id;
}

void sd_set(drmModeAtomicReqPtr req, int fd, uint32_t object, uint32_t type, const char *name,
	    uint64_t value)
{
	uint32_t prop = sd_find_prop(fd, object, type, name, NULL);

	igt_assert(prop);
	igt_assert(drmModeAtomicAddProperty(req, object, prop, value) > 0);
}

void sd_set_plane(drmModeAtomicReqPtr req, int fd, uint32_t plane, const char *name, uint64_t value)
{
	sd_set(req, fd, plane, DRM_MODE_OBJECT_PLANE, name, value);
}

/* Heads */

static uint64_t plane_type(int fd, uint32_t plane)
{
	uint64_t type = 0;

	igt_assert(sd_find_prop(fd, plane, DRM_MODE_OBJECT_PLANE, "type", &type));
	return type;
}

/* Finds the head's planes in the order of their types: primary, overlays, cursor. */
static void find_planes(struct sd_head *head)
{
	static const uint64_t types[] = {
		DRM_PLANE_TYPE_PRIMARY, DRM_PLANE_TYPE_OVERLAY, DRM_PLANE_TYPE_CURSOR
	};
	drmModePlaneResPtr planes = drmModeGetPlaneResources(head->fd);

	for (int t = 0; t < 3; t++) {
		for (uint32_t i = 0; i < planes->count_planes; i++) {
			drmModePlanePtr plane = drmModeGetPlane(head->fd, planes->planes[i]);

			if (plane->possible_crtcs == 1u << head->index &&
			    plane_type(head->fd, plane->plane_id) == types[t]) {
				igt_assert(head->count < SD_MAX_PLANES);
				head->planes[head->count++] = plane->plane_id;
			}
			drmModeFreePlane(plane);
		}
	}
	drmModeFreePlaneResources(planes);
	igt_assert(head->count >= 3);
}

/* Returns the smallest mode, so that the CPU has little to draw. */
static drmModeModeInfo smallest_mode(drmModeConnectorPtr connector)
{
	drmModeModeInfo mode = connector->modes[0];

	for (int i = 1; i < connector->count_modes; i++) {
		if (connector->modes[i].hdisplay * connector->modes[i].vdisplay <
		    mode.hdisplay * mode.vdisplay)
			mode = connector->modes[i];
	}
	return mode;
}

static uint32_t possible_crtcs(int fd, drmModeConnectorPtr connector)
{
	drmModeEncoderPtr encoder = drmModeGetEncoder(fd, connector->encoders[0]);
	uint32_t crtcs;

	igt_assert(encoder);
	crtcs = encoder->possible_crtcs;
	drmModeFreeEncoder(encoder);
	return crtcs;
}

drmModeConnectorPtr sd_find_connector(int fd, uint32_t index, uint32_t type)
{
	drmModeResPtr res = drmModeGetResources(fd);
	drmModeConnectorPtr connector = NULL;

	for (int i = 0; i < res->count_connectors; i++) {
		connector = drmModeGetConnector(fd, res->connectors[i]);
		if (connector->connector_type == type &&
		    possible_crtcs(fd, connector) == 1u << index)
			break;
		drmModeFreeConnector(connector);
		connector = NULL;
	}
	drmModeFreeResources(res);
	return connector;
}

struct sd_head sd_find_head(int fd, uint32_t index)
{
	drmModeConnectorPtr connector = sd_find_connector(fd, index, DRM_MODE_CONNECTOR_VIRTUAL);
	drmModeResPtr res = drmModeGetResources(fd);
	struct sd_head head = { .fd = fd, .index = index };

	igt_require(connector && connector->connection == DRM_MODE_CONNECTED &&
		    connector->count_modes);
	head.crtc = res->crtcs[index];
	head.connector = connector->connector_id;
	head.mode = smallest_mode(connector);
	drmModeFreeConnector(connector);
	drmModeFreeResources(res);
	find_planes(&head);
	return head;
}

uint32_t sd_count_heads(int fd)
{
	drmModeResPtr res = drmModeGetResources(fd);
	const uint32_t count = res->count_crtcs;

	drmModeFreeResources(res);
	return count;
}

drmModeModeInfo sd_preferred_mode(const struct sd_head *head)
{
	drmModeConnectorPtr connector = drmModeGetConnector(head->fd, head->connector);
	drmModeModeInfo mode = connector->modes[0];

	drmModeFreeConnector(connector);
	return mode;
}

int sd_set_color(const struct sd_head *head, const char *name, const void *data, size_t size)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	uint32_t blob = 0;
	int ret;

	if (data)
		igt_assert_eq(drmModeCreatePropertyBlob(head->fd, data, size, &blob), 0);
	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, name, blob);
	ret = drmModeAtomicCommit(head->fd, req, 0, NULL);
	drmModeAtomicFree(req);
	if (blob)
		drmModeDestroyPropertyBlob(head->fd, blob);
	return ret;
}

/* Pictures */

uint32_t sd_format_bytes(uint32_t format)
{
	switch (format) {
	case DRM_FORMAT_NV12:
		return 1;
	case DRM_FORMAT_RGB565:
	case DRM_FORMAT_P010:
		return 2;
	case DRM_FORMAT_XRGB16161616F:
	case DRM_FORMAT_ARGB16161616F:
		return 8;
	default:
		return 4;
	}
}

bool sd_format_is_yuv(uint32_t format)
{
	return format == DRM_FORMAT_NV12 || format == DRM_FORMAT_P010;
}

struct sd_picture sd_picture(int fd, uint32_t format, uint32_t width, uint32_t height)
{
	struct sd_picture p = { .width = width, .height = height, .format = format };
	uint32_t rows = sd_format_is_yuv(format) ? height + height / 2 : height;
	uint32_t handles[4] = { 0 }, pitches[4] = { 0 }, offsets[4] = { 0 };
	uint64_t offset;

	igt_assert_eq(drmModeCreateDumbBuffer(fd, width, rows, sd_format_bytes(format) * 8, 0,
					      &p.handle, &p.pitch, &p.size), 0);
	igt_assert_eq(drmModeMapDumbBuffer(fd, p.handle, &offset), 0);
	p.map = mmap(NULL, p.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	igt_assert(p.map != MAP_FAILED);
	memset(p.map, 0, p.size);
	handles[0] = p.handle;
	pitches[0] = p.pitch;
	if (sd_format_is_yuv(format)) {
		handles[1] = p.handle;
		pitches[1] = p.pitch;
		offsets[1] = p.pitch * height;
	}
	igt_assert_eq(drmModeAddFB2(fd, width, height, format, handles, pitches, offsets, &p.fb, 0),
		      0);
	return p;
}

void sd_picture_free(int fd, struct sd_picture *p)
{
	igt_assert_eq(drmModeRmFB(fd, p->fb), 0);
	munmap(p->map, p->size);
	igt_assert_eq(drmModeDestroyDumbBuffer(fd, p->handle), 0);
}

uint32_t *sd_pixel_at(const struct sd_picture *p, uint32_t x, uint32_t y)
{
	return (uint32_t *)(p->map + (size_t)p->pitch * y + x * 4);
}

void sd_paint(const struct sd_picture *p, int x, int y, int width, int height, uint32_t pixel)
{
	for (int v = y; v < y + height; v++) {
		for (int u = x; u < x + width; u++) {
			if (u >= 0 && v >= 0 && u < (int)p->width && v < (int)p->height)
				*sd_pixel_at(p, u, v) = pixel;
		}
	}
}

uint32_t sd_place(uint32_t x, uint32_t y)
{
	return 0xff000000 | (x * 7 + 3) << 16 | (y * 5 + 40) << 8 | (x ^ y);
}

void sd_paint_places(const struct sd_picture *p)
{
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++)
			*sd_pixel_at(p, x, y) = sd_place(x, y);
	}
}

/* The console */

int sd_open_console(int fd)
{
	char path[128], device[64];

	sd_device_name(fd, device, sizeof(device));
	for (int i = 0; i < 32; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/graphics/fb%d", device, i);
		if (access(path, F_OK))
			continue;
		snprintf(path, sizeof(path), "/dev/fb%d", i);
		return open(path, O_RDWR | O_CLOEXEC);
	}
	return -1;
}

int sd_light_console(int console)
{
	struct fb_var_screeninfo info;

	igt_assert(!ioctl(console, FBIOGET_VSCREENINFO, &info));
	info.activate = FB_ACTIVATE_NOW | FB_ACTIVATE_FORCE;
	return ioctl(console, FBIOPUT_VSCREENINFO, &info) ? -errno : 0;
}

/* Planes and CRCs */

static void add_plane(drmModeAtomicReqPtr req, const struct sd_head *head, uint32_t plane,
		      const struct sd_shown *shown)
{
	const struct sd_picture *p = shown->picture;
	const int fd = head->fd;

	if (!p) {
		sd_set_plane(req, fd, plane, "FB_ID", 0);
		sd_set_plane(req, fd, plane, "CRTC_ID", 0);
		return;
	}
	sd_set_plane(req, fd, plane, "FB_ID", p->fb);
	sd_set_plane(req, fd, plane, "CRTC_ID", head->crtc);
	sd_set_plane(req, fd, plane, "CRTC_X", (int64_t)shown->x);
	sd_set_plane(req, fd, plane, "CRTC_Y", (int64_t)shown->y);
	sd_set_plane(req, fd, plane, "CRTC_W", shown->width ? shown->width : p->width);
	sd_set_plane(req, fd, plane, "CRTC_H", shown->height ? shown->height : p->height);
	sd_set_plane(req, fd, plane, "SRC_X", (uint64_t)shown->src_x << 16);
	sd_set_plane(req, fd, plane, "SRC_Y", (uint64_t)shown->src_y << 16);
	sd_set_plane(req, fd, plane, "SRC_W",
		     (uint64_t)(shown->src_w ? shown->src_w : p->width) << 16);
	sd_set_plane(req, fd, plane, "SRC_H",
		     (uint64_t)(shown->src_h ? shown->src_h : p->height) << 16);
}

/* Resets the properties that struct sd_shown has no field for. */
static void reset_plane(drmModeAtomicReqPtr req, const struct sd_head *head, uint32_t i)
{
	const uint32_t plane = head->planes[i];

	sd_set_plane(req, head->fd, plane, "alpha", 0xffff);
	sd_set_plane(req, head->fd, plane, "pixel blend mode", 0);
	if (i == head->count - 1)
		return;
	sd_set_plane(req, head->fd, plane, "rotation", DRM_MODE_ROTATE_0);
	sd_set_plane(req, head->fd, plane, "zpos", i);
	sd_set_plane(req, head->fd, plane, "COLOR_ENCODING", 0);
	sd_set_plane(req, head->fd, plane, "COLOR_RANGE", 0);
}

void sd_add_shown(drmModeAtomicReqPtr req, const struct sd_head *head, const struct sd_shown *shown,
		  uint32_t n)
{
	for (uint32_t i = 0; i < head->count; i++) {
		const struct sd_shown nothing = { 0 }, *s = i < n ? &shown[i] : &nothing;

		reset_plane(req, head, i);
		add_plane(req, head, head->planes[i], s);
		for (int p = 0; p < 3 && s->names[p]; p++)
			sd_set_plane(req, head->fd, head->planes[i], s->names[p], s->values[p]);
	}
}

int sd_show_try(const struct sd_head *head, const struct sd_shown *shown, uint32_t n)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	uint32_t mode;
	int ret;

	igt_assert_eq(drmModeCreatePropertyBlob(head->fd, &head->mode, sizeof(head->mode), &mode),
		      0);
	sd_set(req, head->fd, head->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", head->crtc);
	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", mode);
	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 1);
	sd_add_shown(req, head, shown, n);
	ret = drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
	drmModeAtomicFree(req);
	drmModeDestroyPropertyBlob(head->fd, mode);
	return ret;
}

int sd_turn_off(const struct sd_head *head)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int ret;

	sd_set(req, head->fd, head->connector, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID", 0);
	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "MODE_ID", 0);
	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "ACTIVE", 0);
	for (uint32_t i = 0; i < head->count; i++) {
		sd_set_plane(req, head->fd, head->planes[i], "FB_ID", 0);
		sd_set_plane(req, head->fd, head->planes[i], "CRTC_ID", 0);
	}
	ret = drmModeAtomicCommit(head->fd, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
	drmModeAtomicFree(req);
	return ret;
}

uint32_t sd_wait_vblank(const struct sd_head *head)
{
	drmVBlank vblank = { .request = {
		.type = DRM_VBLANK_RELATIVE | head->index << DRM_VBLANK_HIGH_CRTC_SHIFT,
		.sequence = 1,
	} };

	igt_assert_eq(drmWaitVBlank(head->fd, &vblank), 0);
	return vblank.reply.sequence;
}

static int open_crc(const struct sd_head *head, const char *file, int flags)
{
	struct stat st;
	char path[128];
	int fd;

	igt_assert_eq(fstat(head->fd, &st), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/crtc-%u/crc/%s", minor(st.st_rdev),
		 head->index, file);
	fd = open(path, flags);
	igt_assert(fd >= 0);
	return fd;
}

/*
 * The CRC file, or -1. A subtest that fails leaves it open, and the next one closes it: it cannot
 * be opened twice.
 */
static int crcs = -1;

void sd_close_crcs(void)
{
	if (crcs >= 0)
		close(crcs);
	crcs = -1;
}

void sd_open_crcs(const struct sd_head *head)
{
	int control;

	sd_close_crcs();
	control = open_crc(head, "control", O_WRONLY);
	igt_assert_eq(write(control, "auto", 4), 4);
	close(control);
	crcs = open_crc(head, "data", O_RDONLY);
}

bool sd_poll_crc(int timeout_ms)
{
	struct pollfd poll_crcs = { .fd = crcs, .events = POLLIN };

	return poll(&poll_crcs, 1, timeout_ms) > 0;
}

uint32_t sd_read_crc(uint32_t *frame)
{
	char line[64] = "";
	uint32_t crc;

	igt_assert(read(crcs, line, sizeof(line) - 1) > 0);
	igt_assert_eq(sscanf(line, "%x %x", frame, &crc), 2);
	return crc;
}

uint32_t sd_next_crc(const struct sd_head *head)
{
	uint32_t frame, crc;

	sd_open_crcs(head);
	crc = sd_read_crc(&frame);
	sd_close_crcs();
	return crc;
}

uint32_t sd_crc_of(const struct sd_head *head, const struct sd_shown *shown, uint32_t n)
{
	igt_assert_eq(sd_show_try(head, shown, n), 0);
	return sd_next_crc(head);
}

uint32_t sd_crc_of_picture(const struct sd_head *head, const struct sd_picture *p)
{
	const struct sd_shown shown = { .picture = p };

	return sd_crc_of(head, &shown, 1);
}

struct sd_picture sd_canvas(const struct sd_head *head)
{
	return sd_picture(head->fd, DRM_FORMAT_XRGB8888, head->mode.hdisplay, head->mode.vdisplay);
}

uint32_t sd_crc32(const struct sd_picture *p)
{
	uint32_t crc = ~0u;

	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t i = 0; i < p->width * 4; i++) {
			crc ^= i % 4 == 3 ? 0xff : p->map[(size_t)p->pitch * y + i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		}
	}
	return ~crc;
}
