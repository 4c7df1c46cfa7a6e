/**
 * The recogniser of all calls: Moonshine, in a process of its own. A fault in its native code would otherwise
 * end the server with every call, and its memory is freed when the process ends. It waits while there is no
 * sound to read, and ends with the server.
 */
import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { ModelRuntime } from '@northline/speech/model-runtime';
import { type LanguageModel, readLanguageModel } from './language-model-lookup.server.ts';
import { openMoonshine } from './moonshine-model.server.ts';
import { readWeights } from './moonshine-weights.server.ts';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';
import { RecognitionQueue } from './recognition-queue.server.ts';

/** Language models that stay in memory, some 8 MB each. */
const MOST_MODELS = 8;
const MEGABYTE = 1024 * 1024;

const models = new Map<string, LanguageModel>();

function languageOf(file: string): LanguageModel {
  const model = models.get(file) ?? readLanguageModel(readFileSync(file, 'utf8'));
  // A `Map` keeps insertion order: the model that was used last is removed last.
  models.delete(file);
  models.set(file, model);
  if (models.size > MOST_MODELS) models.delete(models.keys().next().value ?? '');
  return model;
}

function reply(message: RecogniserReply): void {
  process.send?.(message);
}

// Requests that come while the model is loading wait here.
const early: RecogniserRequest[] = [];
let take = (request: RecogniserRequest): void => void early.push(request);
process.on('message', (request: RecogniserRequest) => take(request));
// Without the server nobody needs the answers.
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
  // We are ended without a warning, and Node would keep compiled modules only at the end.
  flushCompileCache();
  take = (request) => queue.take(request);
  for (const request of early) queue.take(request);
} catch (error) {
  reply({ kind: 'unusable', why: error instanceof Error ? error.message : String(error) });
  process.disconnect();
}
