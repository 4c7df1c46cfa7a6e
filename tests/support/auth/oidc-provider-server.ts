import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** A person at the provider, with their claims. */
export interface ProviderPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
}

/**
 * A real OpenID provider on this machine. Without asking, it signs in the person in `login_hint`, or else the
 * newest one.
 */
export interface LocalOidcProvider {
  readonly issuer: string;
  /** host:port, for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  readonly people: Map<string, ProviderPerson>;
  /** Registers the client `northline`, once the application's address is known. */
  open(redirectUri: string): void;
  /** A token signed by the provider's own key, with any claims. */
  sign(claims: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export const CLIENT_ID = 'northline';
export const CLIENT_SECRET = 'a client secret of this test run';
const KEY_ID = 'test-key';

/** Starts the provider; it answers once `open` has been called. */
export async function startOidcProvider(): Promise<LocalOidcProvider> {
  const people = new Map<string, ProviderPerson>();
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: KEY_ID, alg: 'ES256', use: 'sig' };
  let answer: http.RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = http.createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}`;
  const sign: LocalOidcProvider['sign'] = (claims) =>
    new SignJWT({ iss: issuer, aud: CLIENT_ID, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: KEY_ID })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
  return {
    issuer,
    host,
    people,
    open(redirectUri) {
      const provider = newProvider(issuer, redirectUri, people, key);
      const standard = provider.callback();
      answer = (request, response) => {
        if (request.url === '/test-token') void giveToken(sign, response);
        else if (request.url?.startsWith('/interaction/')) void agree(provider, people, request, response);
        else standard(request, response);
      };
    },
    sign,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An ID token for a new person, for any page that asks. */
async function giveToken(sign: LocalOidcProvider['sign'], response: http.ServerResponse): Promise<void> {
  const sub = randomUUID();
  const token = await sign({ sub, email: `${sub}@customers.example`, email_verified: true });
  response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/plain' }).end(token);
}

function newProvider(
  issuer: string,
  redirectUri: string,
  people: ReadonlyMap<string, ProviderPerson>,
  key: Record<string, unknown>,
): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key as never] },
    cookies: { keys: ['a cookie key of this test run'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}` },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_ctx: unknown, sub: string) => {
      const person = people.get(sub);
      return person && { accountId: sub, claims: async () => ({ ...person }) };
    },
  });
}

/**
 * Does what a person would click: signs in as the hinted one, and allows everything. `refuse` in the hint
 * refuses.
 */
async function agree(
  provider: Provider,
  people: ReadonlyMap<string, ProviderPerson>,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const { params, prompt, session } = await provider.interactionDetails(request, response);
  const hint = String(params.login_hint ?? [...people.keys()].at(-1));
  if (hint === 'refuse') {
    const result = { error: 'access_denied', error_description: 'The person said no' };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: hint } });
  }
  const grant = new provider.Grant({
    accountId: session?.accountId ?? hint,
    clientId: String(params.client_id),
  });
  grant.addOIDCScope(String(params.scope));
  const grantId = await grant.save();
  return provider.interactionFinished(
    request,
    response,
    { consent: { grantId } },
    { mergeWithLastSubmission: true },
  );
}
