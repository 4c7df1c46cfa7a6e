import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { callFunction } from '../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../tests/support/customers/stored-report.ts';
import { emailOf, teamPeople } from '../../../tests/support/customers/team-people.ts';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { managePerson } from '../../cli/person-command.ts';
import { suppress } from '../../kernel/resources/mailer/suppressions.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

const { call, viewOf, invite, newTeam, show, filesOf } = teamPeople(() => app);

test('a team is created, people are invited by mail to one address, and each sees the members', async () => {
  claims(
    'Yes, in a team.',
    'Make a team on the Account tab and invite people by mail.',
    'You are invited to a team.',
    '… invites you to the team … ….',
    '… Its owners and members see the files that you show to it, and no others.',
  );
  const { owner, member, billing } = await newTeam();
  const seen = await viewOf(owner);
  expect(seen).toMatchObject({
    name: 'Harbour House',
    role: 'owner',
    payer: { user_id: owner.id, credits: 5 },
    invitations: [],
  });
  expect(seen?.members.map(({ user_id: id, role }) => [id, role])).toEqual([
    [owner.id, 'owner'],
    [member.id, 'member'],
    [billing.id, 'billing'],
  ]);
  const stranger = await createCustomer(app, 0);
  const token = await invite(owner, emailOf(stranger), 'member');
  expect((await viewOf(owner))?.invitations).toMatchObject([{ email: emailOf(stranger), role: 'member' }]);
  // Members who are not owners do not see open invitations.
  expect((await viewOf(member))?.invitations).toEqual([]);
  // The mail tells its reader who invites them to which team, before they have an account.
  const look = (secret: string) => callFunction(app, 'read-invitation', app.anonKey, { token: secret });
  expect(await look(token)).toMatchObject({
    status: 200,
    body: { role: 'member', email: emailOf(stranger) },
  });
  expect((await look(token)).body.team).toBe((await viewOf(owner))?.name);
  expect((await look(token)).body.inviter).toBeNull();
  await app.resources.database.run(
    `update auth.users set email_proven_at = now(), raw_user_meta_data = '{"full_name": "Ada"}' where id = $1`,
    [owner.id],
  );
  expect((await look(token)).body.inviter).toBe(`Ada (${emailOf(owner)})`);
  expect(await look(`${token}x`)).toMatchObject({ status: 404, body: { code: 'bad_invitation' } });
  // A forwarded link opens nothing for another account.
  const other = await createCustomer(app, 0);
  expect(await call(other, 'accept-invitation', { token })).toMatchObject({
    status: 403,
    code: 'other_address',
  });
  // Another invitation replaces it, with the new role.
  const again = await invite(owner, emailOf(stranger), 'billing');
  expect((await viewOf(owner))?.invitations).toHaveLength(1);
  expect((await call(stranger, 'accept-invitation', { token })).code).toBe('bad_invitation');
  expect((await call(stranger, 'accept-invitation', { token: again })).team?.role).toBe('billing');
});

test('an invitation that was used, withdrawn, replaced or is old opens nothing', async () => {
  const { owner } = await newTeam();
  const { database } = app.resources;
  const refused = { status: 404, code: 'bad_invitation' };
  const used = await createCustomer(app, 0);
  const token = await invite(owner, emailOf(used), 'member');
  expect((await call(used, 'accept-invitation', { token })).status).toBe(200);
  await call(used, 'remove-member', { user_id: used.id });
  expect(await call(used, 'accept-invitation', { token })).toMatchObject(refused);

  const withdrawn = await createCustomer(app, 0);
  const second = await invite(owner, emailOf(withdrawn), 'member');
  const [open] = (await viewOf(owner))?.invitations ?? [];
  expect((await call(owner, 'withdraw-invitation', { id: open?.id })).team?.invitations).toEqual([]);
  expect(await call(withdrawn, 'accept-invitation', { token: second })).toMatchObject(refused);

  const late = await createCustomer(app, 0);
  const third = await invite(owner, emailOf(late), 'member');
  await database.run('update private.team_invitations set expires_at = now() where email = $1', [
    emailOf(late),
  ]);
  expect(await call(late, 'accept-invitation', { token: third })).toMatchObject(refused);
  expect(await call(late, 'accept-invitation', { token: '' })).toMatchObject(refused);
});

test('nobody is invited at an address whose mails are stopped, and the owner reads why', async () => {
  const { owner } = await newTeam();
  const email = `${randomUUID()}@customers.example`;
  await suppress(app.resources.database, {
    address: email,
    reason: 'complaint',
    source: 'notice',
    detail: '',
  });
  expect(await call(owner, 'invite-member', { email, role: 'member' })).toMatchObject({
    status: 422,
    code: 'mails_stopped',
  });
  expect((await viewOf(owner))?.invitations).toEqual([]);
});

