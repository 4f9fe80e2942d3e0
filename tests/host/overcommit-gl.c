// SPDX-License-Identifier: MIT
/*
 * Uses more textures than VRAM holds: several processes, each with its share of live textures, draw
 * all of them in every frame, change one, and check every pixel. The CPU writes half of the
 * textures and the GPU draws the other half, so that both kinds of contents have to survive
 * eviction and the way back. Plain OpenGL ES 2, without any knowledge of eviction. Prints TAP.
 *
 * usage: overcommit-gl [--times N] [--processes N] [--frames N]
 * 	--times N	all live textures together, in multiples of VRAM (3)
 * 	--processes N	(6)
 * 	--frames N	of each process (6)
 */
#define _GNU_SOURCE
#include <err.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gl.h"
#include "gles.h"
#include "sundog.h"

#define SIZE 256			/* width and height of a texture in pixels */
#define TEXTURE_BYTES (SIZE * SIZE * 4)
/* width and height of the part of the picture that shows one texture */
#define CELL 32
#define COLUMNS 32
#define STEP (SIZE / CELL)		/* texels from pixel to pixel */
#define VRAM_OF_DIRECT (64ull << 20)	/* assumed VRAM size if there is no kernel driver */

struct options {
	unsigned int times, processes, frames;
};

/*
 * One process. It sends the parent a byte at each synchronization point and waits for one in
 * return.
 */
struct child {
	pid_t pid;
	int socket;
	unsigned int textures;
};

struct texture {
	GLuint name;
	unsigned int version;		/* version of the contents, see texel() */
};

struct painter {
	unsigned int index;		/* index of the process */
	unsigned int count;
	struct texture *textures;
	GLuint fill, show, picture, framebuffer;
	GLint fill_seed, show_phase;
	uint8_t *pixels;		/* pixels of @picture */
	unsigned int rows;
};

static const char vertex_source[] =
	"attribute vec2 vertex;\n"
	"void main() { gl_Position = vec4(vertex, 0.0, 1.0); }\n";

/* Draws the contents of texel(), in whole numbers that a float represents exactly. */
static const char fill_source[] =
	"precision highp float;\n"
	"uniform vec3 seed;\n"
	"void main() {\n"
	"	vec2 at = floor(gl_FragCoord.xy);\n"
	"	vec2 block = floor(at / 8.0);\n"
	"	vec3 color = vec3(at.x + seed.x, at.y + seed.y, "
	"block.x * 3.0 + block.y * 5.0 + seed.z);\n"
	"	gl_FragColor = vec4(mod(color, 256.0) / 255.0, 1.0);\n"
	"}\n";

/* Shows every STEP-th texel, starting at the phase: STEP * STEP frames show all of them. */
static const char show_source[] =
	"precision highp float;\n"
	"uniform sampler2D tex;\n"
	"uniform vec4 phase;\n"
	"void main() {\n"
	"	vec2 at = (floor(gl_FragCoord.xy) - phase.xy) * 8.0 + phase.zw + 0.5;\n"
	"	gl_FragColor = texture2D(tex, at / 256.0);\n"
	"}\n";

_Static_assert(STEP == 8 && SIZE == 256, "the shader has them as numbers");

/* Returns a seed that differs between textures and between versions of one. */
static void seed_of(const struct painter *p, unsigned int t, unsigned int seed[3])
{
	seed[0] = 7 * t + p->textures[t].version;
	seed[1] = 13 * p->textures[t].version + 29 * p->index;
	seed[2] = t + 3 * p->index;
}

static void texel(const unsigned int seed[3], unsigned int x, unsigned int y, uint8_t rgba[4])
{
	rgba[0] = x + seed[0];
	rgba[1] = y + seed[1];
	rgba[2] = x / 8 * 3 + y / 8 * 5 + seed[2];
	rgba[3] = 255;
}

static GLuint make_texture(unsigned int width, unsigned int height)
{
	GLuint name;

	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	return name;
}

static void fail_on_error(const char *when)
{
	GLenum error = glGetError();

	if (error)
		errx(1, "%s: GL error %#x", when, error);
}

