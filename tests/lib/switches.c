// SPDX-License-Identifier: MIT
/* Sums voluntary_ctxt_switches of all threads of the children of SUNDOG_RENDERD, see switches.h. */
#include "switches.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

static long thread_switches(const char *status)
{
	FILE *file = fopen(status, "r");
	char line[256];
	long n = 0;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "voluntary_ctxt_switches: %ld", &n);
	if (file)
		fclose(file);
	return n;
}

static long process_switches(int pid)
{
	char pattern[64];
	glob_t found;
	long n = 0;

	snprintf(pattern, sizeof(pattern), "/proc/%d/task/*/status", pid);
	if (glob(pattern, 0, NULL, &found))
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		n += thread_switches(found.gl_pathv[i]);
	globfree(&found);
	return n;
}

long worker_switches(void)
{
	const char *broker = getenv("SUNDOG_RENDERD");
	FILE *children;
	char path[64];
	long n = 0;
	int pid;

	if (!broker)
		return -1;
	snprintf(path, sizeof(path), "/proc/%.16s/task/%.16s/children", broker, broker);
	children = fopen(path, "r");
	while (children && fscanf(children, "%d", &pid) == 1)
		n += process_switches(pid);
	if (children)
		fclose(children);
	return n;
}
