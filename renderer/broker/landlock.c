// SPDX-License-Identifier: MIT
/* Landlock for the broker, see landlock.h. */
#define _GNU_SOURCE
#include "broker/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ipc/log.h"

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITE (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE | \
	       LANDLOCK_ACCESS_FS_IOCTL_DEV)

/* Rights that the kernel's version of Landlock does not know: it refuses a ruleset with them. */
static void leave_out_unknown(struct landlock_ruleset_attr *attr, int version)
{
	if (version < 2)
		attr->handled_access_fs &= ~LANDLOCK_ACCESS_FS_REFER;
	if (version < 3)
		attr->handled_access_fs &= ~LANDLOCK_ACCESS_FS_TRUNCATE;
	if (version < 4)
		attr->handled_access_net = 0;
	if (version < 5)
		attr->handled_access_fs &= ~LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (version < 6)
		attr->scoped = 0;
}

/* Allows @rights at a file, or below a folder. */
static bool allow_at(int ruleset, int fd, uint64_t rights)
{
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = rights,
		.parent_fd = fd,
	};

	return !syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

/* The same for a path, which may be missing. */
static bool allow(int ruleset, const char *path, uint64_t rights)
{
	const int fd = open(path, O_PATH | O_CLOEXEC);
	bool ok;

	if (fd < 0)
		return errno == ENOENT;
	ok = allow_at(ruleset, fd, rights);
	close(fd);
	return ok;
}

/* Stores the path of the program's dynamic linker. */
static int find_linker(struct dl_phdr_info *info, size_t size, void *linker)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(const char **)linker = (char *)info->dlpi_addr +
						 info->dlpi_phdr[i].p_vaddr;
	return 1;	/* the program comes first */
}

/*
 * The kernel executes the dynamic linker with the program. Its whole folder is allowed: an update
 * of the C library replaces the file, and workers have to start after it.
 */
static bool allow_linker(int ruleset)
{
	const char *linker = NULL;
	char path[PATH_MAX];

	dl_iterate_phdr(find_linker, &linker);
	if (!linker || !realpath(linker, path))
		return true;
	*strrchr(path, '/') = '\0';
	return allow(ruleset, path, LANDLOCK_ACCESS_FS_EXECUTE);
}

static bool allow_what_is_needed(int ruleset, uint64_t handled, int program)
{
	return allow(ruleset, "/", READ) && allow(ruleset, "/dev", WRITE & handled) &&
	       allow_at(ruleset, program, LANDLOCK_ACCESS_FS_EXECUTE) && allow_linker(ruleset);
}

bool landlock_enter(int program)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
				     LANDLOCK_CREATE_RULESET_VERSION);
	struct landlock_ruleset_attr attr = {
		/* all rights up to the last one that this file knows */
		.handled_access_fs = (LANDLOCK_ACCESS_FS_IOCTL_DEV << 1) - 1,
		.handled_access_net = LANDLOCK_ACCESS_NET_BIND_TCP |
				      LANDLOCK_ACCESS_NET_CONNECT_TCP,
		.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL,
	};
	bool ok;
	int fd;

	if (version < 1) {
		log_info("no Landlock: %s, going on without", strerror(errno));
		return true;
	}
	leave_out_unknown(&attr, version);
	fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	ok = fd >= 0 && allow_what_is_needed(fd, attr.handled_access_fs, program) &&
	     !syscall(SYS_landlock_restrict_self, fd, 0);
	if (!ok)
		log_error("cannot restrict the renderer with Landlock: %s; allow the landlock_ "
			  "system calls in the sandbox around the renderer", strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}