test('an invitation follows an account from its proven address to another one, and no account from an unproven one', async () => {
  const owner = await createCustomer(app);
  expect((await call(owner, 'create-team', { name: 'Harbour House' })).status).toBe(200);
  const { database } = app.resources;
  const move = async ({ id }: UploadingCustomer): Promise<void> => {
    await database.run('update auth.users set email = $2 where id = $1', [id, `${randomUUID()}@new.example`]);
  };
  const [guest, stranger] = [await createCustomer(app), await createCustomer(app)];
  await database.run('update auth.users set email_proven_at = now() where id = $1', [guest.id]);
  const tokens = [
    await invite(owner, emailOf(guest), 'member'),
    await invite(owner, emailOf(stranger), 'member'),
  ];
  await move(guest);
  await move(stranger);
  expect((await call(guest, 'accept-invitation', { token: tokens[0] })).team?.role).toBe('member');
  expect(await call(stranger, 'accept-invitation', { token: tokens[1] })).toMatchObject({
    status: 403,
    code: 'other_address',
  });
});

test('owners and members read a shared file with its report, and nobody else does; only its owner may change it', async () => {
  claims(
    'Members see what is shown to the team and use its credits, billing pays and sees no file, and owners decide who is in it.',
    'A file is shown to the team only when you share it.',
    'The person who shares it with your team can analyse it.',
    'Members see what is shown to the team and use its credits.',
    'Billing can pay and sees no file.',
  );
  const { owner, member, billing } = await newTeam();
  const stranger = await createCustomer(app, 0);
  const file = await storeReport(app, owner, { name: 'lease.txt', texts: ['The rent is 900 pounds.'] });
  const unshared = await storeReport(app, owner, { name: 'private.txt', texts: ['Nobody else reads this.'] });
  const row = { file_id: file, team_id: (await viewOf(owner))?.id, shared_by: owner.id };
  for (const person of [member, billing, stranger]) expect(await filesOf(person)).toEqual([]);
  expect((await owner.client.schema('northline_app').from('team_files').insert(row)).error).toBeNull();
  // As the page does it: files that are shown already stay shown.
  const again = await owner.client
    .schema('northline_app')
    .from('team_files')
    .upsert([row], { onConflict: 'file_id', ignoreDuplicates: true });
  expect(again.error).toBeNull();

  expect(await filesOf(owner)).toEqual([file, unshared].sort());
  expect(await filesOf(member)).toEqual([file]);
  const { data: seen } = await member.client.from('user_files').select('file_path').single();
  const { data: bytes } = await member.bucket.download(seen?.file_path ?? '');
  expect(await bytes?.text()).toContain('900 pounds');
  expect((await member.bucket.createSignedUrl(seen?.file_path ?? '', 60)).error).toBeNull();
  expect(
    (await member.client.schema('northline_app').from('analysis_reports').select('file_id')).data,
  ).toEqual([{ file_id: file }]);
  for (const person of [billing, stranger]) {
    expect(await filesOf(person)).toEqual([]);
    expect((await person.bucket.download(seen?.file_path ?? '')).error).not.toBeNull();
    expect(
      (await person.client.schema('northline_app').from('analysis_reports').select('file_id')).data,
    ).toEqual([]);
    expect((await person.client.schema('northline_app').from('team_files').select('file_id')).data).toEqual(
      [],
    );
  }

  const { client } = member;
  await client.from('user_files').delete().eq('id', file);
  await client.from('user_files').update({ analyzed: false }).eq('id', file);
  await client.schema('northline_app').from('team_files').delete().eq('file_id', file);
  expect(
    (await client.schema('northline_app').rpc('tag_files', { p_ids: [file], p_tag: 'mine', p_wanted: true }))
      .data,
  ).toBe(0);
  await member.bucket.remove([seen?.file_path ?? '']);
  for (const [name, body] of [
    ['analyze', { file_id: file }],
    ['delete-analysis', { file_id: file }],
    ['share-report', { file_id: file, days: 7 }],
  ] as const)
    expect((await call(member, name, body)).status, name).toBe(404);
  expect(await filesOf(member)).toEqual([file]);
  expect((await owner.bucket.download(seen?.file_path ?? '')).error).toBeNull();

  expect(
    (await owner.client.schema('northline_app').from('team_files').delete().eq('file_id', file)).error,
  ).toBeNull();
  expect(await filesOf(member)).toEqual([]);
  expect((await member.bucket.download(seen?.file_path ?? '')).error).not.toBeNull();
});

