import type { FastifyRequest } from 'fastify';
import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import type { SecretHashes } from './hash-secret.server.ts';
import type { RefreshTokens } from './refresh-token.server.ts';

/** What every route of the auth service works with. */
export interface AuthContext {
  readonly resources: Resources;
  readonly door: Door;
  readonly refreshTokens: RefreshTokens;
  readonly hashes: SecretHashes;
}

/** Who asked, as far as sessions and the audit log keep it. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

const MAX_USER_AGENT = 300;

/** Address and browser of a request. */
export function clientOf(context: AuthContext, request: FastifyRequest): Client {
  return {
    address: context.door.addressOf(request),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
  };
}
