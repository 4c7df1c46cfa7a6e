import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { TEAM_NAME_LENGTH, TEAM_ROLES, type TeamRole, type TeamView } from './team.contract.ts';
import { lockTeam, membershipOf, requireAnotherOwner, viewTeam } from './team-store.server.ts';

const FEW = { count: 30, seconds: 300 };
const MEMBER = z.object({ user_id: z.uuid() });
/**
 * The name is mailed to people who did not ask for it, so it must not contain an address or misleading
 * characters.
 */
const ADDRESS =
  /:\/\/|www\.|@|[^\s.]\.\p{L}{2,}|[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/iu;
const NAME = z.object({ name: z.string().trim().min(1).max(TEAM_NAME_LENGTH) });

/** Mounts the functions to change a team, except for invitations. */
export function declareMembership(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  const change = <Schema extends z.ZodType>(
    name: string,
    body: Schema,
    work: (queries: Queries, userId: string, input: z.output<Schema>) => Promise<void>,
  ): void =>
    declareFunction(http, {
      name,
      callers: 'users',
      body,
      limit: FEW,
      handle: ({ caller, body: input }): Promise<TeamView> =>
        database.transaction(async (queries) => {
          const userId = requireUser(caller);
          await work(queries, userId, input);
          return viewTeam(queries, userId);
        }),
    });
  declareFunction(http, {
    name: 'team',
    method: 'GET',
    callers: 'users',
    body: z.object({}),
    limit: { count: 300, seconds: 300 },
    handle: ({ caller }) => viewTeam(database, requireUser(caller)),
  });
  change('create-team', NAME, createTeam);
  change('rename-team', NAME, async (queries, userId, { name }) => {
    const { teamId } = await lockTeam(queries, userId, ['owner']);
    await queries.run('update northline_app.teams set name = $2 where id = $1', [teamId, checkedName(name)]);
  });
  change('change-member', MEMBER.extend({ role: z.enum(TEAM_ROLES) }), changeRole);
  change('remove-member', MEMBER, removeMember);
  change('pay-for-team', z.object({ pays: z.boolean().default(true) }), async (queries, userId, { pays }) => {
    const { teamId } = await lockTeam(queries, userId, ['owner', 'billing']);
    if (pays) await queries.run('update northline_app.teams set payer = $2 where id = $1', [teamId, userId]);
    else
      await queries.run('update northline_app.teams set payer = null where id = $1 and payer = $2', [
        teamId,
        userId,
      ]);
  });
}

async function createTeam(queries: Queries, userId: string, { name }: { name: string }): Promise<void> {
  if ((await membershipOf(queries, userId)) !== undefined) throw alreadyInTeam();
  const { id } = await queries.one(
    'insert into northline_app.teams (name, payer) values ($1, $2) returning id',
    [checkedName(name), userId],
  );
  await joinTeam(queries, { teamId: id, userId, role: 'owner' });
}

/** @throws ServiceError 409 `already_in_team`, also for a user who joined another team at the same moment */
export async function joinTeam(
  queries: Queries,
  { teamId, userId, role }: { teamId: string; userId: string; role: string },
): Promise<void> {
  const joined = await queries.run(
    'insert into northline_app.team_members (user_id, team_id, role) values ($1, $2, $3) on conflict (user_id) do nothing',
    [userId, teamId, role],
  );
  if (joined === 0) throw alreadyInTeam();
}

/**
 * Owners set the roles; at least one owner remains.
 *
 * @trigger northline_app.team_members leave_files
 */
async function changeRole(
  queries: Queries,
  userId: string,
  { user_id: changed, role }: { user_id: string; role: TeamRole },
): Promise<void> {
  const { teamId } = await lockTeam(queries, userId, ['owner']);
  await requireMember(queries, teamId, changed);
  if (role !== 'owner') await requireAnotherOwner(queries, teamId, changed);
  await queries.run('update northline_app.team_members set role = $2 where user_id = $1', [changed, role]);
  // Open invitations by a person who is no longer an owner are deleted.
  if (role !== 'owner')
    await queries.run('delete from private.team_invitations where team_id = $1 and invited_by = $2', [
      teamId,
      changed,
    ]);
  // A plain member could not stop paying for the team.
  if (role === 'member')
    await queries.run('update northline_app.teams set payer = null where id = $1 and payer = $2', [
      teamId,
      changed,
    ]);
}

/**
 * Owners remove anybody, and everybody may leave; the team ends with its last member.
 *
 * @trigger northline_app.team_members leave_team
 */
async function removeMember(
  queries: Queries,
  userId: string,
  { user_id: gone }: { user_id: string },
): Promise<void> {
  const isOwn = gone === userId;
  const { teamId } = await lockTeam(queries, userId, isOwn ? TEAM_ROLES : ['owner']);
  await requireMember(queries, teamId, gone);
  const others = await queries.maybe(
    'select 1 from northline_app.team_members where team_id = $1 and user_id <> $2 limit 1',
    [teamId, gone],
  );
  if (others !== undefined) await requireAnotherOwner(queries, teamId, gone);
  await queries.run('delete from northline_app.team_members where user_id = $1', [gone]);
}

async function requireMember(queries: Queries, teamId: string, userId: string): Promise<void> {
  const known = await queries.maybe(
    'select 1 from northline_app.team_members where team_id = $1 and user_id = $2',
    [teamId, userId],
  );
  if (known === undefined) throw new ServiceError(404, 'no_member', 'There is no such member.');
}

function checkedName(name: string): string {
  if (!ADDRESS.test(name)) return name;
  throw new ServiceError(
    400,
    'bad_name',
    'A team’s name must not contain an address, because it is mailed to invited people.',
  );
}

const alreadyInTeam = (): ServiceError =>
  new ServiceError(409, 'already_in_team', 'You are in a team already: leave it first.');
