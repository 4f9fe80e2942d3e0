#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Generates WGSL programs from a seed, with the values that they must compute: switches, loops,
// barriers, pointers, matrices, bit operations, atomics. The same seed gives the same program.
// usage: generate.mjs SEED [--stage=compute|vertex|fragment] [--values]
//   prints the program; with --values also the buffers after it, as comments.
import { pathToFileURL } from 'node:url';
import {
	BOOL,
	F32,
	I32,
	U32,
	array,
	atomic,
	expression,
	literal,
	mat,
	node,
	print,
	ptr,
	scalar_of,
	struct,
	vec,
} from './types.mjs';
import { run } from './model.mjs';

// Bounds of the f32 values in variables: sums and products of a few of them stay exact.
const BOUND = 64,
	BOUND_MAT = 8,
	BOUND_EXACT = 1 << 24;
// Nodes that one invocation may evaluate; functions have a share of it.
const COST_MAIN = 1500,
	COST_FUNCTION = 250;
const INPUTS = 64,
	COUNTERS = 8;

// xoshiro128**, seeded by splitmix32.
class Random {
	constructor(seed) {
		let x = seed >>> 0;
		this.s = Array.from({ length: 4 }, () => {
			x = (x + 0x9e3779b9) >>> 0;
			let z = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
			z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
			return (z ^ (z >>> 16)) >>> 0;
		});
	}

	word() {
		const s = this.s;
		const r = Math.imul(s[1], 5);
		const result = Math.imul((r << 7) | (r >>> 25), 9) >>> 0;
		const t = s[1] << 9;
		s[2] ^= s[0];
		s[3] ^= s[1];
		s[1] ^= s[2];
		s[0] ^= s[3];
		s[2] ^= t;
		s[3] = (s[3] << 11) | (s[3] >>> 21);
		return result;
	}

	below(n) {
		return this.word() % n;
	}

	range(low, high) {
		return low + this.below(high - low + 1);
	}

	chance(percent) {
		return this.below(100) < percent;
	}

	pick(list) {
		return list[this.below(list.length)];
	}
}

const is_int = (t) => t === I32 || t === U32;
const literal_u32 = (v) => literal(U32, v);

function bound_of(type) {
	switch (type.kind) {
		case 'scalar':
		case 'vec':
			return scalar_of(type) === F32 ? BOUND : 0;
		case 'mat':
			return BOUND_MAT;
		default:
			return BOUND;
	}
}

const variable = (name, type) => node('variable', type, { name, bound: bound_of(type) });
const all_constant = (args) => args.every((a) => a.constant);
const widest = (args) => Math.max(0, ...args.map((a) => a.bound));

function construct(type, args) {
	return node('construct', type, { args, constant: all_constant(args), bound: widest(args) });
}

function binary(type, op, a, b) {
	let bound = 0;
	if (scalar_of(type) === F32) {
		const terms =
			a.type.kind === 'mat'
				? a.type.n
				: b.type.kind === 'mat' && a.type.kind === 'vec'
					? b.type.rows
					: 1;
		bound = op === '*' ? a.bound * b.bound * terms : a.bound + b.bound;
	}
	return node('binary', type, { op, a, b, constant: a.constant && b.constant, bound });
}

function builtin(type, name, args, bound = 0, field = '') {
	const constant = all_constant(args);
	return node('builtin', type, { name, args, field, constant, bound });
}

class Generator {
	constructor(seed, options) {
		this.random = new Random(seed);
		this.options = options;
		this.names = 0;
		this.structs = [];
		this.globals = [];
		this.functions = [];
		this.scope = [];
		this.cost = 0;
		this.limit = COST_FUNCTION;
		this.turns = 1;
	}

	name(prefix) {
		return `${prefix}_${this.names++}`;
	}

	// ---- Types ----

	scalar_type() {
		return this.random.pick([I32, I32, U32, U32, F32, BOOL]);
	}

	// A type of variables, parameters and results. DEPTH limits nested arrays and structs.
	type(depth = 1) {
		const r = this.random;
		const kind = r.below(depth > 0 ? 12 : 8);
		if (kind < 4) return this.scalar_type();
		if (kind < 7) return vec(r.range(2, 4), this.scalar_type());
		if (kind < 8) return mat(r.range(2, 4), r.range(2, 4));
		if (kind < 10 || !this.structs.length) return array(this.type(depth - 1), r.range(2, 5));
		return r.pick(this.structs);
	}

	// Types of buffers and of workgroup memory: no bool, which has no layout.
	memory_type() {
		for (;;) {
			const t = this.type(0);
			if (scalar_of(t) !== BOOL) return t;
		}
	}

	make_structs() {
		const r = this.random;
		for (let i = r.range(1, 3); i > 0; i--) {
			const name = this.name('S');
			const members = [];
			for (let j = r.range(2, 5); j > 0; j--) {
				const type = r.chance(25)
					? array(this.memory_type(), r.range(2, 4))
					: this.structs.length && r.chance(15)
						? r.pick(this.structs)
						: this.memory_type();
				members.push({ name: this.name('m'), type });
			}
			this.structs.push(struct(name, members));
		}
	}

	// ---- Variables in scope ----

	declare(name, type, fields) {
		const v = { name, type, ...fields };
		this.scope.push(v);
		return v;
	}

	// as_node VARIABLE: the expression that reads it.
	as_node(v) {
		const e = { ...variable(v.name, v.type), constant: v.constant ?? false };
		if (v.type.kind === 'ptr')
			return node('deref', v.type.elem, { base: e, bound: bound_of(v.type.elem) });
		if (v.at)
			return node('index', v.type.elem, {
				base: e,
				index: v.at(),
				bound: bound_of(v.type.elem),
			});
		return e;
	}

	// An index below N, for the dynamic ones of arrays, vectors and matrices.
	index(n, depth) {
		const r = this.random;
		if (r.chance(40)) return literal(r.pick([I32, U32]), r.below(n));
		const value = this.expr(U32, Math.min(depth, 1));
		if (value.constant) return literal_u32(r.below(n));
		const power = (n & (n - 1)) === 0 && r.chance(50);
		return power
			? binary(U32, '&', value, literal_u32(n - 1))
			: binary(U32, '%', value, literal_u32(n));
	}

	// parts E: a part of it at random, down to TARGET; undefined if E has none.
	part(e, target, depth) {
		const r = this.random;
		if (e.type === target) return e;
		const next = [];
		const reach = (t) => {
			if (t === target) return true;
			if (t.kind === 'struct') return t.members.some((m) => reach(m.type));
			return t.elem !== undefined && t.kind !== 'atomic' && reach(t.elem);
		};
		if (e.type.kind === 'struct') {
			e.type.members.forEach((m, index) => {
				if (reach(m.type))
					next.push(() =>
						node('member', m.type, { base: e, index, bound: bound_of(m.type) }),
					);
			});
		} else if (['vec', 'mat', 'array'].includes(e.type.kind) && reach(e.type.elem)) {
			const bound = e.type.kind === 'array' ? bound_of(e.type.elem) : e.bound;
			const fields = { base: e, bound };
			next.push(() =>
				node('index', e.type.elem, { ...fields, index: this.index(e.type.n, depth) }),
			);
			if (e.type.kind === 'vec')
				next.push(() =>
					node('component', e.type.elem, { ...fields, index: r.below(e.type.n) }),
				);
		}
		return next.length ? this.part(r.pick(next)(), target, depth) : undefined;
	}

