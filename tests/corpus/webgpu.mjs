// SPDX-License-Identifier: MIT
// Makes pipelines of generated WGSL programs with Dawn or Deno, so that dump-layer.c writes the
// SPIR-V of their compilers: OUT/SEED-STAGE/*.spv. tests/corpus/make runs it, with the layer
// loaded.
// usage: node webgpu.mjs NPM OUT FIRST COUNT STAGE [FEATURE,...]   FEATUREs are Dawn's toggles
//    or: deno run --unstable-webgpu -A webgpu.mjs - OUT FIRST COUNT STAGE
import { mkdirSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { generate } from '../wgsl/generate.mjs';

const [npm, out, first, count, stage, features] = process.argv.slice(2);
let gpu;
if (npm === '-') {
	gpu = navigator.gpu;
} else {
	const { create, globals } = await import(pathToFileURL(`${npm}/node_modules/webgpu/index.js`));
	Object.assign(globalThis, globals);
	gpu = create(['backend=vulkan', ...(features ? [`enable-dawn-features=${features}`] : [])]);
}

// What feeds the fragment shaders.
const VERTEX = `struct Out {
  @builtin(position) at: vec4f,
  @location(0) @interpolate(flat) seen: vec4u,
}
@vertex fn main(@builtin(vertex_index) i: u32) -> Out { return Out(vec4f(), vec4u(i)); }`;

function make_pipeline(device, module) {
	if (stage === 'compute')
		return device.createComputePipeline({
			layout: 'auto',
			compute: { module, entryPoint: 'main' },
		});
	if (stage === 'vertex')
		return device.createRenderPipeline({
			layout: 'auto',
			vertex: {
				module,
				entryPoint: 'main',
				buffers: [
					{
						arrayStride: 16,
						attributes: [{ shaderLocation: 0, offset: 0, format: 'uint32x4' }],
					},
				],
			},
			depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
		});
	return device.createRenderPipeline({
		layout: 'auto',
		vertex: { module: device.createShaderModule({ code: VERTEX }), entryPoint: 'main' },
		fragment: { module, entryPoint: 'main', targets: [{ format: 'rgba32float' }] },
	});
}

const adapter = await gpu.requestAdapter();
const device = await adapter.requestDevice();
const pointers = gpu.wgslLanguageFeatures?.has('unrestricted_pointer_parameters');
const packed = gpu.wgslLanguageFeatures?.has('packed_4x8_integer_dot_product');
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
	const dir = `${out}/${seed}-${stage}`;
	mkdirSync(dir, { recursive: true });
	// The layer asks for it whenever it writes; nothing else compiles meanwhile.
	process.env.SUNDOG_DUMP = dir;
	device.pushErrorScope('validation');
	make_pipeline(
		device,
		device.createShaderModule({ code: generate(seed, { stage, pointers, packed }).text }),
	);
	const error = await device.popErrorScope();
	if (error) console.log(`${seed}-${stage}: ${error.message.split('\n')[0]}`);
}
process.exit(0);
