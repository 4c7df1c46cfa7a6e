import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { languageOfAddress, languageOfUser } from '../../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../../kernel/resources/mailer/mail-templates.ts';
import { mailsStopped } from '../../../kernel/resources/mailer/suppressions.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { OperatorRole } from '../operator-roles.contract.ts';
import { changeOperatorRole, lockOperators } from '../role-change.server.ts';
import { requireSecondLevel } from '../settings/second-factor-gate.server.ts';
import {
  COLLEAGUE_FRAGMENT,
  COLLEAGUE_INVITATION_DAYS,
  type ColleagueInvitation,
  MOST_COLLEAGUES,
} from './colleagues.contract.ts';

const TOKEN_BYTES = 24;
const FEW = { count: 30, seconds: 300 };
const FORGET_SECONDS = 3600;
const TOKEN = z.object({ token: z.string().max(100) });

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const TEMPLATES = openTemplates('business/console/mails', {
  invitation: ['inviter', 'role', 'href', 'days'],
  'line-owner': [],
  'line-staff': [],
  'line-reader': [],
} as const);

/** Mounts reading and accepting an invitation (decision 0731), and deletes expired ones. */
export function declareColleagueInvitations(http: HttpContext, { database, jobs, log }: Resources): void {
  declareFunction(http, {
    name: 'read-console-invitation',
    callers: 'anyone',
    body: TOKEN,
    limit: FEW,
    handle: async ({ body }): Promise<ColleagueInvitation> => {
      const { email, role, inviter } = await findInvitation(database, body.token);
      return { email, role, inviter };
    },
  });
  declareFunction(http, {
    name: 'accept-console-invitation',
    callers: 'users',
    body: TOKEN,
    limit: FEW,
    handle: async ({ caller, body }): Promise<{ role: OperatorRole }> => {
      const userId = requireUser(caller);
      const role = await database.transaction(async (queries) => {
        await lockOperators(queries);
        const invitation = await findInvitation(queries, body.token);
        await requireOwnAddress(queries, userId, invitation.email);
        requireSecondLevel({ userId, aal: caller.claims.aal }, 'The console needs');
        return accept(queries, userId, invitation);
      });
      log.warn({ user: userId, role }, 'an invited colleague has the console');
      return { role };
    },
  });
  jobs.every('expired console invitations', FORGET_SECONDS, async () => {
    await database.run('delete from private.colleague_invitations where expires_at < now()');
  });
}

/** An invitation that counts. */
interface FoundInvitation extends ColleagueInvitation {
  readonly id: string;
}

/** The secret is the proof: it was mailed to the address that this returns. @throws ServiceError 404 `bad_invitation` */
async function findInvitation(queries: Queries, token: string): Promise<FoundInvitation> {
  const found = await queries.maybe(
    `select i.id, i.email, i.role,
            coalesce(nullif(u.raw_user_meta_data ->> 'full_name', '') || ' (' || u.email || ')', u.email, '') as inviter /* not null */
       from private.colleague_invitations i join auth.users u on u.id = i.invited_by
      where i.token_hash = $1 and i.expires_at > now()
        and private.operator_role_of(u.raw_app_meta_data) = 'owner' and u.deleted_at is null
        for update of i`,
    [hashOf(token)],
  );
  if (found === undefined)
    throw new ServiceError(
      404,
      'bad_invitation',
      'This invitation has expired, was withdrawn or was used already. Ask for a new one.',
    );
  return { ...found, role: found.role as OperatorRole };
}

/**
 * The secret was mailed, and the account must have that address, so that a forwarded link lets nobody else in.
 *
 * @throws ServiceError 403 `other_address`, `address_unconfirmed`
 */
async function requireOwnAddress(queries: Queries, userId: string, email: string): Promise<void> {
  const account = await queries.maybe(
    `select lower(u.email) as email, u.email_confirmed_at is not null as confirmed /* not null */ from auth.users u
      where u.id = $1 and not u.is_anonymous and not u.is_sso_user and u.deleted_at is null`,
    [userId],
  );
  if (account?.email !== email)
    throw new ServiceError(
      403,
      'other_address',
      'This invitation is for another address: sign in with the one that the mail came to.',
    );
  if (!account.confirmed)
    throw new ServiceError(403, 'address_unconfirmed', 'Confirm the address of your account first.');
}

/** An invitation never changes the role of a person who has one. @throws ServiceError 409 `already_colleague` */
async function accept(
  queries: Queries,
  userId: string,
  { id, email, role, inviter }: FoundInvitation,
): Promise<OperatorRole> {
  const { held } = await queries.one(
    'select private.operator_role_of(raw_app_meta_data) as held from auth.users where id = $1 for no key update',
    [userId],
  );
  if (held !== null) throw alreadyColleague();
  await queries.run('delete from private.colleague_invitations where id = $1', [id]);
  await changeOperatorRole(queries, { id: userId, email, role: null }, role, `invitation of ${inviter}`);
  return role;
}

const alreadyColleague = (): ServiceError =>
  new ServiceError(409, 'already_colleague', 'A person with this address is at the console already.');

/**
 * Mails an invitation; a second one to an address replaces the first. Call it after `lockOperators`.
 *
 * @throws ServiceError 409 `already_colleague`, `too_many_colleagues`
 */
export async function inviteColleague(
  resources: Resources,
  queries: Queries,
  userId: string,
  { email, role }: { readonly email: string; readonly role: OperatorRole },
): Promise<void> {
  const { known, people, inviter } = await queries.one(
    `select coalesce(bool_or(lower(u.email) = $1), false) as known /* not null */,
            count(*)::integer + (select count(*)::integer from private.colleague_invitations i
                                  where i.expires_at > now() and i.email <> $1) as people /* not null */,
            coalesce(max(u.email) filter (where u.id = $2), '') as inviter /* not null */
       from auth.users u where private.operator_role_of(u.raw_app_meta_data) is not null and u.deleted_at is null`,
    [email, userId],
  );
  if (known) throw alreadyColleague();
  if (people >= MOST_COLLEAGUES)
    throw new ServiceError(
      409,
      'too_many_colleagues',
      `The console has at most ${MOST_COLLEAGUES} people, invited ones included.`,
    );
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await queries.run(
    `insert into private.colleague_invitations (email, role, token_hash, invited_by, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(days => $5))
     on conflict (email) do update set role = excluded.role, token_hash = excluded.token_hash,
       invited_by = excluded.invited_by, expires_at = excluded.expires_at, created_at = now()`,
    [email, role, hashOf(token), userId, COLLEAGUE_INVITATION_DAYS],
  );
  // In the language of the address's account; without an account, in the inviter's.
  const language = await languageOfAddress(queries, email, await languageOfUser(queries, userId));
  const goesOut = await resources.mailer.send(queries, {
    to: email,
    purpose: 'service',
    ...TEMPLATES.mail(resources, language, 'invitation', {
      inviter,
      role: TEMPLATES.line(resources, language, `line-${role}`, {}),
      href: `${resources.siteUrl}${PAGES.operator.path}#${COLLEAGUE_FRAGMENT}${token}`,
      days: String(COLLEAGUE_INVITATION_DAYS),
    }),
  });
  if (!goesOut) throw mailsStopped();
}
