// SPDX-License-Identifier: MIT
/*
 * Variable refresh rates: a frame lasts until another one can be shown, within limits.
 *
 * Times are those of events and come from the device's clock: whatever delays the guest, they are
 * right up to the drift between both clocks. A flip that the guest commits too late says nothing
 * about the head, so medians are of the other flips.
 */
#include "sundog_head.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <drm_fourcc.h>

IGT_TEST_DESCRIPTION("Variable refresh rates of a sundog device");

#define FRAMES 60
#define FEWEST 9		/* flips that suffice to judge a head */

/* Size of the cursor. */
#define SIZE 64

/* The lowest rate of an EDID that names one, in Hz. */
#define EDID_RATE 30

/* The head and two pictures to flip between, of which one is shown; times are in ns. */
struct screen {
	struct sd_head head;
	struct sd_picture pictures[2];
	uint32_t shown;
	double committed;		/* when the commit of the last flip returned */
	struct sd_picture cursor;
	bool moves;			/* move the cursor during waits */
	int cursor_x;
	double shortest, longest;
};

/* A vblank: its sequence number, which counts frames, and its time in ns. */
struct vblank {
	uint64_t sequence;
	double time;
};

static void open_master(int *fd)
{
	*fd = sd_open_primary();
	igt_require(drmIsMaster(*fd));
	igt_assert_eq(drmSetClientCap(*fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1), 0);
	igt_assert_eq(drmSetClientCap(*fd, DRM_CLIENT_CAP_ATOMIC, 1), 0);
	igt_assert_eq(drmSetClientCap(*fd, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1), 0);
}

/* Opens a debugfs file of the head's connector. Returns -1 if that fails. */
static int open_debugfs(const struct sd_head *head, const char *name, int flags)
{
	drmModeConnectorPtr connector = drmModeGetConnectorCurrent(head->fd, head->connector);
	char path[128];
	struct stat st;

	if (!connector || fstat(head->fd, &st))
		return -1;
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/Virtual-%u/%s", minor(st.st_rdev),
		 connector->connector_type_id, name);
	drmModeFreeConnector(connector);
	return open(path, flags);
}

static void read_range(const struct sd_head *head, uint32_t *min, uint32_t *max)
{
	char text[64] = "";
	int fd = open_debugfs(head, "vrr_range", O_RDONLY);

	igt_require(fd >= 0);
	igt_assert(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	igt_assert_eq(sscanf(text, "Min: %u\nMax: %u\n", min, max), 2);
}

static int set_vrr_try(const struct sd_head *head, uint64_t value)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	int ret;

	sd_set(req, head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "VRR_ENABLED", value);
	ret = drmModeAtomicCommit(head->fd, req, 0, NULL);
	drmModeAtomicFree(req);
	return ret;
}

/*
 * Overrides the device's EDID from the next probe on; "reset" restores it. Returns false if that
 * fails.
 */
static bool override_edid(const struct sd_head *head, const void *data, size_t size)
{
	int fd = open_debugfs(head, "edid_override", O_WRONLY);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, data, size) == (ssize_t)size;
	close(fd);
	return ok;
}

static void probe(const struct sd_head *head)
{
	drmModeFreeConnector(drmModeGetConnector(head->fd, head->connector));
}

/* Undoes changes of a subtest that failed, in this run or in an earlier one. */
static void clear(const struct sd_head *head)
{
	set_vrr_try(head, 0);
	if (override_edid(head, "reset", 5))
		probe(head);
}

/* Sets VRR_ENABLED without a mode set. */
static void set_vrr(const struct screen *s, bool on)
{
	igt_assert_eq(set_vrr_try(&s->head, on), 0);
}

static uint64_t get_vrr(const struct sd_head *head)
{
	uint64_t value = 0;

	igt_assert(sd_find_prop(head->fd, head->crtc, DRM_MODE_OBJECT_CRTC, "VRR_ENABLED", &value));
	return value;
}

