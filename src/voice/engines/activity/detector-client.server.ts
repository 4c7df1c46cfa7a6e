import { programFile } from '../../../kernel/concurrency/program-file.ts';
import { createThreadClient } from '../../../kernel/concurrency/worker-client.server.ts';
import type { VoiceActivityDetector } from '../engines.server.ts';
import type { ActivityRequest } from './activity-messages.server.ts';

/** Samples of one window of Silero v5: 32 ms. */
const WINDOW_SAMPLES = 512;
const ENTRY = programFile('src/voice/engines/activity/activity-process.server.ts');

/** The detectors of all calls, in one worker. */
export interface ActivityDetection {
  /** Starts the worker, if it does not run, and resolves when its model is loaded. */
  warm(): Promise<void>;
  open(): VoiceActivityDetector;
  close(): Promise<void>;
}

/** Starts the worker with the first window; it stays until `close`. */
export function createActivityDetection(): ActivityDetection {
  const worker = createThreadClient<ActivityRequest, number[]>(ENTRY);
  let lastDetector = 0;
  return {
    async warm() {
      await worker.ask({ kind: 'forget', detector: 0 });
    },
    open() {
      const detector = ++lastDetector;
      return {
        windowSamples: WINDOW_SAMPLES,
        probabilities: (windows) => worker.ask({ kind: 'windows', detector, windows }),
        close: () => worker.tell({ kind: 'forget', detector }),
      };
    },
    close: () => worker.close(),
  };
}
