// SPDX-License-Identifier: MIT
/*
 * Regression test for a bug of QEMU: it looked up an entry of a CPU's TLB in a newer view of the
 * address space than that of the entry (qemu-device/patches). One CPU reads a register of the first
 * sundog device, which must keep its value, while another CPU maps and unmaps the BARs of the
 * second device. Runs in a guest, as root, without the driver. Prints TAP.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sundog_hw.h"

#define DEVICES "/sys/bus/pci/devices"
#define PCI_COMMAND 4
#define PCI_COMMAND_MEMORY 2

static atomic_bool done;
static long reads, wrong;

static int open_file(const char *device, const char *file, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), DEVICES "/%s/%s", device, file);
	return open(path, flags | O_CLOEXEC);
}

static bool is_sundog(const char *device)
{
	uint32_t ids = 0;
	int fd = open_file(device, "config", O_RDONLY);
	bool read_ids = fd >= 0 && pread(fd, &ids, sizeof(ids), 0) == sizeof(ids);

	if (fd >= 0)
		close(fd);
	return read_ids && ids == (SUNDOG_PCI_DEVICE << 16 | SUNDOG_PCI_VENDOR);
}

static int find_devices(char names[2][256])
{
	struct dirent *entry;
	DIR *dir = opendir(DEVICES);
	int num = 0;

	while (dir && num < 2 && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && is_sundog(entry->d_name))
			strcpy(names[num++], entry->d_name);
	if (dir)
		closedir(dir);
	return num;
}

/*
 * Enables or disables the device's memory BARs (PCI command register), as a driver does in probe
 * and remove.
 */
static bool map_bars(int config, bool on)
{
	uint16_t command;

	if (pread(config, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		return false;
	command = on ? command | PCI_COMMAND_MEMORY : command & ~PCI_COMMAND_MEMORY;
	return pwrite(config, &command, sizeof(command), PCI_COMMAND) == sizeof(command);
}

static void *read_registers(void *arg)
{
	volatile uint32_t *registers = arg;

	for (; !atomic_load(&done); reads++)
		wrong += registers[SUNDOG_REG_MAGIC / 4] != SUNDOG_MAGIC;
	return NULL;
}

static void *map_registers(const char *device)
{
	int config = open_file(device, "config", O_RDWR),
		fd = open_file(device, "resource0", O_RDWR);
	void *registers;

	if (config < 0 || fd < 0 || !map_bars(config, true))
		return NULL;
	registers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(config);
	close(fd);
	return registers == MAP_FAILED ? NULL : registers;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 2000, config;
	char names[2][256];
	void *registers;
	pthread_t reader;
	bool mapped = true;

	if (find_devices(names) < 2) {
		printf("not ok - there are two sundog devices\n");
		return 1;
	}
	registers = map_registers(names[0]);
	config = open_file(names[1], "config", O_RDWR);
	if (!registers || config < 0 || pthread_create(&reader, NULL, read_registers, registers)) {
		printf("not ok - registers can be read\n");
		return 1;
	}
	for (int i = 0; i < rounds; i++)
		mapped &= map_bars(config, i % 2);
	atomic_store(&done, true);
	pthread_join(reader, NULL);
	printf("# %ld reads, %ld wrong\n", reads, wrong);
	printf("%s - registers stay what they are while BARs are mapped\n", mapped && reads &&
	       !wrong ? "ok" : "not ok");
	return !mapped || !reads || wrong;
}
