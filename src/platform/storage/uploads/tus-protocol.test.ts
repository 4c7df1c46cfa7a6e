import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../../tests/support/property-runs.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { parseByteRange } from '../objects/byte-range.server.ts';
import { attachment, downloadName } from '../objects/content-disposition.server.ts';
import { verifyDownload } from '../objects/object-signing.server.ts';
import { isWholeNumber, parseUploadMetadata } from './tus-protocol.server.ts';
import { cacheControl, parseMetadata } from './upload-body.server.ts';

const runs = { numRuns: propertyRuns(1000) };

/** Random text, and text that is nearly right: pieces of the grammar in any order. */
function nearly(...pieces: string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 4 }));
  return fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
  );
}

/**
 * True when the input was read, false when it was refused with an error for the client; anything else fails
 * the test.
 */
function survives(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    return error instanceof ServiceError && error.status < 500;
  }
}

describe('headers of resumable uploads', () => {
  test('metadata that follows the rules is read back unchanged', () => {
    const pair = fc.tuple(
      fc.stringMatching(/^[!-+\--~]{1,8}$/),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    );
    const pairs = fc.uniqueArray(pair, { selector: ([name]) => name, maxLength: 5 });
    fc.assert(
      fc.property(pairs, (given) => {
        const whole = given.map(([name, value]) => [name, Buffer.from(value).toString('utf8')]);
        const header = whole
          .map(([name, value = '']) => `${name} ${Buffer.from(value).toString('base64')}`)
          .join(',');
        return JSON.stringify([...parseUploadMetadata(header)]) === JSON.stringify(whole);
      }),
      runs,
    );
  });

  test('any metadata is read, or refused with an error of ours', () => {
    const header = nearly('name', ' ', ',', 'YQ==', '=', 'bucketName ', '__proto__ eA==', '\t', '\0', 'ä');
    fc.assert(
      fc.property(header, (given) => survives(() => parseUploadMetadata(given))),
      runs,
    );
    for (const given of [['a', 'b'], 7, null, {}])
      expect(survives(() => parseUploadMetadata(given))).toBe(true);
  });

  test('a count of bytes is valid or refused', () => {
    const header = nearly('0', '12', '-', '+', '.', 'e3', ' ', '0x', '９', '\n');
    fc.assert(
      fc.property(
        header,
        (given) => !isWholeNumber(given) || /^[0-9]+$/.test(given) === Number.isSafeInteger(Number(given)),
      ),
      runs,
    );
    expect([undefined, ['1'], '1'.repeat(16), '１', '1\n'].map(isWholeNumber)).toEqual(Array(5).fill(false));
  });

  test('any user metadata is a JSON object or refused, and pollutes nothing (attack 47)', () => {
    const json = fc.oneof(fc.json(), nearly('{', '}', '"__proto__"', ':', '[', ']', '"a"', ',', '{"x":1}'));
    fc.assert(
      fc.property(json, (given) => survives(() => parseMetadata(given)) && !('x' in {})),
      runs,
    );
  });
});

describe('headers of downloads', () => {
  test('any Range is whole, unsatisfiable or inside', () => {
    const header = nearly('bytes=', '0', '5', '-', ',', '999999999999999', ' ', 'lines=');
    fc.assert(
      fc.property(header, fc.integer({ min: 0, max: 20 }), (given, size) => {
        const range = parseByteRange(given, size);
        if (range === undefined || range === 'unsatisfiable') return true;
        return 0 <= range.start && range.start <= range.end && range.end < size;
      }),
      runs,
    );
  });

  test('any name makes one header of two forms, from which the same name is read', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      nearly('"', '\\', '\r\n', '%', ';', "''", 'é', '\u202e', '\ud800'),
    );
    const header = /^attachment; filename="[\x20\x21\x23\x24\x26-\x7e]*"; filename\*=UTF-8''([\w.!~%-]*)$/;
    fc.assert(
      fc.property(name, (given) => {
        const encoded = header.exec(attachment(given))?.[1];
        const label = given.toWellFormed().replace(/[\p{Cc}\p{Cf}\\/]/gu, '_');
        return encoded !== undefined && decodeURIComponent(encoded) === label;
      }),
      runs,
    );
    fc.assert(
      fc.property(name, fc.boolean(), (given, twice) => typeof downloadName(given, 'x', twice) === 'string'),
      runs,
    );
  });

  test('any Cache-Control becomes one of two forms', () => {
    const given = nearly('max-age=', '60', ', public', '\r\nset-cookie: a', 'no-store');
    fc.assert(
      fc.property(given, (header) => /^(no-cache|max-age=\d{1,9})$/.test(cacheControl(header))),
      runs,
    );
  });
});

test('no token but an unchanged one opens a signed address (attack 28)', async () => {
  const keys = { master_secret: randomBytes(32).toString('base64url') };
  const token = fc.oneof(fc.string(), nearly('eyJhbGciOiJIUzI1NiJ9', '.', 'e30', '=', 'eyJhbGciOiJub25lIn0'));
  await fc.assert(
    fc.asyncProperty(token, async (given) => {
      const refusal = await verifyDownload(keys, 'user-uploads', randomUUID(), given).catch((error) => error);
      return refusal instanceof ServiceError && refusal.status === 400;
    }),
    { numRuns: Math.min(propertyRuns(200), 50_000) },
  );
});
