import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCustomer,
  SMALL_PDF,
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

const lastSpending = async () => (await anna.spendings()).at(-1);
const used = async () =>
  Number(
    (await app.resources.database.one('select private.storage_used_bytes($1) as bytes', [anna.id])).bytes,
  );

describe('an upload in pieces', () => {
  test('arrives byte for byte, holding one credit and its bytes of the quota from the start', async () => {
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

  test('goes on where it broke off, also at another server process', async () => {
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
    await expect.poll(() => offsetOf(place)).toBeGreaterThanOrEqual(4 * MB);
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

  test('is hashed and checked as a whole wherever its requests went', async () => {
    const second = await startTestApp({ beside: app });
    const whole = Buffer.concat([SMALL_PDF, Buffer.alloc(99_000, 32)]);
    const eTag = `"${createHash('sha256').update(whole).digest('hex')}"`;
    const steps = [0, 33_000, 66_000, whole.length];
    // What one process has seen is of no use when another wrote.
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
    const both = await Promise.all([patch(place, 0, LARGE_PDF), patch(place, 0, LARGE_PDF)]);
    const statuses = both.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(204);
    expect([404, 409, 423]).toContain(statuses[1]);
  });

  test('refuses offsets and lengths that lie, and stays as it was', async () => {
    const place = await begin('lies.pdf', SMALL_PDF.length);
    // Clients look at these words (storage of the hosted platform).
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

  test('is given up by DELETE, and credit and quota are free at once', async () => {
    const before = await used();
    const place = await begin('given-up.pdf', LARGE_PDF.length);
    await patch(place, 0, LARGE_PDF.subarray(0, MB));
    expect((await call('DELETE', place)).status).toBe(204);
    expect((await call('HEAD', place)).status).toBe(404);
    expect(await lastSpending()).toBe('returned');
    expect(await used()).toBe(before);
  });

  test('ends when its day is over, and credit and quota are free', async () => {
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

describe('the rules of every upload hold', () => {
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
    // The two that came from somebody else left anna's credits alone.
    expect(await anna.credits()).toBe(credits - 2);
  });

  test('bytes of another type end the upload and give the credit back', async () => {
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

  test('a signed upload token stands in for a session, once', async () => {
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
