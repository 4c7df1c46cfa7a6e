import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createCustomer,
  storedFiles,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { type S3Server, startS3Server } from '../../../../tests/support/servers/s3-server.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { endDeadUploads, removeLeftovers, unlinkDeleted } from '../storage-sweep.server.ts';

const MB = 1024 * 1024;

let s3: S3Server;
let app: TestApp;
let anna: UploadingCustomer;

beforeAll(async () => {
  s3 = await startS3Server();
  app = await startTestApp({ settings: { STORAGE_URL: s3.storageUrl } });
  anna = await createCustomer(app, 5);
});
afterAll(async () => {
  await app?.close();
  await s3?.close();
});

/** Leaves what a process leaves that is killed while it receives: a lease and parts. */
async function leaveBehind(): Promise<{ id: string; letGo: () => Promise<void> }> {
  const { database, objects } = app.resources;
  const id = randomUUID();
  const begin = "select private.begin_upload($1, 'user-uploads', 'x', null, $2, $2, interval '1 hour')";
  await database.run(begin, [id, 100 * MB]);
  // A dead process reports neither an end nor an error; this promise stays pending until the test is over.
  const gone = Promise.withResolvers<never>();
  const cut = (async function* () {
    yield randomBytes(6 * MB);
    yield randomBytes(6 * MB);
    await gone.promise;
  })();
  const received = objects.receive(id, cut, { inspect() {} }).catch(() => {});
  await expect.poll(s3.unfinished).toContain(`kept/objects/${id}`);
  const letGo = async (): Promise<void> => {
    gone.reject(new Error('gone'));
    await received;
  };
  return { id, letGo };
}

test('parts that a killed process sent are aborted, but only once its upload is dead', async () => {
  const { id, letGo } = await leaveBehind();
  await removeLeftovers(app.resources);
  expect(s3.unfinished()).toContain(`kept/objects/${id}`);
  await app.resources.database.run('update private.uploads set expires_at = now()');
  await endDeadUploads(app.resources);
  await removeLeftovers(app.resources);
  expect(s3.unfinished()).toEqual([]);
  expect(await storedFiles(app, 'received')).toEqual([]);
  await letGo();
});

test('chunks of a resumable upload that was never finished are removed with it', async () => {
  await anna.takeCredit();
  const names = { bucketName: 'user-uploads', objectName: anna.path('a.txt'), contentType: 'text/plain' };
  const pairs = Object.entries(names).map(
    ([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`,
  );
  const headers = { authorization: `Bearer ${anna.token}`, 'tus-resumable': '1.0.0' };
  const begun = await fetch(`${app.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(10 * MB), 'upload-metadata': pairs.join(',') },
  });
  const part = await fetch(new URL(begun.headers.get('location') ?? '', app.url), {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: 'a'.repeat(6 * MB),
  });
  expect(part.status).toBe(204);
  expect(s3.keys().filter((key) => key.startsWith('kept/uploads/'))).toHaveLength(2);
  await app.resources.database.run('update private.uploads set expires_at = now()');
  await endDeadUploads(app.resources);
  await removeLeftovers(app.resources);
  expect(s3.keys()).toEqual(['kept/store-id']);
});

test('objects are removed from the bucket in bulk', async () => {
  for (let count = 0; count < 4; count += 1)
    expect(await anna.upload(`${count}.txt`, 'hello')).toBe('stored');
  expect(s3.keys()).toHaveLength(5);
  const before = s3.lines.length;
  await anna.bucket.remove(Array.from({ length: 4 }, (_, count) => anna.path(`${count}.txt`)));
  await unlinkDeleted(app.resources);
  expect(s3.keys()).toEqual(['kept/store-id']);
  expect(s3.lines.slice(before).filter((line) => line.startsWith('DELETE'))).toEqual([]);
});

test('while the bucket is unavailable a file is sent again, and its credit is released', async () => {
  for (let count = 0; count < 8; count += 1) s3.mishap((line) => line.startsWith('PUT'), 503);
  const before = await anna.credits();
  await anna.takeCredit();
  const reply = await fetch(`${app.url}/storage/v1/object/user-uploads/${anna.path('away.txt')}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${anna.token}`, 'content-type': 'text/plain' },
    body: 'hello',
  });
  expect(reply.headers.get('retry-after')).toBe('5');
  expect(await reply.json()).toMatchObject({ statusCode: '503', code: 'storage_unavailable' });
  expect(await anna.credits()).toBe(before);
});