static void show(struct screen *s)
{
	const struct sd_shown shown = { .picture = &s->pictures[s->shown] };

	igt_assert_eq(sd_show_try(&s->head, &shown, 1), 0);
}

static struct screen screen_start(const struct sd_head *head, bool vrr)
{
	struct screen s = { .head = *head };
	uint32_t min, max;

	read_range(head, &min, &max);
	s.shortest = head->mode.htotal * head->mode.vtotal * 1e6 / head->mode.clock;
	s.longest = 1e9 / min;
	/* Otherwise fixed and variable rates cannot be told apart. */
	igt_require(s.longest > 1.3 * s.shortest);
	for (int i = 0; i < 2; i++)
		s.pictures[i] = sd_canvas(head);
	show(&s);
	set_vrr(&s, vrr);
	return s;
}

static int set_cursor(const struct screen *s, uint32_t handle)
{
	return drmModeSetCursor(s->head.fd, s->head.crtc, handle, SIZE, SIZE);
}

static void show_cursor(struct screen *s)
{
	s->cursor = sd_picture(s->head.fd, DRM_FORMAT_ARGB8888, SIZE, SIZE);
	sd_paint(&s->cursor, 0, 0, SIZE, SIZE, 0xff3366cc);
	igt_assert_eq(set_cursor(s, s->cursor.handle), 0);
}

static void hide_cursor(struct screen *s)
{
	s->moves = false;
	igt_assert_eq(set_cursor(s, 0), 0);
	sd_picture_free(s->head.fd, &s->cursor);
}

static void move_cursor(struct screen *s)
{
	s->cursor_x = (s->cursor_x + 1) % 100;
	igt_assert_eq(drmModeMoveCursor(s->head.fd, s->head.crtc, s->cursor_x, 20), 0);
}

/* Waits until an event can be read; moves the cursor meanwhile if @s->moves is set. */
static void wait_event(struct screen *s)
{
	struct pollfd poll_fd = { .fd = s->head.fd, .events = POLLIN };

	while (s->moves && !poll(&poll_fd, 1, 1))
		move_cursor(s);
}

static void screen_stop(struct screen *s)
{
	set_vrr(s, false);
	igt_assert_eq(sd_turn_off(&s->head), 0);
	for (int i = 0; i < 2; i++)
		sd_picture_free(s->head.fd, &s->pictures[i]);
}

static struct vblank next_vblank(struct screen *s)
{
	struct drm_event_crtc_sequence event;
	uint64_t queued;

	igt_assert_eq(drmCrtcQueueSequence(s->head.fd, s->head.crtc, DRM_CRTC_SEQUENCE_RELATIVE, 1,
					   &queued, 0), 0);
	wait_event(s);
	igt_assert_eq(read(s->head.fd, &event, sizeof(event)), sizeof(event));
	igt_assert_eq(event.base.type, DRM_EVENT_CRTC_SEQUENCE);
	return (struct vblank) { event.sequence, event.time_ns };
}

static struct vblank flip(struct screen *s)
{
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	struct drm_event_vblank event;
	int ret;

	s->shown = !s->shown;
	sd_set_plane(req, s->head.fd, s->head.planes[0], "FB_ID", s->pictures[s->shown].fb);
	/* The event of the previous flip may precede the end of its commit. */
	do
		ret = drmModeAtomicCommit(s->head.fd, req,
					  DRM_MODE_ATOMIC_NONBLOCK | DRM_MODE_PAGE_FLIP_EVENT,
					  NULL);
	while (ret == -EBUSY);
	s->committed = sd_now_plus_ms(0);
	igt_assert_eq(ret, 0);
	drmModeAtomicFree(req);
	wait_event(s);
	igt_assert_eq(read(s->head.fd, &event, sizeof(event)), sizeof(event));
	igt_assert_eq(event.base.type, DRM_EVENT_FLIP_COMPLETE);
	return (struct vblank) { event.sequence, event.tv_sec * 1e9 + event.tv_usec * 1e3 };
}

