const STEP_SECONDS = 30;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code that an authenticator shows now (RFC 6238, six digits). Runs in Node and in a page. */
export async function totpCode(secret: string): Promise<string> {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS)));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-1' }, false, ['sign']);
  const hash = new DataView(await crypto.subtle.sign('HMAC', key, counter.buffer));
  const offset = hash.getUint8(19) & 0xf;
  return String((hash.getUint32(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
