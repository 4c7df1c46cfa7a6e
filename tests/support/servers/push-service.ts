import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, jwtVerify } from 'jose';
import type { ShownNotice } from '../../../src/business/push/push-devices.contract.ts';

/**
 * A browser's subscription at the push service, as `PushSubscription.toJSON()` gives it, and the notices for
 * it.
 */
export interface TestSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** Accepted notices, decrypted as in a browser. */
  readonly received: ShownNotice[];
  /** Number of requests for it, accepted or not. */
  readonly requests: number;
  /** The status of every reply; undefined: as a push service replies. */
  answer: number | undefined;
}

/** A push service by RFC 8030, 8188, 8291 and 8292: it accepts what a real one and a real browser accept. */
export interface PushService {
  /** For PUSH_ALLOW_HOSTS. */
  readonly host: string;
  /** Why requests were refused; empty if the product is right. */
  readonly faults: string[];
  /** @param serverKey the key to which the browser agreed; messages signed by others are refused */
  subscribe(serverKey: string): TestSubscription;
  close(): Promise<void>;
}

interface Kept {
  readonly pair: ECDH;
  readonly auth: Buffer;
  readonly serverKey: string;
  readonly subscription: TestSubscription & { requests: number };
}

const DAY_SECONDS = 24 * 3600;
const HEADER_BYTES = 86;

/** Starts it on a free port of this machine. */
export async function startPushService(): Promise<PushService> {
  const subscriptions = new Map<string, Kept>();
  const faults: string[] = [];
  const server = createServer((request, response) => {
    void take(request, response).catch((error: Error) => {
      faults.push(error.message);
      response.writeHead(400).end(error.message);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const kept = subscriptions.get(request.url ?? '');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (kept === undefined || request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    kept.subscription.requests += 1;
    const { answer } = kept.subscription;
    if (answer !== undefined) {
      response.writeHead(answer).end();
      return;
    }
    await checkSender(String(request.headers.authorization), origin, kept.serverKey);
    const ttl = String(request.headers.ttl);
    if (!/^\d+$/.test(ttl) || Number(ttl) > DAY_SECONDS) throw new Error(`the TTL is ${ttl}`);
    if (request.headers['content-encoding'] !== 'aes128gcm') throw new Error('the coding is not aes128gcm');
    const text = openMessage(Buffer.concat(chunks), kept.pair, kept.auth);
    kept.subscription.received.push(JSON.parse(text.toString('utf8')) as ShownNotice);
    response.writeHead(201, { location: `${origin}/message/${randomUUID()}` }).end();
  }

  return {
    host,
    faults,
    subscribe(serverKey) {
      const pair = createECDH('prime256v1');
      pair.generateKeys();
      const auth = randomBytes(16);
      const path = `/push/${randomUUID()}`;
      const subscription: Kept['subscription'] = {
        endpoint: origin + path,
        keys: { p256dh: pair.getPublicKey('base64url'), auth: auth.toString('base64url') },
        received: [],
        requests: 0,
        answer: undefined,
      };
      subscriptions.set(path, { pair, auth, serverKey, subscription });
      return subscription;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/**
 * Checks the sender by RFC 8292: a signature with the key to which the browser agreed, for this service, for
 * a day at most.
 */
async function checkSender(header: string, origin: string, serverKey: string): Promise<void> {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(header) ?? [];
  if (key !== serverKey) throw new Error('the key is not the one that the browser agreed to');
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const { payload, protectedHeader } = await jwtVerify(token, await importJWK(jwk, 'ES256'), {
    audience: origin,
    algorithms: ['ES256'],
  });
  if (protectedHeader.typ !== 'JWT') throw new Error(`the type is ${protectedHeader.typ}`);
  const left = (payload.exp ?? Infinity) - Date.now() / 1000;
  if (left > DAY_SECONDS) throw new Error('the signature is good for more than a day');
  if (!/^(mailto:[^@]+@|https:)/.test(payload.sub ?? '')) throw new Error(`the contact is ${payload.sub}`);
}

/**
 * Decrypts a message as the browser does (RFC 8291 §4).
 *
 * @throws Error unless it is one record of at most 4096 bytes
 */
export function openMessage(message: Buffer, pair: ECDH, auth: Buffer): Buffer {
  if (message.length > 4096) throw new Error(`the message has ${message.length} bytes`);
  const [salt, sender] = [message.subarray(0, 16), message.subarray(21, HEADER_BYTES)];
  if (message.readUInt32BE(16) < message.length - HEADER_BYTES || message[20] !== 65)
    throw new Error('the header is not that of one record');
  const hkdf = (input: Buffer, by: Buffer, info: Buffer, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', input, by, info, bytes));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender]);
  const input = hkdf(pair.computeSecret(sender), auth, info, 32);
  const key = hkdf(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(message.subarray(-16));
  const record = Buffer.concat([decipher.update(message.subarray(HEADER_BYTES, -16)), decipher.final()]);
  const end = record.findLastIndex((byte) => byte !== 0);
  if (record[end] !== 2) throw new Error('the last record is not marked as such');
  return record.subarray(0, end);
}
