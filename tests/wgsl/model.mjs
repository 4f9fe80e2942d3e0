// SPDX-License-Identifier: MIT
// Interprets a generated program (types.mjs) in JavaScript: values that each implementation of
// WGSL must compute. The invocations of a workgroup run one after the other from barrier to
// barrier, which is exact since no two of them touch a location between two barriers unless all
// of them only read it.
import { BOOL, F32, I32, U32, scalar_of, zero } from './types.mjs';

const clone = (v) => (Array.isArray(v) ? v.map(clone) : v);

// Each f32 must be an integer that needs no rounding, or a quarter of one on its way to floor() and
// the like: the generator's bounds are wrong otherwise.
function exact(x) {
	if (!Number.isInteger(x * 4) || Math.abs(x) > 1 << 24 || Math.fround(x) !== x)
		throw new Error(`the generator has made the f32 ${x}, which an operation may round`);
	return x;
}

function wrap(type, x) {
	return type === I32 ? x | 0 : type === U32 ? x >>> 0 : type === F32 ? exact(x) : x;
}

function divide(type, a, b) {
	if (b === 0 || (type === I32 && a === -0x80000000 && b === -1)) return a;
	return wrap(type, Math.trunc(a / b));
}

function remainder(type, a, b) {
	if (b === 0 || (type === I32 && a === -0x80000000 && b === -1)) return 0;
	return wrap(type, a % b);
}

const binaries = {
	'+': (t, a, b) => wrap(t, a + b),
	'-': (t, a, b) => wrap(t, a - b),
	'*': (t, a, b) => (t === F32 ? exact(a * b) : wrap(t, Math.imul(a, b))),
	'/': divide,
	'%': remainder,
	'&': (t, a, b) => (t === BOOL ? a && b : wrap(t, a & b)),
	'|': (t, a, b) => (t === BOOL ? a || b : wrap(t, a | b)),
	'^': (t, a, b) => wrap(t, a ^ b),
	'<<': (t, a, b) => wrap(t, a << (b & 31)),
	'>>': (t, a, b) => (t === I32 ? a >> (b & 31) : a >>> (b & 31)),
	'==': (t, a, b) => a === b,
	'!=': (t, a, b) => a !== b,
	'<': (t, a, b) => a < b,
	'<=': (t, a, b) => a <= b,
	'>': (t, a, b) => a > b,
	'>=': (t, a, b) => a >= b,
};

const unaries = {
	'-': (t, a) => wrap(t, -a),
	'~': (t, a) => wrap(t, ~a),
	'!': (t, a) => !a,
};

function reverse_bits(x) {
	let r = 0;
	for (let i = 0; i < 32; i++) r = (r << 1) | ((x >>> i) & 1);
	return r;
}

function ones(x) {
	let n = 0;
	for (x >>>= 0; x; x &= x - 1) n++;
	return n;
}

const trailing = (x) => (x === 0 ? 32 : 31 - Math.clz32(x & -x));

function extract_bits(t, x, offset, count) {
	const o = Math.min(offset, 32);
	const c = Math.min(count, 32 - o);
	if (c === 0) return 0;
	const up = (x << (32 - o - c)) | 0;
	return t === I32 ? up >> (32 - c) : up >>> (32 - c);
}

function insert_bits(t, x, bits, offset, count) {
	const o = Math.min(offset, 32);
	const c = Math.min(count, 32 - o);
	if (c === 0) return x;
	const mask = ((c === 32 ? -1 : (1 << c) - 1) << o) | 0;
	return wrap(t, (x & ~mask) | ((bits << o) & mask));
}

function round_even(x) {
	const floor = Math.floor(x);
	const rest = x - floor;
	return rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor;
}

// f16 bits of a positive integer up to 2048.
function half(x) {
	if (x === 0) return 0;
	const e = 31 - Math.clz32(x);
	return ((e + 15) << 10) | ((x << (10 - e)) & 0x3ff);
}

function unhalf(h) {
	return h === 0 ? 0 : (1 + (h & 0x3ff) / 1024) * 2 ** ((h >> 10) - 15);
}

const scratch = new DataView(new ArrayBuffer(4));
function bitcast(from, to, x) {
	const set = { i32: 'setInt32', u32: 'setUint32', f32: 'setFloat32' };
	const get = { i32: 'getInt32', u32: 'getUint32', f32: 'getFloat32' };
	scratch[set[from.name]](0, x);
	return scratch[get[to.name]](0);
}

function convert(from, to, x) {
	if (to === BOOL) return x !== 0 && x !== false;
	if (from === BOOL) return x ? 1 : 0;
	return to === F32 ? exact(x) : wrap(to, Math.trunc(x));
}

const dot = (t, a, b) =>
	a.reduce((sum, x, i) => binaries['+'](t, sum, binaries['*'](t, x, b[i])), 0);

