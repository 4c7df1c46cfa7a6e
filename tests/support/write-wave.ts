const HEADER = 44;

/**
 * A WAVE file of 16-bit mono sound, as a browser's fake microphone reads it.
 *
 * @param rate samples a second
 */
export function writeWave(pcm: Int16Array, rate: number): Buffer {
  const file = Buffer.alloc(HEADER + pcm.length * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(pcm.length * 2, 40);
  for (const [at, sample] of pcm.entries()) file.writeInt16LE(sample, HEADER + at * 2);
  return file;
}

/** Pieces of sound, one after another. */
export function joinSound(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