static void sleep_until(double time)
{
	const struct timespec end = { .tv_sec = time / 1e9, .tv_nsec = fmod(time, 1e9) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), compare);
	return values[n / 2];
}

/* Checks the mean length of frames while no client flips. */
static void check_idle(struct screen *s, double expected)
{
	const int frames = sd_rounds(FRAMES, 1000);
	const struct vblank first = next_vblank(s);
	struct vblank last = first;
	double mean;

	for (int i = 0; i < frames; i++)
		last = next_vblank(s);
	mean = (last.time - first.time) / (last.sequence - first.sequence);
	igt_info("%.0f frames of %.0f ns, and not of %.0f\n",
		 (double)(last.sequence - first.sequence), mean, expected);
	/* The guest's clock may be a little off. */
	igt_assert(mean > 0.95 * expected && mean < 1.05 * expected);
}

/* Frames that ended with a flip; times are in ns. */
struct measured {
	double length;		/* median */
	double late;		/* median delay after the earliest possible time of the flip */
	double shortest;
};

/*
 * Flips @wait ns after each vblank, until enough flips were in time: a flip of a guest that stood
 * still meanwhile says nothing about the head. If the guest was late, other vblanks may have come
 * in between, at the latest possible times. Skips on a machine that is never quiet enough for the
 * guest to flip in time.
 */
static struct measured measure(struct screen *s, double wait)
{
	/* Limit for the time from @wait, or from the vblank, to the end of the commit. */
	const double in_time = wait ? s->shortest / 4 : s->shortest * 3 / 4;
	const int flips = sd_rounds(FRAMES, 1000);
	const int64_t end = sd_deadline();
	double lengths[1000], lates[1000];
	struct vblank last = flip(s), now;
	struct measured m = { .shortest = INFINITY };
	int n = 0, all = 0;

	for (; n < flips && sd_now_plus_ms(0) < end; all++) {
		double begun, before;

		if (wait)
			sleep_until(last.time + wait);
		begun = sd_now_plus_ms(0);
		now = flip(s);
		igt_assert(now.sequence > last.sequence && now.sequence - last.sequence < 1000);
		before = last.time + (now.sequence - last.sequence - 1) * s->longest;
		lengths[n] = now.time - last.time;
		lates[n] = now.time - fmax(begun, before + s->shortest);
		m.shortest = fmin(m.shortest, lengths[n] / (now.sequence - last.sequence));
		n += s->committed - last.time - wait < in_time;
		last = now;
	}
	igt_info("%d of %d flips came in time\n", n, all);
	igt_require(n >= FEWEST);
	m.length = median(lengths, n);
	m.late = median(lates, n);
	igt_info("frames of %.0f ns, none shorter than %.0f; flips were late by %.0f ns\n",
		 m.length, m.shortest, m.late);
	return m;
}

/* Tests */

static void test_properties(const struct sd_head *head)
{
	drmModeConnectorPtr other = sd_find_connector(head->fd, head->index,
						      DRM_MODE_CONNECTOR_WRITEBACK);
	uint32_t prop, min, max;
	uint64_t value = 0;

	prop = sd_find_prop(head->fd, head->connector, DRM_MODE_OBJECT_CONNECTOR, "vrr_capable",
			    &value);
	igt_assert(prop);
	igt_assert_eq_u64(value, 1);
	igt_assert(drmModeObjectSetProperty(head->fd, head->connector, DRM_MODE_OBJECT_CONNECTOR,
					    prop, 0) < 0);
	if (other) {
		igt_assert(!sd_find_prop(head->fd, other->connector_id, DRM_MODE_OBJECT_CONNECTOR,
					 "vrr_capable", NULL));
		drmModeFreeConnector(other);
	}

	clear(head);
	igt_assert_eq_u64(get_vrr(head), 0);
	igt_assert_eq(set_vrr_try(head, 2), -EINVAL);
	/* VRR_ENABLED of a head that is off takes effect when the head is turned on. */
	igt_assert_eq(set_vrr_try(head, 1), 0);
	igt_assert_eq_u64(get_vrr(head), 1);
	igt_assert_eq(set_vrr_try(head, 0), 0);
	igt_assert_eq_u64(get_vrr(head), 0);

	read_range(head, &min, &max);
	igt_assert_eq(min, 40);
	igt_assert(max >= head->mode.vrefresh && max >= sd_preferred_mode(head).vrefresh);
}

