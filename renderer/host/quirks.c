// SPDX-License-Identifier: MIT
/*
 * The table of quirks, see quirks.h.
 */
#include "host/quirks.h"

#include <string.h>

#define ANY 0				/* no VkDriverId has this value */
#define LAVAPIPE VK_DRIVER_ID_MESA_LLVMPIPE

static const struct {
	const char *name;
	VkDriverId driver;
	/*
	 * Traits of the patched lavapipe (lavapipe/README.md), which its driverInfo lists: a driver
	 * with all of them does not have the quirk. NULL: all versions have it.
	 */
	const char *traits[2];
	const char *file, *test;	/* file of the workaround or the use; test below tests/ */
} quirks[NUM_QUIRKS] = {
	[QUIRK_SAMPLES_AT_DRAW] = { "samples-at-draw", LAVAPIPE, { "+samples-at-begin" },
				    "exec/quirk_prelude.c", "gl/gl-samples.c" },
	[QUIRK_EVAL_STRIDE] = { "eval-stride", LAVAPIPE, { 0 },
				"exec/eval_variant.c", "gl/gl-tess.c" },
	[QUIRK_DRAW_AT_ONCE] = { "draw-at-once", ANY, { "+patch-numbers", "+small-runs" },
				 "exec/split_draw.c", "stream/stream-tess.c" },
	[QUIRK_OFFSETS_INT32] = { "offsets-int32", LAVAPIPE, { 0 },
				  "host/vk.c", "stream/stream-reach.c" },
	[QUIRK_EVENTS_EARLY] = { "events-early", LAVAPIPE, { 0 },
				 "exec/batch.c", "host/watchdog.sh" },
	[QUIRK_SCENES_IN_ORDER] = { "scenes-in-order", LAVAPIPE, { 0 },
				    "exec/barrier.c", "stream/stream-scenes.c" },
	[QUIRK_SUBMISSIONS_IN_ORDER] = { "submissions-in-order", LAVAPIPE, { 0 },
					 "exec/batch.c", "stream/stream-order.c" },
	[QUIRK_EXPLICIT_LAYOUTS] = { "explicit-layouts", LAVAPIPE, { 0 },
				     "exec/image_layout.c", "stream/stream-images.c" },
	[QUIRK_MEMORY_MOVES] = { "memory-moves", LAVAPIPE, { 0 },
				 "exec/memory.c", "stream/stream-moves.c" },
	[QUIRK_ANY_STRIDE] = { "any-stride", LAVAPIPE, { 0 },
			       "exec/caps.c", "stream/stream-reach.c" },
	[QUIRK_ANY_ARGUMENTS] = { "any-arguments", LAVAPIPE, { 0 },
				  "exec/indirect.c", "stream/stream-indirect.c" },
	[QUIRK_ANY_PATCHES] = { "any-patches", LAVAPIPE, { 0 },
				"exec/patch.c", "stream/stream-tess.c" },
	[QUIRK_ANY_DISTANCE] = { "any-distance", LAVAPIPE, { 0 },
				 "exec/caps.c", "stream/stream-subgroups.c" },
	[QUIRK_WHOLE_PIXELS] = { "whole-pixels", LAVAPIPE, { 0 },
				 "exec/state.c", "gl/gl-samples.c" },
	[QUIRK_ORDERED_FETCH] = { "ordered-fetch", LAVAPIPE, { 0 },
				  "exec/caps.c", "gl/gl-fetch.c" },
	[QUIRK_VIEWS_IN_ALL_STAGES] = { "views-in-all-stages", LAVAPIPE, { 0 },
					"exec/draw.c", "stream/stream-multiview.c" },
	[QUIRK_KEEPS_NAN] = { "keeps-nan", LAVAPIPE, { 0 },
			      "exec/caps.c", "vk/vk-instructions.c" },
	[QUIRK_MUTABLE_SAMPLERS] = { "mutable-samplers", LAVAPIPE, { 0 },
				     "exec/set.c", "stream/stream-sets.c" },
	[QUIRK_FEEDBACK_READS_COUNTERS] = { "feedback-reads-counters", LAVAPIPE, { 0 },
					    "exec/feedback.c", "stream/stream-feedback.c" },
	[QUIRK_KNOWN_MESHES] = { "known-meshes", LAVAPIPE, { 0 },
				 "exec/mesh.c", "stream/stream-mesh.c" },
};

_Static_assert(NUM_QUIRKS <= 32, "quirks_of() returns a mask of 32 bits");

static bool has_quirk(const VkPhysicalDeviceDriverProperties *driver, enum quirk quirk)
{
	const char *const *traits = quirks[quirk].traits;

	if (quirks[quirk].driver != ANY && quirks[quirk].driver != driver->driverID)
		return false;
	if (!traits[0])
		return true;
	for (int i = 0; i < 2 && traits[i]; i++)
		if (!strstr(driver->driverInfo, traits[i]))
			return true;
	return false;
}

uint32_t quirks_of(const VkPhysicalDeviceDriverProperties *driver)
{
	uint32_t mask = 0;

	for (int i = 0; i < NUM_QUIRKS; i++)
		mask |= has_quirk(driver, i) ? 1u << i : 0;
	return mask;
}

const char *quirk_name(enum quirk quirk)
{
	return quirks[quirk].name;
}

void quirk_files(enum quirk quirk, const char **file, const char **test)
{
	*file = quirks[quirk].file;
	*test = quirks[quirk].test;
}
