/** The sound of one text while it is being made. */
export interface SpeechPieces {
  /** All of it. Never resolves if the hearer stops before the end. @throws Error when it cannot be made */
  readonly whole: Promise<Int16Array>;
  /** Its pieces; when the signal is aborted, the making stops and the iteration ends. @throws Error as `whole` */
  heard(signal: AbortSignal): AsyncGenerator<Int16Array>;
}

/** Begins to make a sound. @returns a function that stops it */
type Begin = (sound: (pcm: Int16Array) => void, ended: (error?: Error) => void) => () => void;

/** Kept sound is handed out in pieces of a second. */
const PIECE = 16_000;

/** @param kept the sound, if it was made before */
export function createPieces(begin: Begin, kept: Int16Array | undefined): SpeechPieces {
  const pieces: Int16Array[] = kept === undefined ? [] : slices(kept);
  const whole = Promise.withResolvers<Int16Array>();
  let failure: Error | undefined;
  let over = kept !== undefined;
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  if (kept !== undefined) whole.resolve(kept);
  const stop =
    kept !== undefined
      ? () => {}
      : begin(
          (pcm) => {
            pieces.push(pcm);
            change();
          },
          (error) => {
            over = true;
            failure = error;
            if (error === undefined) whole.resolve(joined(pieces));
            else whole.reject(error);
            change();
          },
        );

  async function* heard(signal: AbortSignal): AsyncGenerator<Int16Array> {
    const leave = (): void => {
      stop();
      change();
    };
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      for (let at = 0; !signal.aborted; ) {
        const piece = pieces[at];
        if (piece !== undefined) {
          at += 1;
          yield piece;
        } else if (failure !== undefined) throw failure;
        else if (over) return;
        else await changed.promise;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      stop();
    }
  }

  return { whole: whole.promise, heard };
}

const slices = (pcm: Int16Array): Int16Array[] =>
  Array.from({ length: Math.ceil(pcm.length / PIECE) }, (_, at) =>
    pcm.subarray(at * PIECE, (at + 1) * PIECE),
  );

function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
