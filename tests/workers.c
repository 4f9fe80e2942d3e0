// SPDX-License-Identifier: MIT
/* The renderer's workers, see workers.h. */
#include "workers.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_WORKERS 16

/* It is gone when the renderer has noticed. */
static void end(pid_t worker)
{
	kill(worker, SIGKILL);
	for (int i = 0; i < 10000 && !kill(worker, 0); i++)
		usleep(1000);
}

/* In the order of their birth; the last one waits for the next client. */
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
		end(workers[i]);
	return n - 1;
}

bool workers_kill_youngest(void)
{
	pid_t workers[MAX_WORKERS];
	int n;

	if (!getenv("SUNDOG_RENDERD"))
		return !system("/sundog/tools/guest-ask kill-youngest 0");
	n = list(workers);
	if (n > 1)
		end(workers[n - 2]);
	return n > 1;
}
