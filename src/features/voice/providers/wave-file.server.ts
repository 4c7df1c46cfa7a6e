const HEADER = 44;
const RATE = 16_000;

/** A WAVE file of 16-bit mono sound of 16 000 samples a second (RIFF). */
export function writeWaveFile(pieces: readonly Int16Array[]): Buffer {
  const samples = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const file = Buffer.alloc(HEADER + samples * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples * 2, 40);
  let at = HEADER;
  for (const piece of pieces) {
    for (const sample of piece) at = file.writeInt16LE(sample, at);
  }
  return file;
}