static void upload(const struct painter *p, unsigned int t)
{
	static uint8_t texels[SIZE][SIZE][4];
	unsigned int seed[3];

	seed_of(p, t, seed);
	for (unsigned int y = 0; y < SIZE; y++)
		for (unsigned int x = 0; x < SIZE; x++)
			texel(seed, x, y, texels[y][x]);
	glBindTexture(GL_TEXTURE_2D, p->textures[t].name);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static void render_to(GLuint texture)
{
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
}

static void draw_into(const struct painter *p, unsigned int t)
{
	unsigned int seed[3];

	seed_of(p, t, seed);
	render_to(p->textures[t].name);
	glViewport(0, 0, SIZE, SIZE);
	glUseProgram(p->fill);
	glUniform3f(p->fill_seed, seed[0], seed[1], seed[2]);
	glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void fill(const struct painter *p, unsigned int t)
{
	if (t % 2)
		draw_into(p, t);
	else
		upload(p, t);
}

static void painter_init(struct painter *p, unsigned int index, unsigned int count)
{
	static const GLfloat corners[] = { -1, -1, 3, -1, -1, 3 };

	*p = (struct painter){ .index = index, .count = count,
			       .rows = (count + COLUMNS - 1) / COLUMNS };
	gl_open(EGL_OPENGL_ES_API);
	p->textures = calloc(count, sizeof(*p->textures));
	p->pixels = malloc(COLUMNS * CELL * p->rows * CELL * 4);
	p->fill = gles_program(vertex_source, fill_source);
	p->show = gles_program(vertex_source, show_source);
	p->fill_seed = glGetUniformLocation(p->fill, "seed");
	p->show_phase = glGetUniformLocation(p->show, "phase");
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnableVertexAttribArray(0);
	glGenFramebuffers(1, &p->framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, p->framebuffer);
	p->picture = make_texture(COLUMNS * CELL, p->rows * CELL);
	for (unsigned int t = 0; t < count; t++) {
		p->textures[t].name = make_texture(SIZE, SIZE);
		fill(p, t);
	}
	fail_on_error("making textures");
}

static void draw_frame(const struct painter *p, unsigned int phase_x, unsigned int phase_y)
{
	render_to(p->picture);
	glUseProgram(p->show);
	for (unsigned int t = 0; t < p->count; t++) {
		const unsigned int x = t % COLUMNS * CELL, y = t / COLUMNS * CELL;

		glViewport(x, y, CELL, CELL);
		glUniform4f(p->show_phase, x, y, phase_x, phase_y);
		glBindTexture(GL_TEXTURE_2D, p->textures[t].name);
		glDrawArrays(GL_TRIANGLES, 0, 3);
	}
	glReadPixels(0, 0, COLUMNS * CELL, p->rows * CELL, GL_RGBA, GL_UNSIGNED_BYTE, p->pixels);
	fail_on_error("drawing");
}

static void check_cell(const struct painter *p, unsigned int t, unsigned int phase_x,
		       unsigned int phase_y)
{
	unsigned int seed[3];

	seed_of(p, t, seed);
	for (unsigned int y = 0; y < CELL; y++) {
		const uint8_t *row = p->pixels +
				     ((t / COLUMNS * CELL + y) * COLUMNS + t % COLUMNS) * CELL * 4;

		for (unsigned int x = 0; x < CELL; x++) {
			uint8_t want[4];

			texel(seed, x * STEP + phase_x, y * STEP + phase_y, want);
			if (memcmp(row + x * 4, want, 4))
				errx(1,
				     "process %u, texture %u (%s), texel %u,%u: "
				     "%02x%02x%02x%02x, not %02x%02x%02x%02x",
				     p->index, t, t % 2 ? "drawn" : "uploaded", x * STEP + phase_x,
				     y * STEP + phase_y,
				     row[x * 4], row[x * 4 + 1], row[x * 4 + 2], row[x * 4 + 3],
				     want[0], want[1],
				     want[2], want[3]);
		}
	}
}

/* The phases cover all texels, in an order that favours no corner. */
static void do_frame(struct painter *p, unsigned int frame)
{
	const unsigned int phase = (frame * 27 + p->index * 11) % (STEP * STEP),
		changed = frame * 5 % p->count;

	p->textures[changed].version++;
	fill(p, changed);
	draw_frame(p, phase % STEP, phase / STEP);
	for (unsigned int t = 0; t < p->count; t++)
		check_cell(p, t, phase % STEP, phase / STEP);
}

/* Synchronization point: reports to the parent, and waits until all processes are there. */
static void meet(int socket)
{
	char byte = 0;

	if (write(socket, &byte, 1) != 1 || read(socket, &byte, 1) != 1)
		errx(1, "the others are gone");
}

static void child_main(const struct options *o, unsigned int index, unsigned int count, int socket)
{
	struct painter p;

	painter_init(&p, index, count);
	meet(socket);
	for (unsigned int frame = 0; frame < o->frames; frame++)
		do_frame(&p, frame);
	/* All textures stay alive until the last process has drawn its last frame. */
	meet(socket);
	gl_close();
}

static struct child child_start(const struct options *o, unsigned int index, unsigned int count)
{
	struct child c = { .textures = count };
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		err(1, "socketpair");
	c.pid = fork();
	if (c.pid < 0)
		err(1, "fork");
	if (!c.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(pair[0]);
		child_main(o, index, count, pair[1]);
		exit(0);
	}
	close(pair[1]);
	c.socket = pair[0];
	return c;
}

/*
 * Waits until all processes are at their next synchronization point, and releases them. Returns
 * false if one has ended.
 */
static bool let_meet(const struct child *children, unsigned int n)
{
	char byte = 0;

	for (unsigned int i = 0; i < n; i++)
		if (read(children[i].socket, &byte, 1) != 1)
			return false;
	for (unsigned int i = 0; i < n; i++)
		if (write(children[i].socket, &byte, 1) != 1)
			return false;
	return true;
}

/* Waits for a process. Returns true if it succeeded. */
static bool child_end(const struct child *c)
{
	int status;

	return waitpid(c->pid, &status, 0) == c->pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/*
 * Queries the size of VRAM in a child process: this process must not use GL before it forks the
 * others.
 */
static uint64_t vram_size(void)
{
	uint64_t size = VRAM_OF_DIRECT;
	pid_t pid;
	int pair[2];

	if (getenv("SUNDOG_SOCKET"))
		return size;
	if (pipe(pair))
		err(1, "pipe");
	pid = fork();
	if (!pid) {
		gl_open(EGL_OPENGL_ES_API);
		size = sdrm_device_vram_size(gl.dev);
		_exit(write(pair[1], &size, sizeof(size)) != sizeof(size));
	}
	close(pair[1]);
	if (read(pair[0], &size, sizeof(size)) != sizeof(size))
		errx(1, "no device");
	waitpid(pid, NULL, 0);
	return size;
}

static struct options parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "times", required_argument, NULL, 't' },
		{ "processes", required_argument, NULL, 'p' },
		{ "frames", required_argument, NULL, 'f' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { .times = 3, .processes = 6, .frames = 6 };
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		const unsigned int value = optarg ? atoi(optarg) : 0;

		if (option == '?' || !value || value > 1000) {
			fprintf(stderr, "usage: %s [--times N] [--processes N] [--frames N]\n",
				argv[0]);
			exit(2);
		}
		*(option == 't' ? &o.times : option == 'p' ? &o.processes : &o.frames) = value;
	}
	return o;
}

int main(int argc, char **argv)
{
	const struct options o = parse(argc, argv);
	const uint64_t vram = vram_size(), wanted = vram * o.times;
	const unsigned int count = wanted / o.processes / TEXTURE_BYTES + 1;
	struct child *children = calloc(o.processes, sizeof(*children));
	bool made, ok;

	printf("1..2\n# %u processes with %u textures of %u KiB each; VRAM is %llu MiB\n",
	       o.processes, count,
	       TEXTURE_BYTES / 1024, (unsigned long long)vram >> 20);
	fflush(stdout);
	for (unsigned int i = 0; i < o.processes; i++)
		children[i] = child_start(&o, i, count);
	made = let_meet(children, o.processes);
	tap(made, "live textures of %u times VRAM", o.times);
	ok = made && let_meet(children, o.processes);
	for (unsigned int i = 0; i < o.processes; i++) {
		if (!ok)
			kill(children[i].pid, SIGKILL);
		ok &= child_end(&children[i]);
	}
	tap(ok, "%u frames, every one right", o.processes * o.frames);
	free(children);
	return tap_failures() != 0;
}
