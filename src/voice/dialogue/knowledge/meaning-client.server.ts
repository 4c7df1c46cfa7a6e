import { RuntimeChoice } from '@northline/speech/runtime-choice';
import { programFile } from '../../../kernel/concurrency/program-file.ts';
import { createProcessClient } from '../../../kernel/concurrency/worker-client.server.ts';
import { inTime } from '../../../kernel/resources/bounded-wait.ts';
import type { Embed } from './fact-search.server.ts';
import type { MeaningReply, MeaningRequest } from './meaning-messages.server.ts';

/** Vectors of meaning for all calls, made by one process. */
export interface Meaning {
  /** Vectors of texts; those that are asked for again are kept. @throws Error when the process fails */
  readonly embed: Embed;
  /** The same, but rejects when a caller would have to wait too long. */
  readonly embedSoon: Embed;
  close(): Promise<void>;
}

const ENTRY = programFile('src/voice/dialogue/knowledge/meaning-process.server.ts');
/** Most vectors that are kept, of 384 numbers each: 8 MB. */
const MOST_KEPT = 5000;
/** Most texts in one request, so that questions of other calls come between the parts of a long prompt. */
const TEXTS_AT_ONCE = 8;
const LONGEST_TEXT = 400;
/** How long a caller waits for a vector, ms; after that, only words are compared. */
const PATIENCE_MS = 1500;
/** After this time without a question the process ends, which frees its memory. */
const IDLE_MS = 600_000;

/**
 * Starts the process with the first text. If native code cannot run here, the texts are asked for again, in
 * WebAssembly.
 *
 * @param entry the module that the process runs; only tests name another one
 */
export function createMeaning(entry = ENTRY): Meaning {
  const runtime = new RuntimeChoice();
  const changes = { count: 0 };
  const worker = createProcessClient<MeaningRequest, MeaningReply>(entry, {
    words: () => runtime.words,
    exited: (signal, hasAnswered) => {
      if (runtime.ended(signal, hasAnswered)) changes.count += 1;
    },
  });
  const kept = new Map<string, Promise<Float32Array>>();
  let idle: NodeJS.Timeout | undefined;

  function ask(texts: readonly string[]): void {
    const request = { texts: texts.map((text) => text.slice(0, LONGEST_TEXT)) };
    const before = changes.count;
    const answered = worker.ask(request).catch((error: unknown) => {
      if (changes.count === before) throw error;
      return worker.ask(request);
    });
    for (const [at, text] of texts.entries()) {
      const vector = answered.then(({ vectors }) => {
        const found = vectors[at];
        if (found === undefined) throw new Error('A vector is missing.');
        return found;
      });
      kept.set(text, vector);
      vector.catch(() => kept.delete(text));
    }
    while (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
    clearTimeout(idle);
    idle = setTimeout(() => worker.close(), IDLE_MS).unref();
  }

  async function embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const missing = [...new Set(texts)].filter((text) => !kept.has(text));
    for (let at = 0; at < missing.length; at += TEXTS_AT_ONCE) ask(missing.slice(at, at + TEXTS_AT_ONCE));
    return Promise.all(texts.map((text) => kept.get(text) ?? Promise.reject(new Error('Too many texts.'))));
  }

  return {
    embed,
    embedSoon: (texts) => inTime(PATIENCE_MS, embed(texts), () => new Error('The meaning comes too late.')),
    async close() {
      clearTimeout(idle);
      kept.clear();
      await worker.close();
    },
  };
}
