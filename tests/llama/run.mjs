// SPDX-License-Identifier: MIT
// Evaluates a fixed prompt on a model with all layers on the GPU, by llama.cpp's Vulkan backend in
// node-llama-cpp. Writes JSON: the names of the GPUs, the embedding of the prompt, the
// probabilities of the next token. SUNDOG_NPM is the folder with node_modules.
// tests/host/large-programs calls it.
// usage: node run.mjs MODEL FILE.json
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.SUNDOG_NPM}/`);
const library = pathToFileURL(require.resolve("node-llama-cpp")).href;
const { getLlama, LlamaLogLevel } = await import(library);

const prompt = "The quick brown fox jumps over the lazy dog; 12 boxing wizards jump quickly.";

// "never": without a binary of the platform's package, node-llama-cpp would download and build one.
const llama = await getLlama({
	gpu: "vulkan", build: "never", skipDownload: true, progressLogs: false,
	logLevel: LlamaLogLevel.warn,
	logger: (level, message) => process.stderr.write(`${level}: ${message}\n`),
});
const devices = await llama.getGpuDeviceNames();
const [modelPath, resultPath] = process.argv.slice(2);
const model = await llama.loadModel({ modelPath, gpuLayers: "max", useMmap: false });

const embeddings = await model.createEmbeddingContext({ contextSize: 256, batchSize: 128 });
const { vector } = await embeddings.getEmbeddingFor(prompt);
await embeddings.dispose();

// The prompt's tokens together, then four given tokens one by one: for a single token llama.cpp
// uses other shaders, which multiply a matrix by a vector.
const context = await model.createContext({ contextSize: 256, batchSize: 128 });
const sequence = context.getSequence();
const probabilities = [];
for (const text of [prompt, "a", "b", "c", "d"]) {
	const tokens = model.tokenize(text).slice(text === prompt ? 0 : -1);
	tokens.push([tokens.pop(), { generateNext: { probabilities: true } }]);
	const result = await sequence.controlledEvaluate(tokens);
	const next = [...result[result.length - 1].next.probabilities];
	probabilities.push(next.sort(([a], [b]) => a - b).map(([, probability]) => probability));
}
writeFileSync(resultPath, JSON.stringify({ devices, gpuLayers: model.gpuLayers,
	layers: model.fileInsights.totalLayers, embedding: [...vector], probabilities }));
process.exit(0);
