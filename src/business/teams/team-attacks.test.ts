import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readMail } from '../../../tests/support/auth/mail-read.ts';
import { callFunction } from '../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../tests/support/customers/stored-report.ts';
import { emailOf, teamPeople } from '../../../tests/support/customers/team-people.ts';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

const { call, viewOf, invite, bring, newTeam, show, filesOf } = teamPeople(() => app);

const pathOf = async (who: UploadingCustomer, file: string): Promise<string> =>
  (await who.client.from('user_files').select('file_path').eq('id', file).single()).data?.file_path ?? '';

const signedUrl = async (who: UploadingCustomer, path: string): Promise<string> =>
  (await who.bucket.createSignedUrl(path, 3600)).data?.signedUrl ?? '';

/** The changes of files that a member receives on an open socket, until the client is closed. */
async function listen({ client }: UploadingCustomer): Promise<{ id?: string }[]> {
  const heard: { id?: string }[] = [];
  const channel = client.channel('files of a team');
  onTestFinished(async () => {
    await client.removeAllChannels();
  });
  channel.on('postgres_changes', { event: '*', schema: 'public', table: 'user_files' }, ({ new: row, old }) =>
    heard.push({ ...old, ...row }),
  );
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve();
      else reject(error ?? new Error(status));
    });
  });
  return heard;
}

/** Does `work` in a transaction that stays open until `other` waits for it, or has ended without waiting. */
async function beside<T>(work: (queries: Queries) => Promise<unknown>, other: () => Promise<T>): Promise<T> {
  const { database } = app.resources;
  const started = await database.transaction(async (queries) => {
    await work(queries);
    let ended = false;
    const promise = other().finally(() => {
      ended = true;
    });
    await expect.poll(async () => ended || (await waits())).toBe(true);
    return { promise };
  });
  return started.promise;
}

async function waits(): Promise<boolean> {
  const waiting = await app.resources.database.maybe(
    `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where not l.granted and a.datname = current_database() limit 1`,
  );
  return waiting !== undefined;
}

const remove = (person: UploadingCustomer) => (queries: Queries) =>
  queries.run('delete from northline_app.team_members where user_id = $1', [person.id]);

test('attack 62: a teammate’s shared file can be read, and no function, search or export goes beyond that', async () => {
  const { owner, member } = await newTeam();
  const file = await storeReport(app, owner, { name: 'lease.txt', texts: ['The rent is 900 pounds.'] });
  const own = await storeReport(app, member, { name: 'own.txt', texts: ['My own words.'] });
  await show(owner, file);
  expect(await filesOf(member)).toEqual([file, own].sort());
  await expect
    .poll(
      async () => (await callFunction(app, 'search-documents', owner.token, { query: 'pounds' })).body.hits,
    )
    .toHaveLength(1);
  const asked = (name: string, body: object) => callFunction(app, name, member.token, body);
  expect((await asked('search-documents', { query: 'pounds' })).body.hits).toEqual([]);
  expect((await asked('search-documents', { query: 'pounds', file_id: file })).body.hits).toEqual([]);
  expect((await asked('ask-documents', { question: 'What is the rent?' })).body.passages).toEqual([]);
  expect((await asked('similar-documents', { file_id: file })).body.documents).toEqual([]);
  expect((await asked('similar-documents', { file_id: own })).body.documents).toEqual([]);
  expect((await asked('list-invoices', {})).body.invoices).toMatchObject([{ file_id: own }]);
  expect(JSON.stringify((await asked('export-account', {})).body)).not.toContain(file);
  const fact = { file_id: file, key: 'total', original: '900', value: '1' };
  for (const [name, body] of [
    ['compare-documents', { file_id: own, other_id: file }],
    ['correct-fact', fact],
    ['mark-invoice', { file_id: file, paid_on: '2026-11-01' }],
    ['teach-own-field', { field_id: file, file_id: file, value: '900' }],
    ['share-report', { file_id: file, days: 7 }],
    ['analyze', { file_id: file, password: 'guess' }],
    ['split-document', { file_id: file, begins: [1] }],
  ] as const)
    expect((await asked(name, body)).status, name).toBe(404);
  const exported = await fetch(`${app.url}/functions/v1/export-report?file_id=${file}&format=csv`, {
    headers: { authorization: `Bearer ${member.token}` },
  });
  expect(exported.status).toBe(404);
  for (const [schema, table] of [
    ['northline_app', 'analysis_index'],
    ['northline_app', 'analysis_passages'],
    ['northline_app', 'analysis_shares'],
    ['northline_app', 'own_field_values'],
    ['public', 'customers'],
  ] as const) {
    const others = member.client.schema(schema).from(table).select('user_id').neq('user_id', member.id);
    expect((await others).data, table).toEqual([]);
  }
  // Its bytes are not copied to a place that outlives the team.
  const path = await pathOf(member, file);
  expect((await member.bucket.copy(path, member.path('mine.txt'))).error).not.toBeNull();
  expect((await member.bucket.move(path, member.path('mine.txt'))).error).not.toBeNull();
  const listed = (await member.bucket.list(owner.id)).data ?? [];
  expect(listed.map(({ name }) => `${owner.id}/${name}`)).toEqual([path]);
});

