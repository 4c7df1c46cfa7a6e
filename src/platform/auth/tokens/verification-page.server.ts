import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../../kernel/contract/html-escape.ts';
import { plainPage, plainPageHeaders } from '../../../kernel/http/site/plain-page.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { tokenExpired } from '../auth-error.server.ts';
import { allowedRedirect } from '../redirect-allowlist.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { sessionBody, startSession } from '../sessions/session-issue.server.ts';
import { issueCode } from './code-exchange.server.ts';
import { consumeLink, isLinkAlive } from './one-time-token.server.ts';
import { applyToken, FIRST_HALF_MESSAGE, tokenTypesOf } from './token-verification.server.ts';

/** Fields of a mail link, from its query or from the form of its page. */
interface LinkFields {
  readonly token: string;
  readonly type: string;
  readonly redirectTo: string;
}

const HEADINGS: Record<string, [heading: string, button: string]> = {
  recovery: ['Choose a new password', 'Continue'],
  signup: ['Confirm your address', 'Confirm'],
  invite: ['Accept the invitation', 'Accept'],
  email_change: ['Confirm the change of your address', 'Confirm'],
};

/**
 * `GET /verify`: a page with one button. Mail scanners follow links, so opening it uses nothing up
 * (docs/contracts/platform.md §6 "Links in mail"; docs/security-attacks.md, attack 9). A link that is no
 * longer valid redirects with the error in the fragment.
 */
export async function showVerifyPage(context: AuthContext, request: FastifyRequest, reply: FastifyReply) {
  const link = readLink(context, request.query);
  const types = tokenTypesOf(link.type);
  if (types === undefined || !(await isLinkAlive(context, types, link.token))) {
    return reply.redirect(errorAddress(link), 303);
  }
  const [heading, button] = HEADINGS[link.type] ?? ['Sign in', 'Continue'];
  const target = new URL(link.redirectTo);
  const goal = target.origin === 'null' ? target.protocol : target.origin;
  return reply
    .headers(plainPageHeaders({ formGoal: goal }))
    .header('referrer-policy', 'same-origin')
    .send(page(context.resources, heading, button, link));
}

/**
 * `POST /verify` from that page: uses the link up and redirects with tokens in the fragment, or with a code
 * (PKCE).
 */
export async function submitVerifyPage(context: AuthContext, request: FastifyRequest, reply: FastifyReply) {
  await limitAddress(context, request, 'verify');
  const link = readLink(context, request.body);
  const types = tokenTypesOf(link.type);
  const client = clientOf(context, request);
  const address = await context.resources.database.transaction(async (queries) => {
    const token = types && (await consumeLink(context, queries, types, link.token));
    const verified = await applyToken({ context, queries, client }, token);
    if (verified.kind === 'refused') return errorAddress(link, verified.error);
    if (verified.kind === 'waiting')
      return withFragment(link.redirectTo, { message: FIRST_HALF_MESSAGE, sb: '' });
    if (token?.flow_state_id) return codeAddress(context, queries, link, token.flow_state_id);
    const session = await startSession({ context, queries, client }, verified.user, {
      method: verified.method,
    });
    const { user: _user, ...tokens } = await sessionBody(context, queries, session);
    return withFragment(link.redirectTo, { ...strings(tokens), type: link.type, sb: '' });
  });
  return reply.redirect(address, 303);
}

async function codeAddress(
  context: AuthContext,
  queries: Queries,
  link: LinkFields,
  flowStateId: string,
): Promise<string> {
  const code = await issueCode(context, queries, flowStateId);
  if (code === undefined) return errorAddress(link);
  const target = new URL(link.redirectTo);
  target.searchParams.set('code', code);
  return target.href;
}

function readLink(context: AuthContext, fields: unknown): LinkFields {
  const given = (fields ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof given[name] === 'string' ? (given[name] as string) : '');
  return {
    token: (text('token') || text('token_hash')).slice(0, 500),
    type: text('type'),
    redirectTo: allowedRedirect(text('redirect_to'), context.resources),
  };
}

/**
 * The address with the error in the fragment, and for PKCE also in the query (docs/contracts/platform.md §2).
 */
function errorAddress(link: LinkFields, error = tokenExpired()): string {
  const fields = {
    error: 'access_denied',
    error_code: error.code,
    error_description: error.code === 'otp_expired' ? 'Email link is invalid or has expired' : error.message,
  };
  const target = new URL(link.redirectTo);
  if (link.token.startsWith('pkce_')) {
    for (const [name, value] of Object.entries(fields)) target.searchParams.set(name, value);
  }
  return withFragment(target.href, { ...fields, sb: '' });
}

function withFragment(address: string, fields: Record<string, string>): string {
  const target = new URL(address);
  target.hash = new URLSearchParams(fields).toString();
  return target.href;
}

function strings(fields: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
}

function page(agency: Resources, heading: string, button: string, link: LinkFields): string {
  const field = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  return plainPage({
    agency,
    heading,
    body: `<form method="post" action="/auth/v1/verify">
${field('token', link.token)}${field('type', link.type)}${field('redirect_to', link.redirectTo)}
<button type="submit">${escapeHtml(button)}</button>
</form>`,
  });
}
