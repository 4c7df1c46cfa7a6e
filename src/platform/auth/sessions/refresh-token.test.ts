import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { propertyRuns } from '../../../../tests/support/property-runs.ts';
import { loadKeys } from '../../../kernel/resources/crypto/keys.ts';
import { createRefreshTokens, type RefreshTokens } from './refresh-token.server.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-tokens-'));
let tokens: RefreshTokens;
beforeAll(async () => {
  tokens = createRefreshTokens(await loadKeys(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
