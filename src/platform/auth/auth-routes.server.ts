import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { storableJsonParser } from '../../kernel/http/unstorable-text.ts';
import { createPasswords, type PasswordCost } from '../../kernel/resources/crypto/passwords.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { declareAccountDeletion } from './account/account-deletion.server.ts';
import { declareAccountKeeping, mountKeepPage } from './account/deletion-withdrawal.server.ts';
import { mountAdmin } from './admin/admin-routes.server.ts';
import { type AfterConfirmation, type AuthContext, clientOf } from './auth-context.server.ts';
import { showHealth, showSettings } from './auth-settings.server.ts';
import { sweepAuth } from './auth-sweep.server.ts';
import { verifyCaptcha } from './captcha-verification.server.ts';
import { refuseDisabled } from './disabled-services.server.ts';
import { enrolFactor } from './factors/factor-enrolment.server.ts';
import { challengeFactor, unenrolFactor, verifyFactor } from './factors/factor-verification.server.ts';
import {
  generateRecoveryCodes,
  regenerateRecoveryCodes,
  removeRecoveryCodes,
  showRecoveryCodes,
  verifyRecoveryCode,
} from './factors/recovery-codes.server.ts';
import { resendMail } from './mails/mail-resend.server.ts';
import { defineAuthMailJob } from './mails/mail-sending.server.ts';
import { sendOneTimeLogin } from './mails/one-time-login.server.ts';
import { defineNoticeJob } from './mails/owner-notices.server.ts';
import { mountPasskeys } from './passkeys/passkey-routes.server.ts';
import { recoverPassword } from './passwords/password-reset.server.ts';
import { reauthenticate } from './passwords/reauthentication.server.ts';
import { createSignInPriority } from './passwords/sign-in-priority.server.ts';
import { createProviders, type Providers } from './providers/configured-providers.server.ts';
import { grantIdToken } from './providers/id-token-grant.server.ts';
import { mountIdentities, mountProviderPages } from './providers/provider-routes.server.ts';
import { limitAddress } from './request-limits.server.ts';
import { mountSamlPages } from './saml/saml-routes.server.ts';
import { refreshMetadata } from './saml/sso-provider-management.server.ts';
import { startSso } from './saml/sso-sign-in.server.ts';
import { createRefreshTokens } from './sessions/refresh-token-format.server.ts';
import { listSessions, revokeSession } from './sessions/session-list.server.ts';
import { refreshSession } from './sessions/session-refresh.server.ts';
import { badToken, requirePerson, UNVERIFIED_TOKEN } from './sessions/session-require.server.ts';
import { signIn } from './sessions/sign-in.server.ts';
import { signOut } from './sessions/sign-out.server.ts';
import { exchangeCode } from './tokens/code-exchange.server.ts';
import { createSecretHashes } from './tokens/one-time-secret.server.ts';
import { verifyToken } from './tokens/token-verification.server.ts';
import { showVerifyPage, submitVerifyPage } from './tokens/verification-page.server.ts';
import { signUp } from './users/sign-up.server.ts';
import { updateUser } from './users/user-update.server.ts';
import { userBody } from './users/user-view.server.ts';

/** Largest body, bytes: requests here have only a handful of fields. */
const BODY_LIMIT = 64 * 1024;
const JWKS_SECONDS = 600;
const SWEEP_SECONDS = 3600;
const METADATA_SECONDS = 86_400;
const FORM = 'application/x-www-form-urlencoded';

/**
 * Mounts the auth service under `/auth/v1` (docs/contracts/platform.md §2) and its jobs; `passwordCost` is for tests.
 */
export function mountAuth(
  http: HttpContext,
  resources: Resources,
  onConfirmed: AfterConfirmation,
  passwordCost?: PasswordCost,
): void {
  const { keys, jobs } = resources;
  const context: AuthContext = {
    resources,
    http,
    refreshTokens: createRefreshTokens(keys),
    hashes: createSecretHashes(keys),
    passwords: createPasswords(passwordCost),
    signInPriority: createSignInPriority(),
    onConfirmed,
  };
  const providers = createProviders(resources);
  http.server.register(
    async (scope) => {
      readBodies(scope);
      mountOpenRoutes(context, scope);
      mountKeepPage(context, scope);
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
  declareAccountDeletion(context);
  declareAccountKeeping(context);
  defineAuthMailJob(context);
  defineNoticeJob(context);
  jobs.everyByOne('metadata of identity providers', METADATA_SECONDS, () => refreshMetadata(context));
  jobs.everyByOne('expired sign-in data', SWEEP_SECONDS, () => sweepAuth(resources));
}

/** Mounts routes that a browser opens from a mail, and routes with public information. */
function mountOpenRoutes(context: AuthContext, scope: FastifyInstance): void {
  const { resources } = context;
  scope.get('/.well-known/jwks.json', async (_request, reply) =>
    reply.header('cache-control', `public, max-age=${JWKS_SECONDS}`).send(await resources.tokens.jwks()),
  );
  scope.get('/settings', () => showSettings(context));
  scope.get('/health', showHealth);
  refuseDisabled(scope, 'OAuth server is disabled', ['/oauth/*', '/user/oauth/*']);
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
  // For older clients; the body says whether it is a mail address or a number.
  scope.post('/magiclink', byPeople, (request) => sendOneTimeLogin(context, request));
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

/** `POST /token`: by `grant_type`. @throws ServiceError 400 `invalid_credentials` for an unknown one, 422 `web3_provider_disabled` */
async function grantToken(
  context: AuthContext,
  providers: Providers,
  request: FastifyRequest,
): Promise<unknown> {
  await limitAddress(context, request, 'token');
  const { grant_type: grant } = request.query as { grant_type?: unknown };
  if (grant === 'password') return signIn(context, request);
  if (grant === 'refresh_token') return refreshSession(context, request);
  if (grant === 'pkce') return exchangeCode(context, request.body, clientOf(context, request));
  if (grant === 'id_token') return grantIdToken(context, providers, request);
  if (grant === 'web3') throw new ServiceError(422, 'web3_provider_disabled', 'Web3 provider is disabled');
  throw new ServiceError(400, 'invalid_credentials', 'unsupported_grant_type');
}

/**
 * Every call needs a key of this installation, as `apikey` or as bearer token (docs/contracts/platform.md
 * §1).
 */
async function requireKey({ http, resources }: AuthContext, request: FastifyRequest): Promise<void> {
  const { apikey, authorization } = request.headers;
  if (apikey === resources.keys.anon_key || apikey === resources.keys.service_role_key) return;
  // A valid key is enough here; the route itself reports what is wrong with a user's token.
  await http
    .authenticate(
      apikey === undefined ? { authorization } : { apikey },
      request.query as Record<string, unknown>,
    )
    .catch((error: unknown) => {
      const isBearer = apikey === undefined && error instanceof ServiceError && error.code === 'bad_jwt';
      throw isBearer ? badToken(UNVERIFIED_TOKEN) : error;
    });
}

/** Clients also mark calls without a body as JSON; the page of mail links sends a form. */
function readBodies(scope: FastifyInstance): void {
  const parseJson = storableJsonParser(scope);
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    (request, body, done) => {
      if (body === '') done(null, {});
      else void parseJson(request, body as string, done);
    },
  );
  scope.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}
