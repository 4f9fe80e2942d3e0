// SPDX-License-Identifier: MIT
/*
 * sundog-renderd: parses the command line, then runs as the broker or, with --worker, as one of its
 * workers. Executes the command streams of a sundog device or of direct clients.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker/broker.h"
#include "ipc/log.h"
#include "worker/worker.h"
#include "sundog_hw.h"

static const char usage[] =
	"usage: sundog-renderd --socket PATH [options]\n"
	"       sundog-renderd --chardev PATH [options]\n"
	"       sundog-renderd --device-fd N [options]\n"
	"\n"
	"Execute the command streams of sundog clients on the host's Vulkan. With sockets of\n"
	"systemd (LISTEN_FDS) give none.\n"
	"\n"
	"  --socket PATH     listen for direct clients at a Unix socket (SOCK_SEQPACKET)\n"
	"  --chardev PATH    listen at a Unix socket (SOCK_STREAM) for QEMU's\n"
	"                    -device sundog,chardev=ID\n"
	"  --device-fd N     serve the device connected at file descriptor N, then end\n"
	"  --socket-mode MODE\n"
	"                    permissions of these sockets, an octal number; default 600\n"
	"  --socket-group GROUP\n"
	"                    group of these sockets; default: the group of the renderer\n"
	"  --gpu NAME        use the Vulkan device whose name contains NAME; default: the first\n"
	"                    software device\n"
	"  --max-vram MIB    VRAM limit of a direct client; default 4096\n"
	"  --max-connections N\n"
	"                    limit of devices and direct clients at a time; default 256\n"
	"  --max-handshakes N\n"
	"                    limit of connections without HELLO, per socket; default 32\n"
	"  --handshake-timeout MS\n"
	"                    time limit of a peer's HELLO; default 30000, 0: no limit\n"
	"  --max-peers N     limit of connections of one user; default 192\n"
	"  --max-workers N   limit of workers of all connections together; default 512\n"
	"  --max-clients N   limit of workers of one connection; default 256\n"
	"  --start-timeout MS\n"
	"                    time limit for a worker to load its host driver; default 120000,\n"
	"                    0: no limit\n"
	"  --max-threads N   limit of threads of a worker's rasterizer; default 16\n"
	"  --timeout MS      time limit of a batch without progress, which ends its client;\n"
	"                    default 5000, 0: no limit\n"
	"  --compile-timeout MS\n"
	"                    the same for decoding a packet and for compiling a shader;\n"
	"                    default 60000, 0: no limit\n"
	"  --log LEVEL       error, warn, info or debug; default warn\n"
	"  --version         print the versions of the renderer and of the protocol\n"
	"  --help            print this\n";

static unsigned long number(const char *option, const char *text, unsigned long min,
			    unsigned long max)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || value < min || value > max) {
		fprintf(stderr, "sundog-renderd: --%s: '%s' is not a number from %lu to %lu\n",
			option, text, min, max);
		exit(2);
	}
	return value;
}

/* Permissions of a socket: an octal number. */
static mode_t socket_mode(const char *text)
{
	char *end;
	const unsigned long value = strtoul(text, &end, 8);

	if (end == text || *end || value > 0777) {
		fprintf(stderr, "sundog-renderd: --socket-mode: '%s' is not an octal number up to "
			"777\n", text);
		exit(2);
	}
	return value;
}

static gid_t socket_group(const char *name)
{
	const struct group *group = getgrnam(name);
	char *end;
	const unsigned long value = strtoul(name, &end, 10);

	if (group)
		return group->gr_gid;
	if (end == name || *end || value > INT_MAX) {
		fprintf(stderr, "sundog-renderd: --socket-group: there is no group '%s'\n", name);
		exit(2);
	}
	return value;
}

/*
 * Takes over sockets that systemd passes. Returns false after an error message if the sockets of
 * the command line are none, or too many.
 */
static bool find_sockets(struct broker_options *o)
{
	const bool paths = o->socket_path || o->stream_path;
	bool passed;

	if (!listener_take_passed(&o->passed))
		return false;
	passed = o->passed.direct >= 0 || o->passed.device >= 0;
	if (passed && (paths || o->device_fd >= 0))
		fprintf(stderr, "sundog-renderd: LISTEN_FDS: systemd passes the sockets, leave "
			"--socket, --chardev and --device-fd out\n");
	else if (!passed && paths == (o->device_fd >= 0))
		fprintf(stderr,
			"sundog-renderd: give --socket, --chardev or both, or --device-fd\n%s",
			usage);
	else
		return true;
	return false;
}

/*
 * Opens /dev/null as 0, 1 and 2 if they are closed, so that no file opened later is taken for one
 * of them. Ignores SIGPIPE and SIGXFSZ: a log without a reader, or memory above the file size
 * limit, must not end the process. SIGCHLD is not ignored, since the broker waits for its workers.
 */
static void start_with_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	close(fd);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