static void test_idle(const struct sd_head *head)
{
	struct screen s = screen_start(head, true);

	check_idle(&s, s.longest);
	screen_stop(&s);
}

static void test_rate(const struct sd_head *head)
{
	struct screen s = screen_start(head, true);
	const double wait = (s.shortest + s.longest) / 2;
	/*
	 * In a frame of the mode's rate, or of the slowest rate, this limit would be most of the
	 * rest of the frame.
	 */
	const double late = s.shortest / 4;
	struct measured m = measure(&s, wait);

	igt_assert(m.length > 0.98 * wait && m.length < s.longest);
	igt_assert(m.late < late);
	screen_stop(&s);
}

static void test_throttled(const struct sd_head *head)
{
	struct screen s = screen_start(head, true);
	struct measured m = measure(&s, 0);

	igt_assert(m.shortest > 0.9 * s.shortest);
	igt_assert(m.length > 0.9 * s.shortest && m.length < 1.1 * s.shortest);
	screen_stop(&s);
}

/* A moving cursor ends no frames, nor does it move a flip out of the frame that the flip ends. */
static void test_moves(const struct sd_head *head)
{
	struct screen s = screen_start(head, true);
	struct measured m;

	show_cursor(&s);
	s.moves = true;
	check_idle(&s, s.longest);
	m = measure(&s, 0);
	igt_assert(m.shortest > 0.9 * s.shortest);
	igt_assert(m.length > 0.9 * s.shortest && m.length < 1.1 * s.shortest);
	hide_cursor(&s);
	screen_stop(&s);
}

/* Returns the EDID of the head, changed to one of a screen with continuous frequencies. */
static drmModePropertyBlobPtr continuous_edid(const struct sd_head *head)
{
	drmModePropertyBlobPtr blob;
	uint8_t *edid, sum = 0;
	uint64_t id = 0;

	igt_assert(sd_find_prop(head->fd, head->connector, DRM_MODE_OBJECT_CONNECTOR, "EDID", &id));
	blob = drmModeGetPropertyBlob(head->fd, id);
	igt_require(blob);
	edid = blob->data;
	edid[24] |= 1;
	for (int i = 54; i < 126; i += 18) {
		/* display range limits */
		if (!edid[i] && !edid[i + 1] && edid[i + 3] == 0xfd)
			edid[i + 5] = EDID_RATE;
	}
	for (int i = 0; i < 127; i++)
		sum += edid[i];
	edid[127] = -sum;
	return blob;
}

/* A probe finds another range while the rate varies: it applies from the next flip on. */
static void test_probed(const struct sd_head *head)
{
	struct screen s = screen_start(head, true);
	drmModePropertyBlobPtr edid = continuous_edid(head);
	uint32_t min, max;

	igt_require(override_edid(head, edid->data, edid->length));
	drmModeFreePropertyBlob(edid);
	probe(head);
	read_range(head, &min, &max);
	igt_assert_eq_u32(min, EDID_RATE);
	flip(&s);
	check_idle(&s, 1e9 / EDID_RATE);
	igt_assert(override_edid(head, "reset", 5));
	probe(head);
	flip(&s);
	check_idle(&s, s.longest);
	screen_stop(&s);
}

/* With a fixed rate flips complete at the vblanks of that rate. */
static void test_fixed(const struct sd_head *head)
{
	struct screen s = screen_start(head, false);
	const double wait = (s.shortest + s.longest) / 2;
	struct measured m;

	check_idle(&s, s.shortest);
	m = measure(&s, wait);
	igt_assert(m.length > 1.9 * s.shortest && m.length < 2.1 * s.shortest);
	screen_stop(&s);
}

