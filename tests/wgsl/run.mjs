// SPDX-License-Identifier: MIT
// Runs generated programs on an adapter of WebGPU and compares their buffers with the model's:
// what run-dawn.mjs and run-deno.mjs have in common. Prints TAP. Options: --seed=FIRST --count=N.
// SUNDOG_ADAPTER: a word that the adapter's names must have, so that the programs do not run on
// another one unnoticed.
import process from 'node:process';
import { expected, generate } from './generate.mjs';

const LIMIT_MS = 120000;

// option NAME FALLBACK: the number of --NAME=NUMBER.
function option(name, fallback) {
	const found = process.argv.find((a) => a.startsWith(`--${name}=`));
	return found ? Number(found.slice(name.length + 3)) : fallback;
}

function plan(count, reason) {
	console.log(count ? `1..${count}` : `1..0 # SKIP ${reason}`);
}

function comment(text) {
	for (const line of String(text).trimEnd().split('\n')) console.log(`# ${line}`);
}

function timeout(promise, what) {
	let timer;
	const late = new Promise((_, reject) => {
		timer = setTimeout(
			() => reject(new Error(`${what} took more than ${LIMIT_MS} ms`)),
			LIMIT_MS,
		);
	});
	return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// describe ADAPTER: all of its names, in one line.
function describe(adapter) {
	const { vendor, architecture, device, description } = adapter.info;
	return [vendor, architecture, device, description].filter((s) => s).join(', ');
}

const STORAGE = 0x80,
	UNIFORM = 0x40,
	COPY_SRC = 0x04,
	COPY_DST = 0x08,
	MAP_READ = 0x01,
	COMPUTE = 0x04;

function make_layout(device) {
	const types = ['read-only-storage', 'uniform', 'storage', 'storage', 'storage'];
	const entries = types.map((type, binding) => ({
		binding,
		visibility: COMPUTE,
		buffer: { type },
	}));
	return device.createBindGroupLayout({ entries });
}

// scoped DEVICE ACTION: its result; throws the validation error that it makes.
async function scoped(device, action) {
	device.pushErrorScope('validation');
	device.pushErrorScope('internal');
	const result = await action();
	for (let i = 0; i < 2; i++) {
		const error = await device.popErrorScope();
		if (error) throw new Error(error.message);
	}
	return result;
}

async function make_pipeline(device, layout, program) {
	return scoped(device, async () => {
		const module = device.createShaderModule({ code: program.text });
		const info = await module.getCompilationInfo?.();
		const errors = info?.messages.filter((m) => m.type === 'error') ?? [];
		if (errors.length)
			return comment(errors.map((m) => `${m.lineNum}:${m.linePos}: ${m.message}`).join('\n'));
		return device.createComputePipelineAsync({
			layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
			compute: { module, entryPoint: 'main' },
		});
	});
}

// The initial words of a buffer, or how many bytes of zero it has.
function make_buffer(device, global, values) {
	const words = global.initial?.flat();
	const size = words ? words.length * 4 : (values?.length ?? 1 << 16) * 4;
	const usage = (global.space === 'uniform' ? UNIFORM : STORAGE) | COPY_SRC | COPY_DST;
	const buffer = device.createBuffer({ size, usage });
	if (words) device.queue.writeBuffer(buffer, 0, Uint32Array.from(words));
	return buffer;
}

async function read(device, from, words) {
	const buffer = device.createBuffer({ size: words * 4, usage: MAP_READ | COPY_DST });
	const encoder = device.createCommandEncoder();
	encoder.copyBufferToBuffer(from, 0, buffer, 0, words * 4);
	device.queue.submit([encoder.finish()]);
	await buffer.mapAsync(1);
	const result = new Uint32Array(buffer.getMappedRange().slice(0));
	buffer.destroy();
	return result;
}

// compute DEVICE LAYOUT PROGRAM VALUES: what its buffers hold after it has run, by name.
async function compute(device, layout, program, values) {
	const pipeline = await make_pipeline(device, layout, program);
	return scoped(device, async () => {
		const bound = program.globals.filter((g) => g.binding !== undefined);
		const buffers = bound.map((g) => make_buffer(device, g, values[g.name]));
		const entries = bound.map((g, i) => ({
			binding: g.binding,
			resource: { buffer: buffers[i] },
		}));
		const encoder = device.createCommandEncoder();
		const pass = encoder.beginComputePass();
		pass.setPipeline(pipeline);
		pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
		pass.dispatchWorkgroups(program.groups);
		pass.end();
		device.queue.submit([encoder.finish()]);
		const result = {};
		for (const name of Object.keys(values)) {
			const from = buffers[bound.findIndex((g) => g.name === name)];
			result[name] = await read(device, from, values[name].length);
		}
		for (const buffer of buffers) buffer.destroy();
		return result;
	});
}

// difference VALUES RESULT: the first word that differs, in words; undefined if none does.
function difference(values, result) {
	for (const [name, words] of Object.entries(values)) {
		const at = words.findIndex((w, i) => w !== result[name][i]);
		if (at >= 0) {
			const all = words.reduce((n, w, i) => n + (w !== result[name][i]), 0);
			return (
				`${name}[${at}] is ${result[name][at]}, should be ${words[at]}; ` +
				`${all} of ${words.length} words differ`
			);
		}
	}
	return undefined;
}

// run_programs RUNTIME GPU: exits with the tests' status.
export async function run_programs(runtime, gpu) {
	const first = option('seed', 1),
		count = option('count', 200);
	const adapter = await gpu?.requestAdapter();
	if (!adapter) {
		if (process.env.SUNDOG_ADAPTER) {
			console.log(`Bail out! ${runtime} has no adapter`);
			process.exit(1);
		}
		plan(0, `${runtime} has no adapter`);
		process.exit(0);
	}
	const names = describe(adapter),
		wanted = process.env.SUNDOG_ADAPTER ?? '';
	comment(`${runtime}: ${names}`);
	if (!names.toLowerCase().includes(wanted.toLowerCase())) {
		console.log(
			`Bail out! ${runtime} offers the adapter '${names}', the tests want '${wanted}'`,
		);
		process.exit(1);
	}
	const language = gpu.wgslLanguageFeatures ?? new Set();
	const options = {
		pointers: language.has('unrestricted_pointer_parameters'),
		packed: language.has('packed_4x8_integer_dot_product'),
	};
	plan(count);
	let device,
		layout,
		lost,
		failed = 0;
	for (let seed = first; seed < first + count; seed++) {
		const program = generate(seed, options);
		const values = expected(program);
		let fault;
		try {
			if (!device) {
				// An adapter makes one device.
				device = await (await gpu.requestAdapter()).requestDevice();
				layout = make_layout(device);
				lost = device.lost.then((info) => {
					device = undefined;
					throw new Error(`the device is lost: ${info.message}`);
				});
				lost.catch(() => {});
			}
			const work = compute(device, layout, program, values);
			fault = difference(values, await timeout(Promise.race([work, lost]), 'the program'));
		} catch (error) {
			fault = error.message;
		}
		console.log(`${fault ? 'not ok' : 'ok'} ${seed - first + 1} - ${runtime}: program ${seed}`);
		if (fault) {
			failed++;
			comment(fault);
			comment(program.text);
		}
	}
	process.exit(failed ? 1 : 0);
}
