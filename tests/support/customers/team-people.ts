import { expect } from 'vitest';
import type { TeamRole, TeamView } from '../../../src/business/teams/team.contract.ts';
import { readMail } from '../auth/mail-read.ts';
import type { TestApp } from '../test-app.ts';
import { callFunction } from './plan-purchase.ts';
import { createCustomer, type UploadingCustomer } from './uploading-customer.ts';

type Person = Pick<UploadingCustomer, 'id' | 'token'>;

/** The address that `createCustomer` gives an account. */
export const emailOf = ({ id }: Pick<Person, 'id'>): string => `${id}@customers.example`;

/** What people do with their teams in one running product. */
export function teamPeople(app: () => TestApp) {
  async function call(who: Person, name: string, body: object = {}) {
    const { status, body: answer } = await callFunction(app(), name, who.token, body);
    return { status, code: answer.code, team: (answer as unknown as TeamView).team };
  }

  async function viewOf(who: Person): Promise<TeamView['team']> {
    const reply = await fetch(`${app().url}/functions/v1/team`, {
      headers: { authorization: `Bearer ${who.token}` },
    });
    expect(reply.status).toBe(200);
    return ((await reply.json()) as TeamView).team;
  }

  /** Invites somebody and returns the secret in the mail. */
  async function invite(owner: Person, email: string, role: TeamRole): Promise<string> {
    expect((await call(owner, 'invite-member', { email, role })).status).toBe(200);
    const { text } = await readMail(app().url, email, /invited to the team/);
    return /#invitation=([\w-]+)/.exec(text)?.[1] ?? '';
  }

  async function bring(owner: Person, person: Person, role: TeamRole): Promise<void> {
    const token = await invite(owner, emailOf(person), role);
    expect((await call(person, 'accept-invitation', { token })).team?.role).toBe(role);
  }

  /** A team whose owner has five credits, with one person of each other role. */
  async function newTeam() {
    const [owner, member, billing] = [
      await createCustomer(app(), 5),
      await createCustomer(app(), 0),
      await createCustomer(app(), 0),
    ];
    expect((await call(owner, 'create-team', { name: 'Harbour House' })).status).toBe(200);
    await bring(owner, member, 'member');
    await bring(owner, billing, 'billing');
    return { owner, member, billing };
  }

  /** Shows the user's own file to the team. */
  async function show(owner: UploadingCustomer, file: string): Promise<void> {
    const row = { file_id: file, team_id: (await viewOf(owner))?.id ?? '', shared_by: owner.id };
    expect((await owner.client.schema('northline_app').from('team_files').insert(row)).error).toBeNull();
  }

  const filesOf = async ({ client }: UploadingCustomer): Promise<string[]> =>
    ((await client.from('user_files').select('id')).data ?? []).map(({ id }) => id).sort();

  return { call, viewOf, invite, bring, newTeam, show, filesOf };
}
