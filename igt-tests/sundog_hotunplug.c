// SPDX-License-Identifier: MIT
/*
 * Unplug: the device disappears while processes use all of its functions. They get errors, and the
 * rest of the system goes on. After the replug the device shows and draws as before.
 */
#include "sundog_gate.h"
#include "sundog_head.h"
#include "sundog_parameter.h"
#include "sundog_share.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/videodev2.h>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

IGT_TEST_DESCRIPTION("Unplug and replug of a sundog device");

#define MAX_HEADS 4
#define COLOR 0x00305070u
#define SWAP_OUT "/sys/kernel/debug/ttm/tt_shrink"	/* a read makes TTM swap out */

/* A way to unplug the device, and to plug it in again. */
struct way {
	void (*take)(const char *name);
	void (*give)(const char *name);
};

struct screen {
	uint32_t crtc, connector, fb;
	drmModeModeInfo mode, last;
};

/* Ways to unplug */

static void write_file(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);

	igt_assert(file >= 0);
	igt_assert_eq(write(file, text, strlen(text)), strlen(text));
	close(file);
}

static void unbind(const char *name)
{
	sd_tell_driver("unbind", name);
}

static void bind_again(const char *name)
{
	sd_tell_driver("bind", name);
}

static bool is_on_bus(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", name);
	return !access(path, F_OK);
}

static void wait_off_bus(const char *name)
{
	const int64_t end = sd_deadline();

	while (is_on_bus(name) && sd_now_plus_ms(0) < end)
		usleep(10000);
	igt_assert(!is_on_bus(name));
}

static void remove_from_bus(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", name);
	write_file(path, "1");
	wait_off_bus(name);
}

static void rescan(const char *name)
{
	(void)name;
	write_file("/sys/bus/pci/rescan", "1");
}

static void unplug(const char *name)
{
	sd_ask("unplug");
	wait_off_bus(name);
}

static void plug(const char *name)
{
	(void)name;
	sd_ask("plug");
}

static bool answers(const char *name)
{
	uint16_t vendor = 0xffff;
	char path[128];
	int config;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", name);
	config = open(path, O_RDONLY | O_CLOEXEC);
	igt_assert(config >= 0);
	igt_assert_eq(pread(config, &vendor, 2, 0), 2);
	close(config);
	return vendor != 0xffff;
}

/*
 * Surprise removal: tells the machine to release the slot, as firmware does after the driver has
 * released the device. Here the driver's remove function runs only later. QEMU numbers ports from
 * the last to the first.
 */
static void eject(const char *name)
{
	enum { PORTS = 0xcc0, EJECT = PORTS + 8, BUS = PORTS + 0x10, BUSES = 8 };

	igt_assert(!ioperm(PORTS, 0x20, 1));
	for (int bus = BUSES - 1; bus >= 0 && answers(name); bus--) {
		outl(bus, BUS);
		outl(1, EJECT);
	}
	igt_assert(!answers(name));
}

static void pull_at_once(const char *name)
{
	eject(name);
	remove_from_bus(name);
}

/* Processes use the device for a while before the driver knows. */
static void pull(const char *name)
{
	eject(name);
	usleep(300000);
	remove_from_bus(name);
}

static const struct way ways[] = {
	{ unbind, bind_again },
	{ remove_from_bus, rescan },
	{ unplug, plug },
	{ pull, plug },
	{ pull_at_once, plug },
};

/* Screens */

static struct sd_bo dumb_new(int fd, const struct screen *screen, uint32_t *pitch)
{
	struct sd_bo bo = { 0 };

	igt_assert_eq(drmModeCreateDumbBuffer(fd, screen->mode.hdisplay, screen->mode.vdisplay, 32,
					      0, &bo.handle, pitch, &bo.size), 0);
	igt_assert_eq(drmModeMapDumbBuffer(fd, bo.handle, &bo.map_offset), 0);
	return bo;
}

/*
 * Creates a framebuffer as large as the screen. It, and its memory in @bo, stay until the file
 * closes.
 */
