/* SPDX-License-Identifier: MIT */
/*
 * Measures how many pipe_resources a second a Gallium driver creates and destroys. It calls the
 * driver's pipe_screen, so that the API above it does not count. Prints JSON of two groups: "new
 * objects", LIVE resources that are created, then destroyed; and "objects again", one resource that
 * is created and destroyed repeatedly, with LIVE others alive or none, so that a driver may reuse
 * it.
 *
 * usage: pipe-rate DRIVER KIND [SECONDS [LIVE]]
 * DRIVER is a render node (/dev/dri/renderD128), or "softpipe", whose resources are malloc()ed.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipe-loader/pipe_loader.h"
#include "pipe/p_screen.h"
#include "target-helpers/drm_helper.h"
#include "target-helpers/sw_helper.h"
#include "util/os_time.h"
#include "util/u_inlines.h"

#define CHUNK 64 /* resources between two reads of the clock */

/* Resources as OpenGL creates them, of one page each. */
static const struct {
   const char *name;
   enum pipe_texture_target target;
   enum pipe_format format;
   unsigned width, height, bind;
} kinds[] = {
   {"texture", PIPE_TEXTURE_2D, PIPE_FORMAT_R8G8B8A8_UNORM, 32, 32,
    PIPE_BIND_SAMPLER_VIEW | PIPE_BIND_RENDER_TARGET},
   {"renderbuffer", PIPE_TEXTURE_2D, PIPE_FORMAT_R8G8B8A8_UNORM, 32, 32, PIPE_BIND_RENDER_TARGET},
   {"buffer", PIPE_BUFFER, PIPE_FORMAT_R8_UNORM, 4096, 1, PIPE_BIND_VERTEX_BUFFER},
};

static struct pipe_resource
template(const char *name)
{
   for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
      if (!strcmp(kinds[i].name, name))
         return (struct pipe_resource){
            .target = kinds[i].target,
            .format = kinds[i].format,
            .width0 = kinds[i].width,
            .height0 = kinds[i].height,
            .depth0 = 1,
            .array_size = 1,
            .bind = kinds[i].bind,
         };
   }
   errx(1, "%s: no such kind; there are texture, renderbuffer and buffer", name);
}

static struct pipe_screen *
open_screen(const char *driver)
{
   struct pipe_loader_device *dev = NULL;
   struct pipe_screen *screen;

   if (driver[0] == '/') {
      int fd = open(driver, O_RDWR | O_CLOEXEC);

      if (fd < 0)
         err(1, "%s", driver);
      if (!pipe_loader_drm_probe_fd(&dev, fd, false))
         errx(1, "%s: no driver for it", driver);
   } else {
      setenv("GALLIUM_DRIVER", driver, 1);
      if (!pipe_loader_sw_probe_null(&dev))
         errx(1, "no software device");
   }
   screen = pipe_loader_create_screen(dev, false);
   if (!screen)
      errx(1, "%s: no screen", driver);
   return screen;
}

static struct pipe_resource *
create(struct pipe_screen *screen, const struct pipe_resource *templ)
{
   struct pipe_resource *res = screen->resource_create(screen, templ);

   if (!res)
      errx(1, "resource_create failed");
   return res;
}

static double
per_second(unsigned long count, int64_t start)
{
   return count * 1e9 / (os_time_get_nano() - start);
}

static double
rate_again(struct pipe_screen *screen, const struct pipe_resource *templ, double seconds)
{
   const int64_t start = os_time_get_nano();
   const int64_t end = start + (int64_t)(seconds * 1e9);
   unsigned long made = 0;

   do {
      for (int i = 0; i < CHUNK; i++) {
         struct pipe_resource *res = create(screen, templ);

         pipe_resource_reference(&res, NULL);
      }
      made += CHUNK;
   } while (os_time_get_nano() < end);
   return per_second(made, start);
}

static double
rate_new(struct pipe_screen *screen, const struct pipe_resource *templ,
         struct pipe_resource **kept, long live)
{
   const int64_t start = os_time_get_nano();

   for (long i = 0; i < live; i++)
      kept[i] = create(screen, templ);
   for (long i = 0; i < live; i++)
      pipe_resource_reference(&kept[i], NULL);
   return per_second(live, start);
}

static void
print(const char *group, long live, const char *kind, double rate)
{
   printf("{\"group\": \"%s\", \"live\": %ld, \"%ss_per_second\": %.0f}\n", group, live, kind,
          rate);
}

int
main(int argc, char **argv)
{
   const double seconds = argc > 3 ? atof(argv[3]) : 2.0;
   const long live = argc > 4 ? atol(argv[4]) : 10000;
   struct pipe_resource templ, **kept;
   struct pipe_screen *screen;

   if (argc < 3 || argc > 5 || seconds <= 0 || live <= 0)
      errx(1, "usage: pipe-rate DRIVER KIND [SECONDS [LIVE]]");
   templ = template(argv[2]);
   screen = open_screen(argv[1]);
   kept = calloc(live, sizeof(*kept));
   if (!kept)
      err(1, NULL);

   print("new objects", live, argv[2], rate_new(screen, &templ, kept, live));
   /* warm-up: an emulated CPU translates code on its first execution */
   rate_again(screen, &templ, seconds / 4);
   print("objects again", 0, argv[2], rate_again(screen, &templ, seconds));
   for (long i = 0; i < live; i++)
      kept[i] = create(screen, &templ);
   print("objects again", live, argv[2], rate_again(screen, &templ, seconds));
   for (long i = 0; i < live; i++)
      pipe_resource_reference(&kept[i], NULL);
   free(kept);
   screen->destroy(screen);
   return 0;
}
