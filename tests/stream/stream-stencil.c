// SPDX-License-Identifier: MIT
/*
 * Tests fragment shaders that export the stencil reference or use the coverage after early tests,
 * with each kind of depth/stencil attachment and with none. Runs on the device that device.h finds.
 * Prints TAP.
 */
#include <vulkan/vulkan_core.h>

#include "hostile.h"
#include "stencil-shaders.h"

#define IMAGE_SIZE (1u << 20)

enum { ID_VERTEX = HOSTILE_FREE, ID_FRAGMENTS, ID_IMAGE = ID_FRAGMENTS + 8, ID_VIEW };

static const struct {
	const char *name;
	const uint32_t *code;
	size_t size;
} fragments[] = {
	{ "stencil references", stencil_frag, sizeof(stencil_frag) },
	{ "coverage after early tests", post_depth_frag, sizeof(post_depth_frag) },
	{ "stencil references, depths and masks", all_tests_frag, sizeof(all_tests_frag) },
};

static const struct kind {
	const char *name;
	uint32_t format, aspects;
} kinds[] = {
	{ "nothing", 0, 0 },
	{ "16 bits of depth", VK_FORMAT_D16_UNORM, SUNDOG_ASPECT_DEPTH },
	{ "floats of depth", VK_FORMAT_D32_SFLOAT, SUNDOG_ASPECT_DEPTH },
	{ "stencil alone", VK_FORMAT_S8_UINT, SUNDOG_ASPECT_STENCIL },
	{ "depth and stencil", VK_FORMAT_D24_UNORM_S8_UINT,
	  SUNDOG_ASPECT_DEPTH | SUNDOG_ASPECT_STENCIL },
	{ "floats and stencil", VK_FORMAT_D32_SFLOAT_S8_UINT,
	  SUNDOG_ASPECT_DEPTH | SUNDOG_ASPECT_STENCIL },
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct scene {
	struct hostile *h;
	struct sdrm_bo *image, *canaries;
};

static void make_shaders(struct hostile *h)
{
	hostile_shader(h, ID_VERTEX,
		       &(struct sundog_cmd_create_shader){ .stage = SUNDOG_STAGE_VERTEX },
		       probe_vert,
		       sizeof(probe_vert));
	for (uint32_t i = 0; i < N(fragments); i++)
		hostile_shader(h, ID_FRAGMENTS + i,
			       &(struct sundog_cmd_create_shader){ .stage = SUNDOG_STAGE_FRAGMENT },
			       fragments[i].code, fragments[i].size);
}

static void make_image(struct scene *s, const struct kind *k, uint32_t samples)
{
	const struct sundog_cmd_create_image image = {
		.id = ID_IMAGE, .mem = sdrm_bo_mem(s->image), .type = VK_IMAGE_TYPE_2D,
		.format = k->format,
		.extent = { HOSTILE_WIDTH, HOSTILE_HEIGHT, 1 }, .levels = 1, .layers = 1,
		.samples = samples,
		.usage = SUNDOG_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT,
	};
	const struct sundog_cmd_create_image_view view = {
		.id = ID_VIEW, .image = ID_IMAGE, .type = VK_IMAGE_VIEW_TYPE_2D,
		.format = k->format,
		.aspect = k->aspects, .levels = 1, .layers = 1, .usage = image.usage,
	};

	sundog_emit_create_image(s->h->stream, &image);
	sundog_emit_create_image_view(s->h->stream, &view);
}

static void drop_image(struct scene *s)
{
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE_VIEW, ID_VIEW });
	sundog_emit_destroy(s->h->stream, &(struct sundog_cmd_destroy){
		SUNDOG_OBJECT_KIND_IMAGE, ID_IMAGE });
}

/* Enables all tests, whether the attachment has their aspect or not. */
static void set_tests(struct hostile *h, uint32_t samples)
{
	const struct sundog_stencil_face face = {
		.fail_op = VK_STENCIL_OP_INVERT, .pass_op = VK_STENCIL_OP_REPLACE,
		.depth_fail_op = VK_STENCIL_OP_INCREMENT_AND_WRAP, .compare_op = VK_COMPARE_OP_LESS,
		.compare_mask = 0xff, .write_mask = 0xff,
	};

	sundog_emit_set_depth_stencil(h->stream, &(struct sundog_cmd_set_depth_stencil){
		.flags = SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_TEST |
			 SUNDOG_DEPTH_STENCIL_FLAG_DEPTH_WRITE |
			 SUNDOG_DEPTH_STENCIL_FLAG_STENCIL_TEST,
		.depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL, .front = face, .back = face,
	});
	sundog_emit_set_multisample(h->stream, &(struct sundog_cmd_set_multisample){
		.samples = samples, .mask = ~0u });
}

static struct sundog_attachment attachment(const struct kind *k, uint32_t aspect)
{
	return (struct sundog_attachment){
		.view = k->aspects & aspect ? ID_VIEW : 0, .load = SUNDOG_LOAD_OP_LOAD,
		.store = SUNDOG_STORE_OP_STORE,
	};
}

static bool draws(struct scene *s, uint32_t shader, const struct kind *k, uint32_t samples)
{
	const struct sundog_cmd_begin_rendering begin = {
		.area = { 0, 0, HOSTILE_WIDTH, HOSTILE_HEIGHT }, .layers = 1,
		.depth = attachment(k, SUNDOG_ASPECT_DEPTH),
		.stencil = attachment(k, SUNDOG_ASPECT_STENCIL),
	};

	hostile_list(s->h, s->image);
	if (k->format)
		make_image(s, k, samples);
	hostile_begin(s->h, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	sundog_emit_end_rendering(s->h->stream);
	set_tests(s->h, samples);
	sundog_emit_begin_rendering(s->h->stream, &begin, NULL);
	sundog_emit_set_vertex_input(s->h->stream, &(struct sundog_cmd_set_vertex_input){ 0 },
				     NULL);
	sundog_emit_bind_shaders(s->h->stream, &(struct sundog_cmd_bind_shaders){
		{ ID_VERTEX, ID_FRAGMENTS + shader } });
	sundog_emit_draw(s->h->stream, &(struct sundog_cmd_draw){ 3, 2, 0, 0 });
	sundog_emit_end_rendering(s->h->stream);
	if (k->format)
		drop_image(s);
	return hostile_runs(s->h);
}

int main(void)
{
	struct scene s = { .h = hostile_new() };

	s.image = hostile_bo(s.h, IMAGE_SIZE);
	s.canaries = hostile_canaries(s.h, IMAGE_SIZE);
	make_shaders(s.h);
	hostile_need(s.h, "shaders");
	for (uint32_t shader = 0; shader < N(fragments); shader++)
		for (uint32_t kind = 0; kind < N(kinds); kind++)
			for (uint32_t samples = 1; samples <= 4; samples *= 4)
				hostile_result(draws(&s, shader, &kinds[kind], samples) &&
					       hostile_canaries_live(s.canaries),
					       "%s with %s, samples: %u", fragments[shader].name,
					       kinds[kind].name, samples);
	sdrm_bo_del(s.image);
	sdrm_bo_del(s.canaries);
	hostile_del(s.h);
	return hostile_status();
}