static uint32_t add_fb(int fd, const struct screen *screen, struct sd_bo *bo)
{
	uint32_t handles[4] = { 0 }, pitches[4] = { 0 }, offsets[4] = { 0 }, fb;

	*bo = dumb_new(fd, screen, &pitches[0]);
	handles[0] = bo->handle;
	igt_assert_eq(drmModeAddFB2(fd, screen->mode.hdisplay, screen->mode.vdisplay,
				    DRM_FORMAT_XRGB8888, handles, pitches, offsets, &fb, 0), 0);
	return fb;
}

/* Waits until a head has modes: on a busy machine it may be plugged in before its screen. */
static drmModeConnectorPtr wait_connected(int fd, uint32_t id)
{
	const int64_t end = sd_deadline();
	drmModeConnectorPtr connector;

	for (;;) {
		connector = drmModeGetConnector(fd, id);
		if (connector && connector->count_modes)
			return connector;
		drmModeFreeConnector(connector);
		igt_assert(sd_now_plus_ms(0) < end);
		usleep(10000);
	}
}

/* Finds the modes of a head and creates a picture for it, which is not shown yet. */
static struct screen screen_new(int fd, drmModeResPtr res, int head, struct sd_bo *bo)
{
	struct screen screen = { .crtc = res->crtcs[head], .connector = res->connectors[head] };
	drmModeConnectorPtr connector = wait_connected(fd, screen.connector);

	screen.mode = connector->modes[0];
	screen.last = connector->modes[connector->count_modes - 1];
	drmModeFreeConnector(connector);
	screen.fb = add_fb(fd, &screen, bo);
	return screen;
}

static int set_mode(int fd, struct screen *screen)
{
	return drmModeSetCrtc(fd, screen->crtc, screen->fb, 0, 0, &screen->connector, 1,
			      &screen->mode);
}

/*
 * Shows a colour on a head, in a picture that stays until the file closes, and stores the picture
 * in @bo.
 */
static struct screen show(int fd, drmModeResPtr res, int head, struct sd_bo *bo)
{
	struct screen screen = screen_new(fd, res, head, bo);

	sd_fill(fd, bo, COLOR + head);
	igt_assert_eq(set_mode(fd, &screen), 0);
	return screen;
}

static int show_all(int fd, struct screen *screens, struct sd_bo *bos)
{
	drmModeResPtr res = drmModeGetResources(fd);
	int n;

	igt_assert(res && res->count_crtcs <= MAX_HEADS);
	n = res->count_crtcs;
	for (int i = 0; i < n; i++)
		screens[i] = show(fd, res, i, &bos[i]);
	drmModeFreeResources(res);
	return n;
}

/*
 * While another child sets a mode of the head, there are no vblanks, and the open fails with EIO or
 * EINVAL. The core holds no lock of the head there.
 */
static int open_crc(int fd, int head, const char *file, int flags)
{
	const int64_t end = sd_deadline();
	struct stat st;
	char path[128];
	int crc;

	igt_assert_eq(fstat(fd, &st), 0);
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/crtc-%d/crc/%s", minor(st.st_rdev),
		 head, file);
	while ((crc = open(path, flags | O_CLOEXEC)) < 0 && (errno == EIO || errno == EINVAL) &&
	       sd_now_plus_ms(0) < end)
		usleep(1000);
	igt_assert(crc >= 0);
	return crc;
}

static int start_crcs(int fd, int head, int flags)
{
	int control = open_crc(fd, head, "control", O_WRONLY);

	igt_assert_eq(write(control, "auto", 4), 4);
	close(control);
	return open_crc(fd, head, "data", O_RDONLY | flags);
}

static uint32_t crc_of(int fd, int head)
{
	int data = start_crcs(fd, head, 0);
	uint32_t frame, crc;
	char line[64] = "";

	igt_assert(read(data, line, sizeof(line) - 1) > 0);
	close(data);
	igt_assert_eq(sscanf(line, "%x %x", &frame, &crc), 2);
	return crc;
}

/* Users of the device: children that get the errors that they must get, and exit */

