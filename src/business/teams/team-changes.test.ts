import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { storeReport } from '../../../tests/support/customers/stored-report.ts';
import { teamPeople } from '../../../tests/support/customers/team-people.ts';
import type { UploadingCustomer } from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

const { call, viewOf, invite, bring, newTeam, show } = teamPeople(() => app);

/** The changes of a team and of a person's own membership, followed as the page does. */
async function listen({ client, id }: UploadingCustomer, team: string) {
  const heard: string[] = [];
  onTestFinished(async () => {
    await client.removeAllChannels();
  });
  const changes = { event: '*', schema: 'northline_app' } as const;
  const channel = client
    .channel('a team')
    .on('postgres_changes', { ...changes, table: 'team_changes', filter: `team_id=eq.${team}` }, () =>
      heard.push('team'),
    )
    .on('postgres_changes', { ...changes, table: 'team_members', filter: `user_id=eq.${id}` }, (change) =>
      heard.push(change.eventType),
    );
  await new Promise<void>((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve();
      else reject(error ?? new Error(status));
    });
  });
  return heard;
}

/** How often the team has been notified so far. */
async function toldOf(team: string): Promise<number> {
  const { count } = await app.resources.database.one(
    `select count(*)::integer as count /* not null */ from realtime.changes
      where table_name = 'team_changes' and body -> 'known' ->> 'team_id' = $1`,
    [team],
  );
  return count;
}

test('members are notified at once, and once, of changes of people, roles, names, invitations, files, analyses and credits', async () => {
  claims('What changes in a team is on the pages of its people at once.');
  const { owner, member, billing } = await newTeam();
  const team = (await viewOf(owner))?.id ?? '';
  const heard = await listen(member, team);
  const { database } = app.resources;
  const file = await storeReport(app, owner, { name: 'a.txt', texts: ['A text.'] });
  const other = await storeReport(app, owner, { name: 'b.txt', texts: ['Another.'] });
  const rowsOf = (ids: string[]) => ids.map((id) => ({ file_id: id, team_id: team, shared_by: owner.id }));
  const changes: [string, () => PromiseLike<unknown>][] = [
    ['its name', () => call(owner, 'rename-team', { name: 'Quay House' })],
    ['an invitation', () => invite(owner, 'somebody@customers.example', 'member')],
    ['a role', () => call(owner, 'change-member', { user_id: billing.id, role: 'member' })],
    [
      'two files at once',
      () =>
        owner.client
          .schema('northline_app')
          .from('team_files')
          .insert(rowsOf([file, other])),
    ],
    [
      'an analysis',
      () => database.run("update public.user_files set status = 'queued' where id = $1", [file]),
    ],
    [
      'a hidden file',
      () => owner.client.schema('northline_app').from('team_files').delete().eq('file_id', other),
    ],
    ['a deleted file', () => database.run('delete from public.user_files where id = $1', [file])],
    ['a spent credit', () => owner.takeCredit()],
    [
      'the name of somebody',
      () =>
        database.run(
          `update auth.users set raw_user_meta_data = '{"full_name": "Priya Shah"}' where id = $1`,
          [billing.id],
        ),
    ],
    ['the removal of a member', () => call(owner, 'remove-member', { user_id: billing.id })],
  ];
  for (const [what, change] of changes) {
    const before = await toldOf(team);
    heard.length = 0;
    await change();
    expect((await toldOf(team)) - before, what).toBe(1);
    await expect.poll(() => heard, { message: what }).toContain('team');
  }
});

test('attack 62: a removed member is notified of that and of nothing later; a stranger of nothing at all', async () => {
  const [{ owner, member }, second] = [await newTeam(), await newTeam()];
  const team = (await viewOf(owner))?.id ?? '';
  const file = await storeReport(app, owner, { name: 'a.txt', texts: ['A text.'] });
  const heard = await listen(member, team);
  const ofStranger = await listen(second.member, team);
  await call(owner, 'remove-member', { user_id: member.id });
  await expect.poll(() => heard).toContain('DELETE');
  heard.length = 0;
  await call(owner, 'rename-team', { name: 'Quay House' });
  await show(owner, file);
  // When the last change has arrived, everything before it has arrived.
  await bring(second.owner, member, 'member');
  await expect.poll(() => heard).toContain('INSERT');
  expect(heard).not.toContain('team');
  await call(second.owner, 'change-member', { user_id: second.member.id, role: 'billing' });
  await expect.poll(() => ofStranger).toContain('UPDATE');
  expect(ofStranger).not.toContain('team');
  expect((await member.client.schema('northline_app').from('team_changes').select('team_id')).data).toEqual([
    { team_id: (await viewOf(second.owner))?.id },
  ]);
  const forged = await member.client
    .schema('northline_app')
    .from('team_changes')
    .update({ changed_at: '2000-01-01' })
    .eq('team_id', team);
  expect(forged.error?.code).toBe('42501');
});

test('the end of a team notifies each member', async () => {
  const { owner, member } = await newTeam();
  const team = (await viewOf(owner))?.id ?? '';
  const heard = await listen(member, team);
  await app.resources.database.run('delete from auth.users where id = $1', [owner.id]);
  await expect.poll(() => heard).toContain('DELETE');
  expect(await viewOf(member)).toBe(null);
});
