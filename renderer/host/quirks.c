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
	 * A group of patches to lavapipe (lavapipe/README.md), as driverInfo names it. A lavapipe
	 * with the group does not have the quirk. NULL: all versions have it.
	 */
	const char *patches;
	const char *file, *test;	/* file of the workaround or the use; test below tests/ */
} quirks[NUM_QUIRKS] = {
	[QUIRK_SAMPLES_AT_DRAW] = { "samples-at-draw", LAVAPIPE, "+latency",
				    "exec/quirk_prelude.c", "gl/gl-samples.c" },
	[QUIRK_EVAL_STRIDE] = { "eval-stride", LAVAPIPE, "+fixes-2",
				"exec/eval_variant.c", "stream/stream-strides.c" },
	[QUIRK_SMOOTH_SLOT] = { "smooth-slot", LAVAPIPE, NULL,
				"exec/eval_variant.c", "stream/stream-unwritten.c" },
	[QUIRK_DRAW_AT_ONCE] = { "draw-at-once", ANY, "+fixes",
				 "exec/split_draw.c", "stream/stream-tess.c" },
	[QUIRK_OFFSETS_INT32] = { "offsets-int32", LAVAPIPE, NULL,
				  "host/vk.c", "stream/stream-reach.c" },
	[QUIRK_EVENTS_EARLY] = { "events-early", LAVAPIPE, NULL,
				 "exec/batch.c", "host/watchdog.sh" },
	[QUIRK_SCENES_IN_ORDER] = { "scenes-in-order", LAVAPIPE, NULL,
				    "exec/barrier.c", "stream/stream-scenes.c" },
	[QUIRK_SUBMISSIONS_IN_ORDER] = { "submissions-in-order", LAVAPIPE, NULL,
					 "exec/batch.c", "stream/stream-order.c" },
	[QUIRK_EXPLICIT_LAYOUTS] = { "explicit-layouts", LAVAPIPE, NULL,
				     "exec/image_layout.c", "stream/stream-images.c" },
	[QUIRK_MEMORY_MOVES] = { "memory-moves", LAVAPIPE, NULL,
				 "exec/memory.c", "stream/stream-moves.c" },
	[QUIRK_ANY_STRIDE] = { "any-stride", LAVAPIPE, NULL,
			       "exec/caps.c", "stream/stream-reach.c" },
	[QUIRK_ANY_ARGUMENTS] = { "any-arguments", LAVAPIPE, NULL,
				  "exec/indirect.c", "stream/stream-indirect.c" },
	[QUIRK_ANY_PATCHES] = { "any-patches", LAVAPIPE, NULL,
				"exec/patch.c", "stream/stream-tess.c" },
	[QUIRK_ANY_DISTANCE] = { "any-distance", LAVAPIPE, NULL,
				 "exec/caps.c", "stream/stream-subgroups.c" },
	[QUIRK_WHOLE_PIXELS] = { "whole-pixels", LAVAPIPE, NULL,
				 "exec/state.c", "gl/gl-samples.c" },
	[QUIRK_ORDERED_FETCH] = { "ordered-fetch", LAVAPIPE, NULL,
				  "exec/caps.c", "gl/gl-fetch.c" },
	[QUIRK_VIEWS_IN_ALL_STAGES] = { "views-in-all-stages", LAVAPIPE, NULL,
					"exec/draw.c", "stream/stream-multiview.c" },
	[QUIRK_KEEPS_NAN] = { "keeps-nan", LAVAPIPE, NULL,
			      "exec/caps.c", "vk/vk-instructions.c" },
	[QUIRK_MUTABLE_SAMPLERS] = { "mutable-samplers", LAVAPIPE, NULL,
				     "exec/set.c", "stream/stream-sets.c" },
	[QUIRK_FEEDBACK_READS_COUNTERS] = { "feedback-reads-counters", LAVAPIPE, NULL,
					    "exec/feedback.c", "stream/stream-feedback.c" },
	[QUIRK_DISPATCH_IN_RENDERING] = { "dispatch-in-rendering", LAVAPIPE, NULL,
					  "exec/split_indirect.c", "stream/stream-tess.c" },
	[QUIRK_KNOWN_MESHES] = { "known-meshes", LAVAPIPE, NULL,
				 "exec/mesh.c", "stream/stream-mesh.c" },
};

_Static_assert(NUM_QUIRKS <= 32, "quirks_of() returns a mask of 32 bits");

bool is_lavapipe(const VkPhysicalDeviceDriverProperties *driver)
{
	return driver->driverID == LAVAPIPE;
}

/*
 * Returns true if a lavapipe's driverInfo, "Mesa VERSION (LLVM VERSION) +GROUP...", has the word
 * @group behind the last parenthesis. Distributions choose the version before it, which may end
 * with "+fixes1".
 */
static bool has_patches(const VkPhysicalDeviceDriverProperties *driver, const char *group)
{
	const char *word = strrchr(driver->driverInfo, ')');
	const size_t size = strlen(group);

	if (!is_lavapipe(driver) || !word)
		return false;
	for (word++; *word; word += strcspn(word, " ")) {
		word += strspn(word, " ");
		if (strcspn(word, " ") == size && !strncmp(word, group, size))
			return true;
	}
	return false;
}

static bool has_quirk(const VkPhysicalDeviceDriverProperties *driver, enum quirk quirk)
{
	const char *patches = quirks[quirk].patches;

	if (quirks[quirk].driver != ANY && quirks[quirk].driver != driver->driverID)
		return false;
	return !patches || !has_patches(driver, patches);
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
