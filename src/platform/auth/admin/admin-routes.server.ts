import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { refuseDisabled } from '../disabled-services.server.ts';
import {
  ALL_FACTORS,
  deleteFactor,
  factorName,
  lockFactor,
  requireFreeName,
} from '../factors/factor-lookup.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { mountUsersPasskeys } from '../passkeys/passkey-routes.server.ts';
import { readBody, readPhone } from '../request-input.server.ts';
import { mountSsoProviders } from '../saml/saml-routes.server.ts';
import { reloadUser } from '../users/user-lookup.server.ts';
import { factorBody } from '../users/user-view.server.ts';
import { ADMIN_BODIES } from './admin-input.server.ts';
import { generateLink, inviteUser } from './link-generation.server.ts';
import { addUser, changeUser, listUsers, removeUser, showUser, userOf } from './user-management.server.ts';

const AUDIT_ROWS = 100;
/** The actor of an entry that no account caused, as the hosted stack writes it. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * Mounts the administrators' routes (docs/contracts/platform.md §2, Admin); they require the service key as
 * bearer token.
 */
export function mountAdmin(context: AuthContext, scope: FastifyInstance): void {
  scope.register(async (admin) => {
    admin.addHook('onRequest', (request) => requireService(context, request));
    admin.post('/invite', (request) => inviteUser(context, request));
    admin.post('/admin/generate_link', (request) => generateLink(context, request));
    admin.get('/admin/users', (request, reply) => listUsers(context, request, reply));
    admin.post('/admin/users', (request) => addUser(context, request));
    admin.get('/admin/users/:id', (request) => showUser(context, request));
    admin.put('/admin/users/:id', (request) => changeUser(context, request));
    admin.delete('/admin/users/:id', (request) => removeUser(context, request));
    admin.get('/admin/users/:id/factors', (request) => listFactors(context, request));
    admin.put('/admin/users/:id/factors/:factorId', (request) => changeFactor(context, request));
    admin.delete('/admin/users/:id/factors/:factorId', (request) => removeFactor(context, request));
    mountSsoProviders(context, admin);
    mountUsersPasskeys(context, admin);
    refuseDisabled(admin, 'OAuth server is disabled', ['/admin/oauth/*']);
    refuseDisabled(admin, 'Custom OAuth providers are disabled', [
      '/admin/custom-providers',
      '/admin/custom-providers/*',
    ]);
    admin.get('/admin/audit', () =>
      context.resources.database.many(
        `select id, created_at, coalesce(ip_address, '') as ip_address,
           jsonb_build_object('action', action, 'actor_id', coalesce(actor_id, '${NOBODY}')) || payload as payload
         from auth.audit_log_entries order by created_at desc limit $1`,
        [AUDIT_ROWS],
      ),
    );
  });
}

/** A bare array (docs/contracts/platform.md §2). */
async function listFactors(context: AuthContext, request: FastifyRequest) {
  const user = await userOf(context.resources.database, request);
  return user.factors.map(factorBody);
}

/** `PUT /admin/users/{id}/factors/{factorId}`: another name, or another number for a factor by text message. */
async function changeFactor(context: AuthContext, request: FastifyRequest) {
  const body = readBody(ADMIN_BODIES.factor, request.body);
  const phone = body.phone ? readPhone(body.phone) : null;
  return context.resources.database.transaction(async (queries) => {
    const user = await userOf(queries, request);
    const factor = await lockFactor(queries, request, user.id, ALL_FACTORS);
    if (body.friendly_name) {
      requireFreeName(
        user.factors.filter(({ id }) => id !== factor.id),
        body.friendly_name,
      );
    }
    await queries.run(
      `update auth.mfa_factors set updated_at = now(), friendly_name = coalesce(nullif($2, ''), friendly_name),
         phone = case when factor_type = 'phone' then coalesce($3, phone) else phone end where id = $1`,
      [factor.id, body.friendly_name ?? null, phone],
    );
    await writeAudit(queries, {
      action: 'factor_updated',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { factor: factor.id },
    });
    const changed = await reloadUser(queries, user.id);
    return changed.factors.filter(({ id }) => id === factor.id).map(factorBody)[0];
  });
}

/** The operator removes the second factor of a person who has lost it. */
async function removeFactor(context: AuthContext, request: FastifyRequest) {
  return context.resources.database.transaction(async (queries) => {
    const user = await userOf(queries, request);
    const factor = await lockFactor(queries, request, user.id, ALL_FACTORS);
    await deleteFactor(queries, factor);
    if (factor.status === 'verified') {
      await notifyOwner(context, queries, user, {
        kind: 'factor-removed',
        variables: { factor: factorName(factor) },
      });
    }
    await writeAudit(queries, {
      action: 'factor_deleted',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { factor: factor.id },
    });
    return { id: factor.id };
  });
}

/** @throws ServiceError 401 without a valid token, 403 `not_admin` for any other token */
async function requireService({ http }: AuthContext, request: FastifyRequest): Promise<void> {
  if (request.headers.authorization === undefined) {
    throw new ServiceError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  const { role } = await http.authenticate(request.headers);
  if (role !== 'service_role') throw new ServiceError(403, 'not_admin', 'User not allowed');
}