static int primary;
static struct screen screens[MAX_HEADS];
static struct sd_bo pictures[MAX_HEADS];
static int n_heads;
static int begun[2];
static volatile uint32_t *n_writes;
static struct sd_parameter timeout = SD_PARAMETER("timeout_ms");

/* Reports the end of the first turn. */
static void begin(int turn)
{
	if (!turn)
		igt_assert_eq(write(begun[1], "", 1), 1);
}

/* Fails if a child does not begin, for example because it failed before. */
static void wait_begun(int n)
{
	struct pollfd fd = { .fd = begun[0], .events = POLLIN };
	int64_t end = sd_deadline();
	char byte;

	while (n--) {
		while (!poll(&fd, 1, 100))
			igt_assert(sd_now_plus_ms(0) < end);
		igt_assert_eq(read(begun[0], &byte, 1), 1);
	}
}

static void submit_for_ever(void)
{
	int fd = sd_open();
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, 64 * PAGE);
	uint64_t seqno, offset;
	int64_t end;
	uint32_t id;
	int ret = 0;

	for (int turn = 0; !ret; turn++) {
		sd_emit_fill(ctx, &bo, 7, 1);
		ret = sd_submit_try(ctx, &seqno);
		begin(turn);
	}
	/* The context is lost a moment before or after the device is. */
	igt_assert(ret == -ENODEV || ret == -EIO);
	end = sd_deadline();
	do
		ret = sd_wait_try(fd, bo.handle, WRITE, sd_deadline());
	while (!ret && sd_now_plus_ms(0) < end);
	igt_assert_eq(ret, -ENODEV);
	igt_assert_eq(sd_context_try(fd, &id, &offset), -ENODEV);
}

/*
 * ENODEV, or EINVAL: a call that waited for another one may find the device still plugged, but its
 * connectors removed.
 */
static bool is_no_mode(int error)
{
	return error == ENODEV || error == EINVAL;
}

/* Alternates on each screen between its first mode and its last one, which is never larger. */
static void flip_for_ever(void)
{
	int ret = 0;

	for (int turn = 0; !ret; turn++) {
		struct screen *s = &screens[turn % (n_heads - 1)];
		const bool other = turn / (n_heads - 1) & 1;

		ret = drmModeSetCrtc(primary, s->crtc, s->fb, 0, 0, &s->connector, 1,
				     other ? &s->last : &s->mode);
		begin(turn);
	}
	igt_assert(is_no_mode(errno));
}

/*
 * Polls for CRCs of the first head: its modes are set meanwhile, and it may end up off, where a
 * blocking read would never return.
 */
static void look_for_crcs_for_ever(void)
{
	int data = start_crcs(primary, 0, O_NONBLOCK);
	char line[64];

	for (int turn = 0; read(data, line, sizeof(line)) > 0 || errno == EAGAIN; turn++) {
		begin(turn);
		usleep(1000);
	}
}

/*
 * Uses the last head, whose mode no other child sets: setting it would detach the writeback
 * connector.
 */
static void write_frames_for_ever(void)
{
	const int head = n_heads - 1;
	drmModeAtomicReqPtr req = drmModeAtomicAlloc();
	drmModeConnectorPtr connector;
	struct sd_bo bo;
	int ret = 0;

	igt_assert_eq(drmSetClientCap(primary, DRM_CLIENT_CAP_ATOMIC, 1), 0);
	igt_assert_eq(drmSetClientCap(primary, DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, 1), 0);
	connector = sd_find_connector(primary, head, DRM_MODE_CONNECTOR_WRITEBACK);
	igt_assert(connector);
	sd_set(req, primary, connector->connector_id, DRM_MODE_OBJECT_CONNECTOR, "CRTC_ID",
	       screens[head].crtc);
	sd_set(req, primary, connector->connector_id, DRM_MODE_OBJECT_CONNECTOR, "WRITEBACK_FB_ID",
	       add_fb(primary, &screens[head], &bo));
	for (int turn = 0; !ret; turn++) {
		ret = drmModeAtomicCommit(primary, req, DRM_MODE_ATOMIC_ALLOW_MODESET, NULL);
		begin(turn);
	}
	igt_assert(is_no_mode(-ret));
}

