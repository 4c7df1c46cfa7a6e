/** Sound as a WAVE file holds it. */
export interface Wave {
  readonly pcm: Int16Array<ArrayBuffer>;
  readonly samplesPerSecond: number;
}

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
      return { pcm: new Int16Array(file.slice(start, start + bytes).buffer), samplesPerSecond };
    }
    at = start + size + (size & 1);
  }
  throw new Error('This is no WAVE file.');
}
