/**
 * The recogniser of all calls: Moonshine, in a process of its own, because a fault in its native code
 * would end the server and every call with it, and because its memory comes back when it ends.
 * Without sound to read it waits; it ends with the server.
 */
import { readFileSync } from 'node:fs';
import { type LanguageModel, readLanguageModel } from './language-model-lookup.server.ts';
import { type ModelRuntime, openMoonshine } from './moonshine-model.server.ts';
import { readWeights } from './moonshine-weights.server.ts';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';
import { RecognitionQueue } from './recognition-queue.server.ts';

/** Language models that are kept read, some 8 MB each. */
const MOST_MODELS = 8;
const MEGABYTE = 1024 * 1024;

const models = new Map<string, LanguageModel>();

function languageOf(file: string): LanguageModel {
  const model = models.get(file) ?? readLanguageModel(readFileSync(file, 'utf8'));
  // The one that was used last is the last to go.
  models.delete(file);
  models.set(file, model);
  if (models.size > MOST_MODELS) models.delete(models.keys().next().value ?? '');
  return model;
}

function reply(message: RecogniserReply): void {
  process.send?.(message);
}

// What comes while the model is loaded waits for it.
const early: RecogniserRequest[] = [];
let take = (request: RecogniserRequest): void => void early.push(request);
process.on('message', (request: RecogniserRequest) => take(request));
// Without the server there is nobody to listen for.
process.on('disconnect', () => process.exit(0));

try {
  const [runtime] = process.argv.slice(2) as ModelRuntime[];
  const model = await openMoonshine(await readWeights(), runtime);
  const queue = new RecognitionQueue(model, languageOf, reply);
  reply({
    kind: 'ready',
    runtime: model.runtime,
    megabytes: Math.round(process.memoryUsage.rss() / MEGABYTE),
  });
  take = (request) => queue.take(request);
  for (const request of early) queue.take(request);
} catch (error) {
  reply({ kind: 'unusable', why: error instanceof Error ? error.message : String(error) });
  process.disconnect();
}
