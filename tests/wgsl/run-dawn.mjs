#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// Runs generated programs through Dawn, Chromium's WebGPU, whose compiler is Tint: see run.mjs.
// usage: SUNDOG_NPM=FOLDER node run-dawn.mjs [--seed=FIRST] [--count=N]
//   FOLDER: where tools/build/npm.sh has installed the package webgpu.
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { run_programs } from './run.mjs';

const npm = process.env.SUNDOG_NPM ?? '.';
const { create, globals } = await import(pathToFileURL(`${npm}/node_modules/webgpu/index.js`));
Object.assign(globalThis, globals);
await run_programs('dawn', create(['backend=vulkan']));
