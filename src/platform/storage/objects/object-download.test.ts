import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  createCustomer,
  storedFiles,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { removeLeftovers, unlinkDeleted } from '../storage-sweep.server.ts';
import { parseByteRange } from './byte-range.server.ts';
import { signedObjectUrl } from './object-signing.server.ts';

const TEXT = '0123456789';
let app: TestApp;
let anna: UploadingCustomer;
let file: string;

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 100);
  file = anna.path('digits.txt');
  await anna.upload('digits.txt', TEXT);
});
afterAll(() => app?.close());

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${app.url}/storage/v1/object/authenticated/user-uploads/${file}`, {
    method,
    headers: { authorization: `Bearer ${anna.token}`, ...headers },
  });

async function signed(path: string, seconds = 3600): Promise<string> {
  const { data, error } = await anna.bucket.createSignedUrl(path, seconds);
  if (error !== null) throw error;
  return data.signedUrl;
}

async function refusal(address: string | URL): Promise<string> {
  const reply = await fetch(address);
  expect(reply.status).toBe(400);
  return ((await reply.json()) as { code: string }).code;
}

describe('a served object', () => {
  test('is inert: attachment, nosniff, sandbox, own origin only, private', async () => {
    const { headers } = await get();
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="digits.txt"; filename*=UTF-8''digits.txt`,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('private, max-age=3600');
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('content-type')).toBe('text/plain');
  });

  test('HEAD has the same headers without a body', async () => {
    const reply = await get({}, 'HEAD');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-length')).toBe('10');
    expect(await reply.text()).toBe('');
  });

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-999', 206, TEXT, 'bytes 0-9/10'],
    ['bytes=4-2', 200, TEXT, null],
    ['lines=1-2', 200, TEXT, null],
    [`bytes=${Array.from({ length: 1000 }, () => '0-9').join(',')}`, 200, TEXT, null],
  ])('answers the range %s', async (range, status, body, contentRange) => {
    const reply = await get({ range });
    expect(reply.status).toBe(status);
    expect(await reply.text()).toBe(body);
    expect(reply.headers.get('content-range')).toBe(contentRange);
  });

  test('answers 416 with the size for a range beyond its end', async () => {
    const reply = await get({ range: 'bytes=10-' });
    expect(reply.status).toBe(416);
    expect(reply.headers.get('content-range')).toBe('bytes */10');
    expect(await reply.json()).toMatchObject({ statusCode: '416' });
  });

  test('answers 304 for a known version, and ignores the range of another', async () => {
    const { headers } = await get();
    const tag = headers.get('etag') ?? '';
    expect((await get({ 'if-none-match': tag })).status).toBe(304);
    expect((await get({ 'if-none-match': `"x", W/${tag}` })).status).toBe(304);
    expect((await get({ 'if-none-match': '"x"' })).status).toBe(200);
    expect((await get({ 'if-modified-since': headers.get('last-modified') ?? '' })).status).toBe(304);
    expect((await get({ 'if-range': tag, range: 'bytes=0-0' })).status).toBe(206);
    expect((await get({ 'if-range': '"x"', range: 'bytes=0-0' })).status).toBe(200);
  });

  test('a private bucket has no public addresses', async () => {
    expect(await refusal(anna.bucket.getPublicUrl(file).data.publicUrl)).toBe('NoSuchBucket');
  });
});

test('ranges of an empty object are unsatisfiable or ignored, never negative', () => {
  expect(parseByteRange('bytes=0-', 0)).toBe('unsatisfiable');
  expect(parseByteRange('bytes=-5', 0)).toBe('unsatisfiable');
  expect(parseByteRange('bytes=-0', 5)).toBe('unsatisfiable');
  expect(parseByteRange('bytes=-', 5)).toBeUndefined();
});

