import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { propertyRuns } from '../../../../tests/support/property-runs.ts';
import { type Keys, loadKeys } from '../../../kernel/resources/crypto/keys.ts';
import { createRefreshTokens, type RefreshTokens } from './refresh-token.server.ts';

const [folder, otherFolder] = [0, 1].map(() => mkdtempSync(path.join(os.tmpdir(), 'northline-tokens-'))) as [
  string,
  string,
];
let tokens: RefreshTokens;
let otherKeys: Keys;
beforeAll(async () => {
  tokens = createRefreshTokens(await loadKeys(folder));
  otherKeys = await loadKeys(otherFolder);
});
afterAll(() => {
  for (const made of [folder, otherFolder]) rmSync(made, { recursive: true, force: true });
});

const content = fc.record({ sessionId: fc.uuid(), counter: fc.nat() });

test('no generated refresh token is taken for one of ours, and what we make can be read', () => {
  const forged = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 70 }),
    fc.uint8Array({ minLength: 45, maxLength: 45 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    fc
      .tuple(content, fc.nat({ max: 44 }), fc.integer({ min: 1, max: 255 }))
      .map(([given, at, difference]) => {
        const bytes = Buffer.from(tokens.create(given), 'base64url');
        bytes[at] = (bytes[at] ?? 0) ^ difference;
        return bytes.toString('base64url');
      }),
    content.map((given) => `${tokens.create(given)}=`),
  );
  fc.assert(
    fc.property(forged, content, (text, given) => {
      expect(tokens.read(text)).toBeUndefined();
      expect(tokens.read(tokens.create(given))).toEqual(given);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('a forger who computes the checksum as we do, or signs with another key, is refused', () => {
  const given = { sessionId: randomUUID(), counter: 7 };
  const bytes = Buffer.from(tokens.create(given), 'base64url');
  const withChecksum = (signed: Buffer) =>
    Buffer.concat([signed, createHash('sha256').update(signed).digest().subarray(0, 4)]).toString(
      'base64url',
    );
  // The checksum as the test computes it is the right one.
  expect(tokens.read(withChecksum(bytes.subarray(0, -4)))).toEqual(given);
  for (const at of [0, 1, 24, 25, 40]) {
    const forged = Buffer.from(bytes.subarray(0, -4));
    forged[at] = (forged[at] ?? 0) ^ 1;
    expect(tokens.read(withChecksum(forged)), `byte ${at}`).toBeUndefined();
  }
  expect(createRefreshTokens(otherKeys).read(tokens.create(given))).toBeUndefined();
});
