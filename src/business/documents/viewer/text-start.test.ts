import { expect, test } from 'vitest';
import { decodeText } from './text-start.web.ts';

test('a text is read as UTF-8, as UTF-16 by its byte order mark, and otherwise as Windows-1252', () => {
  expect(decodeText(new TextEncoder().encode('Grüße, 10 €'))).toBe('Grüße, 10 €');
  expect(decodeText(new TextEncoder().encode('10 €').subarray(0, 5))).toBe('10 ');
  expect(decodeText(Uint8Array.from([0xff, 0xfe, 0xac, 0x20]))).toBe('€');
  expect(decodeText(Uint8Array.from([0xfe, 0xff, 0x20, 0xac]))).toBe('€');
  expect(decodeText(Uint8Array.from([0x31, 0x30, 0x20, 0x80]))).toBe('10 €');
});