	// places TARGET WRITABLE: what is in scope and has a part of that type.
	readable(target, depth) {
		const r = this.random;
		for (let tries = 0; tries < 4 && this.scope.length; tries++) {
			const v = this.random.chance(60)
				? this.scope[this.scope.length - 1 - r.below(Math.min(6, this.scope.length))]
				: r.pick(this.scope);
			if (v.hidden) continue;
			const e = this.part(this.as_node(v), target, depth);
			if (e) return e;
		}
		return undefined;
	}

	writable() {
		const r = this.random;
		const some = this.scope.filter((v) => v.writable && !v.hidden);
		if (!some.length) return undefined;
		let e = this.as_node(r.pick(some));
		for (;;) {
			const t = e.type;
			if (t.kind === 'scalar' || (t.kind !== 'struct' && r.chance(40))) return e;
			if (t.kind === 'struct') {
				const index = r.below(t.members.length);
				const type = t.members[index].type;
				e = node('member', type, { base: e, index, bound: bound_of(type) });
			} else if (t.kind === 'vec' && r.chance(50)) {
				e = node('component', t.elem, { base: e, index: r.below(t.n), bound: e.bound });
			} else {
				// Columns of matrices have the bound of the matrix, which a store must keep.
				const bound = t.kind === 'array' ? bound_of(t.elem) : e.bound;
				e = node('index', t.elem, { base: e, index: this.index(t.n, 1), bound });
			}
		}
	}

	// ---- Expressions ----

	input_word() {
		const base = variable('input', array(U32, INPUTS));
		return node('index', U32, { base, index: literal_u32(this.random.below(INPUTS)) });
	}

	// A value that no compiler knows, so that const-expressions neither overflow nor divide by zero.
	runtime(type) {
		const r = this.random;
		const found = r.chance(70) ? this.readable(type, 0) : undefined;
		if (found && !found.constant) return found;
		if (type === U32)
			return r.chance(30)
				? binary(U32, '&', this.input_word(), literal_u32(r.pick([1, 15, 255])))
				: this.input_word();
		if (type === I32)
			return r.chance(50)
				? construct(I32, [this.input_word()])
				: node('bitcast', I32, { a: this.runtime(U32) });
		if (type === BOOL)
			return binary(
				BOOL,
				r.pick(['<', '==', '>']),
				this.runtime(U32),
				literal_u32(r.below(64)),
			);
		if (type === F32) {
			const word = binary(U32, '&', this.runtime(U32), literal_u32(31));
			return node('construct', F32, { args: [word], bound: 31 });
		}
		return this.composite(type, -1);
	}

	literal(type) {
		const r = this.random;
		if (type === BOOL) return literal(BOOL, r.chance(50));
		if (type === F32) return literal(F32, r.range(-8, 8));
		const small = r.below(16),
			word = r.word();
		const value = r.pick([
			small,
			small,
			1 << r.below(32),
			word,
			-1,
			0x7fffffff,
			-0x80000000,
			-small,
		]);
		return literal(type, type === I32 ? value | 0 : value >>> 0);
	}

	leaf(type) {
		if (type.kind === 'scalar' && this.random.chance(25)) return this.literal(type);
		return this.readable(type, 0) ?? this.runtime(type);
	}

	// reduce E BOUND: a value within the bound, by clamp() or the remainder of an integer division.
	reduce(e, bound) {
		const t = e.type;
		if (t.kind === 'mat') {
			if (e.bound <= bound) return e;
			return this.composite(t, 0);
		}
		if (scalar_of(t) !== F32 || t.kind === 'struct' || t.kind === 'array' || e.bound <= bound)
			return e;
		const splat = (type, value) =>
			t.kind === 'scalar'
				? literal(type, value)
				: construct(vec(t.n, type), [literal(type, value)]);
		if (this.random.chance(50))
			return builtin(t, 'clamp', [e, splat(F32, -bound), splat(F32, bound)], bound);
		const ints = t.kind === 'scalar' ? I32 : vec(t.n, I32);
		const rest = binary(ints, '%', construct(ints, [e]), splat(I32, bound));
		return { ...construct(t, [rest]), bound: bound - 1 };
	}

	// value TYPE: an expression to be stored, passed or returned.
	value(type, depth, bound = bound_of(type)) {
		const e = this.expr(type, depth);
		return this.reduce(e, bound);
	}

	// not_all_constant ARGS: with the first replaced by a runtime value if all are constant.
	not_all_constant(args) {
		if (all_constant(args)) args[0] = this.runtime(args[0].type);
		return args;
	}

	composite(type, depth) {
		const r = this.random;
		const inner = (t) => (depth < 0 ? this.runtime(t) : this.value(t, depth - 1));
		switch (type.kind) {
			case 'vec': {
				if (r.chance(20))
					return construct(type, [
						depth < 0 ? this.runtime(type.elem) : this.expr(type.elem, depth - 1),
					]);
				if (depth >= 0 && r.chance(15) && type.elem !== F32) {
					const from = vec(type.n, r.pick([I32, U32, BOOL]));
					return construct(type, this.not_all_constant([this.expr(from, depth - 1)]));
				}
				const args = [];
				for (let left = type.n; left > 0;) {
					const n = Math.min(left, r.chance(20) ? r.range(2, 3) : 1);
					const t = n === type.n || n === 1 ? type.elem : vec(n, type.elem);
					args.push(depth < 0 ? this.runtime(t) : this.expr(t, depth - 1));
					left -= t.kind === 'vec' ? n : 1;
				}
				return construct(type, args);
			}
			case 'mat': {
				const column = (t) =>
					this.reduce(depth < 0 ? this.runtime(t) : this.expr(t, depth - 1), BOUND_MAT);
				if (r.chance(30))
					return construct(
						type,
						Array.from({ length: type.n * type.rows }, () => column(F32)),
					);
				return construct(
					type,
					Array.from({ length: type.n }, () => column(type.elem)),
				);
			}
			case 'array':
				return construct(
					type,
					Array.from({ length: type.n }, () => inner(type.elem)),
				);
			case 'struct':
				return construct(
					type,
					type.members.map((m) => inner(m.type)),
				);
		}
		throw new Error(`${type.name} is no composite`);
	}

	// A call of a function that changes nothing, for the midst of expressions.
	pure_call(type, depth) {
		const some = this.functions.filter((f) => f.result === type && f.pure && this.affords(f));
		return some.length ? this.call(this.random.pick(some), depth) : undefined;
	}

	affords(f) {
		return this.cost + f.cost * this.turns < this.limit;
	}

	call(f, depth) {
		this.cost += f.cost * this.turns;
		const args = f.params.map((p) => this.value(p.type, Math.min(depth, 1)));
		return node('call', f.result ?? BOOL, {
			func: f,
			args,
			bound: f.result ? bound_of(f.result) : 0,
		});
	}

