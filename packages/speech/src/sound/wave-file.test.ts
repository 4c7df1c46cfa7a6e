import { describe, expect, test } from 'vitest';
import { readWave, writeWave } from './wave-file.ts';

const RATE = 16_000;

describe('WAVE files', () => {
  const sound = Int16Array.from({ length: 400 }, (_, at) => at * 50 - 10_000);

  test('are read as they were written, also out of a buffer that holds more', () => {
    const file = writeWave([sound.subarray(0, 100), sound.subarray(100)]);
    const pool = Buffer.concat([Buffer.alloc(1000, 7), file, Buffer.alloc(1000, 7)]);
    for (const one of [file, pool.subarray(1000, 1000 + file.length), new Uint8Array(file)])
      expect(readWave(one)).toEqual({ pcm: sound, samplesPerSecond: RATE });
  });

  test('that are none, or hold anything else, are refused', () => {
    expect(() => readWave(Buffer.from('no sound at all, and long enough for it'))).toThrow('no WAVE file');
    const stereo = writeWave([sound]);
    stereo.writeUInt16LE(8, 34);
    expect(() => readWave(stereo)).toThrow('16-bit mono');
  });
});
