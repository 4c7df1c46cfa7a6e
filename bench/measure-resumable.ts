import { mkdirSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { SERVICES } from '../src/kernel/contract/routes.ts';
import { type Figure, shown } from './support/figure.ts';
import { interleave } from './support/interleave.ts';
import { startPeer } from './support/peers.ts';
import type { Product } from './support/product.ts';

const BUCKET = 'bench';
const SIZE = 64 * 1024 * 1024;
const PIECE = Buffer.alloc(8 * 1024 * 1024, 'Northline reads plain text as well as any other document. ');
const SMALL = PIECE.subarray(0, 64 * 1024);
const SMALL_COUNT = 60;
const TUS = { 'tus-resumable': '1.0.0' };

type Headers = Record<string, string>;
interface TusServer {
  readonly port: number;
  readonly path: string;
  readonly headers: Headers;
}

/**
 * Resumable uploads (tus) compared with @tus/server alone, and small files by signed address compared with
 * the plain upload.
 */
export async function measureResumable(product: Product): Promise<Figure[]> {
  const service = { apikey: product.serviceKey, authorization: `Bearer ${product.serviceKey}` };
  const made = await send(product.port, {
    method: 'POST',
    path: `${SERVICES.storage}/bucket`,
    headers: service,
    type: 'application/json',
    body: Buffer.from(JSON.stringify({ id: BUCKET, name: BUCKET, public: false })),
  });
  if (made.status !== 200) throw new Error(`bucket: ${made.body}`);
  const folder = join(product.dataDir, 'peer-files');
  mkdirSync(folder);
  const peer = await startPeer('tus-server.js', { PEER_FOLDER: folder });
  const own: TusServer = {
    port: product.port,
    path: `${SERVICES.storage}/upload/resumable`,
    headers: { ...service, ...TUS },
  };
  const other: TusServer = { port: peer.port, path: '/files', headers: TUS };
  try {
    const [mine = 0, theirs = 0] = await interleave([() => resumable(own), () => resumable(other)], 3);
    const [signed = 0, plain = 0] = await interleave(
      [() => bySigned(product, service), () => byUpload(product, service)],
      3,
    );
    return [
      {
        name: 'Resumable upload, 64 MB',
        measured: shown(mine, 'MB/s'),
        against: `${shown(theirs, 'MB/s')} @tus/server alone`,
        ratio: mine / theirs,
        aim: 'ahead of the peer',
        met: mine >= theirs,
      },
      {
        name: 'Signed upload, 64 kB',
        measured: shown(signed, '/s'),
        against: `${shown(plain, '/s')} plain upload`,
        ratio: signed / plain,
        aim: 'at least 0.5: two requests for one',
        met: signed / plain >= 0.5,
      },
    ];
  } finally {
    peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** MB/s of one upload sent in pieces. */
async function resumable({ port, path, headers }: TusServer): Promise<number> {
  const name = `${crypto.randomUUID()}.txt`;
  const fields = { bucketName: BUCKET, objectName: name, filename: name, contentType: 'text/plain' };
  const metadata = Object.entries(fields).map(
    ([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`,
  );
  const started = performance.now();
  const created = await send(port, {
    method: 'POST',
    path,
    headers: { ...headers, 'upload-length': String(SIZE), 'upload-metadata': metadata.join(',') },
  });
  if (created.status !== 201) throw new Error(`tus: ${created.status} ${created.body}`);
  const place = new URL(created.location, `http://127.0.0.1:${port}`).pathname;
  for (let offset = 0; offset < SIZE; offset += PIECE.length) {
    const reply = await send(port, {
      method: 'PATCH',
      path: place,
      headers: { ...headers, 'upload-offset': String(offset) },
      type: 'application/offset+octet-stream',
      body: PIECE,
    });
    if (reply.status !== 204) throw new Error(`tus: ${reply.status} ${reply.body}`);
  }
  return SIZE / 1e6 / ((performance.now() - started) / 1000);
}

/** Small files per second, one after another; for each, an address is signed and used. */
async function bySigned(product: Product, service: Headers): Promise<number> {
  return perSecond(async (name) => {
    const path = `${SERVICES.storage}/object/upload/sign/${BUCKET}/${name}`;
    const signed = await send(product.port, {
      method: 'POST',
      path,
      headers: service,
      type: 'application/json',
      body: Buffer.from('{}'),
    });
    const { token } = JSON.parse(signed.body) as { token: string };
    const signedPath = `${path}?token=${token}`;
    return send(product.port, { method: 'PUT', path: signedPath, type: 'text/plain', body: SMALL });
  });
}

async function byUpload(product: Product, service: Headers): Promise<number> {
  return perSecond((name) =>
    send(product.port, {
      method: 'POST',
      path: `${SERVICES.storage}/object/${BUCKET}/${name}`,
      headers: service,
      type: 'text/plain',
      body: SMALL,
    }),
  );
}

async function perSecond(
  store: (name: string) => Promise<{ status: number; body: string }>,
): Promise<number> {
  const started = performance.now();
  for (let count = 0; count < SMALL_COUNT; count += 1) {
    const reply = await store(`${crypto.randomUUID()}.txt`);
    if (reply.status !== 200) throw new Error(`upload: ${reply.status} ${reply.body}`);
  }
  return SMALL_COUNT / ((performance.now() - started) / 1000);
}

const agent = new http.Agent({ keepAlive: true });

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Headers;
  /** Content type of the body. */
  readonly type?: string;
  readonly body?: Buffer;
}

function send(
  port: number,
  { method, path, headers = {}, type, body: content }: SentRequest,
): Promise<{ status: number; body: string; location: string }> {
  const contentHeaders = { 'content-length': content?.length ?? 0, ...(type && { 'content-type': type }) };
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...contentHeaders },
      },
      (reply) => {
        let body = '';
        reply.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 0, body, location: reply.headers.location ?? '' }),
        );
      },
    );
    request.on('error', reject);
    request.end(content);
  });
}