	expr(type, depth) {
		const r = this.random;
		this.cost += this.turns;
		if (depth <= 0) return this.leaf(type);
		if (r.chance(15)) return this.leaf(type);
		if (r.chance(12)) {
			const call = this.pure_call(type, depth);
			if (call) return call;
		}
		if (type.kind === 'array' || type.kind === 'struct')
			return r.chance(60) ? this.leaf(type) : this.composite(type, depth);
		if (type.kind === 'mat') return this.mat_expr(type, depth);
		if (r.chance(8)) {
			const no = this.expr(type, depth - 1),
				yes = this.expr(type, depth - 1);
			const test = type.kind === 'vec' && r.chance(50) ? vec(type.n, BOOL) : BOOL;
			const args = [no, yes, this.expr(test, depth - 1)];
			return builtin(type, 'select', this.not_all_constant(args), widest([no, yes]));
		}
		if (type.kind === 'vec' && r.chance(30)) return this.vec_expr(type, depth);
		switch (scalar_of(type)) {
			case BOOL:
				return this.bool_expr(type, depth);
			case F32:
				return this.float_expr(type, depth);
			default:
				return this.int_expr(type, depth);
		}
	}

	// like TYPE SCALAR: TYPE with another scalar.
	like(type, scalar) {
		return type.kind === 'vec' ? vec(type.n, scalar) : scalar;
	}

	vec_expr(type, depth) {
		const r = this.random;
		if (r.chance(40)) return this.composite(type, depth);
		if (type.elem === F32 && r.chance(50)) {
			const other = r.range(2, 4);
			const m = r.chance(50)
				? [this.expr(mat(other, type.n), depth - 1), vec(other, F32), false]
				: [this.expr(mat(type.n, other), depth - 1), vec(other, F32), true];
			const v = this.reduce(this.expr(m[1], depth - 1), BOUND);
			const factor = this.reduce(m[0], 1024);
			return m[2] ? binary(type, '*', v, factor) : binary(type, '*', factor, v);
		}
		if (type.elem === F32 && type.n === 2 && r.chance(20)) {
			const packed = builtin(U32, 'pack2x16float', [this.positive(type, depth - 1)]);
			return builtin(type, 'unpack2x16float', this.not_all_constant([packed]), 2048);
		}
		if (type.elem === F32 && type.n === 3 && r.chance(20)) {
			const args = [0, 1].map(() => this.reduce(this.expr(type, depth - 1), BOUND));
			return builtin(type, 'cross', this.not_all_constant(args), 2 * BOUND * BOUND);
		}
		if (this.options.packed && type === vec(4, U32) && r.chance(30))
			return builtin(type, 'unpack4xU8', this.not_all_constant([this.expr(U32, depth - 1)]));
		if (this.options.packed && type === vec(4, I32) && r.chance(30))
			return builtin(type, 'unpack4xI8', this.not_all_constant([this.expr(U32, depth - 1)]));
		const base = this.expr(vec(r.range(2, 4), type.elem), depth - 1);
		const order = Array.from({ length: type.n }, () => r.below(base.type.n));
		return node('swizzle', type, { base, order, constant: base.constant, bound: base.bound });
	}

	mat_expr(type, depth) {
		const r = this.random;
		switch (r.below(6)) {
			case 0:
			case 1:
				return this.composite(type, depth);
			case 2: {
				const args = [this.expr(mat(type.rows, type.n), depth - 1)];
				return builtin(type, 'transpose', this.not_all_constant(args), args[0].bound);
			}
			case 3: {
				const args = this.not_all_constant([
					this.expr(type, depth - 1),
					this.expr(type, depth - 1),
				]);
				return binary(type, r.pick('+-'), ...args);
			}
			case 4: {
				const inner = r.range(2, 4);
				const a = this.reduce(this.expr(mat(inner, type.rows), depth - 1), 64);
				const b = this.reduce(this.expr(mat(type.n, inner), depth - 1), 64);
				return binary(type, '*', ...this.not_all_constant([a, b]));
			}
			default: {
				const m = this.reduce(this.expr(type, depth - 1), 256);
				const s = this.reduce(this.runtime(F32), BOUND);
				return r.chance(50) ? binary(type, '*', m, s) : binary(type, '*', s, m);
			}
		}
	}

	bool_expr(type, depth) {
		const r = this.random;
		const sub = (t) => this.expr(t, depth - 1);
		const kind = r.below(10);
		if (kind < 5) {
			const of = this.like(type, r.pick([I32, U32, F32]));
			const args = this.not_all_constant([sub(of), sub(of)]);
			return binary(type, r.pick(['==', '!=', '<', '<=', '>', '>=']), ...args);
		}
		if (kind < 6)
			return node('unary', type, { op: '!', a: this.not_all_constant([sub(type)])[0] });
		if (type.kind === 'vec' || kind < 7)
			return binary(type, r.pick('&|'), ...this.not_all_constant([sub(type), sub(type)]));
		if (kind < 9)
			return binary(
				type,
				r.pick(['&&', '||']),
				...this.not_all_constant([sub(type), sub(type)]),
			);
		return builtin(
			type,
			r.pick(['all', 'any']),
			this.not_all_constant([sub(vec(r.range(2, 4), BOOL))]),
		);
	}

	// A positive f32 that is no more than 2048, whose bits are known: never -0.
	positive(type, depth) {
		const e = this.reduce(this.expr(type, depth), BOUND);
		const one = type.kind === 'vec' ? construct(type, [literal(F32, 1)]) : literal(F32, 1);
		const size = builtin(type, 'abs', this.not_all_constant([e]), e.bound);
		return binary(type, '+', size, one);
	}

	float_expr(type, depth) {
		const r = this.random;
		const scalar = type.kind === 'scalar';
		const sub = (bound) => this.reduce(this.expr(type, depth - 1), bound);
		const splat = (value) =>
			scalar ? literal(F32, value) : construct(type, [literal(F32, value)]);
		switch (r.below(scalar ? 17 : 12)) {
			case 0:
			case 1: {
				const args = this.not_all_constant([sub(BOUND_EXACT / 2), sub(BOUND_EXACT / 2)]);
				return binary(type, r.pick('+-'), ...args);
			}
			case 2:
			case 3:
				return binary(type, '*', ...this.not_all_constant([sub(2048), sub(2048)]));
			case 4: {
				const a = this.not_all_constant([sub(BOUND_EXACT)])[0];
				return node('unary', type, { op: '-', a, bound: a.bound });
			}
			case 5: {
				const args = this.not_all_constant([sub(BOUND_EXACT)]);
				return builtin(type, r.pick(['abs', 'sign']), args, Math.max(1, args[0].bound));
			}
			case 6: {
				const args = this.not_all_constant([sub(BOUND_EXACT), sub(BOUND_EXACT)]);
				return builtin(type, r.pick(['min', 'max']), args, widest(args));
			}
			case 7: {
				const low = r.range(-32, 8);
				const args = [
					this.not_all_constant([sub(BOUND_EXACT)])[0],
					splat(low),
					splat(low + r.below(40)),
				];
				return builtin(type, 'clamp', args, 64);
			}
			case 8: {
				// Exact: a quarter of an integer. The model computes the same with the rounded value.
				const a = this.not_all_constant([sub(1 << 20)])[0];
				const quarter = node('binary', type, {
					op: '*',
					a,
					b: splat(0.25),
					bound: a.bound,
				});
				return builtin(
					type,
					r.pick(['floor', 'ceil', 'trunc', 'round']),
					[quarter],
					a.bound + 1,
				);
			}
			case 9: {
				const args = this.not_all_constant([sub(1024), sub(1024), sub(1024)]);
				return builtin(type, 'fma', args, 1024 * 1024 + 1024);
			}
			case 10: {
				const args = this.not_all_constant([sub(BOUND_EXACT), sub(BOUND_EXACT)]);
				return builtin(type, 'step', args, 1);
			}
			case 11: {
				const ints = this.like(type, r.pick([I32, U32]));
				const mask = literal(ints.elem ?? ints, 63);
				const masks = ints.kind === 'vec' ? construct(ints, [mask]) : mask;
				const low = binary(
					ints,
					'&',
					this.not_all_constant([this.expr(ints, depth - 1)])[0],
					masks,
				);
				return { ...construct(type, [low]), bound: 63 };
			}
			case 12: {
				const t = vec(r.range(2, 4), F32);
				const args = [0, 1].map(() => this.reduce(this.expr(t, depth - 1), 1024));
				return builtin(type, 'dot', this.not_all_constant(args), 4 * 1024 * 1024);
			}
			case 13: {
				const n = r.range(2, 4);
				const m = this.reduce(this.expr(mat(n, n), depth - 1), BOUND_MAT);
				return builtin(
					type,
					'determinant',
					this.not_all_constant([m]),
					BOUND_MAT ** n * 24,
				);
			}
			case 14: {
				const m = this.expr(mat(r.range(2, 4), r.range(2, 4)), depth - 1);
				return this.constant_free(m) ? this.part(m, F32, 1) : this.runtime(F32);
			}
			case 15: {
				const a = this.not_all_constant([sub(4096)])[0];
				return builtin(type, 'ldexp', [a, literal(I32, r.below(8))], a.bound * 128);
			}
			default: {
				const v = this.expr(vec(r.range(2, 4), F32), depth - 1);
				return this.constant_free(v) ? this.part(v, F32, 1) : this.runtime(F32);
			}
		}
	}

