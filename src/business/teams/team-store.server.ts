import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { TeamMember, TeamRole, TeamView } from './team.contract.ts';

/** A person's team and role. */
export interface Membership {
  readonly teamId: string;
  readonly role: TeamRole;
}

/** The caller's membership; undefined for a user without a team. */
export async function membershipOf(queries: Queries, userId: string): Promise<Membership | undefined> {
  const row = await queries.maybe('select team_id, role from northline_app.team_members where user_id = $1', [
    userId,
  ]);
  return row && { teamId: row.team_id, role: row.role as TeamRole };
}

/**
 * The team that a person may change, locked until the transaction ends, so that two simultaneous changes
 * cannot contradict each other.
 *
 * @throws ServiceError 404 `no_team`, 403 `not_allowed` with another role
 */
export async function lockTeam(
  queries: Queries,
  userId: string,
  allowed: readonly TeamRole[],
): Promise<Membership> {
  const before = await membershipOf(queries, userId);
  if (before === undefined) throw noTeam();
  await queries.maybe('select 1 from northline_app.teams where id = $1 for update', [before.teamId]);
  // Another change may have come first.
  const now = await membershipOf(queries, userId);
  if (now === undefined || now.teamId !== before.teamId) throw noTeam();
  if (!allowed.includes(now.role))
    throw new ServiceError(403, 'not_allowed', 'Your role in the team does not allow this.');
  return now;
}

const noTeam = (): ServiceError => new ServiceError(404, 'no_team', 'You are in no team.');

/** @throws ServiceError 409 `last_owner` when the team has no other owner */
export async function requireAnotherOwner(queries: Queries, teamId: string, userId: string): Promise<void> {
  const other = await queries.maybe(
    "select 1 from northline_app.team_members where team_id = $1 and role = 'owner' and user_id <> $2 limit 1",
    [teamId, userId],
  );
  if (other === undefined)
    throw new ServiceError(409, 'last_owner', 'A team needs an owner: make somebody else one first.');
}

/** What a person sees of their team. */
export async function viewTeam(queries: Queries, userId: string): Promise<TeamView> {
  const own = await membershipOf(queries, userId);
  if (own === undefined) return { team: null };
  const { teamId, role } = own;
  const team = await queries.one('select name, payer from northline_app.teams where id = $1', [teamId]);
  const invitations =
    role === 'owner'
      ? await queries.many(
          `select id, email, role, expires_at from private.team_invitations
            where team_id = $1 and expires_at > now() order by created_at`,
          [teamId],
        )
      : [];
  const credits =
    team.payer === null
      ? undefined
      : await queries.maybe('select credits from public.customers where user_id = $1', [team.payer]);
  return {
    team: {
      id: teamId,
      name: team.name,
      role,
      members: await readMembers(queries, teamId),
      invitations: invitations.map((row) => ({
        id: row.id,
        email: row.email,
        role: row.role as TeamRole,
        expires_at: row.expires_at.toISOString(),
      })),
      payer: team.payer === null ? null : { user_id: team.payer, credits: credits?.credits ?? 0 },
    },
  };
}

async function readMembers(queries: Queries, teamId: string): Promise<TeamMember[]> {
  const rows = await queries.many(
    `select m.user_id, u.raw_user_meta_data ->> 'full_name' as name, u.email, m.role, m.joined_at
       from northline_app.team_members m join auth.users u on u.id = m.user_id
      where m.team_id = $1 order by m.joined_at, m.user_id`,
    [teamId],
  );
  return rows.map((row) => ({
    user_id: row.user_id,
    name: row.name,
    email: row.email,
    role: row.role as TeamRole,
    joined_at: row.joined_at.toISOString(),
  }));
}
