import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';

let app: TestApp;
let anna: UploadingCustomer;
let operator: SupabaseClient['storage'];

/** A bucket of notes in which each user has a folder with all rights; notes may be replaced. */
const NOTES = `
  create policy notes_all on storage.objects to authenticated
    using (bucket_id = 'notes' and path_tokens[1] = (select auth.uid())::text)
    with check (bucket_id = 'notes' and path_tokens[1] = (select auth.uid())::text)`;

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 5);
  operator = createClient(app.url, app.serviceKey).storage;
  await operator.createBucket('notes', { public: false });
  await operator.createBucket('pictures', {
    public: true,
    allowedMimeTypes: ['image/*'],
  });
  await operator.createBucket('tiny', { public: false, fileSizeLimit: 4 });
  await app.resources.database.run(uncheckedSql(NOTES, 'composed'));
});
afterAll(() => app?.close());

function notes() {
  return anna.client.storage.from('notes');
}

async function write(name: string, text: string): Promise<string> {
  const { error } = await notes().upload(anna.path(name), text, {
    contentType: 'text/plain',
    metadata: { kind: 'note' },
    cacheControl: '60',
  });
  if (error !== null) throw error;
  return anna.path(name);
}

describe('move and copy where the rules of the bucket allow them', () => {
  test('a move keeps the object and only its name changes', async () => {
    const from = await write('from.txt', 'moved');
    const before = await notes().info(from);
    const { data, error } = await notes().move(from, anna.path('deep/to.txt'));
    expect({ data, error }).toEqual({ data: { message: 'Successfully moved' }, error: null });
    expect((await notes().exists(from)).data).toBe(false);
    const after = await notes().info(anna.path('deep/to.txt'));
    expect(after.data).toMatchObject({
      id: before.data?.id,
      etag: before.data?.etag,
      metadata: { kind: 'note' },
    });
    expect(await (await notes().download(anna.path('deep/to.txt'))).data?.text()).toBe('moved');
  });

  test('a copy is a separate object, owned by its creator', async () => {
    const from = await write('original.txt', 'copied');
    const { data, error } = await notes().copy(from, anna.path('copy.txt'));
    expect(error).toBeNull();
    expect(data).toEqual({ path: `notes/${anna.path('copy.txt')}` });
    await notes().remove([from]);
    expect(await (await notes().download(anna.path('copy.txt'))).data?.text()).toBe('copied');
    const info = await notes().info(anna.path('copy.txt'));
    expect(info.data).toMatchObject({ cacheControl: 'max-age=60', metadata: { kind: 'note' } });
    const row = await app.resources.database.one('select owner from storage.objects where name = $1', [
      anna.path('copy.txt'),
    ]);
    expect(row.owner).toBe(anna.id);
  });

  test('neither overwrites', async () => {
    const one = await write('one.txt', 'one');
    const two = await write('two.txt', 'two');
    for (const { error } of [await notes().move(one, two), await notes().copy(one, two)]) {
      expect(error).toMatchObject({ status: 400, statusCode: '409', code: 'KeyAlreadyExists' });
    }
    expect(await (await notes().download(two)).data?.text()).toBe('two');
  });

  test('neither reaches into another user’s folder, nor out of the user’s own', async () => {
    const boris = await createCustomer(app);
    const mine = await write('mine.txt', 'mine');
    const theirs = boris.client.storage.from('notes');
    for (const { error } of [
      await theirs.move(mine, boris.path('a.txt')),
      await theirs.copy(mine, boris.path('a.txt')),
    ]) {
      expect(error).toMatchObject({ statusCode: '404', code: 'NoSuchKey' });
    }
    for (const { error } of [
      await notes().move(mine, boris.path('planted.txt')),
      await notes().copy(mine, boris.path('planted.txt')),
    ]) {
      expect(error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
    }
  });

  test('a copy into user-uploads is refused, even with a credit', async () => {
    const note = await write('document.txt', 'hello');
    await anna.takeCredit();
    const credits = await anna.credits();
    const { error } = await notes().copy(note, anna.path('document.txt'), {
      destinationBucket: 'user-uploads',
    });
    expect(error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
    expect(await anna.credits()).toBe(credits);
  });

  test('a copy counts against the quota of its creator', async () => {
    const note = await write('counted.txt', 'counted');
    const used = () =>
      app.resources.database.one('select private.storage_used_bytes($1) as bytes', [anna.id]);
    const before = Number((await used()).bytes);
    await notes().copy(note, anna.path('counted-2.txt'));
    expect(Number((await used()).bytes)).toBe(before + 'counted'.length);
  });

  test('the limits of the target bucket apply, for the server too', async () => {
    await write('text.txt', 'a text');
    const from = operator.from('notes');
    for (const move of [from.move.bind(from), from.copy.bind(from)]) {
      const typed = await move(anna.path('text.txt'), 'text.txt', { destinationBucket: 'pictures' });
      expect(typed.error).toMatchObject({ statusCode: '415', code: 'InvalidMimeType' });
      const sized = await move(anna.path('text.txt'), 'text.txt', { destinationBucket: 'tiny' });
      expect(sized.error).toMatchObject({ statusCode: '413', code: 'EntityTooLarge' });
    }
  });

  test('a missing object is reported', async () => {
    const missing = anna.path('missing.txt');
    expect((await notes().copy(missing, anna.path('x'))).error).toMatchObject({ code: 'NoSuchKey' });
    expect((await notes().move(missing, anna.path('x'))).error).toMatchObject({ code: 'NoSuchKey' });
    const note = await write('there.txt', 'there');
    const nowhere = await notes().copy(note, 'x', { destinationBucket: 'nowhere' });
    expect(nowhere.error).toMatchObject({ statusCode: '404', code: 'NoSuchBucket' });
    expect((await notes().copy(note, '../x')).error).toMatchObject({ code: 'InvalidKey' });
  });
});

test('only the server may purge an object’s cache, and there is nothing to purge', async () => {
  const note = await write('cached.txt', 'cached');
  expect((await operator.from('notes').purgeCache(note)).data).toEqual({ message: 'success' });
  expect((await notes().purgeCache(note)).error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
  // Purging after a removal: the object need not exist any more.
  expect((await operator.from('notes').purgeCache('gone')).error).toBeNull();
  for (const path of ['/cdn', '/cdn/']) {
    const headers = { authorization: `Bearer ${app.serviceKey}` };
    const reply = await fetch(`${app.url}/storage/v1${path}`, { method: 'DELETE', headers });
    expect([path, reply.status]).toEqual([path, 200]);
  }
});
