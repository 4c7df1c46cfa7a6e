import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCustomer,
  SMALL_PDF,
  storedFiles,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { endDeadUploads } from '../storage-sweep.server.ts';

const MB = 1024 * 1024;
const LARGE_PDF = Buffer.concat([SMALL_PDF, Buffer.alloc(9 * MB, 32)]);

let app: TestApp;
let anna: UploadingCustomer;
let boris: UploadingCustomer;

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 40);
  boris = await createCustomer(app, 5);
});
afterAll(() => app?.close());

function metadata(pairs: Record<string, string>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

function call(
  method: string,
  path: string,
  {
    headers = {},
    body,
    origin = app.url,
  }: { headers?: Record<string, string>; body?: Buffer; origin?: string } = {},
) {
  return fetch(new URL(path, origin), {
    method,
    headers: { authorization: `Bearer ${anna.token}`, 'tus-resumable': '1.0.0', ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  });
}

function create(
  name: string,
  length: number,
  more: { headers?: Record<string, string>; type?: string } = {},
) {
  return call('POST', '/storage/v1/upload/resumable', {
    headers: {
      'upload-length': String(length),
      'upload-metadata': metadata({
        bucketName: 'user-uploads',
        objectName: anna.path(name),
        contentType: more.type ?? 'application/pdf',
        cacheControl: '60',
      }),
      ...more.headers,
    },
  });
}

async function begin(name: string, length: number): Promise<string> {
  await anna.takeCredit();
  const created = await create(name, length);
  expect(created.status).toBe(201);
  return created.headers.get('location') ?? '';
}

function patch(
  place: string,
  offset: number,
  body: Buffer,
  { headers = {}, origin = app.url }: { headers?: Record<string, string>; origin?: string } = {},
) {
  const own = {
    'content-type': 'application/offset+octet-stream',
    'upload-offset': String(offset),
    ...headers,
  };
  return call('PATCH', place, { headers: own, body, origin });
}

async function offsetOf(place: string, origin = app.url): Promise<number> {
  const answer = await call('HEAD', place, { origin });
  expect(answer.status).toBe(200);
  return Number(answer.headers.get('upload-offset'));
}

/** Bytes that are safe while a request is under way; a request to the service would end the other one. */
async function savedBytes(place: string): Promise<number> {
  const { received } = await app.resources.database.one(
    'select received from private.resumable_uploads where id = $1',
    [place.split('/').at(-1)],
  );
  return Number(received);
}

/** A PATCH over its own socket that announces the whole upload and sends only `body`. */
function sendHalf(place: string, body: Buffer): net.Socket {
  const { hostname, port } = new URL(app.url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(
    `PATCH ${place} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${anna.token}\r\ntus-resumable: 1.0.0\r\ncontent-type: application/offset+octet-stream\r\nupload-offset: 0\r\ncontent-length: ${LARGE_PDF.length}\r\n\r\n`,
  );
  socket.write(body);
  return socket;
}

async function isWhole(name: string): Promise<boolean> {
  const { data } = await anna.bucket.download(anna.path(name));
  return Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(LARGE_PDF);
}

const lastSpending = async () => (await anna.spendings()).at(-1);
const used = async () =>
  Number(
    (await app.resources.database.one('select private.storage_used_bytes($1) as bytes', [anna.id])).bytes,
  );

describe('an upload in pieces', () => {
  test('arrives byte for byte, reserving one credit and its bytes of the quota from the start', async () => {
    const before = await used();
    const place = await begin('pieces.pdf', LARGE_PDF.length);
    expect(await lastSpending()).toBe('claimed');
    expect(await used()).toBe(before + LARGE_PDF.length);
    let offset = 0;
    for (const end of [7, 5 * MB, LARGE_PDF.length]) {
      const answer = await patch(place, offset, LARGE_PDF.subarray(offset, end));
      expect(answer.status).toBe(204);
      expect(answer.headers.get('upload-offset')).toBe(String(end));
      offset = await offsetOf(place);
      expect(offset).toBe(end);
    }
    expect(await lastSpending()).toBe('stored');
    expect(await used()).toBe(before + LARGE_PDF.length);
    const { data } = await anna.bucket.download(anna.path('pieces.pdf'));
    expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(LARGE_PDF)).toBe(true);
    const info = await anna.bucket.info(anna.path('pieces.pdf'));
    expect(info.data).toMatchObject({ contentType: 'application/pdf', cacheControl: 'max-age=60' });
  });

  test('continues where it broke off, also at another server process', async () => {
    const place = await begin('broken.pdf', LARGE_PDF.length);
    const sent = 6 * MB;
    const outgoing = httpRequest(new URL(place, app.url), {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${anna.token}`,
        'tus-resumable': '1.0.0',
        'content-type': 'application/offset+octet-stream',
        'upload-offset': '0',
        'content-length': String(LARGE_PDF.length),
      },
    });
    outgoing.on('error', () => {});
    if (!outgoing.write(LARGE_PDF.subarray(0, sent))) await once(outgoing, 'drain');
    await expect.poll(() => savedBytes(place)).toBeGreaterThanOrEqual(4 * MB);
    outgoing.destroy();
    const second = await startTestApp({ beside: app });
    try {
      const rest = async () => {
        const offset = await offsetOf(place, second.url);
        return (await patch(place, offset, LARGE_PDF.subarray(offset), { origin: second.url })).status;
      };
      await expect.poll(rest).toBe(204);
    } finally {
      await second.close();
    }
    const { data } = await anna.bucket.download(anna.path('broken.pdf'));
    expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(LARGE_PDF)).toBe(true);
  });

  test('is hashed and checked as a whole, whichever processes got its requests', async () => {
    const second = await startTestApp({ beside: app });
    const whole = Buffer.concat([SMALL_PDF, Buffer.alloc(99_000, 32)]);
    const eTag = `"${createHash('sha256').update(whole).digest('hex')}"`;
    const steps = [0, 33_000, 66_000, whole.length];
    // The hash that one process has begun is useless after another process has written a part.
    for (const [turn, origins] of [
      [app, app, app],
      [app, second, app],
      [second, app, second],
    ].entries()) {
      const place = await begin(`wherever-${turn}.pdf`, whole.length);
      for (const [at, { url }] of origins.entries()) {
        const piece = whole.subarray(steps[at], steps[at + 1]);
        expect((await patch(place, steps[at] ?? 0, piece, { origin: url })).status).toBe(204);
      }
      const info = await anna.bucket.info(anna.path(`wherever-${turn}.pdf`));
      expect([info.data?.etag, info.data?.size]).toEqual([eTag, whole.length]);
    }
    await second.close();
  });

  test('ends when bytes of another type come in a later request', async () => {
    await anna.takeCredit();
    const created = await create('turns.txt', 2 * MB, { type: 'text/plain' });
    const place = created.headers.get('location') ?? '';
    expect((await patch(place, 0, Buffer.alloc(MB, 'plain words '))).status).toBe(204);
    expect((await patch(place, MB, Buffer.alloc(MB))).status).toBe(415);
    expect((await call('HEAD', place)).status).toBe(404);
    expect(await lastSpending()).toBe('returned');
  });

  test('has one writer: of two at one offset one is refused', async () => {
    const place = await begin('raced.pdf', LARGE_PDF.length);
    const both = await Promise.allSettled([patch(place, 0, LARGE_PDF), patch(place, 0, LARGE_PDF)]);
    // The first one may also have been cut off in favour of the other.
    const statuses = both.map((one) => (one.status === 'fulfilled' ? one.value.status : 'cut off'));
    expect(statuses.filter((status) => status === 204).length).toBeLessThanOrEqual(1);
    for (const status of statuses) expect([204, 404, 409, 423, 'cut off']).toContain(status);
    const offset = await offsetOf(place);
    if (offset < LARGE_PDF.length)
      expect((await patch(place, offset, LARGE_PDF.subarray(offset))).status).toBe(204);
    expect(await isWhole('raced.pdf')).toBe(true);
  });

  test('refuses wrong offsets and lengths, and stays unchanged', async () => {
    const place = await begin('lies.pdf', SMALL_PDF.length);
    // Clients compare this message (storage of the hosted platform).
    const conflict = await patch(place, 5, SMALL_PDF);
    expect([conflict.status, await conflict.text()]).toEqual([
      409,
      expect.stringContaining('Upload-Offset conflict'),
    ]);
    const tooMuch = await patch(place, 0, Buffer.concat([SMALL_PDF, SMALL_PDF]));
    expect([tooMuch.status, await tooMuch.text()]).toEqual([
      413,
      expect.stringContaining('Maximum size exceeded'),
    ]);
    expect((await patch(place, 0, SMALL_PDF, { headers: { 'upload-offset': '-1' } })).status).toBe(400);
    expect((await patch(place, 0, SMALL_PDF, { headers: { 'content-type': 'text/plain' } })).status).toBe(
      415,
    );
    expect((await patch(place, 0, SMALL_PDF, { headers: { 'tus-resumable': '0.2.2' } })).status).toBe(412);
    const offset = await offsetOf(place);
    expect((await patch(place, offset, SMALL_PDF.subarray(offset))).status).toBe(204);
  });

  test('is given up by DELETE, and credit and quota are released at once', async () => {
    const before = await used();
    const place = await begin('given-up.pdf', LARGE_PDF.length);
    await patch(place, 0, LARGE_PDF.subarray(0, MB));
    expect((await call('DELETE', place)).status).toBe(204);
    expect((await call('HEAD', place)).status).toBe(404);
    expect(await lastSpending()).toBe('returned');
    expect(await used()).toBe(before);
  });

  test('ends when its day is over, and credit and quota are released', async () => {
    const before = await used();
    const place = await begin('forgotten.pdf', LARGE_PDF.length);
    await endDeadUploads(app.resources);
    expect((await call('HEAD', place)).status).toBe(200);
    const id = place.split('/').at(-1);
    const { hours } = await app.resources.database.one(
      'select round(extract(epoch from expires_at - now()) / 3600)::int as hours from private.uploads where id = $1',
      [id],
    );
    expect(hours).toBe(24);
    await app.resources.database.run('update private.uploads set expires_at = now() where id = $1', [id]);
    await endDeadUploads(app.resources);
    expect((await patch(place, 0, LARGE_PDF)).status).toBe(404);
    expect(await lastSpending()).toBe('returned');
    expect(await used()).toBe(before);
  });
});

describe('a connection that breaks during a body', () => {
  const SENT = 6 * MB;
  const WAYS: [string, (socket: net.Socket) => void][] = [
    ['is closed', (socket) => socket.destroy()],
    ['is reset', (socket) => socket.resetAndDestroy()],
    ['falls silent', () => {}],
  ];

  /** An upload of which more than one checkpoint has arrived, by a request that is still under way. */
  async function beginHalf(name: string): Promise<{ place: string; socket: net.Socket }> {
    const place = await begin(name, LARGE_PDF.length);
    const socket = sendHalf(place, LARGE_PDF.subarray(0, SENT));
    await expect.poll(() => savedBytes(place)).toBeGreaterThanOrEqual(4 * MB);
    return { place, socket };
  }

  test.each(WAYS)(
    'and %s: the next requests continue at once where the bytes end',
    async (way, breakLine) => {
      const name = `line ${way}.pdf`;
      const { place, socket } = await beginHalf(name);
      breakLine(socket);
      const offset = await offsetOf(place);
      expect(offset).toBeGreaterThanOrEqual(4 * MB);
      expect(offset).toBeLessThanOrEqual(SENT);
      expect((await patch(place, offset, LARGE_PDF.subarray(offset))).status).toBe(204);
      expect(await isWhole(name)).toBe(true);
      socket.destroy();
    },
  );

  test('and falls silent: a further PATCH learns where the bytes end, and the silent one is cut off', async () => {
    const { place, socket } = await beginHalf('silent.pdf');
    // A reset of the connection is just as good an end.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const answer = await patch(place, 0, LARGE_PDF);
    expect(answer.status).toBe(409);
    const offset = Number(answer.headers.get('upload-offset'));
    expect(offset).toBeGreaterThanOrEqual(4 * MB);
    await closed;
    expect((await patch(place, offset, LARGE_PDF.subarray(offset))).status).toBe(204);
  });

  test('and falls silent: another server process continues at once', async () => {
    const { place, socket } = await beginHalf('elsewhere.pdf');
    const second = await startTestApp({ beside: app });
    try {
      const offset = await offsetOf(place, second.url);
      const rest = LARGE_PDF.subarray(offset);
      expect((await patch(place, offset, rest, { origin: second.url })).status).toBe(204);
    } finally {
      await second.close();
    }
    expect(await isWhole('elsewhere.pdf')).toBe(true);
    socket.destroy();
  });

  test.each(WAYS)(
    'and %s: DELETE ends the upload at once, and nothing is left of it',
    async (way, breakLine) => {
      const before = await used();
      const { place, socket } = await beginHalf(`ended ${way}.pdf`);
      breakLine(socket);
      expect((await call('DELETE', place)).status).toBe(204);
      expect((await call('HEAD', place)).status).toBe(404);
      expect(await lastSpending()).toBe('returned');
      expect(await used()).toBe(before);
      expect(await storedFiles(app, 'received')).not.toContain(place.split('/').at(-1));
      socket.destroy();
    },
  );

  test('a request whose bytes have all arrived may finish', async () => {
    using folder = mkdtempDisposableSync(path.join(os.tmpdir(), 'northline-scan-'));
    const [begun, allowed, scanner] = ['begun', 'allowed', 'scanner'].map((name) =>
      path.join(folder.path, name),
    ) as [string, string, string];
    writeFileSync(scanner, `#!/bin/sh\ntouch ${begun}\nwhile [ ! -e ${allowed} ]; do sleep 0.1; done\n`);
    chmodSync(scanner, 0o755);
    const second = await startTestApp({ beside: app, settings: { SCAN_COMMAND: scanner } });
    try {
      const place = await begin('scanned.pdf', SMALL_PDF.length);
      const sending = patch(place, 0, SMALL_PDF, { origin: second.url });
      await expect.poll(() => existsSync(begun)).toBe(true);
      expect((await call('DELETE', place)).status).toBe(423);
      writeFileSync(allowed, '');
      expect((await sending).status).toBe(204);
      expect(await offsetOf(place)).toBe(SMALL_PDF.length);
    } finally {
      await second.close();
    }
  });
});

describe('unfinished uploads', () => {
  test('are listed for their user, by bucket, but not those of a signed address', async () => {
    const listed = async ({ client }: UploadingCustomer, bucket = 'user-uploads') =>
      (await client.schema('northline_app').rpc('unfinished_uploads', { p_bucket: bucket })).data;
    const carla = await createCustomer(app, 3);
    const open = async (own: Record<string, string>, headers: Record<string, string>, base = '') =>
      (
        await call('POST', `/storage/v1/upload/resumable${base}`, {
          headers: {
            'upload-length': '5000',
            'upload-metadata': metadata({
              bucketName: 'user-uploads',
              contentType: 'application/pdf',
              ...own,
            }),
            ...headers,
          },
        })
      ).headers.get('location') ?? '';
    await carla.takeCredit();
    const place = await open(
      { objectName: carla.path('1_lease.pdf'), metadata: '{"name":"Lease.pdf","modified":1700000000123}' },
      { authorization: `Bearer ${carla.token}` },
    );
    const { data } = await carla.bucket.createSignedUploadUrl(carla.path('signed.pdf'));
    await carla.takeCredit();
    await open(
      { objectName: carla.path('signed.pdf') },
      { authorization: '', 'x-signature': data?.token ?? '' },
      '/sign',
    );
    expect(await listed(carla)).toEqual([
      {
        id: place.split('/').at(-1),
        path: carla.path('1_lease.pdf'),
        file_name: 'Lease.pdf',
        modified: 1700000000123,
        received: 0,
        length: 5000,
        expires_at: expect.any(String),
      },
    ]);
    expect(await listed(carla, 'course-videos')).toEqual([]);
    expect(await listed(boris)).toEqual([]);
  });
});

describe('the rules of every upload apply', () => {
  test('credit, size, type, name and permission', async () => {
    expect((await create('no-credit.pdf', 10)).status).toBe(403);
    const credits = await anna.credits();
    const refusals: [number, () => Promise<Response>][] = [
      [413, () => create('large.pdf', 101 * MB)],
      [415, () => create('drawing.svg', 10, { type: 'image/svg+xml' })],
      [409, () => create('pieces.pdf', 10)],
      [403, () => create('pieces.pdf', 10, { headers: { 'x-upsert': 'true' } })],
      [403, () => create('a.pdf', 10, { headers: { authorization: `Bearer ${boris.token}` } })],
      [403, () => create('a.pdf', 10, { headers: { authorization: `Bearer ${app.anonKey}` } })],
    ];
    for (const [status, attempt] of refusals) {
      await anna.takeCredit();
      expect((await attempt()).status).toBe(status);
    }
    expect((await create('../a.pdf', 10)).status).toBe(400);
    expect((await create('a.pdf', 10, { headers: { 'upload-length': 'ten' } })).status).toBe(400);
    // The two uploads by somebody else left Anna's credits alone.
    expect(await anna.credits()).toBe(credits - 2);
  });

  test('bytes of another type end the upload and release the credit', async () => {
    const credits = await anna.credits();
    const place = await begin('not-a.pdf', 40);
    expect((await patch(place, 0, Buffer.from('<html>'.padEnd(40)))).status).toBe(415);
    expect((await call('HEAD', place)).status).toBe(404);
    expect(await anna.credits()).toBe(credits);
    const sly = await begin('sly.pdf', 40);
    expect((await patch(sly, 0, Buffer.from('%PD'))).status).toBe(204);
    expect((await patch(sly, 3, Buffer.from('<html>'.padEnd(37)))).status).toBe(415);
    expect((await call('HEAD', sly)).status).toBe(404);
    expect(await anna.credits()).toBe(credits);
  });

  test('nobody else sees, writes or ends it', async () => {
    const place = await begin('mine.pdf', SMALL_PDF.length);
    for (const token of [boris.token, app.anonKey, app.serviceKey]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await call('HEAD', place, { headers })).status).toBe(404);
      expect((await patch(place, 0, SMALL_PDF, { headers })).status).toBe(404);
      expect((await call('DELETE', place, { headers })).status).toBe(404);
    }
    expect((await patch(place, 0, SMALL_PDF)).status).toBe(204);
  });

  test('a signed upload token replaces a session, once', async () => {
    const { data } = await anna.bucket.createSignedUploadUrl(anna.path('signed.pdf'));
    await anna.takeCredit();
    const headers = { authorization: '', 'x-signature': data?.token ?? '' };
    const begun = await call('POST', '/storage/v1/upload/resumable/sign', {
      headers: {
        'upload-length': String(SMALL_PDF.length),
        'upload-metadata': metadata({
          bucketName: 'user-uploads',
          objectName: anna.path('signed.pdf'),
          contentType: 'application/pdf',
        }),
        ...headers,
      },
    });
    expect(begun.status).toBe(201);
    const place = begun.headers.get('location') ?? '';
    expect((await patch(place, 0, SMALL_PDF)).status).toBe(404);
    expect((await patch(place, 0, SMALL_PDF, { headers })).status).toBe(204);
    const client = createClient(app.url, app.anonKey).storage.from('user-uploads');
    const again = await client.uploadToSignedUrl(anna.path('signed.pdf'), data?.token ?? '', SMALL_PDF);
    expect(again.error).toMatchObject({ code: 'KeyAlreadyExists' });
  });
});
