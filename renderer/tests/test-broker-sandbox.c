// SPDX-License-Identifier: MIT
/*
 * Tests broker_sandbox.h: what a process with the attacker's code in the broker's sandbox can do to
 * files and programs. Prints TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broker/broker_sandbox.h"

static unsigned int count;
static char folder[] = "/tmp/sundog-sandbox-XXXXXX";
static char file[sizeof(folder) + sizeof("/file")], new_file[sizeof(file) + sizeof(".new")];

/* An attempt in the sandbox. Returns 0, or the number of the error that it met. */
typedef int (*attempt_fn)(void);

static void report(bool ok, const char *name)
{
	printf("%sok %u - %s\n", ok ? "" : "not ", ++count, name);
}

static int open_for(const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd < 0 ? errno : 0;
}

static int reads_file(void)
{
	return open_for(file, O_RDONLY);
}

static int reads_proc(void)
{
	return open_for("/proc/self/maps", O_RDONLY);
}

static int writes_null(void)
{
	return open_for("/dev/null", O_RDWR);
}

static int writes_proc(void)
{
	return open_for("/proc/self/comm", O_WRONLY);
}

static int writes_file(void)
{
	return open_for(file, O_WRONLY);
}

static int truncates_file(void)
{
	return open_for(file, O_RDONLY | O_TRUNC);
}

static int creates_file(void)
{
	return open_for(new_file, O_WRONLY | O_CREAT);
}

static int removes_file(void)
{
	return unlink(file) ? errno : 0;
}

/* Executes a program in a child. Its status is lost if the exec succeeds. */
static int executes(int fd, const char *path)
{
	char *argv[] = { (char *)path, "--child", NULL };
	int status;
	const pid_t child = fork();

	if (!child) {
		if (fd >= 0)
			execveat(fd, "", argv, environ, AT_EMPTY_PATH);
		else
			execve(path, argv, environ);
		_exit(errno);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return EIO;
	return WEXITSTATUS(status);
}

static int executes_shell(void)
{
	return executes(-1, "/bin/true");
}

static int executes_itself(void)
{
	return executes(open("/proc/self/exe", O_PATH | O_CLOEXEC), "test-broker-sandbox");
}

static int ends_other(void)
{
	return kill(getppid(), 0) ? errno : 0;
}

static int ends_child(void)
{
	const pid_t child = fork();

	if (!child) {
		for (;;)
			pause();
	}
	if (kill(child, SIGKILL))
		return errno;
	return waitpid(child, NULL, 0) == child ? 0 : errno;
}

/* Returns the result of an attempt in a process of its own, or -1 if that cannot be told. */
static int in_sandbox(attempt_fn attempt)
{
	const pid_t child = fork();
	int status;

	if (!child) {
		if (!broker_sandbox_enter(open("/proc/self/exe", O_PATH | O_CLOEXEC)))
			_exit(255);
		_exit(attempt());
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
	    WEXITSTATUS(status) == 255)
		return -1;
	return WEXITSTATUS(status);
}

static void may(attempt_fn attempt, const char *name)
{
	const int result = in_sandbox(attempt);

	report(!result, name);
	if (result)
		printf("# %s\n", result < 0 ? "no result" : strerror(result));
}

/* Makes the folder as attempts expect it. Returns false on errors. */
static bool furnish(void)
{
	const int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	const bool ok = fd >= 0 && write(fd, "text", 4) == 4;

	if (fd >= 0)
		close(fd);
	unlink(new_file);
	return ok;
}

static void may_not(attempt_fn attempt, int error, const char *name)
{
	const int outside = attempt();
	const bool again = furnish();
	const int inside = in_sandbox(attempt);

	report(!outside && again && inside == error, name);
	if (outside || inside != error)
		printf("# outside: %s, inside: %s\n", strerror(outside),
		       inside < 0 ? "no result" : strerror(inside));
}

int main(int argc, char **argv)
{
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
				     LANDLOCK_CREATE_RULESET_VERSION);

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return 0;
	setvbuf(stdout, NULL, _IONBF, 0);	/* children must not print it again */
	if (version < 6) {
		printf("1..0 # SKIP the kernel's Landlock has version %ld, not 6\n", version);
		return 0;
	}
	if (!mkdtemp(folder)) {
		printf("Bail out! cannot make a folder in /tmp\n");
		return 1;
	}
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(new_file, sizeof(new_file), "%s.new", file);
	if (!furnish()) {
		printf("Bail out! cannot write %s\n", file);
		return 1;
	}
	may(reads_file, "files can be read");
	may(reads_proc, "so can /proc");
	may(writes_null, "/dev/null can be written");
	may(executes_itself, "the program can be executed");
	may(ends_child, "a worker can be ended");
	may_not(writes_file, EACCES, "no file can be written");
	may_not(truncates_file, EACCES, "no file can be truncated");
	may_not(creates_file, EACCES, "no file can be created");
	may_not(executes_shell, EACCES, "no other program can be executed");
	may_not(ends_other, EPERM, "no other process gets a signal");
	may_not(writes_proc, EACCES, "no file of /proc can be written");
	may_not(removes_file, EACCES, "no file can be removed");
	printf("1..%u\n", count);
	furnish();
	unlink(file);
	rmdir(folder);
	return 0;
}
