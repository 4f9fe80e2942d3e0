// SPDX-License-Identifier: MIT
/* Parses SPIR-V modules, see spirv-reflect.h. */
#define SPV_ENABLE_UTILITY_CODE
#include "spirv-reflect.h"

#include <stdlib.h>
#include <string.h>

/*
 * External definition of an inline function of the header, which C requires if it is not inlined.
 */
extern void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);

#define MAX_BOUND (1 << 22)	/* "Universal Limits" of the SPIR-V specification */
#define MAX_ELEMENTS 256	/* descriptors of a binding, at most */

uint32_t spirv_arg(const uint32_t *op, uint32_t i)
{
	return op && i < spirv_words(op) ? op[i] : 0;
}

const uint32_t *spirv_def(const struct spirv *s, uint32_t id)
{
	return id < s->bound && s->defs[id] ? &s->words[s->defs[id]] : NULL;
}

static int compare_decorations(const void *pa, const void *pb)
{
	const struct spirv_decoration *a = pa, *b = pb;

	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	if (a->decoration != b->decoration)
		return a->decoration < b->decoration ? -1 : 1;
	return 0;
}

bool spirv_decoration(const struct spirv *s, uint32_t id, uint32_t member, uint32_t decoration,
		      uint32_t *value)
{
	const struct spirv_decoration key = { id, member, decoration, 0 };
	const struct spirv_decoration *d =
		bsearch(&key, s->decorations, s->n_decorations, sizeof(key), compare_decorations);

	if (d && value)
		*value = d->value;
	return d;
}

bool spirv_constant(const struct spirv *s, uint32_t id, uint32_t *value)
{
	const uint32_t *op = spirv_def(s, id);

	*value = spirv_arg(op, 3);
	return spirv_opcode(op) == SpvOpConstant || spirv_opcode(op) == SpvOpSpecConstant;
}

uint32_t spirv_pointee(const struct spirv *s, uint32_t variable)
{
	const uint32_t *pointer = spirv_def(s, spirv_arg(spirv_def(s, variable), 1));

	return spirv_opcode(pointer) == SpvOpTypePointer ? spirv_arg(pointer, 3) : 0;
}

bool spirv_number(const struct spirv *s, uint32_t type, enum spirv_class *class, uint32_t *width)
{
	const uint32_t *op = spirv_def(s, type);

	*width = spirv_arg(op, 2);
	if (spirv_opcode(op) == SpvOpTypeFloat)
		*class = SPIRV_FLOAT;
	else if (spirv_opcode(op) == SpvOpTypeInt)
		*class = spirv_arg(op, 3) ? SPIRV_INT : SPIRV_UINT;
	else
		return false;
	return *width == 8 || *width == 16 || *width == 32 || *width == 64;
}

static void add_entry(struct spirv *s, const uint32_t *op)
{
	const uint32_t words = spirv_words(op);
	const void *end = words > 3 ? memchr(op + 3, 0, (words - 3) * 4) : NULL;
	struct spirv_entry *e = &s->entries[s->n_entries];

	if (!end)
		return;
	e->op = op;
	e->model = op[1];
	e->function = op[2];
	e->name = (const char *)(op + 3);
	e->interface = 3 + ((const char *)end - e->name) / 4 + 1;
	s->n_entries++;
}

static void add_decoration(struct spirv *s, const uint32_t *op)
{
	const bool member = spirv_opcode(op) == SpvOpMemberDecorate;

	s->decorations[s->n_decorations++] = (struct spirv_decoration){
		spirv_arg(op, 1),
		member ? spirv_arg(op, 2) : SPIRV_NO_MEMBER,
		spirv_arg(op, 2 + member),
		spirv_arg(op, 3 + member),
	};
}

