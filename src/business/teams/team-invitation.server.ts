import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { foldedEmail } from '../../kernel/contract/email-address.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { isMailAddress } from '../../kernel/resources/mailer/mail-check.ts';
import { languageOfAddress, languageOfUser } from '../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';
import { mailsStopped } from '../../kernel/resources/mailer/suppressions.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import {
  INVITATION_DAYS,
  INVITATION_FRAGMENT,
  type InvitationView,
  MOST_MEMBERS,
  TEAM_ROLES,
  type TeamRole,
  type TeamView,
} from './team.contract.ts';
import { joinTeam } from './team-membership.server.ts';
import { lockTeam, viewTeam } from './team-store.server.ts';

const TOKEN_BYTES = 24;
/** Limits, because each invitation is a mail to a person who did not ask for it. */
const MAILS = { count: 20, seconds: 3600, burst: 10 };
const MAILS_TO_ONE = { name: 'invitations of an address', count: 5, seconds: 86_400 };
const FEW = { count: 30, seconds: 300 };
const FORGET_SECONDS = 3600;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const TEMPLATES = openTemplates('business/teams/mails', {
  invitation: ['team', 'inviter', 'role', 'nobodysRole', 'href', 'days'],
  'line-owner': [],
  'line-member': [],
  'line-billing': [],
} as const);

/** Mounts inviting, withdrawing and accepting (decision 0395), and deletes expired invitations. */
export function declareInvitations(http: HttpContext, resources: Resources): void {
  const { database, jobs } = resources;
  declareFunction(http, {
    name: 'invite-member',
    callers: 'users',
    body: z.object({
      email: z.string().transform(foldedEmail).refine(isMailAddress, { error: 'must be an email address' }),
      role: z.enum(TEAM_ROLES),
    }),
    limit: MAILS,
    handle: async ({ caller, body }): Promise<TeamView> => {
      const userId = requireUser(caller);
      await http.rateLimiter.take(MAILS_TO_ONE, body.email);
      return database.transaction(async (queries) => {
        await invite(resources, queries, userId, body);
        return viewTeam(queries, userId);
      });
    },
  });
  declareFunction(http, {
    name: 'withdraw-invitation',
    callers: 'users',
    body: z.object({ id: z.uuid() }),
    limit: FEW,
    handle: ({ caller, body }): Promise<TeamView> =>
      database.transaction(async (queries) => {
        const userId = requireUser(caller);
        const { teamId } = await lockTeam(queries, userId, ['owner']);
        const gone = await queries.run(
          'delete from private.team_invitations where id = $1 and team_id = $2',
          [body.id, teamId],
        );
        if (gone === 0) throw new ServiceError(404, 'not_found', 'There is no such invitation.');
        return viewTeam(queries, userId);
      }),
  });
  declareFunction(http, {
    name: 'accept-invitation',
    callers: 'users',
    body: z.object({ token: z.string().max(100) }),
    limit: FEW,
    handle: ({ caller, body }): Promise<TeamView> =>
      database.transaction(async (queries) => {
        const userId = requireUser(caller);
        await accept(queries, userId, body.token);
        return viewTeam(queries, userId);
      }),
  });
  declareFunction(http, {
    name: 'read-invitation',
    callers: 'anyone',
    body: z.object({ token: z.string().max(100) }),
    limit: FEW,
    handle: ({ body }): Promise<InvitationView> => look(database, body.token),
  });
  jobs.every('expired team invitations', FORGET_SECONDS, async () => {
    await database.run('delete from private.team_invitations where expires_at < now()');
  });
}

/**
 * A second invitation to an address replaces the first. The reply does not reveal whether the address has an
 * account.
 */
