import type { SttStream } from '../engines.server.ts';
import type { RecogniserFiles } from './find-recogniser.server.ts';
import { openRecogniser } from './open-recogniser.server.ts';
import type { PreparedModels } from './prepare-models.server.ts';

type Warn = (line: string) => void;

/** The recognisers of this process: one for each call, and one that waits for the next. */
export interface Recognisers {
  /** Has one ready for a call that is about to be joined; its models are loaded meanwhile. */
  warm(models: PreparedModels): void;
  /** The one that is ready, or a new one. */
  open(models: PreparedModels, warn: Warn): SttStream;
  close(): void;
}

/** A call that was asked for and not joined by then is not coming; some 80 MB are let go of. */
const KEPT_MS = 60_000;

/** Nothing runs before the first `warm` or `open`. */
export function keepRecognisers(files: RecogniserFiles): Recognisers {
  let spare: { models: PreparedModels; stream: SttStream; warn: Warn; timer: NodeJS.Timeout } | undefined;

  function drop(): void {
    if (spare === undefined) return;
    clearTimeout(spare.timer);
    spare.stream.close();
    spare = undefined;
  }

  return {
    warm(models) {
      if (spare?.models.ownModel === models.ownModel) {
        spare.timer.refresh();
        return;
      }
      drop();
      // Whatever befalls it before a call has it, the call's first utterance starts another.
      const waiting = {
        models,
        warn: (() => {}) as Warn,
        stream: openRecogniser(files, models, (line) => waiting.warn(line)) as SttStream,
        timer: setTimeout(drop, KEPT_MS).unref(),
      };
      spare = waiting;
    },
    open(models, warn) {
      if (spare?.models.ownModel !== models.ownModel) return openRecogniser(files, models, warn);
      const taken = spare;
      spare = undefined;
      clearTimeout(taken.timer);
      taken.warn = warn;
      return taken.stream;
    },
    close: drop,
  };
}