	// Parts of const-expressions are const-expressions, too; the generator takes none of them.
	constant_free(e) {
		return !e.constant;
	}

	int_expr(type, depth) {
		const r = this.random;
		const scalar = type.kind === 'scalar';
		const elem = scalar_of(type);
		const sub = (t = type) => this.expr(t, depth - 1);
		const splat = (t, value) =>
			t.kind === 'scalar' ? literal(t, value) : construct(t, [literal(t.elem, value)]);
		const u32s = this.like(type, U32);
		switch (r.below(scalar ? 22 : 16)) {
			case 0:
			case 1:
			case 2:
				return binary(type, r.pick('+-*'), ...this.not_all_constant([sub(), sub()]));
			case 3:
			case 4:
				return binary(type, r.pick('&|^'), ...this.not_all_constant([sub(), sub()]));
			case 5: {
				const a = this.runtime(type);
				const b = r.chance(50) ? splat(type, r.pick([1, 2, 3, 7, 10, 64])) : sub();
				return binary(
					type,
					r.pick('/%'),
					a,
					b.constant && b.kind !== 'literal' && !b.args ? a : this.nonzero(b),
				);
			}
			case 6:
			case 7: {
				const by = r.chance(50)
					? splat(u32s, r.below(32))
					: binary(u32s, '&', this.runtime(u32s), splat(u32s, 31));
				return binary(type, r.pick(['<<', '>>']), this.not_all_constant([sub()])[0], by);
			}
			case 8:
				return node('unary', type, {
					op: elem === I32 && r.chance(50) ? '-' : '~',
					a: this.not_all_constant([sub()])[0],
				});
			case 9: {
				const name = r.pick(['min', 'max', 'clamp']);
				if (name === 'clamp') {
					const low = r.range(0, 100),
						high = low + r.range(0, 1000);
					const args = [
						this.not_all_constant([sub()])[0],
						splat(type, low),
						splat(type, high),
					];
					return builtin(type, name, args);
				}
				return builtin(type, name, this.not_all_constant([sub(), sub()]));
			}
			case 10:
			case 11: {
				const names = [
					'countOneBits',
					'countLeadingZeros',
					'countTrailingZeros',
					'reverseBits',
					'firstLeadingBit',
					'firstTrailingBit',
					'abs',
				];
				const name = r.pick(elem === I32 ? [...names, 'sign'] : names);
				return builtin(type, name, this.not_all_constant([sub()]));
			}
			case 12: {
				const at = this.runtime(U32),
					count = this.runtime(U32);
				const masked = [at, count].map((e) =>
					binary(U32, '&', e, literal_u32(r.pick([7, 15, 31]))),
				);
				return builtin(type, 'extractBits', [this.not_all_constant([sub()])[0], ...masked]);
			}
			case 13: {
				const at = this.runtime(U32),
					count = this.runtime(U32);
				const masked = [at, count].map((e) =>
					binary(U32, '&', e, literal_u32(r.pick([7, 15, 31]))),
				);
				return builtin(type, 'insertBits', [
					...this.not_all_constant([sub(), sub()]),
					...masked,
				]);
			}
			case 14: {
				const other = this.like(type, elem === I32 ? U32 : I32);
				const a = this.not_all_constant([sub(other)])[0];
				return r.chance(50) ? construct(type, [a]) : node('bitcast', type, { a });
			}
			case 15: {
				const floats = this.like(type, F32);
				if (elem === U32 && r.chance(50))
					return node('bitcast', type, { a: this.positive(floats, depth - 1) });
				const a = this.not_all_constant([this.reduce(sub(floats), BOUND_EXACT)])[0];
				return construct(type, [elem === U32 ? builtin(floats, 'abs', [a], a.bound) : a]);
			}
			case 16: {
				const t = vec(r.range(2, 4), type);
				return builtin(type, 'dot', this.not_all_constant([sub(t), sub(t)]));
			}
			case 17:
				return construct(type, this.not_all_constant([sub(BOOL)]));
			case 18:
				if (type === U32)
					return builtin(type, 'pack2x16float', [this.positive(vec(2, F32), depth - 1)]);
				return binary(type, '-', ...this.not_all_constant([sub(), sub()]));
			case 19:
				if (!this.options.packed) return this.runtime(type);
				if (type === U32 && r.chance(60)) {
					const e = r.pick([U32, I32]);
					return builtin(
						type,
						e === U32 ? 'pack4xU8' : 'pack4xI8',
						this.not_all_constant([sub(vec(4, e))]),
					);
				}
				return builtin(
					type,
					type === U32 ? 'dot4U8Packed' : 'dot4I8Packed',
					this.not_all_constant([sub(U32), sub(U32)]),
				);
			default: {
				const v = sub(vec(r.range(2, 4), type));
				return this.constant_free(v) ? this.part(v, type, 1) : this.runtime(type);
			}
		}
	}

	// A const-expression divisor must not be zero, nor have a component that is.
	nonzero(e) {
		if (!e.constant) return e;
		if (e.kind === 'literal') return e.value === 0 ? literal(e.type, 3) : e;
		return this.runtime(e.type);
	}

	// ---- Statements ----

	// body N STATEMENTS, in a scope of their own.
	body(n, depth, context) {
		const scope = this.scope.length;
		const out = [];
		for (let i = 0; i < n && this.cost < this.limit; i++) this.statement(out, depth, context);
		this.scope.length = scope;
		return out;
	}

	repeated(turns, make) {
		this.turns *= turns;
		const result = make();
		this.turns /= turns;
		return result;
	}