/*
 * Chooses the host driver that this renderer was built for, by the variable of the Vulkan loader,
 * which workers inherit. A variable of the user has priority, and so has --gpu, which may name a
 * device of another driver.
 */
static void choose_host_driver(const char *gpu)
{
	if (gpu || getenv("VK_DRIVER_FILES") || getenv("VK_ICD_FILENAMES"))
		return;
	if (*SUNDOG_HOST_DRIVER && !access(SUNDOG_HOST_DRIVER, R_OK))
		setenv("VK_DRIVER_FILES", SUNDOG_HOST_DRIVER, 1);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "chardev", required_argument, NULL, 'c' },
		{ "device-fd", required_argument, NULL, 'd' },
		{ "socket-mode", required_argument, NULL, 'M' },
		{ "socket-group", required_argument, NULL, 'G' },
		{ "gpu", required_argument, NULL, 'g' },
		{ "max-vram", required_argument, NULL, 'm' },
		{ "max-connections", required_argument, NULL, 'C' },
		{ "max-handshakes", required_argument, NULL, 'H' },
		{ "handshake-timeout", required_argument, NULL, 'K' },
		{ "max-peers", required_argument, NULL, 'P' },
		{ "max-workers", required_argument, NULL, 'W' },
		{ "max-clients", required_argument, NULL, 'L' },
		{ "start-timeout", required_argument, NULL, 'S' },
		{ "max-threads", required_argument, NULL, 'T' },
		{ "timeout", required_argument, NULL, 't' },
		{ "compile-timeout", required_argument, NULL, 'o' },
		{ "log", required_argument, NULL, 'l' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		/* internal: the broker starts its workers with this */
		{ "worker", no_argument, NULL, 'w' },
		{ 0 },
	};
	struct broker_options broker = {
		.device_fd = -1, .socket_mode = 0600, .socket_group = -1,
		.max_vram = 4096ull << 20, .max_connections = 256,
		.max_handshakes = 32,
		.handshake_ms = 30000, .max_peers = 192, .max_workers = 512,
		.max_clients = SUNDOG_MAX_CHANNELS, .ready_ms = 120000,
		.worker = { .batch_ms = 5000, .decode_ms = 60000, .max_threads = 16 },
	};
	bool worker = false;
	int option;

	start_with_files();
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			broker.socket_path = optarg;
			break;
		case 'c':
			broker.stream_path = optarg;
			break;
		case 'd':
			broker.device_fd = number("device-fd", optarg, 0, 1 << 20);
			break;
		case 'M':
			broker.socket_mode = socket_mode(optarg);
			break;
		case 'G':
			broker.socket_group = socket_group(optarg);
			break;
		case 'g':
			broker.worker.gpu = optarg;
			break;
		case 'm':
			broker.max_vram = number("max-vram", optarg, 16, 1 << 20) << 20;
			break;
		case 'C':
			broker.max_connections = number("max-connections", optarg, 1, 1 << 16);
			break;
		case 'H':
			broker.max_handshakes = number("max-handshakes", optarg, 1, 1 << 16);
			break;
		case 'K':
			broker.handshake_ms = number("handshake-timeout", optarg, 0, 1 << 30);
			break;
		case 'S':
			broker.ready_ms = number("start-timeout", optarg, 0, 1 << 30);
			break;
		case 'P':
			broker.max_peers = number("max-peers", optarg, 1, 1 << 16);
			break;
		case 'W':
			broker.max_workers = number("max-workers", optarg, 1, 1 << 16);
			break;
		case 'L':
			broker.max_clients = number("max-clients", optarg, 1, SUNDOG_MAX_CHANNELS);
			break;
		case 'T':
			broker.worker.max_threads = number("max-threads", optarg, 1, 1 << 16);
			break;
		case 't':
			broker.worker.batch_ms = number("timeout", optarg, 0, 1 << 30);
			break;
		case 'o':
			broker.worker.decode_ms = number("compile-timeout", optarg, 0, 1 << 30);
			break;
		case 'l':
			if (log_parse_level(optarg))
				break;
			fprintf(stderr, "sundog-renderd: --log: '%s' is no level, use error, warn, "
				"info or debug\n", optarg);
			return 2;
		case 'w':
			worker = true;
			break;
		case 'v':
			printf("sundog-renderd %s, protocol %d.%d\n", SUNDOG_RELEASE,
			       SUNDOG_VERSION_MAJOR, SUNDOG_VERSION_MINOR);
			return 0;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (worker) {
		log_init_worker();
		return worker_main(WORKER_SOCKET, &broker.worker);
	}
	if (optind != argc) {
		fprintf(stderr, "sundog-renderd: unexpected argument '%s'\n%s", argv[optind],
			usage);
		return 2;
	}
	if (!find_sockets(&broker))
		return 2;
	choose_host_driver(broker.worker.gpu);
	log_init_broker();
	return broker_run(&broker);
}