test('a session that has not given the second factor sees nothing of the team', async () => {
  const { owner, member } = await newTeam();
  const file = await storeReport(app, owner, { name: 'c.txt', texts: ['A text.'] });
  await show(owner, file);
  expect(await filesOf(member)).toEqual([file]);
  await app.resources.database.run(
    `insert into auth.mfa_factors (user_id, friendly_name, factor_type, status, secret)
     values ($1, 'x', 'totp', 'verified', 'x')`,
    [member.id],
  );
  expect(await filesOf(member)).toEqual([]);
  for (const table of ['teams', 'team_members', 'team_files', 'analysis_reports'])
    expect((await member.client.schema('northline_app').from(table).select('*')).data, table).toEqual([]);
  expect((await call(member, 'remove-member', { user_id: member.id })).code).toBe('insufficient_aal');
});

test('a user’s own credits are spent first, then the payer’s, who sees the spending; returns go to their source', async () => {
  const { owner, member, billing } = await newTeam();
  const offered = ({ client }: UploadingCustomer) => client.schema('northline_app').rpc('team_credits');
  expect(await billing.takeCredit()).toBe(false);
  const stranger = await createCustomer(app, 0);
  expect(await stranger.takeCredit()).toBe(false);
  expect((await offered(member)).data).toBe(5);
  for (const person of [owner, billing, stranger]) expect((await offered(person)).data).toBe(0);
  expect(await member.upload('one.txt', 'A letter')).toBe('stored');
  expect([await member.credits(), await owner.credits()]).toEqual([0, 4]);
  // After the refusal the credit belongs to the payer again.
  expect(await member.upload('two.txt', Buffer.from([0, 1, 2]), 'application/x-msdownload')).not.toBe(
    'stored',
  );
  await expect.poll(() => owner.credits()).toBe(4);
  const { data: spends } = await owner.client
    .from('credit_transactions')
    .select('user_id, amount, state')
    .eq('kind', 'spend')
    .eq('state', 'settled');
  expect(spends).toEqual([{ user_id: member.id, amount: -1, state: 'settled' }]);
  const { data: ofBilling } = await billing.client.from('credit_transactions').select('user_id');
  expect(ofBilling?.filter(({ user_id: id }) => id !== billing.id)).toEqual([]);
  expect(await app.resources.database.many('select customer_row from private.unexplained_balances')).toEqual(
    [],
  );

  expect((await call(billing, 'pay-for-team')).team?.payer).toEqual({ user_id: billing.id, credits: 0 });
  expect(await member.takeCredit()).toBe(false);
  // A person who does not pay cannot stop anything.
  expect((await call(owner, 'pay-for-team', { pays: false })).team?.payer?.user_id).toBe(billing.id);
  expect((await call(billing, 'pay-for-team', { pays: false })).team?.payer).toBe(null);
  // Spending by a deleted member still explains the payer's balance.
  await app.resources.database.run('delete from auth.users where id = $1', [member.id]);
  const { data: left } = await owner.client
    .from('credit_transactions')
    .select('user_id, amount')
    .eq('kind', 'spend')
    .eq('state', 'settled');
  expect(left).toEqual([{ user_id: null, amount: -1 }]);
  expect(await owner.takeCredit()).toBe(true);
});

test('of many simultaneous uploads for the payer’s last credit one wins', async () => {
  const { owner, member } = await newTeam();
  const won = await Promise.all(
    Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? owner : member).takeCredit()),
  );
  expect(won.filter(Boolean)).toHaveLength(5);
  expect(await owner.credits()).toBe(0);
});

test('a leaving member takes their files along; a team keeps an owner, and ends with its last member', async () => {
  claims('Nobody pays for the team at the moment: everybody uses their own credits.');
  const { owner, member, billing } = await newTeam();
  const file = await storeReport(app, owner, { name: 'a.txt', texts: ['A text.'] });
  const team = await viewOf(owner);
  await show(owner, file);
  expect(await call(owner, 'remove-member', { user_id: owner.id })).toMatchObject({
    status: 409,
    code: 'last_owner',
  });
  expect(await call(owner, 'change-member', { user_id: owner.id, role: 'member' })).toMatchObject({
    status: 409,
    code: 'last_owner',
  });
  await call(owner, 'change-member', { user_id: member.id, role: 'owner' });
  expect((await call(owner, 'remove-member', { user_id: owner.id })).team).toBe(null);
  expect(await filesOf(member)).toEqual([]);
  expect(await filesOf(owner)).toEqual([file]);
  expect((await viewOf(member))?.payer).toBe(null);
  expect((await call(member, 'remove-member', { user_id: billing.id })).status).toBe(200);
  expect(await viewOf(billing)).toBe(null);
  const second = await createCustomer(app, 0);
  const token = await invite(member, emailOf(second), 'member');
  await call(second, 'accept-invitation', { token });
  await app.resources.database.run('delete from auth.users where id = $1', [member.id]);
  expect(await viewOf(second)).toBe(null);
  expect(
    await app.resources.database.maybe('select 1 from northline_app.teams where id = $1', [team?.id ?? '']),
  ).toBeUndefined();
});