/* Records the instruction at word @at. Returns false if it extends past the end of the module. */
static bool add(struct spirv *s, size_t at)
{
	const uint32_t *op = &s->words[at];
	const uint32_t words = spirv_words(op);
	bool result, type;

	if (!words || words > s->n_words - at)
		return false;
	SpvHasResultAndType(spirv_opcode(op), &result, &type);
	if (result) {
		const uint32_t id = spirv_arg(op, 1 + type);

		if (id && id < s->bound)
			s->defs[id] = at;
	}
	if (spirv_opcode(op) == SpvOpEntryPoint)
		add_entry(s, op);
	else if (spirv_opcode(op) == SpvOpDecorate || spirv_opcode(op) == SpvOpMemberDecorate)
		add_decoration(s, op);
	return true;
}

const char *spirv_init(struct spirv *s, const uint32_t *words, size_t n_words)
{
	size_t n_entries = 0, n_decorations = 0, at;

	*s = (struct spirv){ .words = words, .n_words = n_words };
	if (n_words <= SPIRV_HEADER_WORDS || words[0] != SpvMagicNumber)
		return "no SPIR-V header in the byte order of this machine";
	if (words[SPIRV_HEADER_BOUND] > MAX_BOUND)
		return "bound of ids above the limit of the SPIR-V specification";
	s->bound = words[SPIRV_HEADER_BOUND];
	for (at = SPIRV_HEADER_WORDS; at < n_words && spirv_words(&words[at]);
	     at += spirv_words(&words[at])) {
		n_entries += spirv_opcode(words + at) == SpvOpEntryPoint;
		n_decorations += spirv_opcode(words + at) == SpvOpDecorate ||
				 spirv_opcode(words + at) == SpvOpMemberDecorate;
	}
	s->defs = calloc(s->bound + 1, sizeof(*s->defs));
	s->entries = calloc(n_entries + 1, sizeof(*s->entries));
	s->decorations = calloc(n_decorations + 1, sizeof(*s->decorations));
	if (!s->defs || !s->entries || !s->decorations)
		return "not enough memory";
	for (at = SPIRV_HEADER_WORDS; at < n_words; at += spirv_words(&words[at]))
		if (!add(s, at))
			return "an instruction extends past the end of the module";
	qsort(s->decorations, s->n_decorations, sizeof(*s->decorations), compare_decorations);
	return NULL;
}

void spirv_del(struct spirv *s)
{
	free(s->defs);
	free(s->entries);
	free(s->decorations);
}

bool spirv_mode(const struct spirv *s, const struct spirv_entry *e, uint32_t mode)
{
	for (size_t at = SPIRV_HEADER_WORDS; at < s->n_words; at += spirv_words(&s->words[at])) {
		const uint32_t *op = &s->words[at];

		if ((spirv_opcode(op) == SpvOpExecutionMode ||
		     spirv_opcode(op) == SpvOpExecutionModeId) &&
		    spirv_arg(op, 1) == e->function && spirv_arg(op, 2) == mode)
			return true;
	}
	return false;
}

bool spirv_uses(const struct spirv *s, uint32_t opcode)
{
	for (size_t at = SPIRV_HEADER_WORDS; at < s->n_words; at += spirv_words(&s->words[at]))
		if (spirv_opcode(&s->words[at]) == opcode)
			return true;
	return false;
}

struct reach {
	uint8_t *used, *called;		/* by id */
	uint32_t *queue;		/* functions, each once */
	size_t n_queue;
};

/*
 * Treats each word of a function as an id, even literals: it may find variables that the function
 * does not use, but misses none that it uses.
 */
static void reach_function(const struct spirv *s, struct reach *r, uint32_t function)
{
	for (size_t at = s->defs[function]; at < s->n_words; at += spirv_words(&s->words[at])) {
		const uint32_t *op = &s->words[at];
		const uint32_t callee = spirv_arg(op, 3);

		if (spirv_opcode(op) == SpvOpFunctionEnd)
			return;
		for (uint32_t i = 1; i < spirv_words(op); i++)
			if (op[i] < s->bound)
				r->used[op[i]] = 1;
		if (spirv_opcode(op) == SpvOpFunctionCall && callee < s->bound &&
		    !r->called[callee] &&
		    spirv_opcode(spirv_def(s, callee)) == SpvOpFunction) {
			r->called[callee] = 1;
			r->queue[r->n_queue++] = callee;
		}
	}
}

