import { deflateSync } from 'node:zlib';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { newOperator } from '../../../tests/support/customers/operator-client.ts';
import { callFunction } from '../../../tests/support/customers/plan-purchase.ts';
import { teamPeople } from '../../../tests/support/customers/team-people.ts';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { AVATARS_BUCKET, avatarPath } from '../../kernel/contract/avatars.ts';
import { AVATAR_TYPES } from '../../platform/storage/content/upload-types.contract.ts';
import { AVATAR_LIMITS, AVATAR_REFUSALS } from './avatars.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

const { newTeam, call } = teamPeople(() => app);

/**
 * A PNG of one colour and of any size: one kilobyte, however much it unpacks to. Chunks may be put before its
 * image data.
 */
function png(width: number, height: number, before: readonly Buffer[] = []): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([1, 0], 8);
  const rows = deflateSync(Buffer.alloc(Math.min((Math.ceil(width / 8) + 1) * height, 1e6)));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    ...before,
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), data, Buffer.alloc(4)]);
}

/** An animated WebP: an extended header with the flag, and nothing to decode. */
function movingWebp(): Buffer {
  const body = Buffer.concat([
    Buffer.from('WEBPVP8X'),
    Buffer.from([10, 0, 0, 0, 2, 0, 0, 0, 99, 0, 0, 99, 0, 0]),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), size, body]);
}

const avatars = ({ client }: Pick<UploadingCustomer, 'client'>) => client.storage.from(AVATARS_BUCKET);
const store = (who: UploadingCustomer, bytes: Buffer, contentType = 'image/png', path = avatarPath(who.id)) =>
  avatars(who).upload(path, bytes, { upsert: true, contentType });
const sees = async (who: Pick<UploadingCustomer, 'client'>, { id }: UploadingCustomer): Promise<boolean> => {
  const { data } = await avatars(who).createSignedUrls([avatarPath(id)], 60);
  const { error } = await avatars(who).download(avatarPath(id));
  expect(error === null).toBe(data?.[0]?.error === null);
  // A signed address needs no token: it opens with the rights of the account that signed it.
  if (error === null) expect((await fetch(data?.[0]?.signedUrl ?? '')).status).toBe(200);
  return error === null;
};

test('the bucket accepts the pictures of the policy table, up to the size that the page states', async () => {
  const { file_size_limit: bytes, allowed_mime_types: types } = await app.resources.database.one(
    'select file_size_limit, allowed_mime_types from storage.buckets where id = $1',
    [AVATARS_BUCKET],
  );
  expect(types).toEqual(AVATAR_TYPES);
  expect(Number(bytes)).toBe(AVATAR_LIMITS.bytes);
});

test('a picture is stored, replaced, served as inert, and removed', async () => {
  const anna = await createCustomer(app, 0);
  expect((await store(anna, png(256, 256))).error).toBeNull();
  expect((await store(anna, png(300, 300))).error).toBeNull();
  const { data: list } = await avatars(anna).list(anna.id);
  expect(list).toHaveLength(1);
  const { data } = await avatars(anna).createSignedUrl(avatarPath(anna.id), 60);
  const reply = await fetch(data?.signedUrl ?? '');
  expect(reply.status).toBe(200);
  expect(Buffer.from(await reply.arrayBuffer())).toEqual(png(300, 300));
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
    'content-disposition': expect.stringMatching(/^attachment/),
    'cross-origin-resource-policy': 'same-origin',
  });
  expect((await avatars(anna).remove([avatarPath(anna.id)])).error).toBeNull();
  expect(await sees(anna, anna)).toBe(false);
});

test('a picture is seen by the person, their team and operators, as long as they are that, and by nobody else', async () => {
  const { owner, member, billing } = await newTeam();
  const stranger = await createCustomer(app, 0);
  const operator = await newOperator(app);
  expect((await store(member, png(256, 256))).error).toBeNull();
  for (const who of [member, owner, billing, operator]) expect(await sees(who, member)).toBe(true);
  expect(await sees(stranger, member)).toBe(false);
  const visitor = { client: createClient(app.url, app.anonKey) };
  expect(await sees(visitor, member)).toBe(false);
  // A person who has left the team sees no picture of it any more, and is seen by none of its members, even
  // with an earlier address.
  const { data } = await avatars(owner).createSignedUrl(avatarPath(member.id), 60);
  expect((await fetch(data?.signedUrl ?? '')).status).toBe(200);
  expect((await call(owner, 'remove-member', { user_id: member.id })).status).toBe(200);
  expect((await fetch(data?.signedUrl ?? '')).status).not.toBe(200);
  for (const who of [owner, billing]) expect(await sees(who, member)).toBe(false);
  expect(await sees(member, member)).toBe(true);
  // Nor does a person who is no longer an operator.
  const atConsole = await avatars(operator).createSignedUrl(avatarPath(member.id), 60);
  expect((await fetch(atConsole.data?.signedUrl ?? '')).status).toBe(200);
  await app.resources.database.run(
    "update auth.users set raw_app_meta_data = raw_app_meta_data - 'role' where id = $1",
    [(await operator.client.auth.getUser()).data.user?.id ?? ''],
  );
  expect((await fetch(atConsole.data?.signedUrl ?? '')).status).not.toBe(200);
});

