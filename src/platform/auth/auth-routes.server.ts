import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SERVICES } from '../../contract/routes.ts';
import { ServiceError } from '../../contract/service-error.ts';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { type AuthContext, clientOf } from './auth-context.server.ts';
import { enrolFactor } from './enrol-factor.server.ts';
import { exchangeCode } from './exchange-code.server.ts';
import { createSecretHashes } from './hash-secret.server.ts';
import { limitAddress } from './limit-requests.server.ts';
import { mountAdmin } from './mount-admin.server.ts';
import { defineNoticeJob } from './notify-owner.server.ts';
import { listSessions, revokeSession } from './own-sessions.server.ts';
import { mountPasskeys } from './passkeys/mount-passkeys.server.ts';
import { createProviders, type Providers } from './providers/configured-providers.server.ts';
import { grantIdToken } from './providers/grant-id-token.server.ts';
import { mountIdentities, mountProviderPages } from './providers/mount-providers.server.ts';
import { reauthenticate } from './reauthenticate.server.ts';
import { recoverPassword } from './recover-password.server.ts';
import {
  generateRecoveryCodes,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  showRecoveryCodes,
  verifyRecoveryCode,
} from './recovery-codes.server.ts';
import { refreshSession } from './refresh-session.server.ts';
import { createRefreshTokens } from './refresh-token.server.ts';
import { requirePerson } from './require-session.server.ts';
import { resendMail } from './resend-mail.server.ts';
import { refreshMetadata } from './saml/manage-sso-providers.server.ts';
import { mountSamlPages } from './saml/mount-saml.server.ts';
import { startSso } from './saml/sign-in-by-sso.server.ts';
import { defineAuthMailJob } from './send-auth-mail.server.ts';
import { sendOneTimeLogin } from './send-one-time-login.server.ts';
import { showHealth, showSettings } from './show-settings.server.ts';
import { userBody } from './show-user.server.ts';
import { showVerifyPage, submitVerifyPage } from './show-verify-page.server.ts';
import { signIn } from './sign-in.server.ts';
import { signOut } from './sign-out.server.ts';
import { signUp } from './sign-up.server.ts';
import { sweepAuth } from './sweep-auth.server.ts';
import { updateUser } from './update-user.server.ts';
import { verifyCaptcha } from './verify-captcha.server.ts';
import { challengeFactor, unenrolFactor, verifyFactor } from './verify-factor.server.ts';
import { verifyToken } from './verify-token.server.ts';

/** Bodies here are a handful of fields, bytes. */
const BODY_LIMIT = 64 * 1024;
const JWKS_SECONDS = 600;
const SWEEP_SECONDS = 3600;
const METADATA_SECONDS = 86_400;
const FORM = 'application/x-www-form-urlencoded';

/** Mounts the auth service under `/auth/v1` (contract §2) and its jobs. */
export function mountAuth(door: Door, resources: Resources): void {
  const { keys, jobs } = resources;
  const context: AuthContext = {
    resources,
    door,
    refreshTokens: createRefreshTokens(keys),
    hashes: createSecretHashes(keys),
  };
  const providers = createProviders(resources);
  door.server.register(
    async (scope) => {
      readBodies(scope);
      mountOpenRoutes(context, scope);
      mountProviderPages(context, scope, providers);
      mountSamlPages(context, scope);
      scope.register(async (keyed) => {
        keyed.addHook('onRequest', (request) => requireKey(context, request));
        mountKeyedRoutes(context, keyed, providers);
        mountIdentities(context, keyed, providers);
        mountPasskeys(context, keyed);
        mountAdmin(context, keyed);
      });
    },
    { prefix: SERVICES.auth },
  );
  defineAuthMailJob(context);
  defineNoticeJob(context);
  jobs.every('auth.saml_metadata', METADATA_SECONDS, () => refreshMetadata(context));
  jobs.every('auth.sweep', SWEEP_SECONDS, () => sweepAuth(resources));
}