/* Uses the last head, which stays on: a blocking read waits for the next CRC. */
static void read_crcs_for_ever(void)
{
	int data = start_crcs(primary, n_heads - 1, 0);
	char line[64];

	for (int turn = 0; read(data, line, sizeof(line)) > 0; turn++)
		begin(turn);
}

/*
 * A new BO has no placement yet: its first access allocates one, or comes after the unplug.
 */
static void use_new_for_ever(void)
{
	int fd = sd_open(), ret = 0;

	for (int turn = 0; !ret; turn++) {
		uint64_t size = PAGE;
		struct sd_bo bo;
		uint32_t *map;

		ret = sd_alloc_try(fd, 0, &size, 1, &bo);
		if (ret)
			break;
		map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, bo.map_offset);
		if (map == MAP_FAILED) {
			ret = -errno;
			break;
		}
		*map = turn;
		munmap(map, PAGE);
		ret = sd_dealloc_try(fd, 0, &bo.handle, 1);
		begin(turn);
	}
	igt_assert_eq(ret, -ENODEV);
}

/* Does not end: mappings stay valid. */
static void write_for_ever(void)
{
	uint32_t *map = sd_map(primary, &pictures[n_heads - 1]);

	for (*n_writes = 0; ; ++*n_writes) {
		map[rand() % (pictures[n_heads - 1].size / 4)]++;
		begin(*n_writes != 0);
	}
}

/* Checks that the writer runs on: it has not exited and does not hang in a page fault. */
static void check_writer(pid_t writer)
{
	const int64_t end = sd_deadline();
	const uint32_t before = *n_writes;

	while (*n_writes == before && sd_now_plus_ms(0) < end)
		usleep(1000);
	igt_assert(*n_writes != before);
	igt_assert_eq(waitpid(writer, NULL, WNOHANG), 0);
}

/* All calls to an unplugged device fail, and accesses to its mappings do not. */
static void check_gone(int fd, uint32_t *map, int dma_buf, uint32_t *shared)
{
	uint64_t value, size = PAGE;
	struct sd_bo bo;

	igt_assert_eq(sd_param_try(fd, DRM_SUNDOG_PARAM_VRAM_SIZE, &value), -ENODEV);
	igt_assert_eq(sd_alloc_try(fd, 0, &size, 1, &bo), -ENODEV);
	igt_assert(!drmModeGetResources(primary) && errno == ENODEV);
	map[0] = shared[0] = 1;
	igt_assert_eq(map[0], 1);
	igt_assert_eq(shared[0], 1);
	igt_assert(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, dma_buf, 0) == MAP_FAILED &&
		   errno == ENODEV);
}

static bool is_back(int fd, const char *name)
{
	struct sundog_caps caps;
	struct drm_sundog_get_caps args = { .data = (uintptr_t)&caps, .size = sizeof(caps) };
	char found[64];

	if (fd < 0)
		return false;
	sd_device_name(fd, found, sizeof(found));
	return !strcmp(found, name) && !sd_try(fd, DRM_IOCTL_SUNDOG_GET_CAPS, &args);
}

static bool is_second(const char *name)
{
	int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 1);
	const bool ret = is_back(fd, name);

	close(fd);
	return ret;
}

/*
 * Waits until the device @name is the first again and has its renderer. If it came back before the
 * kernel had finished its removal, it has other minor numbers: remove it and scan the bus again,
 * each time later, since a busy host may take seconds for the removal.
 */
static int wait_back(const char *name)
{
	const int64_t end = sd_deadline();
	useconds_t pause = 100000;

	for (;;) {
		int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 0);

		if (is_back(fd, name))
			return fd;
		close(fd);
		igt_assert(sd_now_plus_ms(0) < end);
		if (is_second(name)) {
			remove_from_bus(name);
			usleep(pause);
			pause *= 2;
			rescan(name);
		}
		usleep(100000);
	}
}