test('attacks: nobody stores, replaces, moves, copies or removes in another person’s place, or elsewhere in the bucket', async () => {
  const { owner, member } = await newTeam();
  const operator = await newOperator(app);
  expect((await store(member, png(256, 256))).error).toBeNull();
  for (const who of [owner, { ...owner, client: operator.client }]) {
    expect((await store(who, png(10, 10), 'image/png', avatarPath(member.id))).error).not.toBeNull();
    expect((await avatars(who).update(avatarPath(member.id), png(10, 10))).error).not.toBeNull();
    expect(
      (await avatars(who).createSignedUploadUrl(avatarPath(member.id), { upsert: true })).error,
    ).not.toBeNull();
    await avatars(who).remove([avatarPath(member.id)]);
  }
  for (const path of [`${owner.id}/other`, `${owner.id}/picture/x`, 'picture', `x/${owner.id}/picture`])
    expect((await store(owner, png(10, 10), 'image/png', path)).error, path).not.toBeNull();
  expect((await store(owner, png(10, 10))).error).toBeNull();
  for (const to of [avatarPath(member.id), `${owner.id}/other`])
    expect((await avatars(owner).move(avatarPath(owner.id), to)).error).not.toBeNull();
  const { data } = await avatars(member).download(avatarPath(member.id));
  expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(png(256, 256));
});

test('attacks: SVG, HTML, other types, too many bytes, gigapixels and animations are refused as pictures', async () => {
  const anna = await createCustomer(app, 1);
  const refused = async (bytes: Buffer, type: string): Promise<string | undefined> =>
    (await store(anna, bytes, type)).error?.message;
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const html = Buffer.from('<!doctype html><script>alert(1)</script>');
  for (const type of ['image/svg+xml', 'text/html', 'image/png', 'image/jpeg', 'image/webp', ''])
    for (const bytes of [svg, html]) expect(await refused(bytes, type), type).toBeDefined();
  expect(await refused(Buffer.from('GIF89a and more'), 'image/gif')).toBeDefined();
  expect(await refused(Buffer.concat([png(9, 9), html]), 'text/html')).toBeDefined();
  // Two kilobytes that unpack to more memory than a browser has.
  expect(await refused(png(60_000, 60_000), 'image/png')).toBe(AVATAR_REFUSALS.notStored);
  expect(await refused(png(513, 8), 'image/png')).toBe(AVATAR_REFUSALS.notStored);
  expect(await refused(png(0, 8), 'image/png')).toBe(AVATAR_REFUSALS.notStored);
  expect(await refused(png(9, 9, [chunk('acTL', Buffer.alloc(8))]), 'image/png')).toBe(
    AVATAR_REFUSALS.notStored,
  );
  expect(await refused(movingWebp(), 'image/webp')).toBe(AVATAR_REFUSALS.notStored);
  expect(
    await refused(Buffer.from([0xff, 0xd8, 0xff, 0xe0, ...Buffer.alloc(40)]), 'image/jpeg'),
  ).toBeDefined();
  const large = png(9, 9, [chunk('tEXt', Buffer.alloc(AVATAR_LIMITS.bytes, 'x'))]);
  expect(await refused(large, 'image/png')).toMatch(/exceeded the maximum/);
  // Copying does not turn a user's own document into a picture, because copies are not examined.
  expect(await anna.upload('page.html', html.toString(), 'text/html')).toBe('stored');
  const copy = await fetch(`${app.url}/storage/v1/object/copy`, {
    method: 'POST',
    headers: { authorization: `Bearer ${anna.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      bucketId: 'user-uploads',
      sourceKey: anna.path('page.html'),
      destinationBucket: AVATARS_BUCKET,
      destinationKey: avatarPath(anna.id),
      copyMetadata: false,
      metadata: { mimetype: 'image/png' },
    }),
  });
  expect(copy.status).toBeGreaterThanOrEqual(400);
  expect(await sees(anna, anna)).toBe(false);
});

test('before the second factor a session neither sees nor changes the picture', async () => {
  const anna = await createCustomer(app, 0);
  expect((await store(anna, png(256, 256))).error).toBeNull();
  await app.resources.database.run(
    `insert into auth.mfa_factors (user_id, friendly_name, factor_type, status, secret)
     values ($1, 'x', 'totp', 'verified', 'x')`,
    [anna.id],
  );
  expect(await sees(anna, anna)).toBe(false);
  expect((await store(anna, png(10, 10))).error).not.toBeNull();
});

test('the export has the picture, and it goes with the account; alone it needs no days of grace', async () => {
  claims(
    'One JSON file with what is kept about you: your account, picture and sign-ins, the list of your files, their reports, credits and plans, and your enquiries.',
  );
  const [anna, hidden] = [await createCustomer(app, 0), await createCustomer(app, 0)];
  const { database } = app.resources;
  for (const who of [anna, hidden]) expect((await store(who, png(20, 20))).error).toBeNull();
  const exported = (await callFunction(app, 'export-account', anna.token, {})).body as unknown as {
    picture: string;
    data: Record<string, { name?: string }[]>;
  };
  expect(exported.picture).toBe(`data:image/png;base64,${png(20, 20).toString('base64')}`);
  expect(exported.data['storage.objects']).toMatchObject([{ name: avatarPath(anna.id) }]);
  expect(await database.one('select private.holds_something($1) as holds', [anna.id])).toEqual({
    holds: false,
  });
  await database.run('delete from auth.users where id = $1', [anna.id]);
  await database.run('update auth.users set deleted_at = now() where id = $1', [hidden.id]);
  expect(
    await database.many(
      'select name from storage.objects where bucket_id = $1 and owner = any ($2::uuid[])',
      [AVATARS_BUCKET, [anna.id, hidden.id]],
    ),
  ).toEqual([]);
});
