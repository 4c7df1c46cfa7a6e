/** Sound as a WAVE file holds it. */
export interface Wave {
  readonly pcm: Int16Array<ArrayBuffer>;
  readonly samplesPerSecond: number;
}

const HEADER_BYTES = 44;
const RATE = 16_000;
const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;

/**
 * Reads a WAVE file of 16-bit mono sound (RIFF: Multimedia Programming Interface 1.0).
 *
 * @throws Error when it is anything else
 */
export function readWave(file: Uint8Array): Wave {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let samplesPerSecond = 0;
  for (let at = RIFF_HEADER; at + CHUNK_HEADER <= file.byteLength; ) {
    const name = String.fromCharCode(...file.subarray(at, at + 4));
    const size = view.getUint32(at + 4, true);
    const start = at + CHUNK_HEADER;
    if (name === 'fmt ') {
      const mono16 = view.getUint16(start + 2, true) === 1 && view.getUint16(start + 14, true) === 16;
      if (!mono16) throw new Error('Only 16-bit mono sound is read.');
      samplesPerSecond = view.getUint32(start + 4, true);
    }
    if (name === 'data' && samplesPerSecond > 0) {
      // A writer to a pipe does not know the length and leaves it too great.
      const bytes = Math.min(size, file.byteLength - start) & ~1;
      // A copy: `slice` of a Node buffer is a view of more than the file.
      const pcm = new Int16Array(new Uint8Array(file.subarray(start, start + bytes)).buffer);
      return { pcm, samplesPerSecond };
    }
    at = start + size + (size & 1);
  }
  throw new Error('This is no WAVE file.');
}

/** A WAVE file of 16-bit mono sound of 16 000 samples a second (RIFF). */
export function writeWave(pieces: readonly Int16Array[]): Buffer {
  const samples = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const file = Buffer.alloc(HEADER_BYTES + samples * 2);
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
  let at = HEADER_BYTES;
  for (const piece of pieces) {
    for (const sample of piece) at = file.writeInt16LE(sample, at);
  }
  return file;
}
