import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createCustomer,
  SMALL_PDF,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let anna: UploadingCustomer;
let ids: string[];
beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app);
  for (const name of ['1_lease.pdf', '2_invoice.pdf'])
    expect(await anna.upload(name, SMALL_PDF, 'application/pdf')).toBe('stored');
  const { data } = await anna.client.from('user_files').select('id').order('file_path');
  ids = (data ?? []).map(({ id }) => id);
});
afterAll(() => app?.close());

const tag = ({ client }: UploadingCustomer, files: string[], word: string, wanted = true) =>
  client.schema('northline_app').rpc('tag_files', { p_ids: files, p_tag: word, p_wanted: wanted });

async function tagsNow(): Promise<string[][]> {
  const { data } = await anna.client
    .schema('northline_app')
    .from('files')
    .select('tags')
    .order('file_path')
    .overrideTypes<{ tags: string[] }[], { merge: false }>();
  return (data ?? []).map(({ tags }) => tags);
}

test('files are tagged and untagged together, each tag once in any letter case, and their times stay', async () => {
  const times = async () =>
    (await anna.client.from('user_files').select('updated_at').order('file_path')).data;
  const before = await times();
  expect((await tag(anna, ids, ' Lease ')).data).toBe(2);
  expect((await tag(anna, ids, 'LEASE')).data).toBe(0);
  expect((await tag(anna, ids.slice(0, 1), '2026')).data).toBe(1);
  expect(await tagsNow()).toEqual([['Lease', '2026'], ['Lease']]);
  expect((await tag(anna, ids, 'lease', false)).data).toBe(2);
  expect(await tagsNow()).toEqual([['2026'], []]);
  expect(await times()).toEqual(before);
});

test('a malformed tag, and one too many, is refused with a sentence', async () => {
  const file = ids.slice(1);
  for (const [word, sentence] of [
    ['', 'A tag has 1 to 40 characters and no blanks around them.'],
    ['x'.repeat(41), 'A tag has 1 to 40 characters and no blanks around them.'],
    ['two\nlines', 'A tag has 1 to 40 characters and no blanks around them.'],
  ] as const) {
    const { error, status } = await tag(anna, file, word);
    expect([status, error?.message], word).toEqual([400, sentence]);
  }
  for (let count = 1; count <= 20; count += 1) expect((await tag(anna, file, `tag ${count}`)).data).toBe(1);
  expect((await tag(anna, file, 'one more')).error?.message).toBe('A file has at most 20 tags.');
  const twice = await anna.client
    .schema('northline_app')
    .from('file_tags')
    .update({ tags: ['a', 'A'] })
    .in('file_id', file);
  expect(twice.error?.message).toBe('A file has each tag once.');
});

test('attack: nobody tags another user’s files, with or without a session', async () => {
  const before = await tagsNow();
  const mallory = await createCustomer(app);
  expect((await tag(mallory, ids, 'mine')).data).toBe(0);
  const stolen = await mallory.client
    .schema('northline_app')
    .from('file_tags')
    .update({ tags: ['mine'] })
    .in('file_id', ids)
    .select();
  expect(stolen.data).toEqual([]);
  const forged = { file_id: ids[0], user_id: mallory.id, tags: ['mine'] };
  expect((await mallory.client.schema('northline_app').from('file_tags').insert(forged)).error?.code).toBe(
    '42501',
  );
  expect((await mallory.client.schema('northline_app').from('file_tags').select('tags')).data).toEqual([]);
  const visitor = await fetch(`${app.url}/rest/v1/rpc/tag_files`, {
    method: 'POST',
    headers: {
      apikey: app.anonKey,
      'content-type': 'application/json',
      'content-profile': 'northline_app',
    },
    body: JSON.stringify({ p_ids: ids, p_tag: 'mine', p_wanted: true }),
  });
  expect(visitor.status).toBe(401);
  expect(await tagsNow()).toEqual(before);
});
