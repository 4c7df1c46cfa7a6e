import path from 'node:path';
import { PROJECT_ROOT } from '../../../config/project-root.ts';
import { askWorker } from '../ask-worker.server.ts';
import type { VoiceActivityDetector } from '../engines.server.ts';
import type { ActivityRequest } from './activity-messages.server.ts';

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
  const worker = askWorker<ActivityRequest, number>(ENTRY);
  let lastDetector = 0;
  return {
    open() {
      const detector = ++lastDetector;
      const forget = (): void => worker.tell({ kind: 'forget', detector });
      return {
        windowSamples: WINDOW_SAMPLES,
        probability: (pcm) => worker.ask({ kind: 'window', detector, pcm }),
        reset: forget,
        close: forget,
      };
    },
    close: () => worker.close(),
  };
}
