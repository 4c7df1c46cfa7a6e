/** The sound of a WAVE file. */
export interface Wave {
  readonly pcm: Int16Array<ArrayBuffer>;
  readonly samplesPerSecond: number;
}

/** Size of the header that is written, bytes. */
export const WAVE_HEADER = 44;
const RATE = 16_000;
const RIFF_HEADER = 12;
const CHUNK_HEADER = 8;
/** Size of the format chunk of plain sound, bytes. */
const FORMAT = 16;

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
      if (start + FORMAT > file.byteLength) break;
      const mono16 = view.getUint16(start + 2, true) === 1 && view.getUint16(start + 14, true) === 16;
      if (!mono16) throw new Error('Only 16-bit mono sound is read.');
      samplesPerSecond = view.getUint32(start + 4, true);
    }
    if (name === 'data' && samplesPerSecond > 0) {
      // A program that writes to a pipe does not know the length and leaves it too great.
      const bytes = Math.min(size, file.byteLength - start) & ~1;
      // A copy: `slice` of a Node buffer would be a view of more than the file.
      const pcm = new Int16Array(new Uint8Array(file.subarray(start, start + bytes)).buffer);
      return { pcm, samplesPerSecond };
    }
    at = start + size + (size & 1);
  }
  throw new Error('This is no WAVE file.');
}

/** Header of a WAVE file (RIFF) of 16-bit sound that holds `dataBytes` of it. */
export function waveHeader(channels: 1 | 2, dataBytes: number, samplesPerSecond: number = RATE): Buffer {
  const header = Buffer.alloc(WAVE_HEADER);
  header.write('RIFF', 0);
  header.writeUInt32LE(WAVE_HEADER - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond * 2 * channels, 28);
  header.writeUInt16LE(2 * channels, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** A WAVE file of 16-bit mono sound (RIFF). */
export function writeWave(pieces: readonly Int16Array[], samplesPerSecond: number = RATE): Buffer {
  const samples = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const file = Buffer.concat([waveHeader(1, samples * 2, samplesPerSecond), Buffer.alloc(samples * 2)]);
  let at = WAVE_HEADER;
  for (const piece of pieces) {
    for (const sample of piece) at = file.writeInt16LE(sample, at);
  }
  return file;
}
