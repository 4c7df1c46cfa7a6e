/** The worker that distinguishes speech from noise: Silero VAD v5 on WebAssembly, for all calls. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import { serveWorkerRequests } from '../../../kernel/concurrency/worker-server.server.ts';
import type { ActivityRequest } from './activity-messages.server.ts';

/** Input of the model: 64 samples of the window before and 512 new ones (docs/contracts/voice.md §4.2). */
const CONTEXT = 64;
const WINDOW = 512;
const STATE = [2, 1, 128] as const;
const STATE_SIZE = STATE[0] * STATE[1] * STATE[2];
const FULL_SCALE = 32768;

interface Memory {
  state: Float32Array;
  context: Float32Array;
}

const memories = new Map<number, Memory>();
const packageFolder = path.dirname(createRequire(import.meta.url).resolve('@ricky0123/vad-web/package.json'));
env.wasm.numThreads = 1;
const session = await InferenceSession.create(
  readFileSync(path.join(packageFolder, 'dist', 'silero_vad_v5.onnx')),
  { executionProviders: ['wasm'] },
);
const sampleRate = new Tensor('int64', BigInt64Array.from([16_000n]), []);

async function probabilityOf(detector: number, pcm: Int16Array): Promise<number> {
  const memory = memories.get(detector) ?? {
    state: new Float32Array(STATE_SIZE),
    context: new Float32Array(CONTEXT),
  };
  memories.set(detector, memory);
  const input = new Float32Array(CONTEXT + WINDOW);
  input.set(memory.context);
  for (let at = 0; at < WINDOW; at++) input[CONTEXT + at] = (pcm[at] ?? 0) / FULL_SCALE;
  memory.context = input.slice(WINDOW);
  const { output, stateN } = await session.run({
    input: new Tensor('float32', input, [1, input.length]),
    state: new Tensor('float32', memory.state, STATE),
    sr: sampleRate,
  });
  // A copy, because the tensor lies in the module's memory, which is released right afterwards.
  memory.state = Float32Array.from(stateN?.data as Float32Array);
  const probability = Number(output?.data[0]);
  output?.dispose();
  stateN?.dispose();
  return probability;
}

serveWorkerRequests(async (request: ActivityRequest) => {
  const probabilities: number[] = [];
  if (request.kind === 'forget') memories.delete(request.detector);
  else
    for (const window of request.windows) probabilities.push(await probabilityOf(request.detector, window));
  return probabilities;
});
