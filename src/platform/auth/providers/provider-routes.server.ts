import type { FastifyInstance } from 'fastify';
import type { AuthContext } from '../auth-context.server.ts';
import type { Providers } from './configured-providers.server.ts';
import { unlinkIdentity } from './identity-linking.server.ts';
import { finishSignIn } from './sign-in-finish.server.ts';
import { startLinking, startSignIn } from './sign-in-start.server.ts';

/**
 * The addresses by which browsers go to a provider and come back. Browsers follow them as links, so they need
 * no key (docs/contracts/platform.md §2).
 */
export function mountProviderPages(context: AuthContext, scope: FastifyInstance, providers: Providers): void {
  scope.get('/authorize', (request, reply) => startSignIn(context, providers, { request, reply }));
  scope.get('/callback', (request, reply) => finishSignIn(context, providers, { request, reply }));
  scope.post('/callback', (request, reply) => finishSignIn(context, providers, { request, reply }));
}

/** Routes for a signed-in user's identities (docs/contracts/platform.md §2). */
export function mountIdentities(context: AuthContext, scope: FastifyInstance, providers: Providers): void {
  scope.get('/user/identities/authorize', (request, reply) =>
    startLinking(context, providers, { request, reply }),
  );
  scope.delete('/user/identities/:identityId', (request) => unlinkIdentity(context, request));
}
