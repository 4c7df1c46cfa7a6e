import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { languageFor } from '../../../kernel/resources/mailer/mail-language.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type Client, clientOf } from '../auth-context.server.ts';
import { hasFactor } from '../factors/factor-lookup.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { requireSession, type SignedIn } from '../sessions/session-require.server.ts';
import type { UserRow } from '../users/user-lookup.server.ts';
import { keepLink } from './deletion-withdrawal.server.ts';

/**
 * Seconds after signing in during which an account may be deleted: a session that was left open is no proof
 * of who asks.
 */
const FRESH_SECONDS = 600;
const ROUND_SECONDS = 300;
const MOST_OF_A_ROUND = 100;

/** The reply of `delete-account`; the time is ISO 8601. */
type DeletionReply =
  | { readonly deleted: true }
  | { readonly deleted: false; readonly deletion_due_at: string };

/**
 * `POST /functions/v1/delete-account` `{confirm: "delete", at_once?: boolean, team_ends?: boolean}`: plans
 * the deletion of the caller's account in AUTH_GRACE_DAYS, signs its other devices out, and mails a link that
 * keeps the account (decision 0390). It deletes the account at once when the caller asks for that, when the
 * setting gives no days of grace, and when the account holds nothing. Triggers remove its files and end its
 * subscriptions at the payment provider; deleted data cannot be restored.
 *
 * @throws ServiceError 403 `reauthentication_needed` when the sign-in is older than ten minutes, 403
 * `insufficient_aal` when a second factor is set up and was not used, 409 `team_ends` for the last owner of a
 * team with other people in it, until `team_ends` is true (decision 0461), 409 `last_owner` for the only owner of the console
 */
export function declareAccountDeletion(context: AuthContext): void {
  const { http, resources } = context;
  declareFunction(http, {
    name: 'delete-account',
    callers: 'users',
    // `requireProof` checks it below, by the session as the database has it.
    beforeSecondFactor: true,
    body: z.object({
      confirm: z.literal('delete'),
      at_once: z.boolean().default(false),
      team_ends: z.boolean().default(false),
    }),
    limit: { count: 10, seconds: 3600 },
    async handle({ request, body }): Promise<DeletionReply> {
      const signedIn = await requireSession(context, request);
      requireProof(signedIn);
      return resources.database.transaction(async (queries) => {
        if (!body.team_ends) await requireNoTeamToEnd(queries, signedIn.user.id);
        await requireAnotherOwner(queries, signedIn.user.id);
        const { holds } = await queries.one('select private.holds_something($1) as holds /* not null */', [
          signedIn.user.id,
        ]);
        const days = resources.settings.AUTH_GRACE_DAYS;
        if (!body.at_once && holds && days > 0) return plan(context, queries, signedIn, request);
        await deleteAccount(queries, signedIn.user.id);
        await auditDeletion(queries, signedIn.user.id, clientOf(context, request));
        return { deleted: true };
      });
    },
  });
  resources.jobs.every('accounts to delete', ROUND_SECONDS, () => deleteDueAccounts(resources));
}

/** @throws ServiceError 403 `reauthentication_needed`, `insufficient_aal` */
function requireProof({ user, session, aal }: SignedIn): void {
  const signedInAt = Math.max(0, ...session.amr.map(({ timestamp }) => timestamp));
  if (Date.now() / 1000 - signedInAt > FRESH_SECONDS) {
    throw new ServiceError(
      403,
      'reauthentication_needed',
      'For your safety, please sign in again and delete the account within ten minutes.',
    );
  }
  if (hasFactor(user) && aal !== 'aal2')
    throw new ServiceError(403, 'insufficient_aal', 'Please confirm your second factor first.');
}

/** @throws ServiceError 409 `team_ends` */
async function requireNoTeamToEnd(queries: Queries, userId: string): Promise<void> {
  const { team } = await queries.one('select private.team_that_ends($1) as team', [userId]);
  if (team === null) return;
  throw new ServiceError(
    409,
    'team_ends',
    `You are the only owner of the team ${team}, which ends with your account. Make somebody else an owner first, or say that it may end.`,
  );
}

/** @throws ServiceError 409 `last_owner` */
async function requireAnotherOwner(queries: Queries, userId: string): Promise<void> {
  const { last } = await queries.one('select private.is_last_owner($1) as last', [userId]);
  if (last === true)
    throw new ServiceError(
      409,
      'last_owner',
      'You are the only owner of the console. Make somebody else an owner there first.',
    );
}

/** When deletion is requested twice, the first day stands. */
async function plan(
  context: AuthContext,
  queries: Queries,
  { user, session }: SignedIn,
  request: FastifyRequest,
): Promise<DeletionReply> {
  const { due } = await queries.one(
    `update auth.users set deletion_due_at =
       coalesce(deletion_due_at, date_trunc('second', now() + make_interval(days => $2))) where id = $1
     returning deletion_due_at as due /* not null */`,
    [user.id, context.resources.settings.AUTH_GRACE_DAYS],
  );
  await queries.run('delete from auth.sessions where user_id = $1 and id <> $2', [user.id, session.id]);
  await writeAudit(queries, {
    action: 'deletion_planned',
    actorId: user.id,
    client: clientOf(context, request),
    payload: { due: due.toISOString() },
  });
  await notifyOwner(context, queries, user, {
    kind: 'deletion-planned',
    variables: { date: dayFor(context, user, due), href: keepLink(context.resources, user.id, due) },
  });
  return { deleted: false, deletion_due_at: due.toISOString() };
}

function dayFor({ resources }: AuthContext, user: UserRow, at: Date): string {
  const locale = languageFor(user) === 'de' ? 'de-DE' : 'en-GB';
  const { TIME_ZONE: timeZone } = resources.settings;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(at);
}

/**
 * Deletes the accounts whose days of grace are over, each in its own transaction. One that cannot be deleted
 * is logged and tried again in the next round. The table `private.personal_data` says which rows go
 * with an account (`migrations/baseline/26-privacy.sql`, `erase_person`).
 *
 * @trigger auth.users delete_objects_of_user
 * @trigger auth.users end_subscriptions_of_user
 * @trigger auth.users erase_person
 */
export async function deleteDueAccounts({
  database,
  log,
}: Pick<AuthContext['resources'], 'database' | 'log'>): Promise<void> {
  const due = await database.many(
    'select id from auth.users where deletion_due_at <= now() order by deletion_due_at limit $1',
    [MOST_OF_A_ROUND],
  );
  for (const { id } of due) {
    try {
      await database.transaction(async (queries) => {
        await lockFilesOfAccount(queries, id);
        // No row when the owner kept the account at the last moment, or another process deleted it.
        const gone = await queries.run('delete from auth.users where id = $1 and deletion_due_at <= now()', [
          id,
        ]);
        if (gone === 1) await auditDeletion(queries, id, undefined);
      });
    } catch (error) {
      log.error({ err: error, user: id }, 'an account whose days of grace are over could not be deleted');
    }
  }
}

/** Deletes an account and what belongs to it, after work on its files has ended (decision 0880). */
export async function deleteAccount(queries: Queries, id: string): Promise<void> {
  await lockFilesOfAccount(queries, id);
  await queries.run('delete from auth.users where id = $1', [id]);
}

async function lockFilesOfAccount(queries: Queries, id: string): Promise<void> {
  await queries.run('select private.lock_files_of_account($1)', [id]);
}

function auditDeletion(queries: Queries, id: string, client: Client | undefined): Promise<void> {
  return writeAudit(queries, { action: 'user_deleted', actorId: id, client, payload: { soft: false } });
}