	statement(out, depth, context) {
		const r = this.random;
		const kind = r.below(100);
		if (kind < 14) return this.declare_let(out);
		if (kind < 28) return this.declare_var(out);
		if (kind < 52 || depth <= 0) return this.assign(out);
		if (kind < 56) return this.call_statement(out);
		if (kind < 60 && this.effect) return this.effect(out);
		if (kind < 76) return this.make_if(out, depth, context);
		if (kind < 85) return this.make_switch(out, depth, context);
		if (kind < 96) return this.make_loop(out, depth, context);
		if (kind < 98)
			out.push({ kind: 'block', body: this.body(r.range(1, 3), depth - 1, context) });
		return this.leave(out, context);
	}

	declare_let(out) {
		const type = this.type();
		const name = this.name('l');
		out.push({ kind: 'let', name, value: this.runtime_value(type, 3) });
		this.declare(name, type, {});
	}

	// `let` keeps const-expressions out of the scope's types, but some compilers fold through it.
	runtime_value(type, depth) {
		return this.not_all_constant([this.value(type, depth)])[0];
	}

	declare_var(out) {
		const type = this.type();
		const name = this.name('v');
		const value = this.random.chance(80) ? this.runtime_value(type, 2) : undefined;
		out.push({ kind: 'var', name, type, value });
		this.declare(name, type, { writable: true, local: true });
	}

	assign(out) {
		const r = this.random;
		const to = this.writable();
		if (!to) return this.declare_var(out);
		const t = to.type,
			scalar = scalar_of(t);
		const numbers = t.kind === 'scalar' || t.kind === 'vec';
		if (numbers && is_int(scalar) && r.chance(30)) {
			if (t.kind === 'scalar' && r.chance(40))
				return out.push({ kind: 'step', to, op: r.pick(['++', '--']) });
			const op = r.pick(['+', '-', '*', '&', '|', '^', '<<', '>>', '/', '%']);
			const shift = op === '<<' || op === '>>';
			const value = shift ? this.shift_amount(this.like(t, U32)) : this.runtime(t);
			return out.push({ kind: 'assign', to, op, value });
		}
		const value = this.value(t, 3, to.bound);
		return out.push({ kind: 'assign', to, op: '', value: this.fits(value, to) });
	}

	shift_amount(type) {
		const mask = literal_u32(31);
		const masks = type.kind === 'vec' ? construct(type, [mask]) : mask;
		return binary(type, '&', this.runtime(type), masks);
	}

	// A matrix that is a part of another variable has that bound already.
	fits(value, to) {
		return value.bound <= to.bound || !(scalar_of(to.type) === F32)
			? value
			: this.reduce(value, to.bound);
	}

	call_statement(out) {
		const r = this.random;
		const some = this.functions.filter((f) => this.affords(f) && this.arguments_for(f));
		if (!some.length) return this.assign(out);
		const func = r.pick(some);
		this.cost += func.cost * this.turns;
		const args = this.arguments_for(func);
		const call = node('call', func.result ?? BOOL, { func, args });
		if (!func.result) return out.push({ kind: 'evaluate', value: call });
		if (r.chance(20)) return out.push({ kind: 'discard_value', value: call });
		const name = this.name('l');
		out.push({ kind: 'let', name, value: call });
		return this.declare(name, func.result, {});
	}

	// arguments_for FUNC: undefined if no variable fits one of its pointers. No two of them alias.
	arguments_for(func) {
		const r = this.random;
		const used = new Set();
		const args = [];
		for (const p of func.params) {
			if (p.type.kind !== 'ptr') {
				args.push(this.value(p.type, 1));
				continue;
			}
			const fit = this.scope.filter(
				(v) => !used.has(v.name) && !v.hidden_from_calls && this.can_point(v, p.type),
			);
			if (!fit.length) return undefined;
			const v = r.pick(fit);
			used.add(v.name);
			if (v.type.kind === 'ptr') {
				args.push(variable(v.name, v.type));
				continue;
			}
			const base = this.as_node({ ...v, at: v.type === p.type.elem ? undefined : v.at });
			args.push(node('address', p.type, { base: this.pointee(base, p.type.elem) }));
		}
		return args;
	}

	can_point(v, type) {
		if (v.type.kind === 'ptr') return v.type === type;
		const space = v.space ?? (v.local ? 'function' : undefined);
		if (space !== type.space) return false;
		if (v.type === type.elem) return !v.at;
		if (!this.options.pointers) return false;
		const whole = v.at ? v.type.elem : v.type;
		return this.pointee(variable(v.name, whole), type.elem) !== undefined;
	}

	// A part of a variable that a pointer may have: no component of a vector.
	pointee(e, type) {
		if (e.type === type) return e;
		if (e.type.kind === 'struct') {
			const index = e.type.members.findIndex((m) => m.type === type);
			return index < 0 ? undefined : node('member', type, { base: e, index });
		}
		if (e.type.kind === 'array' && e.type.elem === type)
			return node('index', type, { base: e, index: this.index(e.type.n, 0) });
		return undefined;
	}

	make_if(out, depth, context) {
		const r = this.random;
		const arms = [];
		for (let i = r.chance(30) ? 2 : 1; i > 0; i--)
			arms.push({
				test: this.not_all_constant([this.expr(BOOL, 2)])[0],
				body: this.body(r.range(1, 3), depth - 1, context),
			});
		if (r.chance(50)) arms.push({ body: this.body(r.range(1, 3), depth - 1, context) });
		// Early returns, and ends of loops, in some arms.
		if (r.chance(30)) this.leave(r.pick(arms).body, context);
		out.push({ kind: 'if', arms });
	}

	// leave: return, break or continue, as the context allows.
	leave(out, context) {
		const some = [];
		if (context.result !== undefined) some.push(() => this.make_return(out, context));
		if (context.breaks) some.push(() => out.push({ kind: 'break' }));
		if (context.continues) some.push(() => out.push({ kind: 'continue' }));
		if (some.length && !['return', 'break', 'continue'].includes(out.at(-1)?.kind))
			this.random.pick(some)();
	}

	make_return(out, context) {
		const value = context.result ? this.value(context.result, 2) : undefined;
		out.push({ kind: 'return', value });
	}

	make_switch(out, depth, context) {
		const r = this.random;
		const type = r.pick([I32, U32]);
		const bits = r.range(1, 3);
		const selector = binary(
			type,
			'&',
			this.not_all_constant([this.expr(type, 2)])[0],
			literal(type, (1 << bits) - 1),
		);
		const inside = { ...context, breaks: true };
		const values = Array.from({ length: 1 << bits }, (_, i) => i).filter(() => r.chance(70));
		const cases = [];
		while (values.length) {
			const some = values.splice(0, r.range(1, 2)).map((v) => literal(type, v));
			cases.push({ values: some, body: this.body(r.range(0, 3), depth - 1, inside) });
		}
		const fallback = r.below(cases.length + 1);
		if (cases.length && r.chance(30)) r.pick(cases).values.push(null);
		else
			cases.splice(fallback, 0, {
				values: [null],
				body: this.body(r.range(0, 2), depth - 1, inside),
			});
		for (const c of cases) if (r.chance(20)) this.leave(c.body, inside);
		out.push({ kind: 'switch', value: selector, cases });
	}

