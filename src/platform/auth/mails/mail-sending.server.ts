import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { AuthContext } from '../auth-context.server.ts';
import type { Challenge } from '../request-input.server.ts';
import { saveChallenge } from '../tokens/code-exchange.server.ts';
import { verifyLink } from '../tokens/link-verification.server.ts';
import { issueToken, type TokenType } from '../tokens/one-time-token.server.ts';
import { requestEmailChange } from '../users/email-change.server.ts';
import { createUser } from '../users/user-creation.server.ts';
import { findUser, findUserByEmail, type UserRow } from '../users/user-lookup.server.ts';
import { sendMail } from './mail-composition.server.ts';

/**
 * A request for a mail to an address, made in the same way whether the address has an account or not.
 * `signup` informs the owner of an address that is already registered, `resend` does not.
 */
export interface MailRequest {
  readonly kind: 'signup' | 'resend' | 'recovery' | 'magiclink' | 'email_change';
  readonly email: string;
  readonly redirectTo: string;
  readonly challenge?: Challenge | undefined;
  /** Creates an account with this metadata when the address has none. */
  readonly newAccount?: Record<string, unknown> | undefined;
  /** Language of the requesting browser. */
  readonly locale?: string | undefined;
}

const JOB = 'auth.mail';
const POLICY = { retries: 5, retryDelaySeconds: 5, timeoutSeconds: 60, concurrency: 4 };
const LEAST_DELAY_MS = 20;
const MOST_DELAY_MS = 80;

/** Declares the job that turns these requests into mails; before `jobs.start`. */
export function defineAuthMailJob(context: AuthContext): void {
  context.resources.jobs.define<MailRequest>(JOB, POLICY, async ({ data }) => {
    // By the end of this delay the reply has been sent, so the work for a known address does not slow it
    // down.
    await setTimeout(randomInt(LEAST_DELAY_MS, MOST_DELAY_MS));
    await context.resources.database.transaction((queries) => answerRequest(context, queries, data));
  });
}

/**
 * Requests a mail in the caller's transaction. A job looks up the address and makes the token and the mail,
 * so that the reply takes the same time for known and unknown addresses (docs/contracts/platform.md §6
 * "Enumeration"; docs/security-attacks.md, attack 8).
 */
export function requestMail(context: AuthContext, queries: Queries, request: MailRequest): Promise<void> {
  return context.resources.jobs.add(queries, JOB, request);
}

async function answerRequest(context: AuthContext, queries: Queries, request: MailRequest): Promise<void> {
  if (request.kind === 'email_change') return resendEmailChange(context, queries, request);
  const user = (await findUserByEmail(queries, request.email)) ?? (await newUser(queries, request));
  if (user === undefined) return;
  const confirmed = user.email_confirmed_at !== null;
  if (request.kind === 'signup' && confirmed) {
    await sendMail(context, queries, { kind: 'already-registered', to: request.email, reader: user }, {});
    return;
  }
  if (request.kind === 'resend' && confirmed) return;
  const kind = request.kind === 'resend' ? 'signup' : request.kind;
  await sendLink(context, queries, user, { ...request, kind });
}

async function newUser(
  queries: Queries,
  { email, newAccount, locale }: MailRequest,
): Promise<UserRow | undefined> {
  if (newAccount === undefined) return undefined;
  return createUser(queries, { email, metadata: newAccount, passwordHash: null, locale }, false);
}

/** Sends both links of a requested change of address again; either address may ask for that. */
async function resendEmailChange(
  context: AuthContext,
  queries: Queries,
  request: MailRequest,
): Promise<void> {
  const { email, redirectTo } = request;
  const row = await queries.maybe(
    `select id from auth.users where email_change is not null and deleted_at is null
     and (email = $1 or email_change = $1) order by created_at limit 1`,
    [email],
  );
  const user = row && (await findUser(queries, row.id));
  if (user?.email_change) {
    await requestEmailChange({ context, queries, client: undefined }, user, {
      newEmail: user.email_change,
      redirectTo,
    });
  }
}

const LINKS = {
  signup: {
    token: 'confirmation',
    sentAt: 'confirmation_sent_at',
    audit: 'user_confirmation_requested',
    method: 'email/signup',
  },
  recovery: {
    token: 'recovery',
    sentAt: 'recovery_sent_at',
    audit: 'user_recovery_requested',
    method: 'recovery',
  },
  magiclink: {
    token: 'magiclink',
    sentAt: 'recovery_sent_at',
    audit: 'user_recovery_requested',
    method: 'magiclink',
  },
} as const;

async function sendLink(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  request: MailRequest & { readonly kind: keyof typeof LINKS },
): Promise<void> {
  const { kind } = request;
  const { token, sentAt, audit, method } = LINKS[kind];
  const flowStateId =
    request.challenge === undefined
      ? undefined
      : await saveChallenge(queries, user.id, method, request.challenge);
  const issued = await issueToken(context, queries, {
    userId: user.id,
    type: token satisfies TokenType,
    address: request.email,
    flowStateId,
  });
  await sendMail(
    context,
    queries,
    { kind: kind === 'signup' ? 'confirmation' : kind, to: request.email, reader: user },
    { href: verifyLink(context, issued.link, kind, request.redirectTo), code: issued.code },
  );
  await queries.run(uncheckedSql(`update auth.users set ${sentAt} = now() where id = $1`, 'composed'), [
    user.id,
  ]);
  await writeAudit(queries, { action: audit, actorId: user.id, client: undefined });
}