/*
 * Adds variables to which the initializers of used variables point. An initializer is defined
 * before its variable, hence the descending order.
 */
static void reach_initializers(const struct spirv *s, struct reach *r)
{
	for (uint32_t id = s->bound; id-- > 1;) {
		const uint32_t *op = spirv_def(s, id);
		const uint32_t initializer =
			spirv_opcode(op) == SpvOpVariable ? spirv_arg(op, 4) : 0;

		if (r->used[id] && initializer && initializer < s->bound)
			r->used[initializer] = 1;
	}
}

uint8_t *spirv_used(const struct spirv *s, const struct spirv_entry *e)
{
	struct reach r = {
		calloc(s->bound + 1, 1),
		calloc(s->bound + 1, 1),
		calloc(s->bound + 1, sizeof(uint32_t)),
		0,
	};

	if (r.used && r.called && r.queue &&
	    spirv_opcode(spirv_def(s, e->function)) == SpvOpFunction) {
		r.called[e->function] = 1;
		r.queue[r.n_queue++] = e->function;
		for (size_t i = 0; i < r.n_queue; i++)
			reach_function(s, &r, r.queue[i]);
		reach_initializers(s, &r);
		reach_initializers(s, &r);
	}
	free(r.called);
	free(r.queue);
	return r.used;
}

/*
 * Returns the variable from which a pointer, or a value loaded through it, originates, or 0 if that
 * is unclear.
 */
static uint32_t origin(const struct spirv *s, uint32_t id)
{
	for (int i = 0; i < SPIRV_MAX_DEPTH; i++) {
		const uint32_t *op = spirv_def(s, id);

		switch (spirv_opcode(op)) {
		case SpvOpVariable:
			return id;
		case SpvOpLoad:
		case SpvOpAccessChain:
		case SpvOpInBoundsAccessChain:
		case SpvOpCopyObject:
		case SpvOpImage:
			id = spirv_arg(op, 3);
			break;
		default:
			return 0;
		}
	}
	return 0;
}

static bool is_dref(uint32_t opcode)
{
	switch (opcode) {
	case SpvOpImageSampleDrefImplicitLod:
	case SpvOpImageSampleDrefExplicitLod:
	case SpvOpImageSampleProjDrefImplicitLod:
	case SpvOpImageSampleProjDrefExplicitLod:
	case SpvOpImageDrefGather:
	case SpvOpImageSparseSampleDrefImplicitLod:
	case SpvOpImageSparseSampleDrefExplicitLod:
	case SpvOpImageSparseDrefGather:
		return true;
	}
	return false;
}

static struct spirv_binding *binding_of(struct spirv_binding *bindings, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; id && i < count; i++)
		if (bindings[i].variable == id)
			return &bindings[i];
	return NULL;
}

/*
 * Records which samplers sample depths and which sample integers: these need samplers with other
 * state.
 */
static void note_sampling(const struct spirv *s, struct spirv_binding *bindings, uint32_t count)
{
	for (size_t at = 0; at < count; at++)
		if (bindings[at].depth)
			bindings[at].compare = true;
	for (size_t at = SPIRV_HEADER_WORDS; at < s->n_words; at += spirv_words(&s->words[at])) {
		const uint32_t *op = &s->words[at], *pair = op;
		struct spirv_binding *image, *sampler;

		if (spirv_opcode(op) != SpvOpSampledImage && !is_dref(spirv_opcode(op)))
			continue;
		if (is_dref(spirv_opcode(op)))
			pair = spirv_def(s, spirv_arg(op, 3));
		if (spirv_opcode(pair) == SpvOpSampledImage) {
			image = binding_of(bindings, count, origin(s, spirv_arg(pair, 3)));
			sampler = binding_of(bindings, count, origin(s, spirv_arg(pair, 4)));
		} else {
			image = sampler = binding_of(bindings, count, origin(s, spirv_arg(op, 3)));
		}
		if (is_dref(spirv_opcode(op)) && image)
			image->depth = true;
		if (is_dref(spirv_opcode(op)) && sampler)
			sampler->compare = true;
		if (image && sampler && image->class != SPIRV_FLOAT)
			sampler->nearest = true;
	}
}