	make_loop(out, depth, context) {
		const r = this.random;
		const turns = r.range(1, 5);
		const type = r.pick([I32, U32]);
		const name = this.name('i');
		const counter = variable(name, type);
		const inside = { ...context, breaks: true, continues: true };
		const bounds = this.scope.length;
		const body = (also) =>
			this.repeated(turns, () => {
				this.declare(name, type, {});
				const made = this.body(r.range(1, 4), depth - 1, also);
				this.scope.length = bounds;
				return made;
			});
		const test = binary(BOOL, '<', counter, literal(type, turns));
		const init = { kind: 'var', name, type, value: literal(type, 0) };
		const next = { kind: 'step', to: counter, op: '++' };
		switch (r.below(5)) {
			case 0:
			case 1:
				out.push({ kind: 'for', init, test, next, body: body(inside) });
				break;
			case 2: {
				// `continue` would skip the step at the end.
				out.push(init);
				out.push({ kind: 'while', test, body: [next, ...body(inside)] });
				break;
			}
			case 3: {
				out.push(init);
				const end = {
					kind: 'if',
					arms: [
						{
							test: node('unary', BOOL, { op: '!', a: test }),
							body: [{ kind: 'break' }],
						},
					],
				};
				out.push({ kind: 'loop', body: [end, ...body(inside)], continuing: [next] });
				break;
			}
			default: {
				out.push(init);
				const made = body(inside);
				const last = binary(BOOL, '>=', counter, literal(type, turns));
				const early = r.chance(40)
					? binary(BOOL, '||', last, this.not_all_constant([this.expr(BOOL, 1)])[0])
					: last;
				out.push({
					kind: 'loop',
					body: made,
					continuing: [next, { kind: 'break_if', test: early }],
				});
			}
		}
	}

	// ---- Functions ----

	make_function() {
		const r = this.random;
		const scope = this.scope;
		this.scope = scope.filter((v) => v.everywhere);
		this.limit = COST_FUNCTION;
		this.cost = 5;
		this.turns = 1;
		this.effect = undefined;
		const params = [];
		for (let i = r.range(1, 4); i > 0; i--)
			params.push({ name: this.name('a'), type: this.parameter_type() });
		for (const p of params) this.declare(p.name, p.type, { writable: p.type.kind === 'ptr' });
		const pointers = params.some((p) => p.type.kind === 'ptr');
		const result = pointers && r.chance(30) ? null : this.type();
		const f = { name: this.name('f'), params, result, pure: !pointers };
		const privates = this.scope.filter((v) => v.space === 'private');
		// A function of values alone changes no private variable: calls may stand in expressions.
		if (f.pure)
			this.scope = this.scope.map((v) =>
				privates.includes(v) ? { ...v, writable: false } : v,
			);
		// Functions that change something may only be called by those that may, too.
		const callable = this.functions;
		if (f.pure) this.functions = callable.filter((g) => g.pure || !this.reaches_private(g));
		const body = this.body(r.range(2, 4), 2, { result });
		this.end_function(body, result, 2);
		f.body = body;
		f.cost = this.cost;
		this.functions = callable;
		this.functions.push(f);
		this.scope = scope;
	}

	reaches_private(f) {
		return !f.pure;
	}

	parameter_type() {
		const r = this.random;
		if (r.chance(65)) return this.type();
		const spaces = ['function', 'function', 'private'];
		if (this.options.pointers && this.stage === 'compute') spaces.push('workgroup', 'storage');
		const space = r.pick(spaces);
		// Types of which there are variables: those of the lists that main() declares.
		const known = this.globals.filter((g) => g.space === space && g.pointed);
		if (space !== 'function' && known.length) {
			const g = r.pick(known);
			return ptr(space, g.each ? g.type.elem : g.type);
		}
		return ptr('function', this.type());
	}

	// The end of a function: all of its paths return, often in nested arms with nothing after them.
	end_function(body, result, depth) {
		const r = this.random;
		if (['return', 'break', 'continue'].includes(body.at(-1)?.kind)) return;
		const value = () => (result ? this.value(result, 2) : undefined);
		const nest = (level) => {
			if (level <= 0 || r.chance(30)) return [{ kind: 'return', value: value() }];
			if (r.chance(25)) {
				const selector = binary(U32, '&', this.runtime(U32), literal_u32(3));
				const cases = [0, 1].map((v) => ({
					values: [literal_u32(v)],
					body: nest(level - 1),
				}));
				cases.push({ values: [null], body: nest(level - 1) });
				return [{ kind: 'switch', value: selector, cases }];
			}
			const test = this.not_all_constant([this.expr(BOOL, 2)])[0];
			return [
				{ kind: 'if', arms: [{ test, body: nest(level - 1) }, { body: nest(level - 1) }] },
			];
		};
		body.push(...nest(r.chance(50) ? depth : 0));
	}

	// ---- Programs ----

