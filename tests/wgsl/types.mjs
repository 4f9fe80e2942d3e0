// SPDX-License-Identifier: MIT
// Types and abstract syntax of the generated WGSL programs, and their printer. The generator makes
// the tree, the model interprets it, and print() writes it as WGSL.

// Types. Each is made once, so that `===` compares them. Programs name their structs alike: a
// struct is known by a number, and so are the types made of it.
const types = new Map();
let structs = 0;
function intern(key, name, fields) {
	if (!types.has(key)) types.set(key, { key, name, ...fields });
	return types.get(key);
}
const scalar = (name) => intern(name, name, { kind: 'scalar' });
export const BOOL = scalar('bool');
export const I32 = scalar('i32');
export const U32 = scalar('u32');
export const F32 = scalar('f32');
// made_of FORMAT FIELDS: a type whose name has the name of its element in the place of %.
function made_of(format, elem, fields) {
	return intern(format.replace('%', elem.key), format.replace('%', elem.name), {
		elem,
		...fields,
	});
}
export const vec = (n, elem) => made_of(`vec${n}<%>`, elem, { kind: 'vec', n });
export const mat = (cols, rows) =>
	intern(`mat${cols}x${rows}`, `mat${cols}x${rows}<f32>`, {
		kind: 'mat',
		n: cols,
		rows,
		elem: vec(rows, F32),
	});
export const array = (elem, n) => made_of(`array<%, ${n}>`, elem, { kind: 'array', n });
export const atomic = (elem) => made_of('atomic<%>', elem, { kind: 'atomic' });
export const ptr = (space, elem) =>
	made_of(`ptr<${space}, %${space === 'storage' ? ', read_write' : ''}>`, elem, {
		kind: 'ptr',
		space,
	});
export const struct = (name, members) => ({
	key: `struct ${structs++}`,
	name,
	kind: 'struct',
	members,
});

// The scalar type of a scalar, vector or matrix.
export function scalar_of(type) {
	return type.kind === 'mat' ? F32 : type.kind === 'vec' ? type.elem : type;
}

// The zero value of a type, as the model represents it: numbers, booleans, nested arrays.
export function zero(type) {
	switch (type.kind) {
		case 'scalar':
			return type === BOOL ? false : 0;
		case 'atomic':
			return 0;
		case 'struct':
			return type.members.map((m) => zero(m.type));
		default:
			return Array.from({ length: type.n }, () => zero(type.elem));
	}
}

// Expressions. `constant` says that WGSL takes the node for a const-expression, and `bound`
// limits the magnitude of each f32 in it: all f32 values are integers below 2^24, which no
// rounding alters.
export function node(kind, type, fields) {
	return { kind, type, constant: false, bound: 0, ...fields };
}
export const literal = (type, value) =>
	node('literal', type, { value, constant: true, bound: type === F32 ? Math.abs(value) : 0 });

function literal_text(type, value) {
	if (type === BOOL) return String(value);
	if (type === U32) return `${value}u`;
	if (type === F32) {
		const text = Number.isInteger(value) ? `${value}.0f` : `${value}f`;
		return value < 0 ? `(${text})` : text;
	}
	if (value === -0x80000000) return '(-2147483647i - 1i)';
	return value < 0 ? `(${value}i)` : `${value}i`;
}

const list = (nodes) => nodes.map(expression).join(', ');

export function expression(e) {
	switch (e.kind) {
		case 'literal':
			return literal_text(e.type, e.value);
		case 'variable':
			return e.name;
		case 'member':
			return `${expression(e.base)}.${e.base.type.members[e.index].name}`;
		case 'component':
			return `${expression(e.base)}.${'xyzw'[e.index]}`;
		case 'swizzle':
			return `${expression(e.base)}.${e.order.map((i) => 'xyzw'[i]).join('')}`;
		case 'index':
			return `${expression(e.base)}[${expression(e.index)}]`;
		case 'deref':
			return `(*${expression(e.base)})`;
		case 'address':
			return `&${expression(e.base)}`;
		case 'unary':
			return `(${e.op}${expression(e.a)})`;
		case 'binary':
			return `(${expression(e.a)} ${e.op} ${expression(e.b)})`;
		case 'construct':
			return `${e.type.name}(${list(e.args)})`;
		case 'bitcast':
			return `bitcast<${e.type.name}>(${expression(e.a)})`;
		case 'builtin':
			return `${e.name}(${list(e.args)})${e.field ? `.${e.field}` : ''}`;
		case 'call':
			return `${e.func.name}(${list(e.args)})`;
	}
	throw new Error(`expression ${e.kind} has no text`);
}

