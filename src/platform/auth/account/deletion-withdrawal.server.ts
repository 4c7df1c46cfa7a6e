import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import { plainPage, plainPageHeaders } from '../../../kernel/http/site/plain-page.ts';
import { readSignedId, signedId } from '../../../kernel/resources/crypto/signed-ids.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, type Client, clientOf } from '../auth-context.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { findUser } from '../users/user-lookup.server.ts';

const LINK = z.object({ d: z.string().regex(/^\d{1,12}$/), k: z.string().max(80) });

/** A link works only for the deletion that its mail announced. */
const purposeOf = (seconds: string): string => `keep-account ${seconds}`;

/** The link in the mail about a planned deletion: its reader may keep the account, and do nothing else. */
export function keepLink(
  { keys, siteUrl }: Pick<Resources, 'keys' | 'siteUrl'>,
  userId: string,
  due: Date,
): string {
  const seconds = String(Math.floor(due.getTime() / 1000));
  return `${siteUrl}${SERVICES.auth}/keep?d=${seconds}&k=${signedId(keys, purposeOf(seconds), userId)}`;
}

/**
 * `POST /functions/v1/keep-account` `{}`: cancels a planned deletion of the caller's account. Also answers
 * `{kept: true}` when no deletion is planned.
 */
export function declareAccountKeeping(context: AuthContext): void {
  declareFunction(context.http, {
    name: 'keep-account',
    callers: 'users',
    body: z.object({}),
    limit: { count: 30, seconds: 300 },
    async handle({ caller, request }) {
      await keep(context, requireUser(caller), undefined, clientOf(context, request));
      return { kept: true };
    },
  });
}

/**
 * `/auth/v1/keep?d=…&k=…`, the link in the mail. `GET` shows a button, because scanners follow links; `POST`
 * of its form keeps the account, without a session and without scripts. 404 for a link that is not ours or
 * not the newest.
 */
export function mountKeepPage(context: AuthContext, scope: FastifyInstance): void {
  scope.get('/keep', async (request, reply) => {
    const link = await readLink(context, request);
    const planned =
      link !== undefined &&
      (await context.resources.database.maybe(
        'select 1 from auth.users where id = $1 and deletion_due_at = to_timestamp($2)',
        [link.id, link.due],
      )) !== undefined;
    return send(context, reply, planned ? 'asked' : 'nothing');
  });
  scope.post('/keep', async (request, reply) => {
    const link = await readLink(context, request);
    const kept = link !== undefined && (await keep(context, link.id, link.due, clientOf(context, request)));
    return send(context, reply, kept ? 'kept' : 'nothing');
  });
}

/** Cancels a planned deletion; with `due`, only the one due at that second. Returns whether there was one. */
function keep(context: AuthContext, id: string, due: number | undefined, client: Client): Promise<boolean> {
  return context.resources.database.transaction(async (queries) => {
    const kept = await queries.run(
      `update auth.users set deletion_due_at = null
       where id = $1 and deletion_due_at is not null and ($2::float8 is null or deletion_due_at = to_timestamp($2))`,
      [id, due ?? null],
    );
    if (kept === 0) return false;
    await writeAudit(queries, { action: 'deletion_withdrawn', actorId: id, client });
    const user = await findUser(queries, id);
    if (user !== undefined)
      await notifyOwner(context, queries, user, { kind: 'deletion-withdrawn', variables: {} });
    return true;
  });
}

/** The content of a link, if it is ours. @throws ServiceError 429 */
async function readLink(
  context: AuthContext,
  request: FastifyRequest,
): Promise<{ id: string; due: number } | undefined> {
  await limitAddress(context, request, 'verify');
  const link = LINK.safeParse(request.query);
  if (!link.success) return undefined;
  const { d: seconds, k: given } = link.data;
  const id = readSignedId(context.resources.keys, purposeOf(seconds), given);
  return id === undefined ? undefined : { id, due: Number(seconds) };
}

const VIEWS = {
  asked: {
    status: 200,
    heading: 'Keep your account?',
    body: '<p>It will not be deleted, and everything in it stays.</p><form method="post"><button type="submit">Keep my account</button></form>',
  },
  kept: {
    status: 200,
    heading: 'Your account stays',
    body: '<p>Nothing of it was deleted. If it was not you who asked for its deletion, sign in and choose a new password.</p><p><a href="/login">Sign in</a></p>',
  },
  nothing: {
    status: 404,
    heading: 'There is nothing to keep',
    body: '<p>This link is not complete, or the account stays already, or it is deleted.</p><p><a href="/login">Sign in</a></p>',
  },
} as const;

function send({ resources }: AuthContext, reply: FastifyReply, view: keyof typeof VIEWS): FastifyReply {
  const { status, heading, body } = VIEWS[view];
  return reply
    .code(status)
    .headers(plainPageHeaders())
    .send(plainPage({ agency: resources, heading, body }));
}
