import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** An OpenID issuer with only the required parts: no userinfo endpoint, everything in the ID token. */
export interface BareIssuer {
  readonly issuer: string;
  /** host:port, for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  /** The claims of the next ID tokens besides issuer, audience, nonce and times. */
  claims: JWTPayload;
  /** Whether its description names its keys. */
  namesKeys: boolean;
  close(): Promise<void>;
}

/** Starts one; its only client is `clientId`, with any secret. */
export async function startBareIssuer(clientId: string): Promise<BareIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bare', alg: 'ES256', use: 'sig' }];
  const server = http.createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}`;
  const bare: BareIssuer = {
    issuer,
    host,
    claims: {},
    namesKeys: true,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  let nonce = '';
  const description = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    ...(bare.namesKeys ? { jwks_uri: `${issuer}/keys` } : {}),
  });
  const token = async () => ({
    access_token: 'bare',
    token_type: 'bearer',
    id_token: await new SignJWT({ iss: issuer, aud: clientId, nonce, ...bare.claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'bare' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey),
  });
  server.on('request', async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { pathname, searchParams: asked } = new URL(request.url ?? '', issuer);
    if (pathname === '/authorize') {
      nonce = asked.get('nonce') ?? '';
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.search = String(new URLSearchParams({ code: 'code', state: asked.get('state') ?? '' }));
      response.writeHead(302, { location: back.href }).end();
      return;
    }
    const body = pathname === '/token' ? await token() : pathname === '/keys' ? { keys } : description();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return bare;
}