test('attack 62: nobody else reads the tags that an owner gave a shared document', async () => {
  const { owner, member } = await newTeam();
  const file = await storeReport(app, owner, { name: 'lease.txt', texts: ['The rent is 900 pounds.'] });
  await show(owner, file);
  await owner.client
    .schema('northline_app')
    .rpc('tag_files', { p_ids: [file], p_tag: 'to be dismissed', p_wanted: true });
  const seen = async ({ client }: UploadingCustomer) =>
    (await client.schema('northline_app').from('files').select('*').eq('id', file).single()).data;
  expect((await seen(owner)).tags).toEqual(['to be dismissed']);
  const ofMember = await seen(member);
  expect(ofMember).toMatchObject({ file_name: 'lease.txt', tags: [] });
  expect(JSON.stringify(ofMember)).not.toContain('dismissed');
  expect((await member.client.schema('northline_app').from('file_tags').select('tags')).data).toEqual([]);
  const found = await member.client.schema('northline_app').from('files').select('id').neq('tags', '{}');
  expect(found.data).toEqual([]);
  expect(
    (
      await member.client
        .schema('northline_app')
        .rpc('tag_files', { p_ids: [file], p_tag: 'mine', p_wanted: true })
    ).data,
  ).toBe(0);
  const untagged = { p_ids: [file], p_tag: 'to be dismissed', p_wanted: false };
  expect((await member.client.schema('northline_app').rpc('tag_files', untagged)).data).toBe(0);
  expect((await seen(owner)).tags).toEqual(['to be dismissed']);
});

test('attack 62: of two teams neither sees the other, and a person who changes teams loses sight of the former', async () => {
  const [first, second] = [await newTeam(), await newTeam()];
  const file = await storeReport(app, first.owner, { name: 'a.txt', texts: ['A text.'] });
  await show(first.owner, file);
  expect(await filesOf(first.member)).toEqual([file]);
  expect(await filesOf(second.member)).toEqual([]);
  const mine = await storeReport(app, first.member, { name: 'b.txt', texts: ['Another.'] });
  await show(first.member, mine);
  expect(await filesOf(first.owner)).toEqual([file, mine].sort());
  await call(first.member, 'remove-member', { user_id: first.member.id });
  await bring(second.owner, first.member, 'member');
  expect(await filesOf(first.member)).toEqual([mine]);
  expect(await filesOf(first.owner)).toEqual([file]);
  // Neither into the former team nor under another member's name.
  const former = { file_id: mine, team_id: (await viewOf(first.owner))?.id, shared_by: first.member.id };
  expect(
    (await first.member.client.schema('northline_app').from('team_files').insert(former)).error?.code,
  ).toBe('42501');
  expect(await filesOf(second.owner)).toEqual([]);
});

