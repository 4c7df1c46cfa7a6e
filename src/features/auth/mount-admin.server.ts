import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '../../contract/service-error.ts';
import type { AuthContext } from './auth-context.server.ts';
import { generateLink, inviteUser } from './generate-link.server.ts';
import { addUser, changeUser, listUsers, removeUser, showUser } from './manage-users.server.ts';

const AUDIT_ROWS = 100;

/** Mounts the calls of administrators (contract §2, Admin): the bearer has to be the service key. */
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
    admin.get('/admin/audit', () =>
      context.resources.database.many(
        `select id, created_at, ip_address, jsonb_build_object('action', action, 'actor_id', actor_id) || payload as payload
         from auth.audit_log_entries order by created_at desc limit $1`,
        [AUDIT_ROWS],
      ),
    );
  });
}

/** @throws ServiceError 401 without a valid token, 403 `not_admin` for anybody else's */
async function requireService({ door }: AuthContext, request: FastifyRequest): Promise<void> {
  if (request.headers.authorization === undefined) {
    throw new ServiceError(401, 'no_authorization', 'This endpoint requires a valid Bearer token');
  }
  const { role } = await door.identify(request.headers);
  if (role !== 'service_role') throw new ServiceError(403, 'not_admin', 'User not allowed');
}
