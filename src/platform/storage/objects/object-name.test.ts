import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../../tests/support/property-runs.ts';
import { objectName, objectSegment } from './object-name.contract.ts';

describe('a file’s own name becomes a segment that the storage service accepts', () => {
  test.each([
    ['a direction override', 'a\u202efdp.exe', 'a_fdp.exe'],
    ['an isolate and a mark', '\u2066a\u2069\u200f.pdf', '_a__.pdf'],
    ['a byte order mark', '\ufeffa.pdf', '_a.pdf'],
    ['noncharacters', 'a\ufffe\uffff.pdf', 'a__.pdf'],
    ['separators of lines', 'a\u2028b\u2029.pdf', 'a_b_.pdf'],
    ['a path', 'C:\\x/../y.pdf', 'C:_x_.._y.pdf'],
    ['what addresses mean', 'a#b?c%00.pdf', 'a_b_c_00.pdf'],
    ['a NUL', 'a\0.pdf', 'a_.pdf'],
  ])('%s', (_what, given, expected) => {
    expect(objectSegment(given)).toBe(expected);
  });

  test('any name is accepted, comes back unchanged, and stays one segment', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
    );
    fc.assert(
      fc.property(name, (given) => {
        const path = `0b6e3d3c-0000-4000-8000-000000000000/1_${objectSegment(given)}`;
        return objectName(path) === path && path.split('/').length === 2;
      }),
      { numRuns: propertyRuns(1000) },
    );
  });
});
