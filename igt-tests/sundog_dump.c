// SPDX-License-Identifier: MIT
/*
 * Reports of the kernel about a lost context: a line in its log, and a device coredump.
 */
#include "sundog_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

IGT_TEST_DESCRIPTION("Logs and coredumps of lost contexts");

#define DUMPS "/sys/class/devcoredump"
#define MAX_DUMP (256 << 10)
#define OPCODE 0xfed
/* More dwords than a dump has of a stream. */
#define LONG_DWORDS (96 << 8)

/* Stores the path of a dump's file in @path. Returns false if there is no dump. */
static bool find_dump(char *path, size_t size)
{
	DIR *dir = opendir(DUMPS);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "devcd", 5))
			continue;
		snprintf(path, size, DUMPS "/%s/data", entry->d_name);
		found = !access(path, R_OK);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Writing to a dump frees it. */
static void drop_dumps(void)
{
	char path[512];

	while (find_dump(path, sizeof(path))) {
		int fd = open(path, O_WRONLY);

		igt_assert(fd >= 0 && write(fd, "1", 1) == 1);
		close(fd);
		usleep(10000);
	}
}

static char *read_dump(void)
{
	const int64_t end = sd_deadline();
	char *text = calloc(1, MAX_DUMP + 2);
	char path[512];
	size_t size = 0;
	ssize_t n;
	int fd;

	while (!find_dump(path, sizeof(path)) && sd_now_plus_ms(0) < end)
		usleep(10000);
	fd = open(path, O_RDONLY);
	igt_assert(fd >= 0);
	while (size <= MAX_DUMP && (n = read(fd, text + size, MAX_DUMP + 1 - size)) > 0)
		size += n;
	igt_assert(size <= MAX_DUMP);
	close(fd);
	return text;
}

/*
 * Loses the context by a submission that ends with an unknown packet, @skip dwords into the stream.
 */
static struct drm_sundog_context_query lose(struct sd_context *ctx, const struct sd_bo *bo,
					    uint32_t skip)
{
	struct drm_sundog_context_query query;

	while (ctx->stream.used + 2 <= skip) {
		ctx->stream.map[ctx->stream.used++] = SUNDOG_PACKET(SUNDOG_OP_NOP, 2);
		ctx->stream.map[ctx->stream.used++] = 0;
	}
	ctx->stream.map[ctx->stream.used++] = SUNDOG_PACKET(OPCODE, 1);
	sd_list(ctx, bo, WRITE);
	sd_submit(ctx);
	query = sd_wait_dead(ctx);
	igt_assert_eq_u32(query.fault, DRM_SUNDOG_FAULT_OPCODE);
	return query;
}

static bool log_has(const char *text)
{
	char command[256];

	snprintf(command, sizeof(command), "dmesg | grep -qF '%s'", text);
	return !system(command);
}

static void test_log(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, PAGE);
	char text[128];

	lose(ctx, &bo, 0);
	snprintf(text, sizeof(text), "sundog_dump[%d] lost its context on", (int)getpid());
	igt_assert(log_has(text));
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

static void test_dump(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, PAGE);
	char text[128], *dump;

	drop_dumps();
	lose(ctx, &bo, 8);
	dump = read_dump();
	snprintf(text, sizeof(text), "process sundog_dump[%d], channel", (int)getpid());
	igt_assert(strstr(dump, text));
	igt_assert(strstr(dump,
			  "fault 4 (unknown opcode) in submission 1 at offset 0x20, arg 0xfed"));
	snprintf(text, sizeof(text), "handle %u generation", bo.device_handle);
	igt_assert(strstr(dump, "list, 1 of 1:") && strstr(dump, text));
	/* The packet itself, at its offset. */
	igt_assert(strstr(dump, "stream, 0x24 bytes from 0x0:"));
	snprintf(text, sizeof(text), "00000020: %08x", SUNDOG_PACKET(OPCODE, 1));
	igt_assert(strstr(dump, text));
	free(dump);
	drop_dumps();
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

/* The dump of a long stream has the part with the bad packet, and is not larger than its limit. */
static void test_long(int fd)
{
	struct sd_context *ctx = sd_context(fd);
	const struct sd_bo bo = sd_alloc(fd, PAGE);
	char text[128], *dump;

	drop_dumps();
	lose(ctx, &bo, LONG_DWORDS);
	dump = read_dump();
	snprintf(text, sizeof(text), "%08x", SUNDOG_PACKET(OPCODE, 1));
	igt_assert(strstr(dump, text));
	free(dump);
	drop_dumps();
	sd_dealloc(fd, &bo);
	sd_context_free(ctx);
}

igt_main()
{
	static int fd = -1;

	igt_fixture()
		fd = sd_open_renderer();

	igt_describe("The kernel log names the process that lost its context.");
	igt_subtest("log")
		test_log(fd);

	igt_describe("The coredump of a lost context contains the process, the fault, the list and "
		     "the stream.");
	igt_subtest("dump")
		test_dump(fd);

	igt_describe("The coredump for a long stream has a limited size and contains the bad "
		     "packet.");
	igt_subtest("dump-long-stream")
		test_long(fd);

	igt_fixture()
		close(fd);
}
