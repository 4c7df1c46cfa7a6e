import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../../contract/service-error.ts';
import type { Queries } from '../../../resources/database/database.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { hasFactor } from '../find-factor.server.ts';
import { reloadUser } from '../find-user.server.ts';
import { limitAddress } from '../limit-requests.server.ts';
import { notifyOwner } from '../notify-owner.server.ts';
import { readBody } from '../read-input.server.ts';
import { requireSession } from '../require-session.server.ts';
import { isUuid } from '../session-gate.server.ts';
import { writeAudit } from '../write-audit.server.ts';
import { requirePasskeys } from './relying-party.server.ts';

/** A key as stored. */
export interface PasskeyRow {
  readonly id: string;
  readonly user_id: string;
  readonly credential_id: string;
  readonly public_key: Buffer;
  /** int8, so text. */
  readonly sign_count: string;
  readonly transports: string[];
  readonly friendly_name: string | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const MAX_NAME = 120;
const rename = z.object({ friendly_name: z.string().trim().min(1).max(MAX_NAME) });

/** A key on the wire (contract §2); its public half stays here. */
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
  return queries.many<PasskeyRow>('select * from auth.passkeys where user_id = $1 order by created_at, id', [
    userId,
  ]);
}

/** `GET /passkeys`: a bare array (contract §2). */
export async function showPasskeys(context: AuthContext, request: FastifyRequest) {
  const { user } = await requireSession(context, request);
  requirePasskeys(context);
  return (await listPasskeys(context.resources.database, user.id)).map(passkeyBody);
}

/** `PATCH /passkeys/{id}` `{friendly_name}`. @throws ServiceError 404 `webauthn_credential_not_found` */
export async function renamePasskey(context: AuthContext, request: FastifyRequest) {
  limitAddress(context, request, 'passkey');
  const { user } = await requireSession(context, request);
  requirePasskeys(context);
  const { friendly_name: name } = readBody(rename, request.body);
  const id = idOf(request);
  return context.resources.database.transaction(async (queries) => {
    const row = await queries.maybe<PasskeyRow>(
      'update auth.passkeys set friendly_name = $3, updated_at = now() where id = $1 and user_id = $2 returning *',
      [id, user.id, name],
    );
    if (row === undefined) throw notFound();
    await writeAudit(queries, 'passkey_updated', user.id, clientOf(context, request), { passkey: row.id });
    return passkeyBody(row);
  });
}

/** `DELETE /passkeys/{id}`; sessions go on. @throws ServiceError 404 `webauthn_credential_not_found`; 403 `insufficient_aal` */
export async function removePasskey(context: AuthContext, request: FastifyRequest): Promise<void> {
  limitAddress(context, request, 'passkey');
  const { user, aal } = await requireSession(context, request);
  requirePasskeys(context);
  if (hasFactor(user) && aal !== 'aal2') {
    throw new ServiceError(403, 'insufficient_aal', 'AAL2 session is required to remove a passkey');
  }
  await dropPasskey(context, request, user.id);
}

/** Removes the key of the address `…/passkeys/{passkeyId}` from an account. @throws ServiceError 404 */
export async function dropPasskey(
  context: AuthContext,
  request: FastifyRequest,
  userId: string,
): Promise<void> {
  const id = idOf(request);
  await context.resources.database.transaction(async (queries) => {
    const gone = await queries.run('delete from auth.passkeys where id = $1 and user_id = $2', [id, userId]);
    if (gone === 0) throw notFound();
    await writeAudit(queries, 'passkey_deleted', userId, clientOf(context, request), { passkey: id });
    await notifyOwner(context, queries, await reloadUser(queries, userId), 'sign-in-removed', {
      way: 'Passkey',
    });
  });
}

/** @throws ServiceError 404 for what is not an id */
function idOf(request: FastifyRequest): string {
  const { passkeyId } = request.params as { passkeyId: string };
  if (!isUuid(passkeyId)) throw notFound();
  return passkeyId;
}

function notFound(): ServiceError {
  return new ServiceError(404, 'webauthn_credential_not_found', 'Passkey not found');
}
