// SPDX-License-Identifier: MIT
/*
 * Sharing with other devices: dma-bufs and their fences, see sundog_share.h.
 */
#include "sundog_share.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <xf86drm.h>

/*
 * Loads a module, if the driver is not built in, and opens the primary node of the first device of
 * @driver.
 */
static int open_other(const char *module, const char *driver)
{
	char command[64];
	int fd;

	snprintf(command, sizeof(command), "modprobe -q %s", module);
	igt_require(!system(command));
	fd = sd_open_driver(driver, SD_PRIMARY_MINOR, 0);
	igt_require(fd >= 0);
	return fd;
}

int sd_open_vgem(void)
{
	return open_other("vgem", "vgem");
}

int sd_open_virtio_gpu(void)
{
	return open_other("virtio-gpu", "virtio_gpu");
}

int sd_open_cirrus(void)
{
	return open_other("cirrus", "cirrus");
}

int sd_open_second(void)
{
	int fd = sd_open_driver("sundog", SD_RENDER_MINOR, 1);

	igt_require(fd >= 0);
	return fd;
}

void sd_device_name(int fd, char *name, size_t size)
{
	char path[64], link[256];
	struct stat st;
	ssize_t len;

	igt_assert(!fstat(fd, &st));
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	len = readlink(path, link, sizeof(link) - 1);
	igt_assert(len > 0);
	link[len] = '\0';
	snprintf(name, size, "%s", strrchr(link, '/') + 1);
}

void sd_tell_driver(const char *what, const char *name)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/sundog/%s", what);
	file = open(path, O_WRONLY | O_CLOEXEC);
	igt_assert(file >= 0);
	igt_assert_eq(write(file, name, strlen(name)), strlen(name));
	close(file);
}

void sd_require_sleep(void)
{
	igt_require(getenv("SUNDOG_SLEEP"));
}

int sd_sleep_try(void)
{
	const char *how = getenv("SUNDOG_SLEEP");
	int file = open("/sys/power/state", O_WRONLY | O_CLOEXEC), ret;

	igt_assert(file >= 0);
	ret = write(file, how, strlen(how)) < 0 ? -errno : 0;
	close(file);
	return ret;
}

bool sd_has_guest_heap(int fd)
{
	return sd_param(fd, DRM_SUNDOG_PARAM_FEATURES) & SUNDOG_FEATURE_HEAP_GUEST;
}

void sd_require_guest_heap(int fd)
{
	igt_require(sd_has_guest_heap(fd));
}

void sd_require_no_guest_heap(int fd)
{
	igt_require(!sd_has_guest_heap(fd));
}

int sd_count_dma_bufs(void)
{
	FILE *file = fopen("/sys/kernel/debug/dma_buf/bufinfo", "r");
	char line[512];
	int count = -1;

	igt_require(file);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "Total %d objects", &count);
	fclose(file);
	igt_assert(count >= 0);
	return count;
}

/* A dma-buf is freed with its last reference, which may be dropped some time after close(). */
void sd_wait_dma_bufs(int count)
{
	const int64_t end = sd_deadline();

	while (sd_count_dma_bufs() != count && sd_now_plus_ms(0) < end)
		usleep(1000);
	igt_assert_eq(sd_count_dma_bufs(), count);
}

int sd_import_try(int fd, int dma_buf, uint32_t *handle)
{
	return drmPrimeFDToHandle(fd, dma_buf, handle) ? -errno : 0;
}

struct sd_bo sd_import(int fd, int dma_buf, uint64_t size)
{
	struct sd_bo bo = { 0 };
	struct drm_sundog_alloc_info info;

	igt_assert_eq(sd_import_try(fd, dma_buf, &bo.handle), 0);
	igt_assert_eq(sd_info_try(fd, bo.handle, &info), 0);
	igt_assert_eq_u32(info.kres, 0);
	igt_assert_eq_u64(info.size, size);
	bo.size = info.size;
	bo.map_offset = info.map_offset;
	bo.device_handle = info.device_handle;
	bo.mem = (struct sundog_mem){ 0, info.device_handle };
	return bo;
}

uint32_t *sd_map_dma_buf(int dma_buf, uint64_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dma_buf, 0);

	igt_assert(map != MAP_FAILED);
	return map;
}

int sd_export_sync_file(int dma_buf, uint32_t flags)
{
	struct dma_buf_export_sync_file args = { .flags = flags, .fd = -1 };

	sd_ioctl(dma_buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &args);
	return args.fd;
}

void sd_import_sync_file(int dma_buf, uint32_t flags, int sync_file)
{
	struct dma_buf_import_sync_file args = { .flags = flags, .fd = sync_file };

	sd_ioctl(dma_buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &args);
}

int sd_sync_file_status(int sync_file)
{
	struct sync_file_info info = { 0 };

	sd_ioctl(sync_file, SYNC_IOC_FILE_INFO, &info);
	return info.status;
}

bool sd_is_ready(int fd, short events, int timeout_ms)
{
	struct pollfd pollfd = { fd, events, 0 };

	return poll(&pollfd, 1, timeout_ms) == 1 && pollfd.revents & events;
}

bool sd_is_done(struct sd_context *ctx, uint64_t seqno)
{
	return ctx->status->completed >= seqno;
}

/* Returns true if the process is in an interruptible sleep. */
static bool is_asleep(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	igt_assert(file);
	igt_assert_eq(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state == 'S';
}

static void submit_often(int fd, struct drm_sundog_submit args, int n, struct sd_progress *progress)
{
	__atomic_store_n(&progress->pid, getpid(), __ATOMIC_RELEASE);
	for (int i = 0; i < n; i++) {
		sd_ioctl(fd, DRM_IOCTL_SUNDOG_SUBMIT, &args);
		__atomic_store_n(&progress->submitted, i + 1, __ATOMIC_RELEASE);
	}
}

struct sd_progress *sd_submit_often(int fd, const struct drm_sundog_submit *args, int n)
{
	struct sd_progress *progress = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	igt_assert(progress != MAP_FAILED);
	igt_fork(child, 1) {
		(void)child;
		submit_often(fd, *args, n, progress);
	}
	while (!__atomic_load_n(&progress->pid, __ATOMIC_ACQUIRE))
		usleep(1000);
	while (__atomic_load_n(&progress->submitted, __ATOMIC_ACQUIRE) < n &&
	       !is_asleep(progress->pid))
		usleep(1000);
	return progress;
}

bool sd_is_held_back(struct sd_context *ctx, uint64_t seqno)
{
	usleep(200000);
	return !sd_is_done(ctx, seqno);
}
