/** Samples a second of everything that the voice bench records. */
export const RATE = 16_000;
/** Samples of one block of the envelope: 5 ms. */
const BLOCK = 80;
const BLOCK_MS = (BLOCK / RATE) * 1000;
/** Root mean square from which a block is audible: some -46 dBFS, a whisper beside speech of -20 dBFS. */
const AUDIBLE = 164;
/** Blocks in a row that make a sound; a click of a single block does not count. */
const BLOCKS_OF_SOUND = 3;

/** Root mean square of every 5 ms, the last part of a block left out. */
export function envelope(pcm: Int16Array): Float64Array {
  const blocks = new Float64Array(Math.floor(pcm.length / BLOCK));
  for (let block = 0; block < blocks.length; block += 1) {
    let energy = 0;
    for (let at = block * BLOCK; at < (block + 1) * BLOCK; at += 1) energy += (pcm[at] ?? 0) ** 2;
    blocks[block] = Math.sqrt(energy / BLOCK);
  }
  return blocks;
}

/** Milliseconds at which the first sound at or after `fromMs` begins, or undefined when all is silent. */
export function firstSound(
  blocks: Float64Array,
  fromMs = 0,
  toMs = Number.POSITIVE_INFINITY,
): number | undefined {
  const end = Math.min(blocks.length, Math.ceil(toMs / BLOCK_MS));
  let inRow = 0;
  for (let block = Math.max(0, Math.ceil(fromMs / BLOCK_MS)); block < end; block += 1) {
    inRow = (blocks[block] ?? 0) >= AUDIBLE ? inRow + 1 : 0;
    if (inRow === BLOCKS_OF_SOUND) return (block - BLOCKS_OF_SOUND + 1) * BLOCK_MS;
  }
  return undefined;
}

/** Milliseconds at which the last sound before `toMs` ends, or undefined when all is silent. */
export function lastSound(
  blocks: Float64Array,
  toMs = Number.POSITIVE_INFINITY,
  fromMs = 0,
): number | undefined {
  const least = Math.max(0, Math.floor(fromMs / BLOCK_MS));
  let inRow = 0;
  for (let block = Math.min(blocks.length, Math.floor(toMs / BLOCK_MS)) - 1; block >= least; block -= 1) {
    inRow = (blocks[block] ?? 0) >= AUDIBLE ? inRow + 1 : 0;
    if (inRow === BLOCKS_OF_SOUND) return (block + BLOCKS_OF_SOUND) * BLOCK_MS;
  }
  return undefined;
}

/** Milliseconds of sound between two times. */
export function soundBetween(blocks: Float64Array, fromMs: number, toMs: number): number {
  let heard = 0;
  const end = Math.min(blocks.length, Math.ceil(toMs / BLOCK_MS));
  for (let block = Math.max(0, Math.floor(fromMs / BLOCK_MS)); block < end; block += 1)
    if ((blocks[block] ?? 0) >= AUDIBLE) heard += BLOCK_MS;
  return heard;
}

/**
 * Milliseconds of the first stretch of at least `silenceMs` without a sound that begins at or after `fromMs`;
 * undefined when there is none.
 */
export function firstSilence(blocks: Float64Array, fromMs: number, silenceMs: number): number | undefined {
  const wanted = Math.ceil(silenceMs / BLOCK_MS);
  let quiet = 0;
  for (let block = Math.max(0, Math.ceil(fromMs / BLOCK_MS)); block < blocks.length; block += 1) {
    quiet = (blocks[block] ?? 0) < AUDIBLE ? quiet + 1 : 0;
    if (quiet === wanted) return (block - wanted + 1) * BLOCK_MS;
  }
  return undefined;
}

/**
 * Where `clip` lies in a recording: the shift in milliseconds, between `fromMs` and `toMs`, at which their
 * envelopes correlate best (normalised). A browser's changes to a microphone's loudness do not affect it.
 */
export function placeOf(
  clip: Float64Array,
  recording: Float64Array,
  fromMs: number,
  toMs: number,
): { readonly ms: number; readonly likeness: number } {
  let best = { ms: Number.NaN, likeness: -1 };
  const clipEnergy = Math.hypot(...clip);
  const first = Math.max(0, Math.floor(fromMs / BLOCK_MS));
  const last = Math.min(recording.length - clip.length, Math.ceil(toMs / BLOCK_MS));
  for (let shift = first; shift <= last; shift += 1) {
    let product = 0;
    let energy = 0;
    for (let block = 0; block < clip.length; block += 1) {
      const level = recording[shift + block] ?? 0;
      product += level * (clip[block] ?? 0);
      energy += level * level;
    }
    const likeness = energy === 0 ? 0 : product / (Math.sqrt(energy) * clipEnergy);
    if (likeness > best.likeness) best = { ms: shift * BLOCK_MS, likeness };
  }
  return best;
}

/** The value that a share of all values, 0 to 1, does not exceed (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
