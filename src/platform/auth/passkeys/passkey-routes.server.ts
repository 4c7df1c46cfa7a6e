import type { FastifyInstance } from 'fastify';
import { userOf } from '../admin/user-management.server.ts';
import type { AuthContext } from '../auth-context.server.ts';
import {
  dropPasskey,
  listPasskeys,
  passkeyBody,
  removePasskey,
  renamePasskey,
  showPasskeys,
} from './passkey-management.server.ts';
import { finishRegistration, startRegistration } from './passkey-registration.server.ts';
import { finishPasskeySignIn, startPasskeySignIn } from './passkey-sign-in.server.ts';
import { requirePasskeys } from './relying-party.server.ts';

/** Mounts the passkey calls (docs/contracts/platform.md §2). */
export function mountPasskeys(context: AuthContext, scope: FastifyInstance): void {
  scope.post('/passkeys/registration/options', (request) => startRegistration(context, request));
  scope.post('/passkeys/registration/verify', (request) => finishRegistration(context, request));
  scope.post('/passkeys/authentication/options', (request) => startPasskeySignIn(context, request));
  scope.post('/passkeys/authentication/verify', (request) => finishPasskeySignIn(context, request));
  scope.get('/passkeys', (request) => showPasskeys(context, request));
  scope.patch('/passkeys/:passkeyId', (request) => renamePasskey(context, request));
  scope.delete('/passkeys/:passkeyId', async (request, reply) => {
    await removePasskey(context, request);
    return reply.code(204).send();
  });
}

/**
 * Lets the operator see and remove keys, for people who have lost a device; mounted in the administrators'
 * scope.
 */
export function mountUsersPasskeys(context: AuthContext, admin: FastifyInstance): void {
  const { database } = context.resources;
  admin.get('/admin/users/:id/passkeys', async (request) => {
    requirePasskeys(context);
    return (await listPasskeys(database, (await userOf(database, request)).id)).map(passkeyBody);
  });
  admin.delete('/admin/users/:id/passkeys/:passkeyId', async (request, reply) => {
    requirePasskeys(context);
    await dropPasskey(context, request, (await userOf(database, request)).id);
    return reply.code(204).send();
  });
}