// Cofactors of integers are exact in any order.
function determinant(m) {
	if (m.length === 1) return m[0][0];
	return m.reduce((sum, column, i) => {
		const rest = m.filter((_, j) => j !== i).map((c) => c.slice(1));
		return sum + (i % 2 ? -1 : 1) * column[0] * determinant(rest);
	}, 0);
}

// Functions of scalars, which apply to each component of vectors.
const componentwise = {
	abs: (t, a) => (t === I32 ? Math.abs(a) | 0 : Math.abs(a)),
	sign: (t, a) => Math.sign(a),
	min: (t, a, b) => (a < b ? a : b),
	max: (t, a, b) => (a > b ? a : b),
	clamp: (t, a, low, high) => Math.min(Math.max(a, low), high),
	select: (t, no, yes, test) => (test ? yes : no),
	countOneBits: (t, a) => ones(a),
	countLeadingZeros: (t, a) => Math.clz32(a),
	countTrailingZeros: (t, a) => trailing(a),
	firstLeadingBit: (t, a) => {
		const at = 31 - Math.clz32(t === I32 && a < 0 ? ~a : a);
		return wrap(t, at);
	},
	firstTrailingBit: (t, a) => wrap(t, a === 0 ? -1 : trailing(a)),
	reverseBits: (t, a) => wrap(t, reverse_bits(a)),
	extractBits: extract_bits,
	insertBits: insert_bits,
	fma: (t, a, b, c) => exact(a * b + c),
	step: (t, edge, x) => (x >= edge ? 1 : 0),
	quantizeToF16: (t, a) => a,
	// The argument is an integer; these scale it by a quarter first, so that they have work.
	floor: (t, a) => Math.floor(a),
	ceil: (t, a) => Math.ceil(a),
	trunc: (t, a) => Math.trunc(a),
	round: (t, a) => round_even(a),
};

const whole = {
	dot: (e, a, b) => dot(scalar_of(e.args[0].type), a, b),
	cross: (e, a, b) =>
		[0, 1, 2].map((i) => {
			const j = (i + 1) % 3,
				k = (i + 2) % 3;
			return exact(a[j] * b[k] - a[k] * b[j]);
		}),
	all: (e, a) => a.every((x) => x),
	any: (e, a) => a.some((x) => x),
	transpose: (e, a) => a[0].map((_, r) => a.map((c) => c[r])),
	determinant: (e, a) => exact(determinant(a)),
	ldexp: (e, a, n) => exact(a * 2 ** n),
	modf: (e, a) => Math.trunc(a),
	frexp: (e, a) => 32 - Math.clz32(a),
	pack2x16float: (e, a) => (half(a[0]) | (half(a[1]) << 16)) >>> 0,
	unpack2x16float: (e, a) => [unhalf(a & 0xffff), unhalf(a >>> 16)],
	pack4xU8: (e, a) => a.reduce((r, x, i) => (r | ((x & 255) << (8 * i))) >>> 0, 0),
	pack4xI8: (e, a) => a.reduce((r, x, i) => (r | ((x & 255) << (8 * i))) >>> 0, 0),
	unpack4xU8: (e, a) => [0, 8, 16, 24].map((s) => (a >>> s) & 255),
	unpack4xI8: (e, a) => [24, 16, 8, 0].map((s) => (a << s) >> 24),
	dot4U8Packed: (e, a, b) => dot(U32, whole.unpack4xU8(e, a), whole.unpack4xU8(e, b)),
	dot4I8Packed: (e, a, b) => dot(I32, whole.unpack4xI8(e, a), whole.unpack4xI8(e, b)),
	arrayLength: (e, a) => a.o[a.k].length,
	atomicLoad: (e, a) => a.o[a.k],
};

const updates = {
	atomicAdd: (t, old, v) => wrap(t, old + v),
	atomicSub: (t, old, v) => wrap(t, old - v),
	atomicMax: (t, old, v) => Math.max(old, v),
	atomicMin: (t, old, v) => Math.min(old, v),
	atomicAnd: (t, old, v) => wrap(t, old & v),
	atomicOr: (t, old, v) => wrap(t, old | v),
	atomicXor: (t, old, v) => wrap(t, old ^ v),
	atomicStore: (t, old, v) => v,
};

// map TYPE FUNC VALUES...: FUNC for each component, scalars being repeated.
function map(type, func, ...values) {
	if (!values.some(Array.isArray)) return func(type, ...values);
	const n = values.find(Array.isArray).length;
	return Array.from({ length: n }, (_, i) =>
		func(type, ...values.map((v) => (Array.isArray(v) ? v[i] : v))),
	);
}