static void test_toggled(const struct sd_head *head)
{
	struct screen s = screen_start(head, false);

	for (int i = 0; i < 3; i++) {
		check_idle(&s, s.shortest);
		set_vrr(&s, true);
		check_idle(&s, s.longest);
		set_vrr(&s, false);
	}
	screen_stop(&s);
}

/* The order of mode set and property does not matter. */
static void test_mode_sets(const struct sd_head *head)
{
	struct screen s = screen_start(head, true);

	igt_assert_eq(sd_turn_off(head), 0);
	show(&s);
	igt_assert_eq_u64(get_vrr(head), 1);
	check_idle(&s, s.longest);
	igt_assert_eq(sd_turn_off(head), 0);
	set_vrr(&s, false);
	show(&s);
	check_idle(&s, s.shortest);
	igt_assert_eq(sd_turn_off(head), 0);
	set_vrr(&s, true);
	show(&s);
	check_idle(&s, s.longest);
	screen_stop(&s);
}

/* After a suspend the head is as before, with its cursor, without any commit. */
static void test_sleep(const struct sd_head *head)
{
	struct measured m;
	struct screen s;
	uint32_t crc;

	sd_require_sleep();
	s = screen_start(head, true);
	show_cursor(&s);
	crc = sd_next_crc(head);
	igt_assert_eq(sd_sleep_try(), 0);
	igt_assert_eq_u64(get_vrr(head), 1);
	check_idle(&s, s.longest);
	igt_assert_eq_u32(sd_next_crc(head), crc);
	s.moves = true;
	check_idle(&s, s.longest);
	m = measure(&s, 0);
	igt_assert(m.length > 0.9 * s.shortest && m.length < 1.1 * s.shortest);
	hide_cursor(&s);
	screen_stop(&s);
}

static struct sd_head head = { .fd = -1 };

static void clear_at_exit(int sig)
{
	(void)sig;
	if (head.fd >= 0)
		clear(&head);
}

igt_main()
{
	igt_fixture() {
		int fd;

		open_master(&fd);
		head = sd_find_head(fd, 0);
		clear(&head);
		igt_install_exit_handler(clear_at_exit);
	}

	igt_describe("The connector is vrr_capable, the CRTC has VRR_ENABLED, and debugfs has the "
		     "range of rates.");
	igt_subtest("properties")
		test_properties(&head);

	igt_describe("With VRR, frames without flips have the maximum length.");
	igt_subtest("idle")
		test_idle(&head);

	igt_describe("With VRR, a flip between the limits is shown when it is committed.");
	igt_subtest("rate")
		test_rate(&head);

	igt_describe("With VRR, flips that come faster than the mode's rate are throttled to it.");
	igt_subtest("throttled")
		test_throttled(&head);

	igt_describe("With VRR, a moving cursor ends no frames and does not delay flips.");
	igt_subtest("moves")
		test_moves(&head);

	igt_describe("With VRR, a new range from a probe applies from the next flip on.");
	igt_subtest("probed")
		test_probed(&head);

	igt_describe("Without VRR, all frames have the mode's length, and flips complete at its "
		     "vblanks.");
	igt_subtest("fixed")
		test_fixed(&head);

	igt_describe("VRR_ENABLED can be toggled while the head is on.");
	igt_subtest("toggled")
		test_toggled(&head);

	igt_describe("VRR_ENABLED applies after a head is turned off and on, and also if it is set "
		     "while the head is off.");
	igt_subtest("mode-sets")
		test_mode_sets(&head);

	igt_describe("After a suspend the head has the same refresh rates, cursor and CRC as "
		     "before.");
	igt_subtest("sleep")
		test_sleep(&head);

	igt_fixture() {
		close(head.fd);
		head.fd = -1;
	}
}
