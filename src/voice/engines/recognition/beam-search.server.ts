import { type EncodedSound, type MoonshineModel, PIECES } from './moonshine-model.server.ts';
import { BEGIN_PIECE, END_PIECE, PIECE_TEXTS } from './moonshine-pieces.server.ts';
import type { BiasedText, WordBias } from './word-bias.server.ts';

/** One hypothesis of what a sound says. */
export interface Reading {
  readonly pieces: readonly number[];
  /** Natural logarithm of the model's own probability, the end of the text included. */
  readonly sound: number;
  /** What the bias adds. */
  readonly bias: number;
}

/** The options of a search. */
export interface SearchOptions {
  /** Hypotheses that are followed at once; 1 is a greedy search. */
  readonly width: number;
  readonly bias: WordBias;
  /** Whether the search may go on; called before each step. */
  readonly goOn?: () => Promise<boolean>;
}

/** The hypotheses that a search found, best first. */
export interface SearchResult {
  readonly readings: readonly Reading[];
}

interface Open extends Reading {
  readonly text: BiasedText;
}

/** No speaker exceeds this many pieces a second; a short sound may have a few more. */
const PIECES_PER_SECOND = 6.5;
const LEAST_PIECES = 6;
/** A piece that is this much less likely than the best (natural logarithm) is not tried. */
const FAR = 6;
/**
 * The end of the text is accepted only where it is nearly the best continuation (otherwise the bias ends
 * texts early).
 */
const END_NEAR = 0.7;
/**
 * A hypothesis this much worse than a finished one will not overtake it; nor will one this much behind the
 * best.
 */
const HOPELESS = 4;
const BEHIND = 5;
const TRIED_PER_ROW = 16;
/** The model takes a quiet beginning for no speech. Only above this probability is it believed. */
const SURE_OF_NOTHING = 0.9;

/**
 * Beam search over word pieces, each scored by the model and the bias (shallow fusion, Gülçehre et al. 2015).
 * The voice detector has heard speech, so an empty text is accepted only where the model is nearly certain.
 *
 * @param seconds length of the sound
 * @returns no readings where nothing was said; null when it was given up
 */
export async function searchBeam(
  model: MoonshineModel,
  sound: EncodedSound,
  seconds: number,
  { width, bias, goOn = async () => true }: SearchOptions,
): Promise<SearchResult | null> {
  let step = await model.begin(sound, [BEGIN_PIECE]);
  let open: Open[] = [{ pieces: [], sound: 0, bias: 0, text: bias.start }];
  const done: Open[] = [];
  const noSpeech = Math.exp(logarithms(step.logits)[END_PIECE] ?? 0);
  if (noSpeech > SURE_OF_NOTHING) return { readings: [] };
  const most = Math.max(LEAST_PIECES, Math.trunc(seconds * PIECES_PER_SECOND) + 4);
  for (let length = 0; length < most; length++) {
    if (!(await goOn())) return null;
    const next = bestOf(open, step.logits, { width, bias, done });
    const [first] = next;
    const best = Math.max(...done.map(worth));
    if (!first || done.length >= width || worth(first.reading) < best - HOPELESS) break;
    open = next.map(({ reading }) => reading);
    const rows = next.map(({ row }) => row);
    step = await model.extend(
      step.memory,
      rows,
      next.map(({ piece }) => piece),
    );
  }
  const found = done.length > 0 ? done : open;
  return { readings: found.sort((one, other) => perPiece(other) - perPiece(one)) };
}

interface Candidate {
  readonly row: number;
  readonly piece: number;
  readonly reading: Open;
}

/** The hypotheses that are worth following; those that end here are added to `done`. */
function bestOf(
  open: readonly Open[],
  logits: Float32Array,
  { width, bias, done }: { readonly width: number; readonly bias: WordBias; readonly done: Open[] },
): Candidate[] {
  const candidates = open
    .flatMap((reading, row) => continuations(reading, row, logits, bias))
    .sort((one, other) => worth(other.reading) - worth(one.reading));
  const leader = candidates[0] ? worth(candidates[0].reading) : 0;
  const next: Candidate[] = [];
  for (const candidate of candidates) {
    if (worth(candidate.reading) < leader - BEHIND || next.length === width) break;
    if (candidate.piece === END_PIECE) done.push(candidate.reading);
    else next.push(candidate);
  }
  return next;
}

const worth = ({ sound, bias }: Reading): number => sound + bias;
const perPiece = (reading: Reading): number => worth(reading) / (reading.pieces.length + 2);

function continuations(reading: Open, row: number, logits: Float32Array, bias: WordBias): Candidate[] {
  const scores = logarithms(logits.subarray(row * PIECES, (row + 1) * PIECES));
  let best = Number.NEGATIVE_INFINITY;
  for (const score of scores) if (score > best) best = score;
  const likely: number[] = [];
  for (let piece = 0; piece < PIECES; piece++) if ((scores[piece] ?? 0) > best - FAR) likely.push(piece);
  return likely
    .sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0))
    .slice(0, TRIED_PER_ROW)
    .filter(
      (piece) =>
        piece !== END_PIECE || (reading.pieces.length > 0 && (scores[piece] ?? 0) >= best - END_NEAR),
    )
    .map((piece) => ({ row, piece, reading: extended(reading, piece, scores[piece] ?? 0, bias) }));
}

function extended(reading: Open, piece: number, score: number, bias: WordBias): Open {
  const sound = reading.sound + score;
  if (piece === END_PIECE) return { ...reading, sound, bias: bias.end(reading.text) };
  const text = bias.extend(reading.text, PIECE_TEXTS[piece] ?? '');
  return { pieces: [...reading.pieces, piece], sound, text, bias: text.bias };
}

/** Natural logarithms of probabilities that sum to one. */
function logarithms(logits: Float32Array): Float32Array {
  let best = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < PIECES; at++) best = Math.max(best, logits[at] ?? best);
  let sum = 0;
  for (let at = 0; at < PIECES; at++) sum += Math.exp((logits[at] ?? 0) - best);
  const whole = best + Math.log(sum);
  return Float32Array.from(logits.subarray(0, PIECES), (logit) => logit - whole);
}
