import type { TeamRole, TeamView } from '../../src/business/teams/team.contract.ts';
import type { Step } from './steps.ts';
import { ask, chosen, type Month, mailTo, type Person, Refused, say } from './world.ts';

const ROLES: readonly TeamRole[] = ['owner', 'member', 'billing'];

/** A team as the model expects it. */
export interface Team {
  readonly members: Map<Person, TeamRole>;
  payer: Person | undefined;
  /** Files that are shown to it, with their owners. */
  readonly shown: Map<string, Person>;
}

/** An invitation whose mail was read. */
export interface Invitation {
  readonly team: Team;
  readonly token: string;
  readonly by: Person;
  readonly to: Person;
  readonly role: TeamRole;
}

/** The team that a person is in, as the model expects it. */
export const teamOf = ({ teams }: Month, who: Person): Team | undefined =>
  teams.find(({ members }) => members.has(who));

/** Calls a function of teams. @throws Error when it is not answered as the model expects */
async function change(
  who: Person,
  name: string,
  body: object,
  refusal: string | undefined,
): Promise<boolean> {
  const code = await ask(who, name, body).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Refused) return error.code;
      throw error;
    },
  );
  if (code !== refusal) throw new Error(`${name} was answered with ${code} in place of ${refusal}`);
  return code === undefined;
}

export const createTeam: Step = async (month, who) => {
  const refusal = teamOf(month, who) === undefined ? undefined : 'already_in_team';
  if (!(await change(who, 'create-team', { name: 'Harbour House' }, refusal))) return;
  month.teams.push({ members: new Map([[who, 'owner']]), payer: who, shown: new Map() });
};

/** Why a person may not do what owners do. */
const ownersOnly = (team: Team | undefined, who: Person): string | undefined =>
  team === undefined ? 'no_team' : team.members.get(who) === 'owner' ? undefined : 'not_allowed';

export const invite: Step = async (month, who, pick) => {
  const team = teamOf(month, who);
  const to = chosen(
    month.people.filter((one) => one !== who),
    pick,
  ) as Person;
  const role = chosen(ROLES, pick >> 1) as TeamRole;
  const refusal = ownersOnly(team, who) ?? (team?.members.has(to) ? 'already_member' : undefined);
  if (!(await change(who, 'invite-member', { email: to.email, role }, refusal)) || team === undefined) return;
  const mail = await mailTo(month, to.email, /invited to the team/);
  const token = /#invitation=([\w-]+)/.exec(mail)?.[1] ?? '';
  endInvitations(month, (one) => one.team === team && one.to === to);
  month.invitations.push({ team, token, by: who, to, role });
};

function endInvitations(month: Month, ended: (one: Invitation) => boolean): void {
  month.invitations = month.invitations.filter((one) => !ended(one));
}

/** Uses an invitation, one's own or a forwarded one. */
export const join: Step = async (month, who, pick) => {
  const invitation = chosen(month.invitations, pick);
  if (invitation === undefined) return;
  const { team, token, to, role } = invitation;
  const refusal = to !== who ? 'other_address' : teamOf(month, who) ? 'already_in_team' : undefined;
  if (!(await change(who, 'accept-invitation', { token }, refusal))) return;
  team.members.set(who, role);
  endInvitations(month, (one) => one === invitation);
};

const isLastOwner = (team: Team, who: Person): boolean =>
  [...team.members].every(([one, role]) => one === who || role !== 'owner');

/** Leaves the team, or removes somebody from it. */
export const leave: Step = async (month, who, pick) => {
  const team = teamOf(month, who);
  if (team === undefined) return;
  const gone = pick % 2 === 0 ? who : (chosen([...team.members.keys()], pick) as Person);
  const strands = team.members.size > 1 && team.members.get(gone) === 'owner' && isLastOwner(team, gone);
  const refusal = (gone === who ? undefined : ownersOnly(team, who)) ?? (strands ? 'last_owner' : undefined);
  if (await change(who, 'remove-member', { user_id: gone.id }, refusal)) left(month, gone);
};

