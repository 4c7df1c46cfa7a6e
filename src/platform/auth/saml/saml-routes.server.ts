import type { FastifyInstance } from 'fastify';
import type { AuthContext } from '../auth-context.server.ts';
import { readSamlKey } from './saml-key.server.ts';
import {
  createSsoProvider,
  listSsoProviders,
  removeSsoProvider,
  showSsoProvider,
  updateSsoProvider,
} from './sso-provider-management.server.ts';
import { finishSso, requireSaml, showServiceMetadata } from './sso-sign-in.server.ts';

/**
 * Largest body, bytes. Metadata, and answers with many attributes, are longer than any other body of this
 * service.
 */
const BODY_LIMIT = 512 * 1024;

/** Routes that identity providers and browsers call without a key (docs/contracts/platform.md §2). */
export function mountSamlPages(context: AuthContext, scope: FastifyInstance): void {
  // Read here, so that a bad file fails the start and not the first sign-in.
  readSamlKey(context.resources.settings);
  // The reference serves the first paths, and its description of the API names the second ones.
  for (const prefix of ['/sso/saml', '/saml']) {
    scope.get(`${prefix}/metadata`, async (request, reply) => {
      requireSaml(context);
      return showServiceMetadata(context, request, reply);
    });
    scope.post(`${prefix}/acs`, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
      requireSaml(context);
      return finishSso(context, request, reply);
    });
  }
}

/** Routes to manage companies' identity providers, in the administrators' scope. */
export function mountSsoProviders(context: AuthContext, admin: FastifyInstance): void {
  const one = '/admin/sso/providers/:providerId';
  admin.register(async (scope) => {
    scope.addHook('preHandler', async () => requireSaml(context));
    scope.post('/admin/sso/providers', { bodyLimit: BODY_LIMIT }, (request, reply) =>
      createSsoProvider(context, request, reply),
    );
    scope.get('/admin/sso/providers', () => listSsoProviders(context));
    scope.get(one, (request) => showSsoProvider(context, request));
    scope.put(one, { bodyLimit: BODY_LIMIT }, (request) => updateSsoProvider(context, request));
    scope.delete(one, (request) => removeSsoProvider(context, request));
  });
}
