/** Pieces of sound one after another. */
export function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** A tone of `seconds`, 16 kHz. */
export function tone(hertz: number, seconds: number, amplitude = 8000): Int16Array {
  return Int16Array.from({ length: Math.round(16_000 * seconds) }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hertz * n) / 16_000)),
  );
}

/** Samples in which a tone has one phase: a machine that is busy tears a sound into pieces with silence between them. */
const PIECE = 1600;

/** Share of the energy of `pcm` that lies at `hertz` (Goertzel, 10 Hz wide): 1 for a pure tone, about 0 otherwise. */
export function shareOfTone(pcm: Int16Array, hertz: number): number {
  const energy = pcm.reduce((sum, sample) => sum + sample * sample, 0);
  if (energy === 0) return 0;
  let found = 0;
  for (let at = 0; at < pcm.length; at += PIECE) found += energyOfTone(pcm.subarray(at, at + PIECE), hertz);
  return found / energy;
}

function energyOfTone(piece: Int16Array, hertz: number): number {
  let real = 0;
  let imaginary = 0;
  piece.forEach((sample, n) => {
    real += sample * Math.cos((2 * Math.PI * hertz * n) / 16_000);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * n) / 16_000);
  });
  return (2 * (real ** 2 + imaginary ** 2)) / piece.length;
}