/** What the model expects once a person has left the team, also by an erasure. */
export function left(month: Month, who: Person): void {
  const team = teamOf(month, who);
  if (team === undefined) return;
  team.members.delete(who);
  withdrawFiles(team, who);
  if (team.payer === who) team.payer = undefined;
  const isOver = ![...team.members.values()].includes('owner');
  if (isOver) month.teams = month.teams.filter((one) => one !== team);
  endInvitations(month, (one) => one.team === team && (isOver || one.by === who));
}

function withdrawFiles({ shown }: Team, owner: Person): void {
  for (const [file, of] of shown) if (of === owner) shown.delete(file);
}

export const changeRole: Step = async (month, who, pick) => {
  const team = teamOf(month, who);
  if (team === undefined) return;
  const changed = chosen([...team.members.keys()], pick) as Person;
  const role = chosen(ROLES, pick >> 2) as TeamRole;
  const strands = role !== 'owner' && isLastOwner(team, changed);
  const refusal = ownersOnly(team, who) ?? (strands ? 'last_owner' : undefined);
  if (!(await change(who, 'change-member', { user_id: changed.id, role }, refusal))) return;
  team.members.set(changed, role);
  if (role === 'billing') withdrawFiles(team, changed);
  if (role === 'member' && team.payer === changed) team.payer = undefined;
  if (role !== 'owner') endInvitations(month, (one) => one.team === team && one.by === changed);
};

export const pay: Step = async (month, who, pick) => {
  const team = teamOf(month, who);
  if (team === undefined) return;
  const pays = pick % 3 > 0;
  const refusal = team.members.get(who) === 'member' ? 'not_allowed' : undefined;
  if (!(await change(who, 'pay-for-team', { pays }, refusal))) return;
  if (pays) team.payer = who;
  else if (team.payer === who) team.payer = undefined;
};

/** Shows a file to the team. */
export const showFile: Step = async (month, who, pick) => {
  const team = teamOf(month, who);
  const file = chosen([...who.files], pick);
  if (team === undefined || file === undefined || team.shown.has(file)) return;
  const { team: seen } = await ask<TeamView>(who, 'team');
  const row = { file_id: file, team_id: seen?.id, shared_by: who.id };
  const { error } = await who.client.schema('northline_app').from('team_files').insert(row);
  const may = team.members.get(who) !== 'billing';
  if ((error === null) !== may) throw new Error(`showing a file ended with ${error?.message}`);
  if (may) team.shown.set(file, who);
};

/** What people see of their team, compared with the model. */
export async function teamFaults(month: Month, who: Person): Promise<string[]> {
  const { team } = (await say<TeamView>(who, 'team')) as TeamView;
  const wanted = teamOf(month, who);
  const seen =
    team === null ? [] : team.members.map(({ user_id: id, role, email }) => `${id} ${role} ${email}`);
  const members = [...(wanted?.members ?? [])].map(([one, role]) => `${one.id} ${role} ${one.email}`);
  const faults = seen.sort().join() === members.sort().join() ? [] : [`the team has ${seen}, not ${members}`];
  if ((team?.payer?.user_id ?? undefined) !== wanted?.payer?.id) faults.push('another one pays for the team');
  if (team === null || wanted?.members.get(who) !== 'owner') return faults;
  const open = month.invitations.filter((one) => one.team === wanted).map(({ to }) => to.email);
  const listed = team.invitations.map(({ email }) => email);
  return open.sort().join() === listed.sort().join()
    ? faults
    : [...faults, `invited are ${listed}, not ${open}`];
}

/** Ids of files of others that a person's team shows to that person. */
export function shownTo(month: Month, who: Person): string[] {
  const team = teamOf(month, who);
  if (team === undefined || team.members.get(who) === 'billing') return [];
  return [...team.shown].filter(([, owner]) => owner !== who).map(([file]) => file);
}