function simple(s) {
	switch (s.kind) {
		case 'let':
			return `let ${s.name} = ${expression(s.value)}`;
		case 'var':
			return `var ${s.name}: ${s.type.name}${s.value ? ` = ${expression(s.value)}` : ''}`;
		case 'assign':
			return `${expression(s.to)} ${s.op}= ${expression(s.value)}`;
		case 'step':
			return `${expression(s.to)}${s.op}`;
		case 'discard_value':
			return `_ = ${expression(s.value)}`;
		case 'evaluate':
			return expression(s.value);
		case 'barrier':
			return `${s.name}()`;
		case 'uniform_load':
			return `let ${s.name} = workgroupUniformLoad(&${s.from})`;
		case 'return':
			return s.value ? `return ${expression(s.value)}` : 'return';
		case 'break_if':
			return `break if ${expression(s.test)}`;
		case 'break':
		case 'continue':
		case 'discard':
			return s.kind;
	}
	throw new Error(`statement ${s.kind} has no text`);
}

// block STATEMENTS INDENT: their lines.
export function block(statements, indent) {
	const lines = [];
	const tabs = '  '.repeat(indent);
	const nested = (body) => lines.push(...block(body, indent + 1));
	for (const s of statements) {
		switch (s.kind) {
			case 'block':
				lines.push(`${tabs}{`);
				nested(s.body);
				lines.push(`${tabs}}`);
				break;
			case 'if':
				s.arms.forEach((arm, i) => {
					const open = i ? `${tabs}} else if` : `${tabs}if`;
					lines.push(
						arm.test ? `${open} (${expression(arm.test)}) {` : `${tabs}} else {`,
					);
					nested(arm.body);
				});
				lines.push(`${tabs}}`);
				break;
			case 'switch':
				lines.push(`${tabs}switch (${expression(s.value)}) {`);
				for (const c of s.cases) {
					const values = c.values.map((v) => (v === null ? 'default' : expression(v)));
					const alone = c.values.length === 1 && c.values[0] === null;
					lines.push(`${tabs}  ${alone ? 'default' : `case ${values.join(', ')}`}: {`);
					lines.push(...block(c.body, indent + 2));
					lines.push(`${tabs}  }`);
				}
				lines.push(`${tabs}}`);
				break;
			case 'for':
				lines.push(
					`${tabs}for (${simple(s.init)}; ${expression(s.test)}; ${simple(s.next)}) {`,
				);
				nested(s.body);
				lines.push(`${tabs}}`);
				break;
			case 'while':
				lines.push(`${tabs}while (${expression(s.test)}) {`);
				nested(s.body);
				lines.push(`${tabs}}`);
				break;
			case 'loop':
				lines.push(`${tabs}loop {`);
				nested(s.body);
				if (s.continuing) {
					lines.push(`${tabs}  continuing {`);
					lines.push(...block(s.continuing, indent + 2));
					lines.push(`${tabs}  }`);
				}
				lines.push(`${tabs}}`);
				break;
			default:
				lines.push(`${tabs}${simple(s)};`);
		}
	}
	return lines;
}

// print PROGRAM: its WGSL.
export function print(program) {
	const lines = [...program.directives];
	for (const s of program.structs) {
		lines.push(`struct ${s.name} {`);
		for (const m of s.members) lines.push(`  ${m.attribute ?? ''}${m.name}: ${m.type.name},`);
		lines.push('}');
	}
	for (const g of program.globals) {
		const where = g.binding === undefined ? '' : `@group(0) @binding(${g.binding}) `;
		const space = g.space ? `var<${g.space}>` : g.keyword;
		lines.push(
			`${where}${space} ${g.name}: ${g.type.name}` +
				`${g.value ? ` = ${expression(g.value)}` : ''};`,
		);
	}
	for (const f of program.functions) {
		const params = f.params.map((p) => `${p.attribute ?? ''}${p.name}: ${p.type.name}`);
		const result = f.result ? ` -> ${f.result_attribute ?? ''}${f.result.name}` : '';
		if (f.attribute) lines.push(f.attribute);
		lines.push(`fn ${f.name}(${params.join(', ')})${result} {`);
		lines.push(...block(f.body, 1));
		lines.push('}');
	}
	return lines.join('\n') + '\n';
}
