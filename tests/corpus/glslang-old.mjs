// SPDX-License-Identifier: MIT
// Compiles GLSL with glslang of 2020 to SPIR-V 1.0, where storage buffers are uniform blocks:
// OUT/FILE.spv. tests/corpus/make runs it.
// usage: node glslang-old.mjs NPM OUT FILE...
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname } from 'node:path';
import process from 'node:process';

const [npm, out, ...files] = process.argv.slice(2);
const glslang = createRequire(`${npm}/`)('@webgpu/glslang')();
const STAGES = { '.vert': 'vertex', '.frag': 'fragment', '.comp': 'compute' };

for (const file of files) {
	const stage = STAGES[extname(file)];
	if (!stage) continue;
	try {
		const words = glslang.compileGLSL(readFileSync(file, 'utf8'), stage, false);
		writeFileSync(
			`${out}/${basename(file)}.spv`,
			new Uint8Array(words.buffer, words.byteOffset, words.byteLength),
		);
	} catch (error) {
		console.log(`${basename(file)}: ${String(error).split('\n')[0]}`);
	}
}
