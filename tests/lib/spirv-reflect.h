/* SPDX-License-Identifier: MIT */
/*
 * Reflection of SPIR-V modules for vk-corpus: entry points, descriptor bindings, inputs and outputs
 * by location, types. A struct spirv refers to the words that it is made of, which stay in memory
 * as long as it is used. Modules may be malformed: every read of a word is bounds-checked, and
 * types that contain themselves end at a fixed depth.
 */
#ifndef TESTS_SPIRV_REFLECT_H
#define TESTS_SPIRV_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

#include "../../spirv/reader.h"

#define SPIRV_NO_MEMBER UINT32_MAX
#define SPIRV_MAX_DEPTH 16
#define SPIRV_RUNTIME_ELEMENTS 8	/* of an array of descriptors without a length */

struct spirv_decoration {
	uint32_t target, member, decoration, value;
};

struct spirv_entry {
	const uint32_t *op;		/* its OpEntryPoint */
	uint32_t model, function;
	const char *name;		/* terminated within the module */
	uint32_t interface;		/* index in @op of the first interface variable */
};

struct spirv {
	const uint32_t *words;
	size_t n_words;
	uint32_t bound;
	uint32_t *defs;		/* by id: index of its instruction's first word, or 0 */
	struct spirv_decoration *decorations;	/* sorted */
	size_t n_decorations;
	struct spirv_entry *entries;
	size_t n_entries;
};

/* Returns NULL, or a message that says why the module cannot be read. spirv_del() frees either. */
const char *spirv_init(struct spirv *s, const uint32_t *words, size_t n_words);
void spirv_del(struct spirv *s);

/* Word @i of an instruction, 0 beyond its end. */
uint32_t spirv_arg(const uint32_t *op, uint32_t i);
static inline uint32_t spirv_opcode(const uint32_t *op)
{
	return op ? spirv_op(op) : 0;
}
/* The instruction that defines an id, or NULL. */
const uint32_t *spirv_def(const struct spirv *s, uint32_t id);
bool spirv_decoration(const struct spirv *s, uint32_t id, uint32_t member, uint32_t decoration,
		      uint32_t *value);
/* The value of an OpConstant or the default of an OpSpecConstant; false for any other id. */
bool spirv_constant(const struct spirv *s, uint32_t id, uint32_t *value);
/* The type that a variable's pointer points to, or 0. */
uint32_t spirv_pointee(const struct spirv *s, uint32_t variable);
/* Returns true if the entry point has execution mode @mode. */
bool spirv_mode(const struct spirv *s, const struct spirv_entry *e, uint32_t mode);
/* Returns true if an instruction of the module has this opcode. */
bool spirv_uses(const struct spirv *s, uint32_t opcode);

/* By id: 1 if a function that the entry point reaches may use it. The caller frees it. */
uint8_t *spirv_used(const struct spirv *s, const struct spirv_entry *e);

enum spirv_class { SPIRV_FLOAT, SPIRV_INT, SPIRV_UINT };

/* A number's class and width; false if the type is neither an integer nor a float. */
bool spirv_number(const struct spirv *s, uint32_t type, enum spirv_class *class, uint32_t *width);

struct spirv_binding {
	uint32_t set, binding, variable;
	uint32_t type;			/* of an element of the variable */
	VkDescriptorType descriptor;
	uint32_t count;
	/* Images, with texel buffers and input attachments. */
	uint32_t dim, format, input;	/* SpvDim, SpvImageFormat, InputAttachmentIndex */
	bool arrayed, multisampled;
	enum spirv_class class;
	uint32_t width;
	bool depth;			/* an OpImage*Dref* instruction samples it */
	bool compare, nearest;		/* samplers: of depths; of integers */
};

/*
 * Sorted by set and binding, without duplicates. Returns NULL, or a message that says why resources
 * cannot be made for the entry point. The caller frees @bindings.
 */
const char *spirv_bindings(const struct spirv *s, const struct spirv_entry *e,
			   struct spirv_binding **bindings, uint32_t *count);

/* A scalar or a vector at a location. */
struct spirv_slot {
	uint32_t location, component, count, width, index;
	enum spirv_class class;
};

/*
 * The slots of the entry point's interface variables of a storage class that have a location.
 * Returns how many there are, or -1 if they are more than @max or of types that no interface has.
 */
int spirv_slots(const struct spirv *s, const struct spirv_entry *e, uint32_t storage,
		struct spirv_slot *slots, int max);
/* Returns true if a variable, or a member of its block, is decorated BuiltIn. */
bool spirv_is_builtin(const struct spirv *s, uint32_t variable);
/* Returns true if a variable of the entry point's interface, of that storage class, is @builtin. */
bool spirv_has_builtin(const struct spirv *s, const struct spirv_entry *e, uint32_t storage,
		       uint32_t builtin);

#endif