static void check_draws(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	struct sd_bo bo = sd_alloc(fd, PAGE);

	sd_emit_fill(ctx, &bo, COLOR, 1);
	sd_run(ctx);
	igt_assert(sd_is_filled(fd, &bo, COLOR));
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

static int wait_second(void)
{
	const int64_t end = sd_deadline();
	int fd;

	while ((fd = sd_open_driver("sundog", SD_RENDER_MINOR, 1)) < 0 && sd_now_plus_ms(0) < end)
		usleep(100000);
	igt_assert(fd >= 0);
	sd_wait_renderer(fd);
	return fd;
}

/*
 * Moves the second device behind the first on its bus: a driver that is loaded probes devices in
 * the order in which they came to their bus, and other tests expect the first to stay the first.
 */
static void let_second_come_last(void)
{
	int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 1);
	char name[64];

	if (fd < 0)
		return;
	sd_device_name(fd, name, sizeof(name));
	close(fd);
	remove_from_bus(name);
	rescan(name);
	close(wait_second());
}

static void test(const struct way *way)
{
	void (*const busy[])(void) = {
		submit_for_ever, use_new_for_ever, flip_for_ever, look_for_crcs_for_ever,
		write_frames_for_ever,
		read_crcs_for_ever,
	};
	/*
	 * A reader of CRCs blocks until the next one, and the removal of the debugfs files waits
	 * for the reader: a surprise removal runs without read_crcs_for_ever().
	 */
	const int n_busy = way->take == pull ? 5 : 6;
	uint32_t crcs[MAX_HEADS], *map, *shared;
	pid_t writer;
	struct sd_bo bo;
	char name[64];
	int fd, dma_buf;

	primary = sd_open_primary();
	igt_require(drmIsMaster(primary));
	sd_device_name(primary, name, sizeof(name));
	fd = wait_back(name);
	n_heads = show_all(primary, screens, pictures);
	igt_require(n_heads > 1);
	for (int i = 0; i < n_heads; i++)
		crcs[i] = crc_of(primary, i);
	bo = sd_alloc(fd, 16 * PAGE);
	map = sd_map(fd, &bo);
	dma_buf = sd_export(fd, bo.handle);
	shared = sd_map_dma_buf(dma_buf, bo.size);

	igt_assert(!pipe(begun));
	igt_fork(child, n_busy)
		busy[child]();
	writer = sd_start_child(write_for_ever);
	wait_begun(n_busy + 1);
	way->take(name);
	check_gone(fd, map, dma_buf, shared);
	igt_waitchildren();
	check_writer(writer);
	sd_kill_child(writer);
	munmap(shared, bo.size);
	sd_unmap(map, &bo);
	close(dma_buf);
	close(fd);
	close(primary);
	close(begun[0]);
	close(begun[1]);

	way->give(name);
	fd = wait_back(name);
	primary = sd_open_primary();
	igt_assert_eq(show_all(primary, screens, pictures), n_heads);
	for (int i = 0; i < n_heads; i++)
		igt_assert_eq_u32(crc_of(primary, i), crcs[i]);
	check_draws(fd);
	close(primary);
	close(fd);
	let_second_come_last();
}

/* Ends when the device is unplugged. */
static void draw_for_ever(int console)
{
	static const char line[PAGE];

	for (int turn = 0; pwrite(console, line, sizeof(line), 0) > 0; turn++)
		begin(turn);
	igt_assert_eq(errno, ENODEV);
}

/*
 * The device is unplugged while the console draws. Newer kernels wait for a vblank before each
 * update of the screen if there is no DRM master (drm_client_modeset_wait_for_vblank()). The kernel
 * log gets a warning if none comes for a second.
 */
static void test_console(const struct way *way)
{
	int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 0);
	const int console = sd_open_console(fd);
	char name[64];

	sd_device_name(fd, name, sizeof(name));
	close(fd);
	igt_require(console >= 0);
	igt_assert_eq(sd_light_console(console), 0);

	igt_assert(!pipe(begun));
	igt_fork(child, 1)
		draw_for_ever(console);
	wait_begun(1);
	usleep(100000);
	way->take(name);
	igt_waitchildren();
	close(console);
	close(begun[0]);
	close(begun[1]);

	way->give(name);
	fd = wait_back(name);
	check_draws(fd);
	close(fd);
	let_second_come_last();
}

