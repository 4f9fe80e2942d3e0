/* SPDX-License-Identifier: MIT */
/*
 * Helpers for mode setting: heads (a CRTC with its planes and its connector), pictures on their
 * planes, and the CRCs of the result. The client's file is one of sd_open_master(), or of a DRM
 * master that has set DRM_CLIENT_CAP_ATOMIC itself.
 */
#ifndef SUNDOG_HEAD_H
#define SUNDOG_HEAD_H

#include <xf86drm.h>
#include <xf86drmMode.h>

#include "sundog_test.h"

#define SD_MAX_PLANES 8

struct sd_head {
	int fd;
	uint32_t index, crtc, connector;
	drmModeModeInfo mode;
	uint32_t planes[SD_MAX_PLANES];	/* primary, overlays, cursor */
	uint32_t count;
};

/* A framebuffer and its CPU mapping. */
struct sd_picture {
	uint32_t width, height, format, handle, fb, pitch;
	uint64_t size;
	uint8_t *map;
};

/*
 * The state of a plane. A size of 0 stands for the picture's size; without a picture the plane is
 * off.
 */
struct sd_shown {
	const struct sd_picture *picture;
	int32_t x, y;
	uint32_t width, height;		/* on the head */
	uint32_t src_x, src_y, src_w, src_h;
	const char *names[3];		/* other plane properties */
	uint64_t values[3];
};

/*
 * Opens the primary node with the client capabilities for universal planes, atomic commits and the
 * hot spots of cursors. Skips if the file is not the DRM master.
 */
int sd_open_master(void);

/*
 * sd_find_prop() finds a property by its name. It returns the id, or 0 if @object has no such
 * property, and stores its value if @value is not NULL. sd_set() and sd_set_plane() add a property
 * to @req, and fail the subtest if it does not exist.
 */
uint32_t sd_find_prop(int fd, uint32_t object, uint32_t type, const char *name, uint64_t *value);
void sd_set(drmModeAtomicReqPtr req, int fd, uint32_t object, uint32_t type, const char *name,
	    uint64_t value);
void sd_set_plane(drmModeAtomicReqPtr req, int fd, uint32_t plane, const char *name,
		  uint64_t value);

/*
 * Returns a head with a connected screen and the screen's smallest mode. Skips if no screen is
 * connected.
 */
struct sd_head sd_find_head(int fd, uint32_t index);
/*
 * Returns the head's connector of a type, or NULL. The caller frees it with drmModeFreeConnector().
 */
drmModeConnectorPtr sd_find_connector(int fd, uint32_t index, uint32_t type);
uint32_t sd_count_heads(int fd);
drmModeModeInfo sd_preferred_mode(const struct sd_head *head);
/*
 * Sets a color property of the CRTC, such as GAMMA_LUT, to a blob with @data, or to no blob if
 * @data is NULL. Returns 0 or -errno.
 */
int sd_set_color(const struct sd_head *head, const char *name, const void *data, size_t size);

/* Bytes per pixel; for NV12 and P010 bytes per luma sample. */
uint32_t sd_format_bytes(uint32_t format);
bool sd_format_is_yuv(uint32_t format);

/* Creates a picture and fills its memory with zeros. */
struct sd_picture sd_picture(int fd, uint32_t format, uint32_t width, uint32_t height);
/* Creates a picture in XRGB8888 with the size of the head's mode. */
struct sd_picture sd_canvas(const struct sd_head *head);
void sd_picture_free(int fd, struct sd_picture *p);

/* For pictures with 4 bytes per pixel. sd_paint() clips its rectangle to the picture. */
uint32_t *sd_pixel_at(const struct sd_picture *p, uint32_t x, uint32_t y);
void sd_paint(const struct sd_picture *p, int x, int y, int width, int height, uint32_t pixel);
/*
 * Returns the pixel value for a position. In a square of 32 x 32 no two pixels, rows or columns are
 * equal.
 */
uint32_t sd_place(uint32_t x, uint32_t y);
void sd_paint_places(const struct sd_picture *p);
/* The CRC-32 of zlib over the blue, green and red bytes and 0xff of each pixel. */
uint32_t sd_crc32(const struct sd_picture *p);

/*
 * Adds the state of all planes of the head to @req: the first @n planes are as in @shown, the
 * others are off. sd_show_try() commits this and turns the head on; it and sd_turn_off() return 0
 * or -errno.
 */
void sd_add_shown(drmModeAtomicReqPtr req, const struct sd_head *head, const struct sd_shown *shown,
		  uint32_t n);
int sd_show_try(const struct sd_head *head, const struct sd_shown *shown, uint32_t n);
int sd_turn_off(const struct sd_head *head);

/*
 * Waits for the head's next vblank and returns its sequence number. A query that does not wait
 * returns the number of the last vblank interrupt, which may be stale.
 */
uint32_t sd_wait_vblank(const struct sd_head *head);

/* Opens the framebuffer device (/dev/fbN) of @fd's device. Returns -1 if there is none. */
int sd_open_console(int fd);
/*
 * Has the console set its modes, as a switch of terminals does. Returns 0, or -errno, for example
 * if there is a DRM master.
 */
int sd_light_console(int console);

/*
 * sd_open_crcs() starts the CRCs of a head, with the first frame that begins after the call;
 * sd_close_crcs() stops them. sd_next_crc() starts them, reads one and stops them. One head at a
 * time.
 */
void sd_open_crcs(const struct sd_head *head);
bool sd_poll_crc(int timeout_ms);
uint32_t sd_read_crc(uint32_t *frame);
void sd_close_crcs(void);
uint32_t sd_next_crc(const struct sd_head *head);
/*
 * Returns the CRC of the head with these planes, or with @p on the primary plane and no other
 * plane.
 */
uint32_t sd_crc_of(const struct sd_head *head, const struct sd_shown *shown, uint32_t n);
uint32_t sd_crc_of_picture(const struct sd_head *head, const struct sd_picture *p);

#endif