test('erasing the last owner of a team at the server names what ends, and needs a confirmation', async () => {
  const { owner, member } = await newTeam();
  const erase = (who: UploadingCustomer, ...more: string[]) =>
    managePerson(app.resources.database, ['erase', '--email', emailOf(who), ...more]);
  await expect(erase(owner)).rejects.toThrow(
    'Nothing was erased: this person is the only owner of the team Harbour House, which ends with the account. Nobody in it sees files of the others or uses its credits any more; everybody keeps their own files. Ask that somebody else is made an owner first, or say --team-ends.',
  );
  expect((await viewOf(member))?.members).toHaveLength(3);
  // A member who is not an owner takes nothing of others along, and gets no question.
  expect(await erase(member)).toContain('The account is deleted.');
  expect((await viewOf(owner))?.members).toHaveLength(2);
  expect(await erase(owner, '--team-ends')).toContain('The account is deleted.');
  expect(await app.resources.database.many('select 1 from auth.users where id = $1', [owner.id])).toEqual([]);
});

test('attacks: other roles and strangers change nothing, nobody shows another user’s file, nobody is in two teams', async () => {
  claims('Owners can do both, and decide who is in the team.');
  const { owner, member, billing } = await newTeam();
  const stranger = await createCustomer(app, 5);
  const team = (await viewOf(owner))?.id ?? '';
  for (const person of [member, billing])
    for (const [name, body] of [
      ['rename-team', { name: 'Mine' }],
      ['invite-member', { email: 'x@customers.example', role: 'owner' }],
      ['withdraw-invitation', { id: randomUUID() }],
      ['change-member', { user_id: person.id, role: 'owner' }],
      ['remove-member', { user_id: owner.id }],
    ] as const)
      expect(await call(person, name, body), name).toMatchObject({ status: 403, code: 'not_allowed' });
  expect((await call(member, 'pay-for-team')).code).toBe('not_allowed');
  for (const name of ['rename-team', 'pay-for-team'])
    expect((await call(stranger, name, { name: 'Mine' })).code, name).toBe('no_team');
  expect((await call(owner, 'change-member', { user_id: stranger.id, role: 'owner' })).code).toBe(
    'no_member',
  );
  expect(await viewOf(stranger)).toBe(null);
  const { client } = stranger;
  for (const table of ['teams', 'team_members', 'team_files'])
    expect((await client.schema('northline_app').from(table).select('*')).data, table).toEqual([]);
  const forged = { user_id: stranger.id, team_id: team, role: 'owner' };
  expect((await client.schema('northline_app').from('team_members').insert(forged)).error).not.toBeNull();
  expect(
    (
      await member.client
        .schema('northline_app')
        .from('team_members')
        .update({ role: 'owner' })
        .eq('user_id', member.id)
    ).error,
  ).not.toBeNull();

  const foreign = await storeReport(app, stranger, { name: 'own.txt', texts: ['Of a stranger.'] });
  const own = await storeReport(app, owner, { name: 'b.txt', texts: ['Of the owner.'] });
  for (const [who, row] of [
    [member, { file_id: foreign, team_id: team, shared_by: member.id }],
    [member, { file_id: own, team_id: team, shared_by: member.id }],
    [member, { file_id: own, team_id: team, shared_by: owner.id }],
    [stranger, { file_id: foreign, team_id: team, shared_by: stranger.id }],
  ] as const)
    expect((await who.client.schema('northline_app').from('team_files').insert(row)).error?.code).toBe(
      '42501',
    );

  for (const name of [
    'https://evil.example',
    'www.evil',
    'pay at evil.com/now',
    'evil.com, now',
    'evil.рф',
    'a@b.example',
    'two\nlines',
    'a\u202eb',
  ])
    expect((await call(stranger, 'create-team', { name })).code, name).toBe('bad_name');
  const outcomes = await Promise.all(
    ['One', 'Two', 'Three'].map((name) => call(stranger, 'create-team', { name })),
  );
  expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(
    await app.resources.database.many('select 1 from northline_app.teams where payer = $1', [stranger.id]),
  ).toHaveLength(1);
});