/* The device is unplugged while jobs that wait for another driver are the last to hold it. */
static void test_outlived(void)
{
	const int fd = sd_open_renderer();
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, PAGE);
	const struct drm_sundog_submit_alloc alloc = { bo.handle, WRITE };
	struct drm_sundog_submit args = {
		.ctx = ctx->id, .allocs = (uintptr_t)&alloc, .n_allocs = 1,
		.alloc_stride = sizeof(alloc),
	};
	struct sd_gate gate = sd_gate_before(ctx);
	char name[64];

	for (int i = 0; i < 100; i++)
		sd_ioctl(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
	sd_device_name(fd, name, sizeof(name));
	unbind(name);
	sd_context_unmap(ctx);
	close(fd);
	sd_gate_lift(&gate);
	bind_again(name);
	close(wait_back(name));
}

/* A camera of the kernel module vivid, which writes its pictures to dma-bufs by the CPU. */
#define N_PICTURES 2

struct camera {
	int fd;
	int bufs[N_PICTURES];
};

static void camera_queue(struct camera *camera, uint32_t index)
{
	struct v4l2_buffer buf = {
		.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF, .m.fd = camera->bufs[index],
	};

	igt_assert_eq(ioctl(camera->fd, VIDIOC_QBUF, &buf), 0);
}

/* Starts the camera, which maps the dma-bufs without attaching to them. */
static struct camera camera_new(int fd)
{
	struct v4l2_format format = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.fmt.pix = { .width = 320, .height = 180, .pixelformat = V4L2_PIX_FMT_XRGB32 },
	};
	struct v4l2_requestbuffers request = {
		.count = N_PICTURES, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_DMABUF,
	};
	struct camera camera = { .fd = -1 };

	camera.fd = open("/dev/video0", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	igt_assert(camera.fd >= 0);
	igt_assert_eq(ioctl(camera.fd, VIDIOC_S_FMT, &format), 0);
	igt_assert_eq(ioctl(camera.fd, VIDIOC_REQBUFS, &request), 0);
	igt_assert_eq_u32(request.count, N_PICTURES);
	for (uint32_t i = 0; i < N_PICTURES; i++) {
		const uint64_t pages = (format.fmt.pix.sizeimage + PAGE - 1) / PAGE;
		const struct sd_bo bo = sd_alloc(fd, pages * PAGE);

		camera.bufs[i] = sd_export(fd, bo.handle);
		camera_queue(&camera, i);
	}
	igt_assert_eq(ioctl(camera.fd, VIDIOC_STREAMON, &request.type), 0);
	return camera;
}

/* Takes pictures from the camera, and gives their memory back to it. */
static void camera_take(struct camera *camera, int pictures)
{
	struct pollfd event = { .fd = camera->fd, .events = POLLIN };

	for (int i = 0; i < pictures; i++) {
		struct v4l2_buffer buf = {
			.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_DMABUF,
		};

		igt_assert_eq(poll(&event, 1, sd_patience_ms()), 1);
		igt_assert_eq(ioctl(camera->fd, VIDIOC_DQBUF, &buf), 0);
		camera_queue(camera, buf.index);
	}
}

static void camera_free(struct camera *camera)
{
	close(camera->fd);
	for (int i = 0; i < N_PICTURES; i++)
		close(camera->bufs[i]);
	igt_assert_eq(system("modprobe -r vivid"), 0);
}

/* The driver is unbound while another one writes to its memory. */
static void test_camera(void)
{
	struct camera camera;
	char name[64];
	int fd;

	/* Before the device is opened: a test that is skipped must not keep it open. */
	igt_require(!system("modprobe vivid n_devs=1 node_types=1 2>/dev/null"));
	fd = sd_open_renderer();
	camera = camera_new(fd);
	camera_take(&camera, 2 * N_PICTURES);
	sd_device_name(fd, name, sizeof(name));
	unbind(name);
	camera_take(&camera, 2 * N_PICTURES);
	camera_free(&camera);
	close(fd);
	bind_again(name);
	close(wait_back(name));
}