async function invite(
  resources: Resources,
  queries: Queries,
  userId: string,
  { email, role }: { email: string; role: TeamRole },
): Promise<void> {
  const { teamId } = await lockTeam(queries, userId, ['owner']);
  const { name, inviter, known, people } = await queries.one(
    `select t.name,
            (select u.email from auth.users u where u.id = $3 and u.email_proven_at is not null) as inviter,
            exists (select from northline_app.team_members m join auth.users u on u.id = m.user_id
                     where m.team_id = t.id and lower(u.email) = $2) as known /* not null */,
            (select count(*)::integer from northline_app.team_members m where m.team_id = t.id)
              + (select count(*)::integer from private.team_invitations i
                  where i.team_id = t.id and i.expires_at > now() and i.email <> $2) as people /* not null */
       from northline_app.teams t where t.id = $1`,
    [teamId, email, userId],
  );
  if (known)
    throw new ServiceError(409, 'already_member', 'A person with this address is in the team already.');
  if (people >= MOST_MEMBERS)
    throw new ServiceError(
      409,
      'team_full',
      `A team has at most ${MOST_MEMBERS} people, invited ones included.`,
    );
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await queries.run(
    `insert into private.team_invitations (team_id, email, role, token_hash, invited_by, expires_at)
     values ($1, $2, $3, $4, $5, now() + make_interval(days => $6))
     on conflict (team_id, email) do update set role = excluded.role, token_hash = excluded.token_hash,
       invited_by = excluded.invited_by, expires_at = excluded.expires_at, created_at = now()`,
    [teamId, email, role, hashOf(token), userId, INVITATION_DAYS],
  );
  await mailInvitation(resources, queries, userId, { email, role, token, team: name, inviter });
}

interface Invitation {
  readonly email: string;
  readonly role: TeamRole;
  readonly token: string;
  readonly team: string;
  /** Null when the inviter's address is not proven, because it might be anybody's. */
  readonly inviter: string | null;
}

/** In the language of the address's account; without an account, in the inviter's. */
async function mailInvitation(
  resources: Resources,
  queries: Queries,
  userId: string,
  { email, role, token, team, inviter }: Invitation,
): Promise<void> {
  const language = await languageOfAddress(queries, email, await languageOfUser(queries, userId));
  const roleWords = TEMPLATES.line(resources, language, `line-${role}`, {});
  const goesOut = await resources.mailer.send(queries, {
    to: email,
    purpose: 'service',
    ...TEMPLATES.mail(resources, language, 'invitation', {
      team,
      inviter: inviter === null ? [] : [inviter],
      role: roleWords,
      nobodysRole: inviter === null ? [roleWords] : [],
      href: `${resources.siteUrl}${PAGES.account.path}#${INVITATION_FRAGMENT}${token}`,
      days: String(INVITATION_DAYS),
    }),
  });
  if (!goesOut) throw mailsStopped();
}

const badInvitation = (): ServiceError =>
  new ServiceError(
    404,
    'bad_invitation',
    'This invitation has expired, was withdrawn or was used already. Ask for a new one.',
  );

/** The secret is the proof: it was mailed to the address that this returns. @throws ServiceError 404 */
async function look(queries: Queries, token: string): Promise<InvitationView> {
  const found = await queries.maybe(
    `select t.name as team, i.role, i.email,
            case when u.email_proven_at is not null then
              coalesce(nullif(u.raw_user_meta_data ->> 'full_name', '') || ' (' || u.email || ')', u.email) end as inviter
       from private.team_invitations i
       join northline_app.teams t on t.id = i.team_id
       left join auth.users u on u.id = i.invited_by
      where i.token_hash = $1 and i.expires_at > now()`,
    [hashOf(token)],
  );
  if (found === undefined) throw badInvitation();
  return { ...found, role: found.role as TeamRole };
}

/**
 * The secret was mailed, and the account must have that address, so that a forwarded link opens nothing for
 * another account. An account that took another address since has the invitation there.
 * @trigger auth.users keep_invitations_of_account
 */
async function accept(queries: Queries, userId: string, token: string): Promise<void> {
  // The team is locked as by every other change, one of which may be withdrawing this very invitation.
  await queries.maybe(
    `select 1 from northline_app.teams t join private.team_invitations i on i.team_id = t.id
      where i.token_hash = $1 for update of t`,
    [hashOf(token)],
  );
  const found = await queries.maybe(
    `select i.id, i.team_id, i.role, coalesce(i.email = lower(u.email), false) as own /* not null */
       from private.team_invitations i, auth.users u
      where i.token_hash = $1 and i.expires_at > now() and u.id = $2`,
    [hashOf(token), userId],
  );
  if (found === undefined) throw badInvitation();
  if (!found.own)
    throw new ServiceError(
      403,
      'other_address',
      'This invitation is for another address: sign in with the one that the mail came to.',
    );
  await joinTeam(queries, { teamId: found.team_id, userId, role: found.role });
  await queries.run('delete from private.team_invitations where id = $1', [found.id]);
}
