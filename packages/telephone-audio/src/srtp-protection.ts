import { createCipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The supported SDES suites (RFC 4568 §6.2), best first. */
export type SrtpSuite = 'AES_CM_128_HMAC_SHA1_80' | 'AES_CM_128_HMAC_SHA1_32';
export const SRTP_SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32'];

const KEY = 16;
const SALT = 14;
const RTCP_TAG = 10;
/** How many packets before the newest one are checked for replay (RFC 3711 §3.3.2). */
const WINDOW = 64n;

/** Master key and salt of one direction, 30 bytes. */
export interface SrtpKey {
  readonly suite: SrtpSuite;
  readonly material: Buffer;
}

/** Makes a random key. */
export const newSrtpKey = (suite: SrtpSuite): SrtpKey => ({ suite, material: randomBytes(KEY + SALT) });

/** The session keys of RFC 3711 §4.3, for RTP or for RTCP. */
export interface SessionKeys {
  readonly cipher: Buffer;
  readonly auth: Buffer;
  readonly salt: Buffer;
}

/** Derives the session keys; labels are 0 to 2 for RTP and 3 to 5 for RTCP, the derivation rate is zero. */
export function deriveSessionKeys(material: Buffer, kind: 'rtp' | 'rtcp'): SessionKeys {
  const from = kind === 'rtp' ? 0 : 3;
  const derive = (label: number, bytes: number): Buffer => {
    const start = Buffer.alloc(16);
    material.copy(start, 0, KEY, KEY + SALT);
    start[7] = (start[7] ?? 0) ^ label;
    return counterMode(material.subarray(0, KEY), start, Buffer.alloc(bytes));
  };
  return { cipher: derive(from, KEY), auth: derive(from + 1, 20), salt: derive(from + 2, SALT) };
}

function counterMode(key: Buffer, start: Buffer, bytes: Buffer): Buffer {
  return createCipheriv('aes-128-ctr', key, start).update(bytes);
}

/** The initial counter of a packet (RFC 3711 §4.1.1). */
function startOf({ salt }: SessionKeys, ssrc: number, index: bigint): Buffer {
  const start = Buffer.alloc(16);
  start.writeUInt32BE(ssrc, 4);
  start.writeUIntBE(Number(index), 8, 6);
  for (let n = 0; n < SALT; n += 1) start[n] = (start[n] ?? 0) ^ (salt[n] ?? 0);
  return start;
}

/** Where the payload of an RTP packet begins; undefined where it is not an RTP packet. */
function payloadStart(packet: Buffer): number | undefined {
  if (packet.length < 12 || (packet[0] ?? 0) >> 6 !== 2) return undefined;
  let at = 12 + ((packet[0] ?? 0) & 15) * 4;
  if (((packet[0] ?? 0) & 0x10) !== 0) {
    if (packet.length < at + 4) return undefined;
    at += 4 + packet.readUInt16BE(at + 2) * 4;
  }
  return at <= packet.length ? at : undefined;
}

/** The newest index of a stream, and which of the indexes before it have come. */
class ReplayWindow {
  newest: bigint | undefined;
  #seen = 0n;

  isNew(index: bigint): boolean {
    if (this.newest === undefined || index > this.newest) return true;
    const behind = this.newest - index;
    return behind < WINDOW && (this.#seen & (1n << behind)) === 0n;
  }

  take(index: bigint): void {
    const ahead = this.newest === undefined ? WINDOW : index - this.newest;
    if (ahead > 0n) {
      this.#seen = ahead >= WINDOW ? 1n : BigInt.asUintN(Number(WINDOW), (this.#seen << ahead) | 1n);
      this.newest = index;
    } else this.#seen |= 1n << -ahead;
  }
}

/** The 48-bit index that a sequence number most likely has (RFC 3711 §3.3.1). */
function indexOf(sequence: number, newest: bigint | undefined): bigint {
  if (newest === undefined) return BigInt(sequence);
  const [roll, last] = [newest >> 16n, Number(newest & 0xffffn)];
  const back = last < 0x8000 && sequence - last > 0x8000 && roll > 0n;
  const on = last >= 0x8000 && last - 0x8000 > sequence;
  return ((roll + (on ? 1n : 0n) - (back ? 1n : 0n)) << 16n) | BigInt(sequence);
}

/** One direction of SRTP and SRTCP: AES in counter mode, HMAC-SHA1 (RFC 3711). A key is used for one direction of one call. */
export class SrtpStream {
  readonly #rtp: SessionKeys;
  readonly #rtcp: SessionKeys;
  readonly #tag: number;
  /** By SSRC; each source has an index of its own. */
  readonly #windows = new Map<number, ReplayWindow>();
  readonly #reports = new ReplayWindow();
  #reportIndex = 0;

  constructor({ suite, material }: SrtpKey) {
    this.#rtp = deriveSessionKeys(material, 'rtp');
    this.#rtcp = deriveSessionKeys(material, 'rtcp');
    this.#tag = suite === 'AES_CM_128_HMAC_SHA1_32' ? 4 : 10;
  }

  /** Encrypts an RTP packet. */
  protect(packet: Buffer): Buffer {
    const at = payloadStart(packet) ?? 12;
    const ssrc = packet.readUInt32BE(8);
    const window = this.#windowOf(ssrc);
    const index = indexOf(packet.readUInt16BE(2), window.newest);
    window.take(index);
    const secret = counterMode(this.#rtp.cipher, startOf(this.#rtp, ssrc, index), packet.subarray(at));
    const body = Buffer.concat([packet.subarray(0, at), secret]);
    return Buffer.concat([body, this.#mark(body, index)]);
  }

  /** Decrypts an RTP packet; undefined where it is forged, replayed, or not RTP. */
  unprotect(packet: Buffer): Buffer | undefined {
    const body = packet.subarray(0, Math.max(0, packet.length - this.#tag));
    const at = payloadStart(body);
    if (at === undefined) return undefined;
    const ssrc = body.readUInt32BE(8);
    const known = this.#windows.get(ssrc);
    const index = indexOf(body.readUInt16BE(2), known?.newest);
    if (known?.isNew(index) === false) return undefined;
    if (!timingSafeEqual(this.#mark(body, index), packet.subarray(body.length))) return undefined;
    // A source is remembered only once it has proved itself, so that a flood of SSRCs does not fill the
    // memory.
    this.#windowOf(ssrc).take(index);
    const plain = counterMode(this.#rtp.cipher, startOf(this.#rtp, ssrc, index), body.subarray(at));
    return Buffer.concat([body.subarray(0, at), plain]);
  }

  /** Encrypts an RTCP packet. */
  protectReport(packet: Buffer): Buffer {
    this.#reportIndex += 1;
    const start = startOf(this.#rtcp, packet.readUInt32BE(4), BigInt(this.#reportIndex));
    const index = Buffer.alloc(4);
    index.writeUInt32BE(0x80000000 + this.#reportIndex);
    const secret = counterMode(this.#rtcp.cipher, start, packet.subarray(8));
    const body = Buffer.concat([packet.subarray(0, 8), secret, index]);
    return Buffer.concat([body, hmac(this.#rtcp.auth, body).subarray(0, RTCP_TAG)]);
  }

  /** Decrypts an RTCP packet; undefined where it is forged or replayed. */
  unprotectReport(packet: Buffer): Buffer | undefined {
    if (packet.length < 8 + 4 + RTCP_TAG) return undefined;
    const body = packet.subarray(0, packet.length - RTCP_TAG);
    const word = body.readUInt32BE(body.length - 4);
    const index = BigInt(word & 0x7fffffff);
    if (!this.#reports.isNew(index)) return undefined;
    const mark = hmac(this.#rtcp.auth, body).subarray(0, RTCP_TAG);
    if (!timingSafeEqual(mark, packet.subarray(body.length))) return undefined;
    this.#reports.take(index);
    const secret = body.subarray(8, -4);
    const start = startOf(this.#rtcp, body.readUInt32BE(4), index);
    const plain = word >>> 31 === 1 ? counterMode(this.#rtcp.cipher, start, secret) : secret;
    return Buffer.concat([body.subarray(0, 8), plain]);
  }

  #windowOf(ssrc: number): ReplayWindow {
    const window = this.#windows.get(ssrc) ?? new ReplayWindow();
    this.#windows.set(ssrc, window);
    return window;
  }

  #mark(body: Buffer, index: bigint): Buffer {
    const roll = Buffer.alloc(4);
    roll.writeUInt32BE(Number((index >> 16n) & 0xffffffffn));
    return hmac(this.#rtp.auth, body, roll).subarray(0, this.#tag);
  }
}

function hmac(key: Buffer, ...parts: Buffer[]): Buffer {
  const digest = createHmac('sha1', key);
  for (const part of parts) digest.update(part);
  return digest.digest();
}
