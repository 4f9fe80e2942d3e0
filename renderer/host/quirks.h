/* SPDX-License-Identifier: MIT */
/*
 * Quirks of host drivers: bugs that the renderer works around, and behaviour beyond the Vulkan
 * specification that it relies on. Only quirks.c compares drivers and their versions; other files
 * ask for a quirk by its name. The table has the test that shows each of them.
 *
 * vk_init() finds the quirks of the device; after that all threads may ask.
 */
#ifndef HOST_QUIRKS_H
#define HOST_QUIRKS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

enum quirk {
	/* Workarounds. */
	/*
	 * A command buffer learns its sample count from its first draw, and ends the scene there.
	 */
	QUIRK_SAMPLES_AT_DRAW,
	/*
	 * An evaluation shader keeps the vertex stride of the draw that it was compiled for,
	 * whatever the stride of later draws is. A smooth line changes it in the middle of a draw.
	 */
	QUIRK_EVAL_STRIDE,
	/*
	 * While lines are smooth, vertices have a slot that only lines write to, and a fragment
	 * shader may read it.
	 */
	QUIRK_SMOOTH_SLOT,
	/* The output of all primitives of a draw is in memory at once, with sizes of 32 bits. */
	QUIRK_DRAW_AT_ONCE,
	/* Offsets, and strides times indices, are added to pointers as signed 32-bit integers. */
	QUIRK_OFFSETS_INT32,
	/* An event is set before the renderings before it are rasterized. */
	QUIRK_EVENTS_EARLY,
	/* Behaviour beyond the specification. */
	/*
	 * Scenes run in the order of recording: attachment writes need no barrier before later
	 * fragments, attachments or transfers read them.
	 */
	QUIRK_SCENES_IN_ORDER,
	/* A command buffer begins after the end of those submitted before it. */
	QUIRK_SUBMISSIONS_IN_ORDER,
	/*
	 * VkImageDrmFormatModifierExplicitCreateInfoEXT places the rows of an image, whether
	 * VK_EXT_image_drm_format_modifier is offered or not.
	 */
	QUIRK_EXPLICIT_LAYOUTS,
	/* Memory below an imported range may be replaced while no submission uses it. */
	QUIRK_MEMORY_MOVES,
	/* Vertex fetches are checked in 32 bits, whatever the stride. */
	QUIRK_ANY_STRIDE,
	/* Arguments of draws and dispatches in memory may have any value, and may change. */
	QUIRK_ANY_ARGUMENTS,
	/* Tessellation takes patches of any size and number that split_draw.c leaves. */
	QUIRK_ANY_PATCHES,
	/* The distance of a rotation may differ between invocations. */
	QUIRK_ANY_DISTANCE,
	/* With fewer samples than the attachments, a draw covers all samples of a pixel. */
	QUIRK_WHOLE_PIXELS,
	/* A tile is drawn in order, so a fragment shader may read its pixel of an attachment. */
	QUIRK_ORDERED_FETCH,
	/* Multiview works in all stages and with any number of instances. */
	QUIRK_VIEWS_IN_ALL_STAGES,
	/* Flags that exclude NaN and infinity are ignored, so the gate's checks of them stay. */
	QUIRK_KEEPS_NAN,
	/* Mutable descriptors may be samplers. */
	QUIRK_MUTABLE_SAMPLERS,
	/* A counter buffer may be read in the rendering that wrote it, without a barrier. */
	QUIRK_FEEDBACK_READS_COUNTERS,
	/*
	 * A dispatch may be within a rendering, and has ended when the next command begins: no
	 * barrier is needed before draws read their arguments from memory that it wrote, nor
	 * before it overwrites arguments of earlier draws.
	 */
	QUIRK_DISPATCH_IN_RENDERING,
	/* Mesh and task shaders behave as exec/mesh.c and gate/check/mesh.c expect. */
	QUIRK_KNOWN_MESHES,
	NUM_QUIRKS
};

/* Returns true if the driver is lavapipe, with or without our patches. */
bool is_lavapipe(const VkPhysicalDeviceDriverProperties *driver);

/* Returns the mask of the quirks, by 1 << enum quirk, that a driver has. */
uint32_t quirks_of(const VkPhysicalDeviceDriverProperties *driver);

/* Returns the name of a quirk, as in the log. */
const char *quirk_name(enum quirk quirk);

/*
 * Returns the file of the workaround, below renderer/, and the test that shows the quirk, below
 * tests/.
 */
void quirk_files(enum quirk quirk, const char **file, const char **test);

#endif