/* The mode setting waits for a job, which hangs; then the process sleeps. */
static void set_mode_and_pause(void)
{
	set_mode(primary, &screens[0]);
	pause();
}

static void wait_until_waits_for_fence(pid_t pid)
{
	const int64_t end = sd_deadline();
	char path[64], function[64] = "";
	int file;

	snprintf(path, sizeof(path), "/proc/%d/wchan", pid);
	while (!strstr(function, "dma_fence")) {
		igt_assert_f(sd_now_plus_ms(0) < end, "process %d sleeps in %s\n", pid, function);
		usleep(1000);
		file = open(path, O_RDONLY | O_CLOEXEC);
		igt_assert(file >= 0);
		memset(function, 0, sizeof(function));
		igt_assert(read(file, function, sizeof(function) - 1) >= 0);
		close(file);
	}
}

/*
 * Starts a child with a blocking commit that waits for a job of a stopped worker. The driver would
 * wait for that job for ever, too. The console is on the other heads.
 */
static pid_t start_hung_commit(char *name, size_t size, struct sd_context **ctx)
{
	drmModeResPtr res;
	pid_t child;

	primary = sd_open_primary();
	igt_require(drmIsMaster(primary));
	sd_device_name(primary, name, size);
	res = drmModeGetResources(primary);
	igt_require(res && res->count_crtcs > 1);
	screens[0] = screen_new(primary, res, 0, &pictures[0]);
	drmModeFreeResources(res);
	sd_parameter_set(&timeout, "0");
	*ctx = sd_context(primary);
	sd_run(*ctx);
	sd_ask("stop-youngest 0");
	sd_list(*ctx, &pictures[0], WRITE);
	sd_submit(*ctx);
	child = sd_start_child(set_mode_and_pause);
	wait_until_waits_for_fence(child);
	return child;
}

/* Unbinds the driver in a child. Returns the child. */
static pid_t start_unbind(const char *name)
{
	const pid_t pid = fork();

	igt_assert(pid >= 0);
	if (!pid) {
		unbind(name);
		_exit(0);
	}
	return pid;
}

/* Returns true if the child exits with status 0 before the deadline. */
static bool ends_in_time(pid_t pid)
{
	const int64_t end = sd_deadline();
	int status;
	pid_t ret;

	while (!(ret = waitpid(pid, &status, WNOHANG)) && sd_now_plus_ms(0) < end)
		usleep(1000);
	return ret == pid && !status;
}

/*
 * The driver is unbound while a blocking commit, with locks that unbinding needs, waits for a job
 * that does not end by itself.
 */
static void test_hung_commit(void)
{
	struct sd_context *ctx;
	pid_t child, unbinder;
	char name[64];
	bool ended;

	child = start_hung_commit(name, sizeof(name), &ctx);
	unbinder = start_unbind(name);
	ended = ends_in_time(unbinder);
	/* Also ends the commit, and the unbinding after it. */
	sd_kill_child(child);
	if (!ended)
		waitpid(unbinder, NULL, 0);
	sd_parameter_restore(&timeout);
	sd_context_unmap(ctx);
	close(primary);
	bind_again(name);
	close(wait_back(name));
	igt_assert(ended);
	let_second_come_last();
}

/* Like test_hung_commit(), but with a reboot, which ends the guest. */
static void test_reboot(void)
{
	struct sd_context *ctx;
	char name[64];

	start_hung_commit(name, sizeof(name), &ctx);
	reboot(RB_AUTOBOOT);
}

static int last_held;

/* Makes TTM swap out memory of all devices and all clients. */
static void swap_for_ever(void)
{
	char buf[256];
	int file = open(SWAP_OUT, O_RDONLY | O_CLOEXEC);

	close(last_held);
	while (file >= 0 && pread(file, buf, sizeof(buf), 0) >= 0)
		;
	_exit(1);
}