test('attack 62: a removed member loses everything at once: rows, bytes, signed addresses, open socket, credits', async () => {
  const { owner, member } = await newTeam();
  const file = await storeReport(app, owner, { name: 'lease.txt', texts: ['The rent is 900 pounds.'] });
  const own = await storeReport(app, member, { name: 'own.txt', texts: ['My own words.'] });
  await show(owner, file);
  const path = await pathOf(member, file);
  const [ofOwner, ofMember, ofOwnFile] = [
    await signedUrl(owner, path),
    await signedUrl(member, path),
    await signedUrl(member, await pathOf(member, own)),
  ];
  const many = (await member.bucket.createSignedUrls([path], 3600)).data?.[0]?.signedUrl ?? '';
  for (const url of [ofOwner, ofMember, ofOwnFile, many]) expect((await fetch(url)).status).toBe(200);
  const heard = await listen(member);
  // Any change of the row will do: its followers get an event.
  const touch = ({ client }: UploadingCustomer, id: string) =>
    client.from('user_files').update({ analyzed: true }).eq('id', id);
  await touch(owner, file);
  await expect.poll(() => heard.map(({ id }) => id)).toContain(file);
  // A credit that was taken but not used belongs to the payer again.
  const before = await owner.credits();
  expect(await member.takeCredit()).toBe(true);
  expect(await owner.credits()).toBe(before - 1);

  await call(owner, 'remove-member', { user_id: member.id });
  heard.length = 0;
  expect(await owner.credits()).toBe(before);
  expect(await member.takeCredit()).toBe(false);
  expect((await member.client.schema('northline_app').rpc('team_credits')).data).toBe(0);
  expect(await filesOf(member)).toEqual([own]);
  expect((await member.bucket.download(path)).error).not.toBeNull();
  expect((await member.bucket.createSignedUrl(path, 60)).error).not.toBeNull();
  for (const url of [ofMember, many]) expect((await fetch(url)).status).toBe(400);
  for (const url of [ofOwner, ofOwnFile]) expect((await fetch(url)).status).toBe(200);
  await touch(owner, file);
  await owner.client.from('user_files').delete().eq('id', file);
  // When the last change has arrived, everything before it has arrived.
  await touch(member, own);
  await expect.poll(() => heard.map(({ id }) => id)).toContain(own);
  expect(heard.filter(({ id }) => id !== own)).toEqual([]);
});

test('attack 62: a member who becomes billing sees no file, shows none and releases reserved credits', async () => {
  const { owner, member } = await newTeam();
  const file = await storeReport(app, owner, { name: 'a.txt', texts: ['A text.'] });
  const own = await storeReport(app, member, { name: 'b.txt', texts: ['Another.'] });
  await show(owner, file);
  await show(member, own);
  expect(await member.takeCredit()).toBe(true);
  const before = await owner.credits();
  const url = await signedUrl(member, await pathOf(member, file));
  await call(owner, 'change-member', { user_id: member.id, role: 'billing' });
  expect(await filesOf(member)).toEqual([own]);
  expect(await filesOf(owner)).toEqual([file]);
  expect((await fetch(url)).status).toBe(400);
  expect(await owner.credits()).toBe(before + 1);
  expect(await member.takeCredit()).toBe(false);
});

test('attack 62: changes made while a member is being removed have no effect', async () => {
  const { owner, member } = await newTeam();
  const own = await storeReport(app, member, { name: 'b.txt', texts: ['Another.'] });
  const before = await owner.credits();
  const team = (await viewOf(owner))?.id ?? '';
  const row = { file_id: own, team_id: team, shared_by: member.id };
  const late = await beside(
    async (queries) => {
      await queries.maybe('select 1 from northline_app.teams where id = $1 for update', [team]);
      await remove(member)(queries);
    },
    () =>
      Promise.all([
        member.takeCredit(),
        member.client.schema('northline_app').from('team_files').insert(row),
      ]),
  );
  expect(late[0]).toBe(false);
  expect(late[1].error).not.toBeNull();
  expect(await owner.credits()).toBe(before);
  expect(await filesOf(owner)).toEqual([]);
});