	make_globals() {
		const r = this.random;
		const global = (g) => this.globals.push(g);
		global({
			name: 'input',
			type: { ...array(U32, INPUTS), name: 'array<u32>' },
			space: 'storage',
			binding: 0,
			initial: this.input(),
		});
		global({
			name: 'args',
			type: array(vec(4, U32), 4),
			space: 'uniform',
			binding: 1,
			initial: Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => r.word())),
		});
		for (let i = r.below(3); i > 0; i--) {
			const type = r.pick([I32, U32, F32, BOOL]);
			const keyword = r.pick(['const', 'override']);
			global({
				name: this.name('k'),
				type,
				keyword: this.options.no_overrides ? 'const' : keyword,
				value: this.literal(type),
			});
		}
		for (let i = r.range(1, 3); i > 0; i--) {
			const type = this.type();
			const pointed = r.chance(40);
			const value =
				r.chance(50) && ['scalar', 'vec'].includes(type.kind)
					? type.kind === 'vec'
						? construct(type, [this.literal(type.elem)])
						: this.literal(type)
					: undefined;
			global({ name: this.name('p'), type, space: 'private', pointed, value });
		}
		for (const g of this.globals) {
			const fields = { everywhere: true, space: g.space, writable: g.space === 'private' };
			if (g.name === 'args') this.declare(g.name, g.type, { everywhere: true });
			else if (g.keyword) this.declare(g.name, g.type, { everywhere: true, constant: true });
			else if (g.space === 'private' && !g.pointed)
				this.declare(g.name, g.type, { ...fields, space: undefined });
			else if (g.space === 'private')
				this.declare(g.name, g.type, { ...fields, everywhere: false });
		}
	}

	input() {
		const r = this.random;
		return Array.from({ length: INPUTS }, () =>
			r.pick([r.word(), r.below(64), r.below(4), 0xffffffff, 0x80000000]),
		);
	}

	compute() {
		const r = this.random;
		this.stage = 'compute';
		this.size = r.pick([
			[1, 1, 1],
			[4, 1, 1],
			[8, 2, 1],
			[16, 1, 1],
			[32, 1, 1],
			[4, 4, 2],
			[64, 1, 1],
		]);
		this.groups = r.range(1, 3);
		const size = this.size[0] * this.size[1] * this.size[2];
		const total = size * this.groups;
		this.words = r.range(3, 8);
		this.make_structs();
		this.make_globals();
		this.globals.push({
			name: 'output',
			type: array(U32, total * this.words),
			space: 'storage, read_write',
			binding: 2,
		});
		this.globals.push({
			name: 'counters',
			type: array(atomic(U32), COUNTERS),
			space: 'storage, read_write',
			binding: 3,
		});
		const each = r.chance(60) ? r.pick(this.structs) : this.memory_type();
		const kept = {
			name: 'kept',
			type: array(each, total),
			space: 'storage, read_write',
			binding: 4,
		};
		this.globals.push(kept);
		const shared = [];
		for (let i = r.range(1, 3); i > 0; i--)
			shared.push({
				name: this.name('w'),
				type: array(r.chance(70) ? this.memory_type() : r.pick(this.structs), size),
				space: 'workgroup',
			});
		shared.push({
			name: this.name('w'),
			type: array(r.pick([I32, U32]), size),
			space: 'workgroup',
		});
		this.globals.push(...shared);
		const votes = { name: this.name('w'), type: array(atomic(U32), 4), space: 'workgroup' };
		const chosen = { name: this.name('w'), type: U32, space: 'workgroup' };
		this.globals.push(votes, chosen);
		for (const g of [kept, ...shared])
			Object.assign(g, {
				pointed: true,
				each: true,
				...(g === kept ? { space_name: 'storage' } : {}),
			});
		// parameter_type() looks the spaces up by the names of pointers.
		kept.space = 'storage';
		for (let i = r.range(1, 4); i > 0; i--) this.make_function();
		kept.space = 'storage, read_write';
		this.make_main(size, shared, kept, votes, chosen);
	}

	make_main(size, shared, kept, votes, chosen) {
		const r = this.random;
		this.limit = COST_MAIN;
		this.cost = 0;
		const params = [
			['local', U32, 'local_invocation_index'],
			['at', vec(3, U32), 'local_invocation_id'],
			['group', vec(3, U32), 'workgroup_id'],
			['global', vec(3, U32), 'global_invocation_id'],
			['groups', vec(3, U32), 'num_workgroups'],
		].map(([name, type, builtin]) => ({
			name,
			type,
			builtin,
			attribute: `@builtin(${builtin}) `,
		}));
		for (const p of params) this.declare(p.name, p.type, {});
		const body = [];
		const local = variable('local', U32);
		const group = node('component', U32, { base: variable('group', vec(3, U32)), index: 0 });
		const number = 'number';
		body.push({
			kind: 'let',
			name: number,
			value: binary(U32, '+', binary(U32, '*', group, literal_u32(size)), local),
		});
		this.declare(number, U32, {});
		const self = variable(number, U32);
		const output = (word) =>
			node('index', U32, {
				base: variable('output', array(U32, 1)),
				index: binary(
					U32,
					'+',
					binary(U32, '*', self, literal_u32(this.words)),
					literal_u32(word),
				),
			});
		this.effect = (out) => {
			if (r.chance(50)) {
				const word = r.below(this.words);
				return out.push({
					kind: 'assign',
					to: output(word),
					op: '',
					value: this.expr(U32, 3),
				});
			}
			return this.atomic(out, 'counters', COUNTERS);
		};
		this.declare('kept', kept.type, { writable: true, at: () => self, space: 'storage' });
		// Each phase lets an invocation use either its own elements of an array or anybody's to read.
		const context = { result: undefined };
		const phases = r.range(2, 4);
		for (let phase = 0; phase < phases; phase++) {
			const scope = this.scope.length;
			for (const g of shared) {
				const own = phase === 0 || r.chance(50);
				if (own)
					this.declare(g.name, g.type, {
						writable: true,
						at: () => local,
						space: 'workgroup',
					});
				else this.declare(g.name, g.type, { hidden_from_calls: true });
			}
			const added = this.scope.length;
			for (
				let i = r.range(1, 3);
				i > 0 && this.cost < (this.limit * (phase + 1)) / phases;
				i--
			)
				this.statement(body, 2, context);
			if (r.chance(30)) this.atomic(body, votes.name, 4);
			// The arrays leave the scope, the variables of the phase stay.
			this.scope.splice(scope, added - scope);
			const barriers = ['workgroupBarrier', 'workgroupBarrier', 'storageBarrier'];
			body.push({ kind: 'barrier', name: r.chance(80) ? barriers[0] : barriers[2] });
			if (body.at(-1).name === barriers[2]) body.push({ kind: 'barrier', name: barriers[0] });
			if (r.chance(60)) this.together(body, shared.at(-1), size, local, votes, chosen);
		}
		this.effect = undefined;
		this.end_main(body, output);
		this.main = {
			name: 'main',
			params,
			result: null,
			body,
			attribute: `@compute @workgroup_size(${this.size.join(', ')})`,
		};
		this.functions.push(this.main);
	}

	// An atomic operation whose order does not matter: each element has one operation.
	atomic(out, name, n) {
		const r = this.random;
		const names = ['atomicAdd', 'atomicMax', 'atomicMin', 'atomicXor', 'atomicOr', 'atomicAnd'];
		const at = r.below(n);
		const base = node('index', atomic(U32), {
			base: variable(name, array(atomic(U32), n)),
			index: literal_u32(at),
		});
		const value = builtin(U32, names[at % names.length], [
			node('address', ptr('storage', atomic(U32)), { base }),
			this.expr(U32, 2),
		]);
		out.push({ kind: 'discard_value', value });
	}

	// Work of all invocations with barriers in between: a reduction, a scan, a rotation or a vote.
	together(body, words, size, local, votes, chosen) {
		const r = this.random;
		const elem = words.type.elem;
		const element = (index) =>
			node('index', elem, { base: variable(words.name, words.type), index });
		const barrier = () => ({ kind: 'barrier', name: 'workgroupBarrier' });
		const own = element(local);
		const op = r.pick(['+', '^', '|', '&', 'min', 'max']);
		const combine = (a, b) =>
			op.length > 1 ? builtin(elem, op, [a, b]) : binary(elem, op, a, b);
		const i = this.name('i');
		const counter = variable(i, U32);
		const uniform = binary(
			U32,
			'+',
			literal_u32(1),
			binary(U32, '&', this.uniform_word(), literal_u32(3)),
		);
		switch (r.below(4)) {
			case 0: {
				const other = element(binary(U32, '+', local, counter));
				body.push({
					kind: 'for',
					init: { kind: 'var', name: i, type: U32, value: literal_u32(size >> 1) },
					test: binary(BOOL, '>', counter, literal_u32(0)),
					next: { kind: 'assign', to: counter, op: '>>', value: literal_u32(1) },
					body: [
						{
							kind: 'if',
							arms: [
								{
									test: binary(BOOL, '<', local, counter),
									body: [
										{
											kind: 'assign',
											to: own,
											op: '',
											value: combine(own, other),
										},
									],
								},
							],
						},
						barrier(),
					],
				});
				break;
			}
			case 1: {
				const sum = this.name('l');
				const before = element(binary(U32, '-', local, counter));
				const v = variable(sum, elem);
				body.push({
					kind: 'for',
					init: { kind: 'var', name: i, type: U32, value: literal_u32(1) },
					test: binary(BOOL, '<', counter, literal_u32(size)),
					next: { kind: 'assign', to: counter, op: '<<', value: literal_u32(1) },
					body: [
						{ kind: 'var', name: sum, type: elem, value: own },
						{
							kind: 'if',
							arms: [
								{
									test: binary(BOOL, '>=', local, counter),
									body: [
										{
											kind: 'assign',
											to: v,
											op: '',
											value: combine(before, v),
										},
									],
								},
							],
						},
						barrier(),
						{ kind: 'assign', to: own, op: '', value: v },
						barrier(),
					],
				});
				break;
			}
			case 2: {
				const seen = this.name('l');
				const next = element(
					binary(U32, '%', binary(U32, '+', local, counter), literal_u32(size)),
				);
				body.push({ kind: 'var', name: i, type: U32, value: literal_u32(0) });
				body.push({
					kind: 'loop',
					body: [
						{ kind: 'let', name: seen, value: next },
						barrier(),
						{
							kind: 'assign',
							to: own,
							op: '',
							value: combine(variable(seen, elem), own),
						},
						barrier(),
					],
					continuing: [
						{ kind: 'step', to: counter, op: '++' },
						{ kind: 'break_if', test: binary(BOOL, '>=', counter, uniform) },
					],
				});
				break;
			}
			default: {
				const name = this.name('l');
				const at = node('address', ptr('workgroup', atomic(U32)), {
					base: node('index', atomic(U32), {
						base: variable(votes.name, votes.type),
						index: literal_u32(r.below(4)),
					}),
				});
				body.push({
					kind: 'if',
					arms: [
						{
							test: binary(BOOL, '==', local, literal_u32(r.below(size))),
							body: [
								{
									kind: 'assign',
									to: variable(chosen.name, U32),
									op: '',
									value: binary(
										U32,
										'+',
										builtin(U32, 'atomicLoad', [at]),
										this.expr(U32, 2),
									),
								},
							],
						},
					],
				});
				body.push(barrier());
				body.push({ kind: 'uniform_load', name, from: chosen.name });
				this.declare(name, U32, {});
				const v = variable(name, U32);
				const seen = this.name('l');
				const cases = [0, 1, null].map((value) => ({
					values: [value === null ? null : literal_u32(value)],
					body:
						value === 1
							? []
							: [
									{
										kind: 'let',
										name: `${seen}${value ?? 'd'}`,
										value: element(
											binary(
												U32,
												'%',
												binary(
													U32,
													'+',
													local,
													v.type === U32
														? binary(U32, '&', v, literal_u32(7))
														: v,
												),
												literal_u32(size),
											),
										),
									},
									barrier(),
									{
										kind: 'assign',
										to: own,
										op: '',
										value: combine(
											own,
											variable(`${seen}${value ?? 'd'}`, elem),
										),
									},
									barrier(),
								],
				}));
				body.push({ kind: 'switch', value: binary(U32, '&', v, literal_u32(3)), cases });
			}
		}
	}

	uniform_word() {
		const base = variable('args', array(vec(4, U32), 4));
		const row = node('index', vec(4, U32), { base, index: literal_u32(this.random.below(4)) });
		return node('component', U32, { base: row, index: this.random.below(4) });
	}

	// Writes of the output: some plain, the others in nested arms that return.
	end_main(body, output) {
		const r = this.random;
		const write = (out, word) => {
			// A hash of all numbers in scope, so that no variable is dead.
			const value = r.chance(60) ? this.expr(U32, 3) : this.mixture();
			out.push({ kind: 'assign', to: output(word), op: '', value });
		};
		let word = 0;
		for (; word < this.words - 2; word++) write(body, word);
		const nest = (level) => {
			const out = [];
			if (level > 0) {
				const test = this.not_all_constant([this.expr(BOOL, 2)])[0];
				out.push({
					kind: 'if',
					arms: [{ test, body: nest(level - 1) }, { body: nest(level - 1) }],
				});
				return out;
			}
			for (let w = word; w < this.words; w++) write(out, w);
			out.push({ kind: 'return' });
			return out;
		};
		body.push(...nest(r.below(3)));
	}

	mixture() {
		const r = this.random;
		let sum = this.runtime(U32);
		for (const v of this.scope) {
			if (!r.chance(40) || v.hidden) continue;
			const t = r.pick([U32, I32, F32, BOOL]);
			const e = this.part(this.as_node(v), t, 0);
			if (!e) continue;
			const word =
				t === U32
					? e
					: t === I32
						? node('bitcast', U32, { a: e })
						: t === BOOL
							? construct(U32, [e])
							: node('bitcast', U32, { a: construct(I32, [e]) });
			sum = binary(U32, '+', binary(U32, '*', sum, literal_u32(31)), word);
		}
		return sum;
	}

	// A vertex or fragment shader around the same functions, to be compiled and not to be run.
	graphics(stage) {
		const r = this.random;
		this.stage = stage;
		this.words = 4;
		this.make_structs();
		this.make_globals();
		for (let i = r.range(1, 5); i > 0; i--) this.make_function();
		this.limit = COST_MAIN;
		this.cost = 0;
		const fragment = stage === 'fragment';
		const params = fragment
			? [
					['seen', vec(4, U32), '@location(0) @interpolate(flat) '],
					['front', BOOL, '@builtin(front_facing) '],
				]
			: [
					['seen', vec(4, U32), '@location(0) '],
					['index', U32, '@builtin(vertex_index) '],
				];
		for (const [name, type] of params) this.declare(name, type, {});
		this.effect =
			fragment && r.chance(50)
				? (out) =>
						out.push({
							kind: 'if',
							arms: [
								{
									test: this.not_all_constant([this.expr(BOOL, 2)])[0],
									body: [{ kind: 'discard' }],
								},
							],
						})
				: undefined;
		const result = vec(4, F32);
		const body = this.body(r.range(3, 8), 3, { result });
		this.effect = undefined;
		this.end_function(body, result, 2);
		this.main = {
			name: 'main',
			params: params.map(([name, type, attribute]) => ({ name, type, attribute })),
			result,
			result_attribute: fragment ? '@location(0) ' : '@builtin(position) ',
			body,
			attribute: `@${stage}`,
		};
		this.functions.push(this.main);
		this.size = [1, 1, 1];
		this.groups = 1;
	}
}