/** Routes that a browser opens from a mail, and what anybody may know. */
function mountOpenRoutes(context: AuthContext, scope: FastifyInstance): void {
  const { resources } = context;
  scope.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${JWKS_SECONDS}`).send(await resources.tokens.jwks()),
  );
  scope.get('/settings', () => showSettings(context));
  scope.get('/health', showHealth);
  scope.get('/verify', (request, reply) => showVerifyPage(context, request, reply));
  scope.post('/verify', async (request, reply) => {
    if (request.headers['content-type']?.startsWith(FORM)) return submitVerifyPage(context, request, reply);
    await requireKey(context, request);
    return verifyToken(context, request);
  });
}

function mountKeyedRoutes(context: AuthContext, scope: FastifyInstance, providers: Providers): void {
  const byPeople = { preHandler: (request: FastifyRequest) => verifyCaptcha(context, request) };
  scope.post('/signup', byPeople, (request) => signUp(context, request));
  scope.post('/token', byPeople, (request) => grantToken(context, providers, request));
  scope.post('/recover', byPeople, (request) => recoverPassword(context, request));
  scope.post('/otp', byPeople, (request) => sendOneTimeLogin(context, request));
  scope.post('/sso', byPeople, (request, reply) => startSso(context, request, reply));
  scope.post('/resend', byPeople, (request) => resendMail(context, request));
  scope.get('/reauthenticate', (request) => reauthenticate(context, request));
  scope.get('/user', async (request) => userBody(await requirePerson(context, request)));
  scope.put('/user', (request) => updateUser(context, request));
  scope.post('/factors', (request) => enrolFactor(context, request));
  scope.get('/factors/recovery-codes', (request) => showRecoveryCodes(context, request));
  scope.post('/factors/recovery-codes', (request) => generateRecoveryCodes(context, request));
  scope.delete('/factors/recovery-codes', (request) => removeRecoveryCodes(context, request));
  scope.post('/factors/recovery-codes/verify', (request) => verifyRecoveryCode(context, request));
  scope.post('/factors/recovery-codes/regenerate', (request) => regenerateRecoveryCodes(context, request));
  scope.post('/factors/:factorId/challenge', (request) => challengeFactor(context, request));
  scope.post('/factors/:factorId/verify', (request) => verifyFactor(context, request));
  scope.delete('/factors/:factorId', (request) => unenrolFactor(context, request));
  scope.get('/sessions', (request) => listSessions(context, request));
  scope.delete('/sessions/:sessionId', (request) => revokeSession(context, request));
  scope.post('/logout', async (request, reply) => {
    await signOut(context, request);
    return reply.code(204).send();
  });
}

/** `POST /token`: by `grant_type`. @throws ServiceError 400 `invalid_credentials` for one that we do not know */
async function grantToken(
  context: AuthContext,
  providers: Providers,
  request: FastifyRequest,
): Promise<unknown> {
  limitAddress(context, request, 'token');
  const { grant_type: grant } = request.query as { grant_type?: unknown };
  if (grant === 'password') return signIn(context, request);
  if (grant === 'refresh_token') return refreshSession(context, request);
  if (grant === 'pkce') return exchangeCode(context, request.body, clientOf(context, request));
  if (grant === 'id_token') return grantIdToken(context, providers, request);
  throw new ServiceError(400, 'invalid_credentials', 'unsupported_grant_type');
}

/** Every call carries a key of this installation, in `apikey` or as the bearer (contract §1). */
async function requireKey({ door, resources }: AuthContext, request: FastifyRequest): Promise<void> {
  const { apikey, authorization } = request.headers;
  if (apikey === resources.keys.anon_key || apikey === resources.keys.service_role_key) return;
  // A good key is enough here: what is wrong with a user's token, the route itself says.
  await door.identify(
    apikey === undefined ? { authorization } : { apikey },
    request.query as Record<string, unknown>,
  );
}

/** Clients send calls without a body as JSON too; the mail links' page sends a form. */
function readBodies(scope: FastifyInstance): void {
  const parseJson = scope.getDefaultJsonParser('remove', 'remove');
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    (request, body, done) => {
      if (body === '') done(null, {});
      else parseJson(request, body as string, done);
    },
  );
  scope.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}
