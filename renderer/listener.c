// SPDX-License-Identifier: MIT
/*
 * Listening, see listener.h.
 */
#define _GNU_SOURCE
#include "listener.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "log.h"

int listener_new(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat old;
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		log_error("%s: path is too long for a socket", path);
		return -1;
	}
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	/* A leftover of an earlier run is replaced; one that still answers is not. */
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		log_error("%s: another renderer listens there", path);
		close(fd);
		return -1;
	}
	if (fd >= 0)
		close(fd);
	if (!lstat(path, &old) && !S_ISSOCK(old.st_mode)) {
		log_error("%s: there is something that is no socket", path);
		return -1;
	}
	unlink(path);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    chmod(path, 0600) || listen(fd, 16)) {
		log_error("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}
