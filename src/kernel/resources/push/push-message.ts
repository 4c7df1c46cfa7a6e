import { createCipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';

/** The keys of a browser's subscription (RFC 8291 §2), as its `PushSubscription` has them. */
export interface BrowserKeys {
  /** An uncompressed point of P-256, 65 bytes. */
  readonly publicKey: Buffer;
  /** 16 bytes. */
  readonly authSecret: Buffer;
}

/** The random values of a message. Only tests pass them, to compare with the example of RFC 8291 §5. */
interface Drawn {
  readonly salt: Buffer;
  readonly own: ECDH;
}

const RECORD_BYTES = 4096;
const SALT_BYTES = 16;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
/** Marks the last record (RFC 8188 §2). */
const LAST_RECORD = 2;
const CURVE = 'prime256v1';

/**
 * Encrypts a notice so that only one browser can read it (RFC 8291, content coding `aes128gcm` of RFC 8188).
 * The message is one record, with our ephemeral public key in its header.
 *
 * @param padTo pads the text to a multiple of this many bytes, which hides the length of a name
 * @throws Error when the browser's key is not a point of the curve, or the text does not fit into one record
 */
export function sealPushMessage(
  text: Buffer,
  { publicKey, authSecret }: BrowserKeys,
  padTo = 1,
  { salt, own }: Drawn = { salt: randomBytes(SALT_BYTES), own: newKeyPair() },
): Buffer {
  const ours = own.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), publicKey, ours]);
  const input = derive(own.computeSecret(publicKey), authSecret, info, 32);
  const key = derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES);
  const nonce = derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES);
  const padding = Buffer.alloc((padTo - (text.length % padTo)) % padTo);
  const record = Buffer.concat([text, Buffer.of(LAST_RECORD), padding]);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(record), cipher.final(), cipher.getAuthTag()]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_BYTES);
  const message = Buffer.concat([salt, size, Buffer.of(ours.length), ours, sealed]);
  // Push services must accept 4096 bytes, and may refuse more (RFC 8030 §7.2).
  if (message.length > RECORD_BYTES) throw new Error('A notice is longer than push services take.');
  return message;
}

/** Whether bytes are a public key of the curve, so that messages can be encrypted for it. */
export function isCurvePoint(bytes: Buffer): boolean {
  try {
    newKeyPair().computeSecret(bytes);
    return true;
  } catch {
    return false;
  }
}

function newKeyPair(): ECDH {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return pair;
}

const derive = (input: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', input, salt, info, bytes));
