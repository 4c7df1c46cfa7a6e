import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { PROJECT_ROOT } from '../../../config/project-root.ts';
import type { VoiceActivityDetector } from '../engines.server.ts';
import type { ActivityReply, ActivityRequest } from './activity-messages.server.ts';

/** Samples of one window of Silero v5: 32 ms. */
const WINDOW_SAMPLES = 512;
const ENTRY = path.join(PROJECT_ROOT, 'src', 'features', 'voice', 'activity', 'activity-process.server.ts');

/** The detectors of all calls, in one worker. */
export interface ActivityDetection {
  open(): VoiceActivityDetector;
  close(): Promise<void>;
}

/** Starts the worker with the first window; it stays until `close`. */
export function createActivityDetection(): ActivityDetection {
  let worker: Worker | null = null;
  let lastId = 0;
  let lastDetector = 0;
  const waiting = new Map<number, { resolve: (probability: number) => void; reject: (why: Error) => void }>();

  function start(): Worker {
    const begun = new Worker(ENTRY, { execArgv: ['--disable-warning=ExperimentalWarning'] });
    begun.on('message', (reply: ActivityReply) => {
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if ('failure' in reply) asked?.reject(new Error(reply.failure));
      else asked?.resolve(reply.probability);
    });
    const lost = (why: Error) => {
      if (worker === begun) worker = null;
      for (const { reject } of waiting.values()) reject(why);
      waiting.clear();
    };
    begun.on('error', (error) => lost(error instanceof Error ? error : new Error(String(error))));
    begun.on('exit', () => lost(new Error('The detector of speech ended.')));
    begun.unref();
    return begun;
  }

  function tell(request: ActivityRequest): void {
    worker ??= start();
    worker.postMessage(request);
  }

  return {
    open() {
      const detector = ++lastDetector;
      return {
        windowSamples: WINDOW_SAMPLES,
        probability: (pcm) =>
          new Promise((resolve, reject) => {
            const id = ++lastId;
            waiting.set(id, { resolve, reject });
            tell({ kind: 'window', id, detector, pcm });
          }),
        reset: () => tell({ kind: 'reset', detector }),
        close: () => tell({ kind: 'close', detector }),
      };
    },
    async close() {
      await worker?.terminate();
    },
  };
}
