import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Queries } from '../../resources/database/database.ts';
import { escapeHtml } from '../../resources/mailer/mail-body.ts';
import { allowedRedirect } from './allow-redirect.server.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { tokenExpired } from './auth-error.server.ts';
import { issueCode } from './exchange-code.server.ts';
import { sessionBody, startSession } from './issue-session.server.ts';
import { limitAddress } from './limit-requests.server.ts';
import { isLinkAlive, takeLink } from './one-time-token.server.ts';
import { applyToken, FIRST_HALF_MESSAGE, tokenTypesOf } from './verify-token.server.ts';

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

const STYLE =
  'body{font:16px/1.5 sans-serif;margin:0;display:grid;min-height:100vh;place-items:center;background:#f6f4ef;color:#16213a}main{padding:2rem;max-width:26rem}button{font:inherit;padding:.75rem 1.25rem;border:0;border-radius:4px;background:#16213a;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid #b5651d;outline-offset:2px}@media(prefers-color-scheme:dark){body{background:#10151f;color:#f1efe9}button{background:#f1efe9;color:#10151f}}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * `GET /verify`: a page with one button. Mail scanners follow links, so looking uses
 * nothing up (contract §6 "Links in mail"; security.md, attack 9). A link that no longer
 * counts goes straight on with the error in the fragment.
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
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self' ${goal}; base-uri 'none'; frame-ancestors 'none'`,
    )
    .header('referrer-policy', 'same-origin')
    .header('x-robots-tag', 'noindex')
    .send(page(context.resources.settings.BRAND, heading, button, link));
}

/** `POST /verify` from that page: uses the link up and goes on with tokens in the fragment, or a code (PKCE). */
export async function submitVerifyPage(context: AuthContext, request: FastifyRequest, reply: FastifyReply) {
  limitAddress(context, request, 'verify');
  const link = readLink(context, request.body);
  const types = tokenTypesOf(link.type);
  const client = clientOf(context, request);
  const address = await context.resources.database.transaction(async (queries) => {
    const token = types && (await takeLink(context, queries, types, link.token));
    const verified = await applyToken(context, queries, token, client);
    if (verified.kind === 'refused') return errorAddress(link, verified.error);
    if (verified.kind === 'waiting')
      return withFragment(link.redirectTo, { message: FIRST_HALF_MESSAGE, sb: '' });
    if (token?.flow_state_id) return codeAddress(context, queries, link, token.flow_state_id);
    const session = await startSession(context, queries, verified.user, verified.method, client);
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

/** The error in the fragment, and for PKCE also in the query (contract §2). */
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

function page(brand: string, heading: string, button: string, link: LinkFields): string {
  const field = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(heading)} · ${escapeHtml(brand)}</title><style>${STYLE}</style></head>
<body><main>
<p>${escapeHtml(brand)}</p>
<h1>${escapeHtml(heading)}</h1>
<form method="post" action="/auth/v1/verify">
${field('token', link.token)}${field('type', link.type)}${field('redirect_to', link.redirectTo)}
<button type="submit">${escapeHtml(button)}</button>
</form>
</main></body>
</html>`;
}
