// SPDX-License-Identifier: MIT
// Runs generated programs through Deno, whose WebGPU is wgpu with the compiler Naga: see run.mjs.
// usage: DENO_WEBGPU_BACKEND=vulkan deno run --unstable-webgpu -A run-deno.mjs
//   [--seed=FIRST] [--count=N]
import { run_programs } from './run.mjs';

await run_programs('deno', navigator.gpu);
