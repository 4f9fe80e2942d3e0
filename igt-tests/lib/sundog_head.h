/* SPDX-License-Identifier: MIT */
/*
 * Heads, what their planes show, and what is known of that by their CRCs. The client is that of sd_open_master(), or a
 * DRM master that has asked for atomic commits itself.
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

/* A framebuffer, and the CPU's view of it. */
struct sd_picture {
	uint32_t width, height, format, handle, fb, pitch;
	uint64_t size;
	uint8_t *map;
};

/* What a plane shows; what is 0 is what it usually is. */
struct sd_shown {
	const struct sd_picture *picture;
	int32_t x, y;
	uint32_t width, height;		/* on the head */
	uint32_t src_x, src_y, src_w, src_h;
	const char *names[3];		/* of other properties */
	uint64_t values[3];
};

/* A client that sees all planes, makes atomic commits, and says where cursors point. Skips if it is not the master. */
int sd_open_master(void);

/* Properties by name; sd_find_prop() returns 0 where there is none of that name. */
uint32_t sd_find_prop(int fd, uint32_t object, uint32_t type, const char *name, uint64_t *value);
void sd_set(drmModeAtomicReqPtr req, int fd, uint32_t object, uint32_t type, const char *name, uint64_t value);
void sd_set_plane(drmModeAtomicReqPtr req, int fd, uint32_t plane, const char *name, uint64_t value);

/* A head with a screen, and the smallest mode of that; skips where there is none. */
struct sd_head sd_find_head(int fd, uint32_t index);
/* The head's connector of a type, or NULL. */
drmModeConnectorPtr sd_find_connector(int fd, uint32_t index, uint32_t type);
uint32_t sd_count_heads(int fd);
drmModeModeInfo sd_preferred_mode(const struct sd_head *head);
/* Something of the head's colours, such as GAMMA_LUT, or none of it. */
int sd_set_color(const struct sd_head *head, const char *name, const void *data, size_t size);

/* Bytes of a pixel, of NV12 and P010 of a sample of luma. */
uint32_t sd_format_bytes(uint32_t format);
bool sd_format_is_yuv(uint32_t format);

/* One that is black. */
struct sd_picture sd_picture(int fd, uint32_t format, uint32_t width, uint32_t height);
/* One of XRGB8888 as large as the head's mode. */
struct sd_picture sd_canvas(const struct sd_head *head);
void sd_picture_free(int fd, struct sd_picture *p);

/* Of pictures with 4 bytes a pixel. What lies outside is not painted. */
uint32_t *sd_pixel_at(const struct sd_picture *p, uint32_t x, uint32_t y);
void sd_paint(const struct sd_picture *p, int x, int y, int width, int height, uint32_t pixel);
/* No two places of 32 x 32 are alike, nor rows, nor columns. */
uint32_t sd_place(uint32_t x, uint32_t y);
void sd_paint_places(const struct sd_picture *p);
/* As zlib has it, of blue, green, red and 0xff. */
uint32_t sd_crc32(const struct sd_picture *p);

/* All planes of the head, of which the first @n show something. sd_show_try() turns it on. */
void sd_add_shown(drmModeAtomicReqPtr req, const struct sd_head *head, const struct sd_shown *shown, uint32_t n);
int sd_show_try(const struct sd_head *head, const struct sd_shown *shown, uint32_t n);
int sd_turn_off(const struct sd_head *head);

/*
 * Waits for a head's next vblank, and returns its number. Without waiting there is the number that the last interrupt
 * left, which may be late.
 */
uint32_t sd_wait_vblank(const struct sd_head *head);

/* The CRCs of a head, from frames on that begin after this was called, until they are closed; and one of them. */
void sd_open_crcs(const struct sd_head *head);
bool sd_poll_crc(int timeout_ms);
uint32_t sd_read_crc(uint32_t *frame);
void sd_close_crcs(void);
uint32_t sd_next_crc(const struct sd_head *head);
/* The CRC when planes show that, or when the primary one shows a picture by itself. */
uint32_t sd_crc_of(const struct sd_head *head, const struct sd_shown *shown, uint32_t n);
uint32_t sd_crc_of_picture(const struct sd_head *head, const struct sd_picture *p);

#endif
