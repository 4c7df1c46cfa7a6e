import {
  createCipheriv,
  createDecipheriv,
  hkdfSync,
  randomBytes,
  type ScryptOptions,
  scrypt,
} from 'node:crypto';
import { promisify } from 'node:util';

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const SALT_BYTES = 32;
const KEY_BYTES = 32;
/** Cost of deriving a key (RFC 7914): 128 MB and some tenths of a second. */
export const SCRYPT_COST = { n: 2 ** 17, r: 8, p: 1 } as const;
const SCRYPT_MEMORY = 256 * 1024 * 1024;

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** A part cannot be decrypted: it was changed, truncated or encrypted with another key. */
export class SealBroken extends Error {}

/** The key of a backup, from its passphrase and salt. */
export function deriveBackupKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  const { n, r, p } = SCRYPT_COST;
  return derive(passphrase.normalize('NFC'), salt, KEY_BYTES, { N: n, r, p, maxmem: SCRYPT_MEMORY });
}

/** A key for one purpose, from the key of the backup (HKDF, RFC 5869). */
export function subkey(key: Buffer, purpose: string, salt: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `northline backup: ${purpose}`, KEY_BYTES));
}

/**
 * Encrypts a stream: 32 bytes of salt, then chunks of 64 KiB by AES-256-GCM, each with its tag. The nonce is
 * the chunk's number and whether it is the last one, so that chunks cannot be reordered, left out or cut off
 * (the STREAM construction, Hoang and others 2015). Each part has its own key, derived from its salt and its
 * `name`.
 */
export async function* seal(
  source: AsyncIterable<Buffer>,
  key: Buffer,
  name: string,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const own = subkey(key, name, salt);
  yield salt;
  for await (const { chunk, number, last } of chunksOf(source, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', own, nonceOf(number, last));
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  }
}

/** Decrypts what `seal` wrote. @throws SealBroken */
export async function* unseal(
  source: AsyncIterable<Buffer>,
  key: Buffer,
  name: string,
): AsyncGenerator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < SALT_BYTES) {
    const { value, done } = await pieces.next();
    if (done === true) throw new SealBroken(`${name} is cut short`);
    head = Buffer.concat([head, value]);
  }
  const own = subkey(key, name, head.subarray(0, SALT_BYTES));
  const rest = (async function* () {
    yield head.subarray(SALT_BYTES);
    yield* { [Symbol.asyncIterator]: () => pieces };
  })();
  for await (const { chunk, number, last } of chunksOf(rest, CHUNK_BYTES + TAG_BYTES)) {
    yield openChunk(chunk, own, nonceOf(number, last), name);
  }
}

function openChunk(chunk: Buffer, key: Buffer, nonce: Buffer, name: string): Buffer {
  if (chunk.length < TAG_BYTES) throw new SealBroken(`${name} is cut short`);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(chunk.subarray(-TAG_BYTES));
  const text = decipher.update(chunk.subarray(0, -TAG_BYTES));
  try {
    decipher.final();
  } catch (error) {
    throw new SealBroken(`${name} was changed`, { cause: error });
  }
  return text;
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(number, 7);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

/**
 * Cuts a stream into chunks of `size` bytes. There is always a last chunk; it has at most `size` bytes and
 * may be empty.
 */
async function* chunksOf(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ chunk: Buffer; number: number; last: boolean }> {
  let waiting: Buffer = Buffer.alloc(0);
  let number = 0;
  for await (const piece of source) {
    waiting = waiting.length === 0 ? piece : Buffer.concat([waiting, piece]);
    for (; waiting.length > size; number += 1) {
      yield { chunk: waiting.subarray(0, size), number, last: false };
      waiting = waiting.subarray(size);
    }
  }
  yield { chunk: waiting, number, last: true };
}
