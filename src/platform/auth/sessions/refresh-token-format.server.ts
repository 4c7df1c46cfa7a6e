import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';

/** Content of a refresh token: the session, and the number of the token within it. */
export interface RefreshTokenContent {
  readonly sessionId: string;
  readonly counter: number;
}

/**
 * Refresh tokens v2 (docs/contracts/platform.md §6): {version 1 byte, session id 16, counter 8, HMAC 16,
 * checksum 4} in base64url, 60 characters. The database stores only a counter for each session.
 */
export interface RefreshTokens {
  create(content: RefreshTokenContent): string;
  /** The content of a token that we signed, else undefined; needs no database. */
  read(token: string): RefreshTokenContent | undefined;
}

const VERSION = 2;
const CONTENT_BYTES = 25;
const MAC_BYTES = 16;
const CHECKSUM_BYTES = 4;
const TOTAL_BYTES = CONTENT_BYTES + MAC_BYTES + CHECKSUM_BYTES;

/** Opens the refresh tokens for the installation's keys. */
export function createRefreshTokens(keys: Keys): RefreshTokens {
  const key = derivedSecret(keys, 'refresh-token');
  const mac = (content: Buffer) => createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES);
  return {
    create({ sessionId, counter }) {
      const content = Buffer.alloc(CONTENT_BYTES);
      content.writeUInt8(VERSION, 0);
      content.write(sessionId.replaceAll('-', ''), 1, 'hex');
      content.writeBigUInt64BE(BigInt(counter), 17);
      const signed = Buffer.concat([content, mac(content)]);
      return Buffer.concat([signed, checksum(signed)]).toString('base64url');
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url');
      // Re-encoding refuses other spellings of the same bytes.
      if (bytes.length !== TOTAL_BYTES || bytes.toString('base64url') !== token) return undefined;
      const content = bytes.subarray(0, CONTENT_BYTES);
      const signed = bytes.subarray(0, CONTENT_BYTES + MAC_BYTES);
      // The checksum tells a mangled copy from a forged token without the key; both are refused.
      if (!checksum(signed).equals(bytes.subarray(CONTENT_BYTES + MAC_BYTES))) return undefined;
      if (!timingSafeEqual(mac(content), signed.subarray(CONTENT_BYTES))) return undefined;
      if (content.readUInt8(0) !== VERSION) return undefined;
      const hex = content.toString('hex', 1, 17);
      const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      return { sessionId, counter: Number(content.readBigUInt64BE(17)) };
    },
  };
}

function checksum(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, CHECKSUM_BYTES);
}