static const char *image_binding(const struct spirv *s, struct spirv_binding *b,
				 const uint32_t *image)
{
	const uint32_t sampled = spirv_arg(image, 7);

	b->dim = spirv_arg(image, 3);
	b->depth = spirv_arg(image, 4) == 1;
	b->arrayed = spirv_arg(image, 5);
	b->multisampled = spirv_arg(image, 6);
	b->format = spirv_arg(image, 8);
	if (!spirv_number(s, spirv_arg(image, 2), &b->class, &b->width))
		return "an image without a sampled type";
	if (sampled == 2)
		b->depth = false;
	if (b->dim == SpvDimSubpassData)
		b->descriptor = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
	else if (b->dim == SpvDimBuffer)
		b->descriptor = sampled == 2 ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER :
					       VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	else
		b->descriptor = sampled == 2 ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE :
					       VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	spirv_decoration(s, b->variable, SPIRV_NO_MEMBER, SpvDecorationInputAttachmentIndex,
			 &b->input);
	return NULL;
}

static const char *opaque_binding(const struct spirv *s, struct spirv_binding *b)
{
	const uint32_t *op = spirv_def(s, b->type);
	const char *error;

	switch (spirv_opcode(op)) {
	case SpvOpTypeSampler:
		b->descriptor = VK_DESCRIPTOR_TYPE_SAMPLER;
		return NULL;
	case SpvOpTypeImage:
		return image_binding(s, b, op);
	case SpvOpTypeSampledImage:
		error = image_binding(s, b, spirv_def(s, spirv_arg(op, 2)));
		if (b->descriptor != VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER)
			b->descriptor = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
		b->nearest = b->class != SPIRV_FLOAT;
		return error;
	case SpvOpTypeAccelerationStructureKHR:
		return "an acceleration structure";
	}
	return "a variable of an unknown opaque type";
}

/* Strips the arrays off the type of a variable, and counts the elements. */
static const char *count_elements(const struct spirv *s, struct spirv_binding *b)
{
	b->count = 1;
	for (int depth = 0; depth < SPIRV_MAX_DEPTH; depth++) {
		const uint32_t *op = spirv_def(s, b->type);
		uint32_t length = SPIRV_RUNTIME_ELEMENTS;

		if (spirv_opcode(op) != SpvOpTypeArray && spirv_opcode(op) != SpvOpTypeRuntimeArray)
			return NULL;
		if (spirv_opcode(op) == SpvOpTypeArray &&
		    !spirv_constant(s, spirv_arg(op, 3), &length))
			return "an array of descriptors whose length is an expression";
		if (!length || length > MAX_ELEMENTS / b->count)
			return "an array of descriptors with no or too many elements";
		b->count *= length;
		b->type = spirv_arg(op, 2);
	}
	return "an array of descriptors with too many dimensions";
}

static const char *make_binding(const struct spirv *s, struct spirv_binding *b, uint32_t storage)
{
	const bool has_set = spirv_decoration(s, b->variable, SPIRV_NO_MEMBER,
					      SpvDecorationDescriptorSet, &b->set);
	const char *error;

	if (!spirv_decoration(s, b->variable, SPIRV_NO_MEMBER, SpvDecorationBinding, &b->binding) ||
	    !has_set)
		return "a descriptor without a set or a binding";
	b->type = spirv_pointee(s, b->variable);
	error = count_elements(s, b);
	if (error)
		return error;
	if (storage == SpvStorageClassUniformConstant)
		return opaque_binding(s, b);
	if (storage == SpvStorageClassStorageBuffer ||
	    spirv_decoration(s, b->type, SPIRV_NO_MEMBER, SpvDecorationBufferBlock, NULL))
		b->descriptor = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
	else
		b->descriptor = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	return NULL;
}

