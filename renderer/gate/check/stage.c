// SPDX-License-Identifier: MIT
/*
 * Checks the execution modes and the interface of stages for gate_reflect(), see gate.h. For a
 * geometry shader these are the input and output primitives.
 *
 * llvmpipe allocates for all primitives that a batch may emit, and computes that size in 32 bits.
 * The gate reports the size of one, and draws check the total (split_draw.c).
 */
#include "gate/check/stage.h"

#include <spirv/unified1/spirv.h>

#include "gate/check/group.h"
#include "gate/check/mesh.h"
#include "gate/check/mode.h"
#include "gate/check/tess.h"

#define VERTEX_BYTES 96u		/* header, and attributes that llvmpipe adds */
#define BUILTIN_BYTES 32u		/* eight distances */
#define LOCATION_BYTES 16u
#define MAX_INVOCATIONS 32u
/* Six times of what all locations need. The executor draws two primitives at once at least. */
#define MAX_PRIMITIVE_BYTES (64u << 20)

uint32_t gate_stage_input_vertices(uint32_t mode)
{
	switch (mode) {
	case SpvExecutionModeInputPoints:
		return 1;
	case SpvExecutionModeInputLines:
		return 2;
	case SpvExecutionModeTriangles:
		return 3;
	case SpvExecutionModeInputLinesAdjacency:
		return 4;
	case SpvExecutionModeInputTrianglesAdjacency:
		return 6;
	default:
		return 0;
	}
}

static uint32_t strip_vertices(uint32_t mode)
{
	switch (mode) {
	case SpvExecutionModeOutputPoints:
		return 1;
	case SpvExecutionModeOutputLineStrip:
		return 2;
	case SpvExecutionModeOutputTriangleStrip:
		return 3;
	default:
		return 0;
	}
}

static bool geometry_mode(struct gate *g, uint32_t mode, uint32_t value)
{
	struct gate_geometry *geometry = &g->geometry;

	if (gate_stage_input_vertices(mode))
		return gate_mode_declare(g, &geometry->input_vertices,
					 gate_stage_input_vertices(mode), mode);
	if (strip_vertices(mode))
		return gate_mode_declare(g, &geometry->strip_vertices, strip_vertices(mode), mode);
	switch (mode) {
	case SpvExecutionModeOutputVertices:
		return gate_mode_declare(g, &geometry->max_vertices, value, mode);
	case SpvExecutionModeInvocations:
		return gate_mode_declare(g, &geometry->invocations, value, mode);
	default:
		return true;
	}
}

bool gate_stage_mode(struct gate *g, const uint32_t *in, uint32_t words)
{
	const uint32_t mode = in[2], value = words > 3 ? in[3] : 0;

	switch (g->cmd->stage) {
	case SUNDOG_STAGE_GEOMETRY:
		return geometry_mode(g, mode, value);
	case SUNDOG_STAGE_TESS_CTRL:
	case SUNDOG_STAGE_TESS_EVAL:
		return gate_tess_mode(g, mode, value);
	case SUNDOG_STAGE_TASK:
	case SUNDOG_STAGE_MESH:
		return gate_mesh_mode(g, in, words);
	default:
		g->group.squares |= mode == SpvExecutionModeDerivativeGroupQuadsKHR;
		g->group.rows |= mode == SpvExecutionModeDerivativeGroupLinearKHR;
		return (mode != SpvExecutionModeLocalSize && mode != SpvExecutionModeLocalSizeId) ||
		       gate_group_size(g, in, words);
	}
}

static uint32_t geometry_input(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	const struct gate_id *type = gate_id(g, type_id);

	if (var->builtin == SpvBuiltInPrimitiveId ||
	    var->builtin == SpvBuiltInInvocationId ||
	    var->builtin == SpvBuiltInViewIndex)
		return type_id;
	if (type->op == SpvOpTypeArray && gate_id(g, type->b)->a == g->geometry.input_vertices)
		return type->a;
	gate_refuse(g, "an Input variable is not an array of %u elements, one per vertex of the "
		    "input primitive", g->geometry.input_vertices);
	return 0;
}

/* The host has one list of strips for each stream, and uses the stream's number as an index. */
bool gate_stage_stream(struct gate *g, const uint32_t *in)
{
	const struct gate_id *stream = gate_id(g, in[1]);

	if (!(g->caps->features & SUNDOG_FEATURE_STREAMS))
		return gate_refuse(g, "vertex streams need the device feature STREAMS");
	if (stream->op != SpvOpConstant || stream->a >= SUNDOG_MAX_STREAMS)
		return gate_refuse(g, "vertex stream %u is not a constant below %u", stream->a,
				   SUNDOG_MAX_STREAMS);
	/* Strips of points are never more than vertices, so bound_strips.c leaves them alone. */
	return g->geometry.strip_vertices == 1 ||
	       gate_refuse(g, "vertex streams need OutputPoints");
}

uint32_t gate_stage_input(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	switch (g->cmd->stage) {
	case SUNDOG_STAGE_GEOMETRY:
		return geometry_input(g, var, type_id);
	case SUNDOG_STAGE_TESS_CTRL:
	case SUNDOG_STAGE_TESS_EVAL:
		return gate_tess_vertices(g, var, type_id);
	default:
		return type_id;
	}
}

uint32_t gate_stage_output(struct gate *g, const struct gate_id *var, uint32_t type_id)
{
	return g->cmd->stage == SUNDOG_STAGE_TESS_CTRL ? gate_tess_vertices(g, var, type_id) :
							 type_id;
}

/* Returns the host memory for one vertex. */
static uint64_t vertex_bytes(const struct gate *g)
{
	return VERTEX_BYTES + BUILTIN_BYTES * (uint64_t)g->output_builtins +
	       LOCATION_BYTES * (uint64_t)__builtin_popcount(g->output_locations);
}

static bool geometry_ok(struct gate *g)
{
	const struct gate_geometry *geometry = &g->geometry;
	const uint32_t invocations = geometry->invocations ? geometry->invocations : 1;
	uint64_t bytes;

	if (!geometry->input_vertices || !geometry->strip_vertices || !geometry->max_vertices)
		return gate_refuse(
			g,
			"the input primitive, the output primitive or OutputVertices is missing");
	if (geometry->max_vertices > SUNDOG_MAX_GEOMETRY_VERTICES || invocations > MAX_INVOCATIONS)
		return gate_refuse(g, "OutputVertices %u, Invocations %u: the limits are %u and %u",
				   geometry->max_vertices, invocations,
				   SUNDOG_MAX_GEOMETRY_VERTICES, MAX_INVOCATIONS);
	bytes = (uint64_t)vertex_bytes(g) * (geometry->max_vertices + 1) * invocations;
	if (bytes > MAX_PRIMITIVE_BYTES)
		return gate_refuse(g, "a primitive may become %llu bytes, at most %u",
				   (unsigned long long)bytes, MAX_PRIMITIVE_BYTES);
	g->primitive_bytes = bytes;
	return true;
}

bool gate_stage_ok(struct gate *g)
{
	switch (g->cmd->stage) {
	case SUNDOG_STAGE_GEOMETRY:
		return geometry_ok(g);
	case SUNDOG_STAGE_COMPUTE:
		return gate_group_ok(g);
	case SUNDOG_STAGE_TASK:
	case SUNDOG_STAGE_MESH:
		return gate_mesh_ok(g);
	case SUNDOG_STAGE_TESS_EVAL:
		g->vertex_bytes = vertex_bytes(g);
		/* fall through */
	case SUNDOG_STAGE_TESS_CTRL:
		return gate_tess_ok(g);
	default:
		return true;
	}
}
