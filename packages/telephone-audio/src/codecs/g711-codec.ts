/** The two laws of ITU-T G.711: µ-law for North America and Japan, A-law for everybody else. */
export type G711Law = 'PCMU' | 'PCMA';

/** The code of silence, by law. */
const SILENCE: Readonly<Record<G711Law, number>> = { PCMU: 0xff, PCMA: 0xd5 };

const MU_BIAS = 0x84;

/** The sample of a µ-law code: sign, three bits of segment, four of step, all inverted (G.711 table 2). */
function muSample(code: number): number {
  const bits = ~code & 0xff;
  const size = ((((bits & 0x0f) << 3) + MU_BIAS) << ((bits >> 4) & 7)) - MU_BIAS;
  return (bits & 0x80) === 0 ? size : -size;
}

/** The sample of an A-law code, in which every other bit is inverted (G.711 table 1). */
function aSample(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits >> 4) & 7;
  const step = ((bits & 0x0f) << 4) + 8;
  const size = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return (bits & 0x80) === 0 ? -size : size;
}

const SAMPLES: Readonly<Record<G711Law, Int16Array>> = {
  PCMU: Int16Array.from({ length: 256 }, (_, code) => muSample(code)),
  PCMA: Int16Array.from({ length: 256 }, (_, code) => aSample(code)),
};

/**
 * The code of every 16-bit sample: the one with the nearest sample, or the larger amplitude of two that are
 * equally near.
 */
function codesOf(law: G711Law): Uint8Array {
  const samples = SAMPLES[law];
  // Sorted ascending; of the two codes for zero the positive one comes last and is used.
  const codes = Array.from({ length: 256 }, (_, code) => code).sort(
    (one, other) => (samples[one] ?? 0) - (samples[other] ?? 0) || (one === SILENCE[law] ? 1 : -1),
  );
  const all = new Uint8Array(0x10000);
  let at = 0;
  for (let sample = -32768; sample <= 32767; sample += 1) {
    while (at < 255 && nearer(sample, samples[codes[at] ?? 0] ?? 0, samples[codes[at + 1] ?? 0] ?? 0))
      at += 1;
    all[sample & 0xffff] = codes[at] ?? 0;
  }
  return all;
}

/** Whether the upper of two neighbours is chosen. */
function nearer(sample: number, low: number, high: number): boolean {
  const [toLow, toHigh] = [sample - low, high - sample];
  return sample >= 0 ? toHigh <= toLow : toHigh < toLow;
}

const CODES: Readonly<Record<G711Law, Uint8Array>> = { PCMU: codesOf('PCMU'), PCMA: codesOf('PCMA') };

/** Encodes 16-bit samples of 8 kHz to one byte each. */
export function encodeG711(law: G711Law, pcm: Int16Array): Uint8Array {
  const codes = CODES[law];
  return Uint8Array.from(pcm, (sample) => codes[sample & 0xffff] ?? 0);
}

/** Decodes such bytes. */
export function decodeG711(law: G711Law, codes: Uint8Array): Int16Array {
  const samples = SAMPLES[law];
  return Int16Array.from(codes, (code) => samples[code] ?? 0);
}