// generate SEED OPTIONS: a program. OPTIONS are what the compiler offers: `pointers` for the
// language feature unrestricted_pointer_parameters, `packed` for packed_4x8_integer_dot_product;
// `no_overrides` for a compiler that has no pipeline constants; and `stage`.
export function generate(seed, options = {}) {
	const g = new Generator(seed, options);
	const stage = options.stage ?? 'compute';
	if (stage === 'compute') g.compute();
	else g.graphics(stage);
	const directives = [`// seed ${seed}`];
	if (options.pointers && options.requires)
		directives.push('requires unrestricted_pointer_parameters;');
	const program = {
		seed,
		stage,
		directives,
		structs: g.structs,
		globals: g.globals,
		functions: g.functions,
		main: g.main,
		size: g.size,
		groups: g.groups,
	};
	program.text = print(program);
	return program;
}

// The storage buffers that are compared: the words of output and counters after the program.
export function expected(program) {
	const { output, counters } = run(program);
	return { output: Uint32Array.from(output), counters: Uint32Array.from(counters) };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const seed = Number(process.argv[2]);
	const options = process.argv.slice(3);
	const stage = options.find((o) => o.startsWith('--stage='))?.slice(8);
	if (!Number.isInteger(seed)) {
		console.error('usage: generate.mjs SEED [--stage=compute|vertex|fragment] [--values]');
		process.exit(2);
	}
	const program = generate(seed, { stage, pointers: true });
	process.stdout.write(program.text);
	if (options.includes('--values'))
		for (const [name, words] of Object.entries(expected(program)))
			console.log(`// ${name}: ${Array.from(words).join(' ')}`);
}
