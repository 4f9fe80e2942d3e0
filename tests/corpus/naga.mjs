// SPDX-License-Identifier: MIT
// Compiles generated WGSL programs with Naga to SPIR-V: OUT/SEED-STAGE.spv. tests/corpus/make
// runs it.
// usage: node naga.mjs NPM OUT FIRST COUNT STAGE
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { generate } from '../wgsl/generate.mjs';

const [npm, out, first, count, stage] = process.argv.slice(2);
const OPTIONS = { stage, packed: true, no_overrides: true };
const naga = await import(pathToFileURL(`${npm}/node_modules/naga-wasm/dist/node.js`));

for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
	try {
		const module = naga.parseWgsl(generate(seed, OPTIONS).text);
		const words = naga.writeSpirv(module, naga.validate(module));
		writeFileSync(
			`${out}/${seed}-${stage}.spv`,
			new Uint8Array(words.buffer, words.byteOffset, words.byteLength),
		);
	} catch (error) {
		console.log(`${seed}-${stage}: ${String(error.formatted ?? error).split('\n')[0]}`);
	}
}
