// SPDX-License-Identifier: MIT
/* Finds the children of the renderer in /proc, and signals them. See workers.h. */
#include "workers.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "patience.h"

#define MAX_WORKERS 16
/* in a guest: wait; on the host: a fifth of it in CPU time of the worker */
#define AWHILE_US 1000000

/* Sends @signal to @worker and waits until the renderer has reaped it. */
static void end_worker(pid_t worker, int signal)
{
	const int64_t end = patience_end();

	kill(worker, signal);
	while (!kill(worker, 0) && patience_pause(end))
		;
}

/*
 * Fills @workers by age, oldest first (/proc is in the order of PIDs), and returns their number.
 * The last one has no client yet.
 */
static int list(pid_t workers[MAX_WORKERS])
{
	const int parent = atoi(getenv("SUNDOG_RENDERD"));
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	while (n < MAX_WORKERS && proc && (entry = readdir(proc))) {
		char path[300];
		int pid, ppid;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fscanf(file, "%d (%*[^)]) %*c %d", &pid, &ppid) == 2 && ppid == parent)
			workers[n++] = pid;
		fclose(file);
	}
	if (proc)
		closedir(proc);
	return n;
}

int workers_kill(void)
{
	pid_t workers[MAX_WORKERS];
	const int n = list(workers);

	for (int i = 0; i < n - 1; i++)
		end_worker(workers[i], SIGKILL);
	return n - 1;
}

static int64_t cpu_ns(pid_t worker)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(worker, &clock) || clock_gettime(clock, &time))
		return 0;
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

int64_t workers_cpu_ns(void)
{
	pid_t workers[MAX_WORKERS];
	const int n = list(workers);
	int64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += cpu_ns(workers[i]);
	return sum;
}

static long memory_kib(pid_t process)
{
	char path[64], line[128];
	long kib = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", process);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "RssAnon: %ld", &kib);
	if (file)
		fclose(file);
	return kib;
}

long renderer_memory_kib(void)
{
	pid_t workers[MAX_WORKERS];
	const int n = list(workers);
	long sum = memory_kib(atoi(getenv("SUNDOG_RENDERD")));

	for (int i = 0; i < n; i++)
		sum += memory_kib(workers[i]);
	return sum;
}

/* Returns the worker of the newest client, or 0 if no worker has a client. */
static pid_t youngest(void)
{
	pid_t workers[MAX_WORKERS];
	const int n = list(workers);

	return n > 1 ? workers[n - 2] : 0;
}

bool workers_kill_youngest(void)
{
	pid_t worker;

	if (!getenv("SUNDOG_RENDERD"))
		return !system("/sundog/tools/guest/ask kill-youngest 0");
	worker = youngest();
	if (worker)
		end_worker(worker, SIGKILL);
	return worker;
}

bool workers_crash_youngest(void)
{
	const int64_t end = patience_end();
	int64_t before;
	pid_t worker;

	if (!getenv("SUNDOG_RENDERD")) {
		usleep(AWHILE_US);
		return !system("/sundog/tools/guest/ask crash-youngest 0");
	}
	worker = youngest();
	before = cpu_ns(worker);
	while (cpu_ns(worker) - before < AWHILE_US * 200ll && patience_pause(end))
		;
	if (worker)
		end_worker(worker, SIGSEGV);
	return worker;
}

bool workers_stop_youngest(void)
{
	pid_t worker;

	if (!getenv("SUNDOG_RENDERD"))
		return !system("/sundog/tools/guest/ask stop-youngest 0");
	worker = youngest();
	return worker && !kill(worker, SIGSTOP);
}
