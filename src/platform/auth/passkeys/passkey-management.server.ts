import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { requireSecondLevel } from '../factors/factor-lookup.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { readBody } from '../request-input.server.ts';
import { limitAddress } from '../request-limits.server.ts';
import { requireSession } from '../sessions/session-require.server.ts';
import { reloadUser } from '../users/user-lookup.server.ts';
import { requirePasskeys } from './relying-party.server.ts';

/** A key as stored. */
export interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: Buffer;
  /** A bigint, which arrives as text. */
  readonly sign_count: string;
  readonly transports: string[];
  readonly friendly_name: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

/** The columns of a PasskeyRow. */
export const PASSKEY_COLUMNS =
  'id, user_id, credential_id, public_key, sign_count, transports, friendly_name, created_at, last_used_at';

const MAX_NAME = 120;
const rename = z.object({ friendly_name: z.string().trim().min(1).max(MAX_NAME) });

/** A key in a reply (docs/contracts/platform.md §2), without its public half. */
export function passkeyBody(row: PasskeyRow): Record<string, unknown> {
  return {
    id: row.id,
    ...(row.friendly_name === null ? {} : { friendly_name: row.friendly_name }),
    created_at: row.created_at.toISOString(),
    ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() }),
  };
}

/** The keys of an account, oldest first. */
export function listPasskeys(queries: Queries, userId: string): Promise<PasskeyRow[]> {
  return queries.many(
    `select ${PASSKEY_COLUMNS} from auth.passkeys where user_id = $1 order by created_at, id`,
    [userId],
  );
}

/** `GET /passkeys`: a bare array (docs/contracts/platform.md §2). */
export async function showPasskeys(context: AuthContext, request: FastifyRequest) {
  const { user } = await requireSession(context, request);
  requirePasskeys(context);
  return (await listPasskeys(context.resources.database, user.id)).map(passkeyBody);
}

/** `PATCH /passkeys/{id}` `{friendly_name}`. @throws ServiceError 404 `webauthn_credential_not_found` */
export async function renamePasskey(context: AuthContext, request: FastifyRequest) {
  await limitAddress(context, request, 'passkey');
  const { user } = await requireSession(context, request);
  requirePasskeys(context);
  const { friendly_name: name } = readBody(rename, request.body);
  const id = idOf(request);
  return context.resources.database.transaction(async (queries) => {
    const row = await queries.maybe(
      `update auth.passkeys set friendly_name = $3, updated_at = now() where id = $1 and user_id = $2
       returning ${PASSKEY_COLUMNS}`,
      [id, user.id, name],
    );
    if (row === undefined) throw notFound();
    await writeAudit(queries, {
      action: 'passkey_updated',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { passkey: row.id },
    });
    return passkeyBody(row);
  });
}

/**
 * `DELETE /passkeys/{id}`; sessions stay signed in. @throws ServiceError 404 `webauthn_credential_not_found`;
 * 403 `insufficient_aal`
 */
export async function removePasskey(context: AuthContext, request: FastifyRequest): Promise<void> {
  await limitAddress(context, request, 'passkey');
  const { user, aal } = await requireSession(context, request);
  requirePasskeys(context);
  requireSecondLevel({ user, aal }, 'remove a passkey');
  await dropPasskey(context, request, user.id);
}

/** Deletes the key named in the path `…/passkeys/{passkeyId}` from an account. @throws ServiceError 404 */
export async function dropPasskey(
  context: AuthContext,
  request: FastifyRequest,
  userId: string,
): Promise<void> {
  const id = idOf(request);
  await context.resources.database.transaction(async (queries) => {
    const gone = await queries.run('delete from auth.passkeys where id = $1 and user_id = $2', [id, userId]);
    if (gone === 0) throw notFound();
    await writeAudit(queries, {
      action: 'passkey_deleted',
      actorId: userId,
      client: clientOf(context, request),
      payload: { passkey: id },
    });
    await notifyOwner(context, queries, await reloadUser(queries, userId), {
      kind: 'sign-in-removed',
      variables: {
        way: 'Passkey',
      },
    });
  });
}

/** @throws ServiceError 404 when the path names no UUID */
function idOf(request: FastifyRequest): string {
  const { passkeyId } = request.params as { passkeyId: string };
  if (!isUuid(passkeyId)) throw notFound();
  return passkeyId;
}

function notFound(): ServiceError {
  return new ServiceError(404, 'webauthn_credential_not_found', 'Passkey not found');
}