/*
 * Allocates more than VRAM, so that the last BO is in system memory, and exports that BO. Returns
 * its dma-buf.
 */
static int share_pages(int fd)
{
	const uint64_t size = 16 << 20, all = sd_idle_vram_free(fd) + 2 * size;
	int dma_buf = -1;

	for (uint64_t at = 0; at < all; at += size) {
		struct sd_bo bo = sd_alloc(fd, size);
		uint32_t *map = sd_map(fd, &bo);

		for (uint64_t i = 0; i < size; i += PAGE)
			map[i / sizeof(*map)] = COLOR;
		sd_unmap(map, &bo);
		if (at + size >= all)
			dma_buf = sd_export(fd, bo.handle);
	}
	return dma_buf;
}

/*
 * The last reference to an unbound device, which is not the console's, is memory that TTM swaps
 * out.
 */
static void test_swapped(void)
{
	int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 1);

	igt_require(fd >= 0);
	for (int i = 0; i < 8; i++) {
		char name[64];
		pid_t child;

		last_held = share_pages(fd);
		sd_device_name(fd, name, sizeof(name));
		unbind(name);
		close(fd);
		child = sd_start_child(swap_for_ever);
		usleep(i * 2000);
		close(last_held);
		usleep(5000);
		sd_kill_child(child);
		bind_again(name);
		fd = wait_second();
	}
	close(fd);
}

/* Skips unless the host can unplug the device. */
static void require_slot(void)
{
	int fd = sd_open();
	char name[64];

	sd_device_name(fd, name, sizeof(name));
	close(fd);
	/* The device must be behind a port, and not on the root bus. */
	igt_require(strncmp(name, "0000:00:", 8));
	sd_require_host();
}

igt_main()
{
	igt_fixture() {
		close(sd_open_renderer());
		n_writes = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
				0);
		igt_assert(n_writes != MAP_FAILED);
	}

	igt_describe("The driver is unbound while processes use the device; their calls fail, and "
		     "the device works after the rebind.");
	igt_subtest("unbind")
		test(&ways[0]);

	igt_describe("The device is removed from its bus while processes use it, and works after a "
		     "rescan of the bus.");
	igt_subtest("remove")
		test(&ways[1]);

	igt_describe("The driver is unbound while the console draws; the device works after the "
		     "rebind.");
	igt_subtest("console")
		test_console(&ways[0]);

	igt_describe("The driver is unbound and its file closed while queued jobs wait for another "
		     "driver's fence.");
	igt_subtest("outlived")
		test_outlived();

	igt_describe("The driver is unbound while a camera of another driver writes to exported "
		     "BOs, which it mapped without attaching to them.");
	igt_subtest("camera")
		test_camera();

	igt_describe("Unbinding the driver completes while a blocking commit waits for a hung "
		     "job.");
	igt_subtest("hung-commit") {
		sd_require_host();
		test_hung_commit();
	}

	igt_describe("The machine reboots while a blocking commit waits for a hung job. The guest "
		     "ends.");
	igt_subtest("reboot-hung-commit") {
		igt_require(getenv("SUNDOG_REBOOT"));
		sd_require_host();
		test_reboot();
	}

	igt_describe("The driver is unbound, and TTM swaps out the BO that is the last reference "
		     "to the device.");
	igt_subtest("swapped") {
		igt_require(!access(SWAP_OUT, R_OK));
		test_swapped();
	}

	igt_fixture()
		require_slot();

	igt_describe("The host unplugs the device on request while processes use it, and the "
		     "device works after the replug.");
	igt_subtest("unplug")
		test(&ways[2]);

	igt_describe("The device is removed by surprise while processes use it, and works after "
		     "the replug.");
	igt_subtest("pull")
		test(&ways[3]);

	igt_describe("The device is removed by surprise while the console draws, and works after "
		     "the replug.");
	igt_subtest("console-pull")
		test_console(&ways[4]);
}
