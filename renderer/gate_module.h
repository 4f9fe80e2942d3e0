/* SPDX-License-Identifier: MIT */
/*
 * A module on its way through the gate, see gate.h.
 */
#ifndef GATE_MODULE_H
#define GATE_MODULE_H

#include "gate.h"

#define GATE_NOT_SET UINT32_MAX

/* What is remembered of an id. */
struct gate_id {
	uint32_t set, binding, location;	/* decorations, GATE_NOT_SET if absent */
	uint32_t op;				/* of a type or constant */
	uint32_t a, b;				/* type operands: pointee, element, length; value */
	uint32_t type;				/* of a value */
	uint32_t stride;			/* of an array, bytes */
	bool builtin, block;
	const uint32_t *members;		/* member types of a struct */
	uint32_t n_members;
	uint32_t nodes, parts, depth;		/* of a container type, see gate_scan.c */
	uint32_t body;				/* of a function: the word where it begins */
	uint64_t expanded;			/* of a function: its size with its calls, 0: not known */
};

struct gate {
	const struct sundog_cmd_create_shader *cmd;
	const uint32_t *code;			/* the packet's, or owned */
	uint32_t *owned;
	size_t words;
	struct gate_id *ids;
	uint32_t n_ids;
	uint32_t entry_points, entry;
	bool flatten;				/* has calls or specialisation constants */
	bool flat;				/* they are gone */
	uint64_t variable_bytes;
	uint64_t builtin_elements;		/* of built-in arrays */
	uint32_t textures[SUNDOG_MAX_TEXTURES];
	char *why;
	size_t why_size;
};

bool gate_refuse(struct gate *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Ids that are out of range share the first one; valid modules have none. */
static inline struct gate_id *gate_id(struct gate *g, uint32_t id)
{
	return &g->ids[id < g->n_ids ? id : 0];
}

/* Read all instructions of a module that may be anything, and fill in what ids are. */
bool gate_scan(struct gate *g);

/* Hold a valid module against its packet. */
bool gate_reflect(struct gate *g);

/* Make what cubes are sampled with safe. After gate_reflect(): ids of image types have their kinds. */
bool gate_clamp_cubes(struct gate *g);

#endif