test('attack 62: of two owners who leave at the same moment one stays, or the team ends', async () => {
  const { owner, member } = await newTeam();
  await call(owner, 'change-member', { user_id: member.id, role: 'owner' });
  const left = await Promise.all(
    [owner, member].map((person) => call(person, 'remove-member', { user_id: person.id })),
  );
  expect(left.map(({ status }) => status).sort()).toEqual([200, 409]);
  const second = await newTeam();
  await call(second.owner, 'change-member', { user_id: second.member.id, role: 'owner' });
  // The deletion of an account asks for no permission.
  await beside(
    async (queries) => {
      await remove(second.owner)(queries);
    },
    () => app.resources.database.run('delete from auth.users where id = $1', [second.member.id]),
  );
  expect(await viewOf(second.billing)).toBe(null);
});

test('attack 62: a soft-deleted account is in no team, and nobody sees its files', async () => {
  const { owner, member } = await newTeam();
  const own = await storeReport(app, member, { name: 'b.txt', texts: ['Another.'] });
  await show(member, own);
  expect(await filesOf(owner)).toEqual([own]);
  await app.resources.database.run('update auth.users set deleted_at = now(), email = null where id = $1', [
    member.id,
  ]);
  expect(await filesOf(owner)).toEqual([]);
  expect((await viewOf(owner))?.members.map(({ user_id: id }) => id)).not.toContain(member.id);
});

test('attack 62: an invitation can neither write to strangers nor pretend to come from somebody else', async () => {
  const { owner, member } = await newTeam();
  const { database } = app.resources;
  expect(
    await call(owner, 'invite-member', { email: emailOf(member).toUpperCase(), role: 'owner' }),
  ).toMatchObject({ status: 409, code: 'already_member' });
  const guest = await createCustomer(app, 0);
  await invite(owner, emailOf(guest), 'member');
  const textOf = async () => (await readMail(app.url, emailOf(guest), /invited to the team/)).text;
  // An address that nobody proved might be anybody's.
  expect(await textOf()).toMatch(/^You are invited to join the team Harbour House/m);
  await database.run('update auth.users set email_proven_at = now() where id = $1', [owner.id]);
  await invite(owner, emailOf(guest), 'member');
  expect(await textOf()).toContain(`${emailOf(owner)} invites you to join the team Harbour House`);

  const strict = await startTestApp({ beside: app, settings: { RATE_LIMITS: 'true' } });
  onTestFinished(() => strict.close());
  const again = { email: 'victim@strangers.example', role: 'member' };
  const statuses: number[] = [];
  for (let at = 0; at < 6; at += 1)
    statuses.push((await callFunction(strict, 'invite-member', owner.token, again)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});

test('attack 62: nobody returns by an invitation that they made as an owner', async () => {
  const { owner, member } = await newTeam();
  for (const end of [
    () => call(owner, 'change-member', { user_id: member.id, role: 'billing' }),
    () => call(owner, 'remove-member', { user_id: member.id }),
  ]) {
    expect((await call(owner, 'change-member', { user_id: member.id, role: 'owner' })).status).toBe(200);
    const second = await createCustomer(app, 0);
    const token = await invite(member, emailOf(second), 'owner');
    expect((await end()).team?.invitations).toEqual([]);
    expect((await call(second, 'accept-invitation', { token })).code).toBe('bad_invitation');
  }
});

test('attack 62: an invitation that is accepted twice at once counts once, and one being withdrawn does not count', async () => {
  const { owner } = await newTeam();
  const guest = await createCustomer(app, 0);
  const token = await invite(owner, emailOf(guest), 'member');
  const both = await Promise.all([1, 2].map(() => call(guest, 'accept-invitation', { token })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
  const late = await createCustomer(app, 0);
  const second = await invite(owner, emailOf(late), 'member');
  const team = (await viewOf(owner))?.id ?? '';
  const accepted = await beside(
    async (queries) => {
      await queries.maybe('select 1 from northline_app.teams where id = $1 for update', [team]);
      await queries.run('delete from private.team_invitations where team_id = $1 and email = $2', [
        team,
        emailOf(late),
      ]);
    },
    () => call(late, 'accept-invitation', { token: second }),
  );
  expect(accepted).toMatchObject({ status: 404, code: 'bad_invitation' });
});
