import type { FastifyRequest } from 'fastify';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Passwords } from '../../kernel/resources/crypto/passwords.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { LoginThrottle } from './passwords/login-throttle.server.ts';
import type { RefreshTokens } from './sessions/refresh-token.server.ts';
import type { SecretHashes } from './tokens/secret-hash.server.ts';

/** What every route of the auth service works with. */
export interface AuthContext {
  readonly resources: Resources;
  readonly http: HttpContext;
  readonly refreshTokens: RefreshTokens;
  readonly hashes: SecretHashes;
  readonly passwords: Passwords;
  /** Accounts and network addresses of wrong and right passwords: they say who waits behind whom. */
  readonly loginThrottle: LoginThrottle;
  readonly onConfirmed: AfterConfirmation;
}

/**
 * What other features do for a new account, in the transaction that confirms its address for the first time, with the
 * network address of who confirmed it.
 */
export type AfterConfirmation = (
  queries: Queries,
  account: { readonly id: string; readonly email: string },
  address: string,
) => Promise<void>;

/** Who asked, as far as sessions and the audit log keep it. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

/**
 * What the steps of one operation share: `queries` is its transaction, or the database where one
 * statement is enough. `client` is undefined where a job does the work and nobody is asking.
 */
export interface AuthOperation<Asking extends Client | undefined = Client> {
  readonly context: AuthContext;
  readonly queries: Queries;
  readonly client: Asking;
}

const MAX_USER_AGENT = 300;

/** Address and browser of a request. */
export function clientOf(context: AuthContext, request: FastifyRequest): Client {
  return {
    address: context.http.addressOf(request),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
  };
}