// Products with a matrix.
function multiply(ta, tb, a, b) {
	const columns = (m, v) =>
		m[0].map((_, r) =>
			dot(
				F32,
				m.map((c) => c[r]),
				v,
			),
		);
	if (ta.kind === 'mat' && tb.kind === 'mat') return b.map((column) => columns(a, column));
	if (ta.kind === 'mat' && tb.kind === 'vec') return columns(a, b);
	if (ta.kind === 'vec' && tb.kind === 'mat') return b.map((column) => dot(F32, a, column));
	const [m, s] = ta.kind === 'mat' ? [a, b] : [b, a];
	return m.map((column) => column.map((x) => exact(x * s)));
}

const BREAK = { kind: 'break' },
	CONTINUE = { kind: 'continue' };

class Invocation {
	constructor(program, globals) {
		this.globals = globals;
		this.privates = {};
		for (const g of program.globals)
			if (g.space === 'private' || g.keyword)
				this.privates[g.name] = g.value ? this.value({}, g.value) : zero(g.type);
	}

	// place FRAME E: the location an expression names, as a container and a key.
	place(frame, e) {
		switch (e.kind) {
			case 'variable':
				if (e.name in frame) return { o: frame, k: e.name };
				return { o: e.name in this.privates ? this.privates : this.globals, k: e.name };
			case 'member':
			case 'component': {
				const base = this.place(frame, e.base);
				return { o: base.o[base.k], k: e.index };
			}
			case 'index': {
				const base = this.place(frame, e.base);
				const container = base.o[base.k];
				const k = this.value(frame, e.index);
				if (k < 0 || k >= container.length)
					throw new Error(`the generator has made the index ${k} of ${container.length}`);
				return { o: container, k };
			}
			case 'deref':
				return this.value(frame, e.base);
			default:
				return { o: [this.value(frame, e)], k: 0 };
		}
	}

	value(frame, e) {
		switch (e.kind) {
			case 'literal':
				return e.value;
			case 'variable':
			case 'member':
			case 'component':
			case 'index':
			case 'deref': {
				const at = this.place(frame, e);
				if (at.o[at.k] === undefined)
					throw new Error(`the model finds no value of ${e.kind} ${e.name ?? ''}`);
				return clone(at.o[at.k]);
			}
			case 'address':
				return this.place(frame, e.base);
			case 'swizzle': {
				const base = this.value(frame, e.base);
				return e.order.map((i) => base[i]);
			}
			case 'unary':
				return map(scalar_of(e.type), unaries[e.op], this.value(frame, e.a));
			case 'binary':
				return this.binary(frame, e);
			case 'bitcast':
				return map(
					null,
					(_, x) => bitcast(scalar_of(e.a.type), scalar_of(e.type), x),
					this.value(frame, e.a),
				);
			case 'construct':
				return this.construct(
					e,
					e.args.map((a) => this.value(frame, a)),
				);
			case 'builtin':
				return this.builtin(
					e,
					e.args.map((a) => this.value(frame, a)),
				);
			case 'call':
				return this.call(
					e.func,
					e.args.map((a) => this.value(frame, a)),
				);
		}
		throw new Error(`the model has no expression ${e.kind}`);
	}

	binary(frame, e) {
		if (e.op === '&&') return this.value(frame, e.a) && this.value(frame, e.b);
		if (e.op === '||') return this.value(frame, e.a) || this.value(frame, e.b);
		const a = this.value(frame, e.a),
			b = this.value(frame, e.b);
		const matrix = e.a.type.kind === 'mat' || e.b.type.kind === 'mat';
		if (matrix && e.op === '*') return multiply(e.a.type, e.b.type, a, b);
		if (matrix) return a.map((column, i) => map(F32, binaries[e.op], column, b[i]));
		return map(scalar_of(e.a.type), binaries[e.op], a, b);
	}

	construct(e, args) {
		const t = e.type;
		const cast = (arg, x) => convert(scalar_of(arg.type), scalar_of(t), x);
		if (t.kind === 'scalar') return cast(e.args[0], args[0]);
		if (args.length === 0) return zero(t);
		if (t.kind === 'vec') {
			const flat = args.flatMap((v, i) => [v].flat().map((x) => cast(e.args[i], x)));
			return flat.length === 1 ? Array(t.n).fill(flat[0]) : flat;
		}
		if (t.kind === 'mat') {
			const flat = args.flat(2);
			return zero(t).map((c, i) => c.map((_, j) => flat[i * t.rows + j]));
		}
		return args;
	}

	builtin(e, args) {
		if (e.name in updates) {
			const at = args[0];
			const old = at.o[at.k];
			at.o[at.k] = updates[e.name](e.args[1].type, old, args[1]);
			return old;
		}
		if (e.name in whole) return whole[e.name](e, ...args);
		return map(scalar_of(e.args[0].type), componentwise[e.name], ...args);
	}

	// call FUNC ARGS: its result. No function but the entry point has barriers.
	call(func, args) {
		const run = this.start(func, args);
		const end = run.next();
		if (!end.done) throw new Error(`${func.name} has a barrier`);
		return end.value;
	}

