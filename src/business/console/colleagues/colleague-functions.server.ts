import { z } from 'zod';
import { foldedEmail } from '../../../kernel/contract/email-address.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { isMailAddress } from '../../../kernel/resources/mailer/mail-check.ts';
import {
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  signAsOperator,
} from '../operator-gate.server.ts';
import { OPERATOR_ROLES, type OperatorFunctionName, type OperatorRole } from '../operator-roles.contract.ts';
import {
  changeOperatorRole,
  lockOperators,
  type OperatorAccount,
  requireAnotherOwner,
} from '../role-change.server.ts';
import { requireSecondLevel } from '../settings/second-factor-gate.server.ts';
import { inviteColleague } from './colleague-invitation.server.ts';
import type { ColleaguesPage } from './colleagues.contract.ts';

/** Limits, because each invitation is a mail to a person who did not ask for it. */
const INVITATIONS_A_MINUTE = 10;
const MAILS_TO_ONE = { name: 'console invitations of an address', count: 5, seconds: 86_400 };

const ROLE = z.enum(OPERATOR_ROLES);
const COLLEAGUE = z.object({ user_id: z.uuid() });

/** The functions behind the console's Colleagues page (decision 0731). */
export function serveColleagues(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'colleagues',
    method: 'GET',
    input: z.object({}),
    async answer(queries): Promise<ColleaguesPage> {
      const { id, role } = await queries.one('select auth.uid() as id, auth.operator_role() as role');
      return listColleagues(scope.resources.database, id, role === 'owner');
    },
  });
  serveInvitations(scope);
  serveRoles(scope);
}

/** One change of the colleagues. */
interface Change<Schema extends z.ZodType> {
  readonly input: Schema;
  readonly perMinute?: number;
  work(queries: Queries, caller: Caller, given: z.output<Schema>): Promise<void>;
}

/** Mounts a change: the caller is asked for a second factor, and the next change waits for this one. */
function declareChange<Schema extends z.ZodType>(
  scope: OperatorScope,
  name: OperatorFunctionName,
  { input, perMinute = 30, work }: Change<Schema>,
): void {
  declareOperatorWork(scope, {
    name,
    input,
    perMinute,
    allow: ({ userId, claims }) =>
      requireSecondLevel({ userId: userId ?? null, aal: claims.aal }, 'Colleagues need'),
    work: (caller, given) =>
      scope.resources.database.transaction(async (queries) => {
        await lockOperators(queries);
        await work(queries, caller, given);
        return { done: true };
      }),
  });
}

function serveInvitations(scope: OperatorScope): void {
  const { http, resources } = scope;
  declareChange(scope, 'invite-colleague', {
    input: z.object({
      email: z.string().transform(foldedEmail).refine(isMailAddress, { error: 'must be an email address' }),
      role: ROLE,
    }),
    perMinute: INVITATIONS_A_MINUTE,
    async work(queries, caller, { email, role }) {
      await http.rateLimiter.take(MAILS_TO_ONE, email);
      await signAsOperator(queries, caller, {
        action: 'operator.invite',
        subject: email,
        details: { to: role },
      });
      await inviteColleague(resources, queries, caller.userId ?? '', { email, role });
    },
  });
  declareChange(scope, 'withdraw-colleague', {
    input: z.object({ id: z.uuid() }),
    async work(queries, caller, { id }) {
      const gone = await queries.maybe(
        'delete from private.colleague_invitations where id = $1 returning email',
        [id],
      );
      if (gone === undefined) throw new ServiceError(404, 'not_found', 'There is no such invitation.');
      await signAsOperator(queries, caller, { action: 'operator.withdraw', subject: gone.email });
    },
  });
}

function serveRoles(scope: OperatorScope): void {
  declareChange(scope, 'change-colleague', {
    input: COLLEAGUE.extend({ role: ROLE }),
    async work(queries, caller, { user_id: id, role }) {
      const account = await findColleague(queries, id);
      await signAsOperator(queries, caller, {
        action: 'operator.change',
        subject: account.email,
        details: { from: account.role, to: role },
      });
      if (role !== 'owner') await requireAnotherOwner(queries, id);
      await changeOperatorRole(queries, account, role, 'console');
    },
  });
  declareChange(scope, 'remove-colleague', {
    input: COLLEAGUE,
    work: (queries, caller, { user_id: id }) => remove(queries, caller, id, 'operator.remove'),
  });
  declareChange(scope, 'leave', {
    input: z.object({}),
    work: (queries, caller) => remove(queries, caller, caller.userId ?? '', 'console.leave'),
  });
}

async function remove(queries: Queries, caller: Caller, id: string, action: string): Promise<void> {
  const account = await findColleague(queries, id);
  await signAsOperator(queries, caller, { action, subject: account.email });
  await requireAnotherOwner(queries, id);
  await changeOperatorRole(queries, account, null, 'console');
}

/** @throws ServiceError 404 `not_found` for an account that is not a colleague's */
async function findColleague(queries: Queries, id: string): Promise<OperatorAccount> {
  const row = await queries.maybe(
    `select email, private.operator_role_of(raw_app_meta_data) as role from auth.users
      where id = $1 and deleted_at is null and private.operator_role_of(raw_app_meta_data) is not null for no key update`,
    [id],
  );
  if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such colleague any more.');
  return { id, email: row.email ?? id, role: row.role as OperatorRole };
}

/** Read as the owner of the database, after the database has said that the caller is an operator. */
async function listColleagues(
  queries: Queries,
  ownId: string | null,
  forOwner: boolean,
): Promise<ColleaguesPage> {
  const colleagues = await queries.many(
    `select u.id as user_id, u.email, nullif(u.raw_user_meta_data ->> 'full_name', '') as name,
            private.operator_role_of(u.raw_app_meta_data) as role,
            exists (select from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified') as has_factor /* not null */,
            greatest(u.last_sign_in_at, (select max(coalesce(s.refreshed_at, s.created_at)) from auth.sessions s
                                          where s.user_id = u.id)) as seen_at
       from auth.users u
      where private.operator_role_of(u.raw_app_meta_data) is not null and u.deleted_at is null
      order by u.email`,
  );
  const invitations = forOwner
    ? await queries.many(
        `select i.id, i.email, i.role, i.expires_at from private.colleague_invitations i
           join auth.users u on u.id = i.invited_by
          where i.expires_at > now() and private.operator_role_of(u.raw_app_meta_data) = 'owner' and u.deleted_at is null
          order by i.created_at`,
      )
    : [];
  return {
    colleagues: colleagues.map((row) => ({
      ...row,
      role: row.role as OperatorRole,
      is_own: row.user_id === ownId,
      has_factor: forOwner ? row.has_factor : null,
      seen_at: forOwner ? (row.seen_at?.toISOString() ?? null) : null,
    })),
    invitations: invitations.map((row) => ({
      ...row,
      role: row.role as OperatorRole,
      expires_at: row.expires_at.toISOString(),
    })),
  };
}
