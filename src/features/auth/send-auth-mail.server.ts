import type { Queries } from '../../resources/database/database.ts';
import { allowedRedirect } from './allow-redirect.server.ts';
import type { AuthContext } from './auth-context.server.ts';
import { AUTH_MAILS } from './compose-mail.server.ts';
import { keepChallenge } from './exchange-code.server.ts';
import { findUserByEmail, type UserRow } from './find-user.server.ts';
import { issueToken, type TokenType } from './one-time-token.server.ts';
import type { Challenge } from './read-input.server.ts';
import { writeAudit } from './write-audit.server.ts';

/** A mail to whoever owns an address; asked for in the same way whether anybody does. */
export interface MailRequest {
  readonly kind: 'signup' | 'recovery' | 'magiclink';
  readonly email: string;
  readonly redirectTo: string;
  readonly challenge?: Challenge | undefined;
}

const JOB = 'auth.mail';
const POLICY = { retries: 5, retryDelaySeconds: 5, timeoutSeconds: 60, concurrency: 2 };

/** Declares the job that turns requests into mails; before `jobs.start`. */
export function defineAuthMailJob(context: AuthContext): void {
  context.resources.jobs.define<MailRequest>(JOB, POLICY, ({ data }) =>
    context.resources.database.transaction((queries) => answerRequest(context, queries, data)),
  );
}

/**
 * Asks for a mail in the caller's transaction. Looking the address up, making the
 * token and the mail is left to a job, so that the reply to a known and to an unknown
 * address costs the same (contract §6 "Enumeration"; security.md, attack 8).
 */
export function requestMail(context: AuthContext, queries: Queries, request: MailRequest): Promise<void> {
  return context.resources.jobs.add(queries, JOB, request);
}

async function answerRequest(context: AuthContext, queries: Queries, request: MailRequest): Promise<void> {
  const user = await findUserByEmail(queries, request.email);
  if (user === undefined) return;
  if (request.kind === 'signup' && user.email_confirmed_at !== null) {
    const { settings, mailer, siteUrl } = context.resources;
    await mailer.send(
      queries,
      AUTH_MAILS.alreadyRegistered({ to: request.email, brand: settings.BRAND, siteUrl }),
    );
    return;
  }
  await sendLink(context, queries, user, request);
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
  request: MailRequest,
): Promise<void> {
  // Who never confirmed the address has to do that first, whatever was asked for.
  const kind = request.kind === 'magiclink' && user.email_confirmed_at === null ? 'signup' : request.kind;
  const { token, sentAt, audit, method } = LINKS[kind];
  const flowStateId =
    request.challenge === undefined
      ? undefined
      : await keepChallenge(queries, user.id, method, request.challenge);
  const issued = await issueToken(context, queries, {
    userId: user.id,
    type: token satisfies TokenType,
    address: request.email,
    flowStateId,
  });
  const compose = kind === 'signup' ? AUTH_MAILS.confirmation : AUTH_MAILS[kind];
  await context.resources.mailer.send(
    queries,
    compose({
      to: request.email,
      brand: context.resources.settings.BRAND,
      href: verifyLink(context, issued.link, kind, request.redirectTo),
      code: issued.code,
    }),
  );
  await queries.run(`update auth.users set ${sentAt} = now() where id = $1`, [user.id]);
  await writeAudit(queries, audit, user.id, undefined);
}

/** The address of a mail link: always on our own configured origin (security.md, attack 10). */
export function verifyLink(context: AuthContext, token: string, type: string, redirectTo: string): string {
  const query = new URLSearchParams({ token, type, redirect_to: redirectTo });
  return `${context.resources.siteUrl}/auth/v1/verify?${query}`;
}

/** Where a request's `redirect_to` may lead. */
export function redirectOf(context: AuthContext, query: unknown): string {
  const wanted = (query as { redirect_to?: unknown }).redirect_to;
  return allowedRedirect(typeof wanted === 'string' ? wanted : undefined, context.resources);
}