	*start(func, args) {
		const frame = {};
		func.params.forEach((p, i) => {
			frame[p.name] = args[i];
		});
		const end = yield* this.block(frame, func.body);
		return end?.kind === 'return' ? end.value : undefined;
	}

	// block FRAME BODY: undefined, BREAK, CONTINUE, or what `return` ends it with.
	*block(frame, body) {
		for (const s of body) {
			const end = yield* this.statement(frame, s);
			if (end) return end;
		}
		return undefined;
	}

	store(frame, to, value) {
		const at = this.place(frame, to);
		at.o[at.k] = value;
	}

	*statement(frame, s) {
		switch (s.kind) {
			case 'let':
				frame[s.name] = this.value(frame, s.value);
				return undefined;
			case 'var':
				frame[s.name] = s.value ? this.value(frame, s.value) : zero(s.type);
				return undefined;
			case 'assign': {
				const value = s.op
					? this.binary(frame, { op: s.op, a: s.to, b: s.value })
					: this.value(frame, s.value);
				this.store(frame, s.to, value);
				return undefined;
			}
			case 'step': {
				const old = this.value(frame, s.to);
				this.store(frame, s.to, wrap(s.to.type, s.op === '++' ? old + 1 : old - 1));
				return undefined;
			}
			case 'discard_value':
			case 'evaluate':
				this.value(frame, s.value);
				return undefined;
			case 'barrier':
				yield s;
				return undefined;
			case 'uniform_load':
				yield s;
				frame[s.name] = clone(this.globals[s.from]);
				yield s;
				return undefined;
			case 'return':
				return { kind: 'return', value: s.value ? this.value(frame, s.value) : undefined };
			case 'break':
				return BREAK;
			case 'continue':
				return CONTINUE;
			case 'break_if':
				return this.value(frame, s.test) ? BREAK : undefined;
			case 'block':
				return yield* this.block(frame, s.body);
			case 'if':
				for (const arm of s.arms)
					if (!arm.test || this.value(frame, arm.test))
						return yield* this.block(frame, arm.body);
				return undefined;
			case 'switch': {
				const value = this.value(frame, s.value);
				const chosen =
					s.cases.find((c) => c.values.some((v) => v && v.value === value)) ??
					s.cases.find((c) => c.values.includes(null));
				const end = yield* this.block(frame, chosen.body);
				return end === BREAK ? undefined : end;
			}
			case 'for':
			case 'while':
			case 'loop':
				return yield* this.loop(frame, s);
		}
		throw new Error(`the model has no statement ${s.kind}`);
	}

	*loop(frame, s) {
		if (s.init) yield* this.statement(frame, s.init);
		for (let turn = 0; ; turn++) {
			if (turn > 10000) throw new Error('the generator has made a loop without an end');
			if (s.test && !this.value(frame, s.test)) return undefined;
			const end = yield* this.block(frame, s.body);
			if (end === BREAK) return undefined;
			if (end && end !== CONTINUE) return end;
			if (s.continuing && (yield* this.block(frame, s.continuing)) === BREAK)
				return undefined;
			if (s.next) yield* this.statement(frame, s.next);
		}
	}
}

// run_workgroup: all invocations up to each barrier in turn.
function run_workgroup(program, shared, group) {
	const globals = { ...shared };
	for (const g of program.globals) if (g.space === 'workgroup') globals[g.name] = zero(g.type);
	const size = program.size[0] * program.size[1] * program.size[2];
	const runs = Array.from({ length: size }, (_, index) => {
		const local = [
			index % program.size[0],
			Math.floor(index / program.size[0]) % program.size[1],
			Math.floor(index / (program.size[0] * program.size[1])),
		];
		const builtins = {
			local_invocation_index: index,
			local_invocation_id: local,
			workgroup_id: [group, 0, 0],
			num_workgroups: [program.groups, 1, 1],
			global_invocation_id: [group * program.size[0] + local[0], local[1], local[2]],
		};
		return new Invocation(program, globals).start(
			program.main,
			program.main.params.map((p) => builtins[p.builtin]),
		);
	});
	for (;;) {
		const ends = runs.map((r) => r.next());
		if (ends.every((e) => e.done)) return;
		if (!ends.every((e) => !e.done && e.value === ends[0].value))
			throw new Error('the generator has made a barrier that not all invocations reach');
	}
}

// run PROGRAM: the words of its buffers, as { name: array } for the storage buffers it writes.
export function run(program) {
	const shared = {};
	for (const g of program.globals)
		if (g.binding !== undefined) shared[g.name] = g.initial ? clone(g.initial) : zero(g.type);
	for (let group = 0; group < program.groups; group++) run_workgroup(program, shared, group);
	return shared;
}