static int compare_bindings(const void *pa, const void *pb)
{
	const struct spirv_binding *a = pa, *b = pb;

	if (a->set != b->set)
		return a->set < b->set ? -1 : 1;
	if (a->binding != b->binding)
		return a->binding < b->binding ? -1 : 1;
	return a->variable < b->variable ? -1 : 1;
}

/*
 * Merges two variables with the same binding: of one type, or an image and a sampler that share a
 * combined descriptor.
 */
static const char *merge(struct spirv_binding *into, const struct spirv_binding *b)
{
	const bool sampler = b->descriptor == VK_DESCRIPTOR_TYPE_SAMPLER;
	const VkDescriptorType image = sampler ? into->descriptor : b->descriptor;
	const VkDescriptorType other = sampler ? b->descriptor : into->descriptor;
	const uint32_t count = b->count > into->count ? b->count : into->count;
	const bool depth = into->depth || b->depth, compare = into->compare || b->compare;
	const bool nearest = into->nearest || b->nearest;

	if (b->descriptor != into->descriptor) {
		const bool combined = other == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

		if (other != VK_DESCRIPTOR_TYPE_SAMPLER && !combined)
			return "a binding of two types";
		if (image != VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE &&
		    image != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER)
			return "a binding of two types";
		if (into->descriptor == VK_DESCRIPTOR_TYPE_SAMPLER)
			*into = *b;
		into->descriptor = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	}
	into->count = count;
	into->depth = depth;
	into->compare = compare;
	into->nearest = nearest;
	return NULL;
}

static const char *merge_all(struct spirv_binding *bindings, uint32_t *count)
{
	uint32_t n = 0;

	qsort(bindings, *count, sizeof(*bindings), compare_bindings);
	for (uint32_t i = 0; i < *count; i++) {
		const struct spirv_binding *b = &bindings[i];

		if (n && bindings[n - 1].set == b->set && bindings[n - 1].binding == b->binding) {
			const char *error = merge(&bindings[n - 1], b);

			if (error)
				return error;
		} else {
			bindings[n++] = *b;
		}
	}
	*count = n;
	return NULL;
}

static bool is_descriptor(const uint32_t *op)
{
	const uint32_t storage = spirv_arg(op, 3);

	return spirv_opcode(op) == SpvOpVariable &&
	       (storage == SpvStorageClassUniformConstant || storage == SpvStorageClassUniform ||
		storage == SpvStorageClassStorageBuffer);
}

const char *spirv_bindings(const struct spirv *s, const struct spirv_entry *e,
			   struct spirv_binding **bindings, uint32_t *count)
{
	uint8_t *used = spirv_used(s, e);
	const char *error = NULL;
	uint32_t most = 0;

	*count = 0;
	for (uint32_t id = 1; id < s->bound; id++)
		most += is_descriptor(spirv_def(s, id));
	*bindings = calloc(most + 1, sizeof(**bindings));
	if (!used || !*bindings)
		error = "not enough memory";
	for (uint32_t id = 1; !error && id < s->bound; id++) {
		if (used[id] && is_descriptor(spirv_def(s, id))) {
			struct spirv_binding *b = &(*bindings)[(*count)++];

			b->variable = id;
			error = make_binding(s, b, spirv_arg(spirv_def(s, id), 3));
		}
	}
	free(used);
	if (error)
		return error;
	note_sampling(s, *bindings, *count);
	return merge_all(*bindings, count);
}

bool spirv_is_builtin(const struct spirv *s, uint32_t variable)
{
	uint32_t type = spirv_pointee(s, variable);
	const uint32_t *op;

	if (spirv_decoration(s, variable, SPIRV_NO_MEMBER, SpvDecorationBuiltIn, NULL))
		return true;
	for (int depth = 0; depth < SPIRV_MAX_DEPTH; depth++) {
		op = spirv_def(s, type);
		if (spirv_opcode(op) != SpvOpTypeArray && spirv_opcode(op) != SpvOpTypeRuntimeArray)
			break;
		type = spirv_arg(op, 2);
	}
	return spirv_opcode(spirv_def(s, type)) == SpvOpTypeStruct &&
	       spirv_decoration(s, type, 0, SpvDecorationBuiltIn, NULL);
}

