import { createHash, createHmac, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { propertyRuns } from '../../../../tests/support/property-runs.ts';
import { type Keys, loadKeys } from '../../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import { createRefreshTokens, type RefreshTokens } from './refresh-token-format.server.ts';

const [folder, otherFolder] = [0, 1].map(() => mkdtempSync(path.join(os.tmpdir(), 'northline-tokens-'))) as [
  string,
  string,
];
let tokens: RefreshTokens;
let keys: Keys;
let otherKeys: Keys;
beforeAll(async () => {
  keys = await loadKeys(folder);
  tokens = createRefreshTokens(keys);
  otherKeys = await loadKeys(otherFolder);
});
afterAll(() => {
  for (const made of [folder, otherFolder]) rmSync(made, { recursive: true, force: true });
});

const content = fc.record({ sessionId: fc.uuid(), counter: fc.nat() });

test('no generated refresh token is accepted as ours, and our own can be read', () => {
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

test('a forger who computes our checksum, or signs with another key, is refused', () => {
  const given = { sessionId: randomUUID(), counter: 7 };
  const bytes = Buffer.from(tokens.create(given), 'base64url');
  const withChecksum = (signed: Buffer) =>
    Buffer.concat([signed, createHash('sha256').update(signed).digest().subarray(0, 4)]).toString(
      'base64url',
    );
  // Makes sure that the test computes the checksum correctly.
  expect(tokens.read(withChecksum(bytes.subarray(0, -4)))).toEqual(given);
  for (const at of [0, 1, 24, 25, 40]) {
    const forged = Buffer.from(bytes.subarray(0, -4));
    forged[at] = (forged[at] ?? 0) ^ 1;
    expect(tokens.read(withChecksum(forged)), `byte ${at}`).toBeUndefined();
  }
  expect(createRefreshTokens(otherKeys).read(tokens.create(given))).toBeUndefined();
});

test('a token of another version is refused, though signed by our key', () => {
  const ours = Buffer.from(tokens.create({ sessionId: randomUUID(), counter: 7 }), 'base64url');
  const signedAs = (version: number) => {
    const content = Buffer.from(ours.subarray(0, 25));
    content.writeUInt8(version, 0);
    const mac = createHmac('sha256', derivedSecret(keys, 'refresh-token')).update(content).digest();
    const signed = Buffer.concat([content, mac.subarray(0, 16)]);
    const sum = createHash('sha256').update(signed).digest().subarray(0, 4);
    return Buffer.concat([signed, sum]).toString('base64url');
  };
  // The same bytes signed as version 2 are our own token, so the other tokens differ only in their version.
  expect(signedAs(2)).toBe(ours.toString('base64url'));
  for (const version of [0, 1, 3]) expect(tokens.read(signedAs(version)), String(version)).toBeUndefined();
});