describe('signed addresses', () => {
  test('work without any key, with the requested name', async () => {
    const { data } = await anna.bucket.createSignedUrl(file, 3600, { download: 'Prüfung "1" + 100%.txt' });
    const reply = await fetch(data?.signedUrl ?? '');
    expect(await reply.text()).toBe(TEXT);
    const disposition = reply.headers.get('content-disposition') ?? '';
    expect(decodeURIComponent(/UTF-8''(.*)$/.exec(disposition)?.[1] ?? '')).toBe('Prüfung "1" + 100%.txt');
    expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]*"; /);
    const plain = await fetch(await signed(file), { headers: { range: 'bytes=1-2' } });
    expect([plain.status, await plain.text()]).toEqual([206, '12']);
  });

  test('a batch keeps the order and names the missing ones', async () => {
    const { data } = await anna.bucket.createSignedUrls([anna.path('none'), file], 60);
    expect(data?.map(({ path, error }) => [path, error !== null])).toEqual([
      [anna.path('none'), true],
      [file, false],
    ]);
    expect(await (await fetch(data?.[1]?.signedUrl ?? '')).text()).toBe(TEXT);
  });

  test('another path, another token, a missing token and an expired one are refused', async () => {
    await anna.upload('other.txt', 'other');
    const address = await signed(file);
    expect(await refusal(address.replace('digits.txt', 'other.txt'))).toBe('InvalidSignature');
    const tampered = new URL(address);
    const [head, body, mark] = (tampered.searchParams.get('token') ?? '').split('.');
    const claims = JSON.parse(Buffer.from(body ?? '', 'base64url').toString());
    const later = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 9999 })).toString('base64url');
    tampered.searchParams.set('token', `${head}.${later}.${mark}`);
    expect(await refusal(tampered)).toBe('InvalidJWT');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    tampered.searchParams.set('token', `${none}.${later}.`);
    expect(await refusal(tampered)).toBe('InvalidJWT');
    tampered.searchParams.set('token', anna.token);
    expect(await refusal(tampered)).toBe('InvalidJWT');
    tampered.searchParams.delete('token');
    expect(await refusal(tampered)).toBe('InvalidJWT');
    const short = await signed(file, 1);
    await expect.poll(async () => (await fetch(short)).status).toBe(400);
    expect(await refusal(short)).toBe('ExpiredToken');
    expect(await (await fetch(short)).json()).toMatchObject({
      message: '"exp" claim timestamp check failed',
    });
    for (const seconds of [0, -1, 1.5, 1e12]) {
      expect((await anna.bucket.createSignedUrl(file, seconds)).error).toMatchObject({ statusCode: '400' });
    }
  });

  test('end with the object, also when a new one takes its path', async () => {
    await anna.upload('brief.txt', 'old');
    const address = await signed(anna.path('brief.txt'));
    await anna.bucket.remove([anna.path('brief.txt')]);
    expect(await refusal(address)).toBe('NoSuchKey');
    await anna.takeCredit();
    await anna.bucket.upload(anna.path('brief.txt'), 'new', { contentType: 'text/plain' });
    expect(await refusal(address)).toBe('NoSuchKey');
  });

  test('our own work can sign for an automation', async () => {
    const address = await signedObjectUrl(app.resources, 'user-uploads', file, 3600);
    expect(await (await fetch(address ?? '')).text()).toBe(TEXT);
    expect(await signedObjectUrl(app.resources, 'user-uploads', 'none', 60)).toBeUndefined();
  });
});

describe('bytes on the disk', () => {
  test('are deleted when the object, the record or the account is deleted', async () => {
    claims(
      'Your documents and the reports about them, until you delete them.',
      'Deleting removes the file itself.',
    );
    const who = await createCustomer(app, 10);
    const kept = async () => (await storedFiles(app, 'kept')).length;
    await unlinkDeleted(app.resources);
    const before = await kept();
    for (const name of ['a.txt', 'b.txt', 'c.txt']) expect(await who.upload(name, name)).toBe('stored');
    expect(await kept()).toBe(before + 3);
    await who.bucket.remove([who.path('a.txt')]);
    await expect.poll(kept).toBe(before + 2);
    const { error } = await who.client
      .from('user_files')
      .delete()
      .eq('file_path', who.path('b.txt'))
      .eq('user_id', who.id);
    expect(error).toBeNull();
    expect((await who.bucket.exists(who.path('b.txt'))).data).toBe(false);
    await unlinkDeleted(app.resources);
    expect(await kept()).toBe(before + 1);
    await app.resources.database.run('delete from auth.users where id = $1', [who.id]);
    await unlinkDeleted(app.resources);
    expect(await kept()).toBe(before);
  });

  test('left by a crash are removed, and those in use are not', async () => {
    const { objects } = app.resources;
    const [orphan, partial] = [crypto.randomUUID(), crypto.randomUUID()];
    const piece = async function* () {
      yield Buffer.from('lost');
    };
    await objects.keep(await objects.receive(orphan, piece(), { inspect() {} }));
    await objects.receive(partial, piece(), { inspect() {} });
    await removeLeftovers(app.resources);
    expect(await objects.read(orphan)).toBeUndefined();
    expect(await storedFiles(app, 'received')).toEqual([]);
    expect(await (await get()).text()).toBe(TEXT);
  });

  test('of another installation are left alone', async () => {
    const { objects, database } = app.resources;
    const orphan = crypto.randomUUID();
    const piece = async function* () {
      yield Buffer.from('theirs');
    };
    await objects.keep(await objects.receive(orphan, piece(), { inspect() {} }));
    await database.run("update private.installation set value = 'another' where key = 'object_store'");
    await removeLeftovers(app.resources);
    expect(await storedFiles(app, 'kept')).toContain(orphan);
  });
});

test('a store that is not this database’s is refused at the start, in one sentence', async () => {
  const { database, objects } = app.resources;
  const setOwner = (id: string) =>
    database.run("update private.installation set value = $1 where key = 'object_store'", [id]);
  await setOwner('another');
  await expect(startTestApp({ beside: app })).rejects.toThrow(/not the one that holds this database's files/);
  await setOwner(objects.id);
  const second = await startTestApp({ beside: app });
  await second.close();
});
