// SPDX-License-Identifier: MIT
/*
 * Shader prefetch, see shader_prefetch.h. Runs in the worker's main thread.
 */
#include "exec/shader_prefetch.h"

#include <string.h>

#include "exec/exec.h"
#include "packet.h"

static bool uses_shaders(uint32_t opcode)
{
	return opcode == SUNDOG_OP_BIND_SHADERS || opcode == SUNDOG_OP_REPORT_SHADER;
}

/*
 * Returns the next packet at or after *@at that creates shaders, or, if @uses, binds or reports
 * some; advances *@at past it. Returns NULL if there is no further well-formed one.
 */
static const uint32_t *next_packet(const uint32_t *stream, uint32_t dwords, uint32_t *at,
				   bool uses)
{
	uint32_t length, arg;

	for (; *at < dwords; *at += length) {
		const uint32_t *packet = stream + *at;
		const uint32_t opcode = SUNDOG_PACKET_OPCODE(*packet);

		length = SUNDOG_PACKET_DWORDS(*packet);
		if (!length)
			return NULL;
		if (opcode != SUNDOG_OP_CREATE_SHADER && !(uses && uses_shaders(opcode)))
			continue;
		if (sundog_packet_check(packet, dwords - *at, &arg))
			return NULL;
		*at += length;
		return packet;
	}
	return NULL;
}

static void add(struct exec *x, struct shader_prefetch *prefetch, const uint32_t *packet)
{
	const struct sundog_cmd_create_shader *cmd = (const void *)(packet + 1);
	const uint32_t *code = packet + sundog_packets[SUNDOG_OP_CREATE_SHADER].dwords;
	struct shader *shader;

	if (prefetch->n == MAX_PREFETCHED || !shader_stage_there(x, cmd->stage))
		return;
	shader = shader_new(cmd, code);
	if (!shader)
		return;
	if (!compiler_queue(x, shader)) {
		object_unref(x, &shader->object);
		return;
	}
	shader->packet = cmd;
	prefetch->needed[prefetch->n] = false;
	prefetch->shaders[prefetch->n++] = shader;
}

/* Stores the ids of the shaders that @packet, a use of shaders, names; returns how many. */
static uint32_t used_ids(const uint32_t *packet, uint32_t ids[NUM_SLOT_STAGES])
{
	const void *cmd = packet + 1;

	if (SUNDOG_PACKET_OPCODE(*packet) == SUNDOG_OP_REPORT_SHADER) {
		ids[0] = ((const struct sundog_cmd_report_shader *)cmd)->shader;
		return 1;
	}
	memcpy(ids, ((const struct sundog_cmd_bind_shaders *)cmd)->shaders,
	       NUM_SLOT_STAGES * sizeof(*ids));
	return NUM_SLOT_STAGES;
}

static void need(struct shader_prefetch *prefetch, const uint32_t *packet)
{
	uint32_t ids[NUM_SLOT_STAGES];
	const uint32_t n = used_ids(packet, ids);

	for (uint32_t i = 0; i < prefetch->n; i++)
		for (uint32_t j = 0; j < n; j++)
			prefetch->needed[i] |= prefetch->shaders[i]->id == ids[j];
}

void prefetch_scan(struct exec *x, struct shader_prefetch *prefetch, const uint32_t *stream,
		   uint32_t dwords)
{
	const uint32_t *packet;
	uint32_t at = 0;

	while ((packet = next_packet(stream, dwords, &at, prefetch->n))) {
		if (SUNDOG_PACKET_OPCODE(*packet) == SUNDOG_OP_CREATE_SHADER)
			add(x, prefetch, packet);
		else
			need(prefetch, packet);
	}
}

static bool waits_for(struct exec *x, struct shader *shader)
{
	if (shader->progress == SHADER_COMPILED)
		return false;
	compiler_hurry(x, shader);
	return true;
}

/*
 * Returns true if @packet binds or reports shaders made by earlier streams that are not compiled,
 * and hurries their compilation.
 */
static bool waits_for_used(struct exec *x, const uint32_t *packet)
{
	uint32_t ids[NUM_SLOT_STAGES];
	const uint32_t n = used_ids(packet, ids);
	bool waits = false;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t id = ids[i];
		struct object *object = id < SUNDOG_MAX_OBJECTS ? x->objects.by_id[id] : NULL;

		if (object && object->kind == SUNDOG_OBJECT_KIND_SHADER)
			waits |= waits_for(x, (struct shader *)object);
	}
	return waits;
}

bool prefetch_waits(struct exec *x, const struct shader_prefetch *prefetch, const uint32_t *stream,
		    uint32_t dwords)
{
	const uint32_t *packet;
	bool waits = false;
	uint32_t at = 0;

	if (!x->compiler.n_held)
		return false;
	for (uint32_t i = 0; i < prefetch->n; i++)
		waits |= prefetch->needed[i] && waits_for(x, prefetch->shaders[i]);
	while (!waits && (packet = next_packet(stream, dwords, &at, true)))
		if (SUNDOG_PACKET_OPCODE(*packet) != SUNDOG_OP_CREATE_SHADER)
			waits = waits_for_used(x, packet);
	return waits;
}

struct shader *prefetch_take(struct shader_prefetch *prefetch,
			     const struct sundog_cmd_create_shader *cmd)
{
	if (prefetch->taken == prefetch->n || prefetch->shaders[prefetch->taken]->packet != cmd)
		return NULL;
	return prefetch->shaders[prefetch->taken++];
}

void prefetch_end(struct exec *x, struct shader_prefetch *prefetch)
{
	for (uint32_t i = prefetch->taken; i < prefetch->n; i++) {
		compiler_forget(x, prefetch->shaders[i]);
		object_unref(x, &prefetch->shaders[i]->object);
	}
	prefetch->n = prefetch->taken = 0;
}
