import type { FastifyRequest } from 'fastify';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Passwords } from '../../kernel/resources/crypto/passwords.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { SignInPriority } from './passwords/sign-in-priority.server.ts';
import type { RefreshTokens } from './sessions/refresh-token-format.server.ts';
import type { SecretHashes } from './tokens/one-time-secret.server.ts';

/** What every route of the auth service needs. */
export interface AuthContext {
  readonly resources: Resources;
  readonly http: HttpContext;
  readonly refreshTokens: RefreshTokens;
  readonly hashes: SecretHashes;
  readonly passwords: Passwords;
  /**
   * Recent wrong and right passwords by account and network address; they decide the order in which password
   * checks wait.
   */
  readonly signInPriority: SignInPriority;
  readonly onConfirmed: AfterConfirmation;
}

/**
 * What other features do for a new account. They run in the transaction that confirms its address for the
 * first time, and get the network address from which it was confirmed.
 */
export type AfterConfirmation = (
  queries: Queries,
  account: { readonly id: string; readonly email: string },
  address: string,
) => Promise<void>;

/** The client that sent a request, as sessions and the audit log record it. */
export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

/**
 * What the steps of one operation share. `queries` is its transaction, or the database where one statement is
 * enough. `client` is undefined when a job does the work without a request.
 */
export interface AuthOperation<Asking extends Client | undefined = Client> {
  readonly context: AuthContext;
  readonly queries: Queries;
  readonly client: Asking;
}

const MAX_USER_AGENT = 300;

/** Network address and browser of a request. */
export function clientOf(context: AuthContext, request: FastifyRequest): Client {
  return {
    address: context.http.addressOf(request),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
  };
}