static bool has_builtin(const struct spirv *s, uint32_t variable, uint32_t builtin)
{
	const uint32_t type = spirv_pointee(s, variable);
	uint32_t value;

	if (spirv_decoration(s, variable, SPIRV_NO_MEMBER, SpvDecorationBuiltIn, &value) &&
	    value == builtin)
		return true;
	for (uint32_t m = 0; m < 16; m++)
		if (spirv_decoration(s, type, m, SpvDecorationBuiltIn, &value) && value == builtin)
			return true;
	return false;
}

bool spirv_has_builtin(const struct spirv *s, const struct spirv_entry *e, uint32_t storage,
		       uint32_t builtin)
{
	for (uint32_t i = e->interface; i < spirv_words(e->op); i++)
		if (spirv_arg(spirv_def(s, e->op[i]), 3) == storage &&
		    has_builtin(s, e->op[i], builtin))
			return true;
	return false;
}

struct slots {
	struct spirv_slot *slots;
	int count, max;
};

/* Adds the slots of a type from location @at on, and advances @at past its locations. */
static bool add_slots(const struct spirv *s, struct slots *to, uint32_t type, struct spirv_slot *at,
		      int depth)
{
	const uint32_t *op = spirv_def(s, type);
	const uint32_t opcode = spirv_opcode(op);
	uint32_t count = 1;

	if (depth > SPIRV_MAX_DEPTH)
		return false;
	if (opcode == SpvOpTypeInt || opcode == SpvOpTypeFloat || opcode == SpvOpTypeVector) {
		at->count = opcode == SpvOpTypeVector ? spirv_arg(op, 3) : 1;
		if (!spirv_number(s, opcode == SpvOpTypeVector ? spirv_arg(op, 2) : type,
				  &at->class, &at->width) ||
		    at->count > 4 || to->count == to->max)
			return false;
		to->slots[to->count++] = *at;
		at->location += 1 + (at->width == 64 && at->count > 2);
		return true;
	}
	if (opcode == SpvOpTypeStruct) {
		for (uint32_t m = 0; m + 2 < spirv_words(op); m++) {
			spirv_decoration(s, type, m, SpvDecorationLocation, &at->location);
			at->component = 0;
			spirv_decoration(s, type, m, SpvDecorationComponent, &at->component);
			if (!add_slots(s, to, spirv_arg(op, 2 + m), at, depth + 1))
				return false;
		}
		return true;
	}
	if (opcode == SpvOpTypeMatrix)
		count = spirv_arg(op, 3);
	else if (opcode != SpvOpTypeArray || !spirv_constant(s, spirv_arg(op, 3), &count))
		return false;
	if (count > MAX_ELEMENTS)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (!add_slots(s, to, spirv_arg(op, 2), at, depth + 1))
			return false;
	return true;
}

int spirv_slots(const struct spirv *s, const struct spirv_entry *e, uint32_t storage,
		struct spirv_slot *slots, int max)
{
	struct slots to = { slots, 0, max };

	for (uint32_t i = e->interface; i < spirv_words(e->op); i++) {
		const uint32_t id = e->op[i];
		struct spirv_slot at = { 0 };

		if (spirv_opcode(spirv_def(s, id)) != SpvOpVariable ||
		    spirv_arg(spirv_def(s, id), 3) != storage || spirv_is_builtin(s, id))
			continue;
		spirv_decoration(s, id, SPIRV_NO_MEMBER, SpvDecorationLocation, &at.location);
		spirv_decoration(s, id, SPIRV_NO_MEMBER, SpvDecorationComponent, &at.component);
		spirv_decoration(s, id, SPIRV_NO_MEMBER, SpvDecorationIndex, &at.index);
		if (!add_slots(s, &to, spirv_pointee(s, id), &at, 0))
			return -1;
	}
	return to.count;
}
