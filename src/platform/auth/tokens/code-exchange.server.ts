import { createHash } from 'node:crypto';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { writeAudit } from '../audit-log.server.ts';
import type { AuthContext, Client } from '../auth-context.server.ts';
import { invalidInput, userBanned } from '../auth-error.server.ts';
import { BODIES, type Challenge, readBody } from '../request-input.server.ts';
import {
  type SessionRow,
  type SignInMethod,
  sessionBody,
  startSession,
} from '../sessions/session-issue.server.ts';
import { findUser, isBanned } from '../users/user-lookup.server.ts';
import { newSecret } from './one-time-secret.server.ts';
import { openText } from './sealed-text.server.ts';

/**
 * Seconds between the redirect with a code and its exchange (docs/contracts/platform.md §6: at least 300; ASVS 10.4.3:
 * at most 600).
 */
const CODE_SECONDS = 300;

interface FlowRow {
  readonly id: string;
  readonly user_id: string;
  readonly authentication_method: SignInMethod;
  readonly code_challenge: string;
  readonly code_challenge_method: string;
  readonly fresh: boolean;
  /** The identity's provider, when another provider vouched for the person. */
  readonly provider: string | null;
  /** Sealed. */
  readonly provider_tokens: Buffer | null;
  readonly session_id: string | null;
}

/** Stores the challenge of a person who will come back with a code (RFC 7636). Returns its id. */
export async function saveChallenge(
  queries: Queries,
  userId: string,
  method: SignInMethod,
  challenge: Challenge,
): Promise<string> {
  const { id } = await queries.one(
    `insert into auth.flow_state (user_id, authentication_method, code_challenge, code_challenge_method)
     values ($1, $2, $3, $4) returning id`,
    [userId, method, challenge.challenge, challenge.method],
  );
  return id;
}

/** The single-use code for the redirect; undefined when the challenge no longer exists. */
export async function issueCode(
  context: AuthContext,
  queries: Queries,
  flowStateId: string,
): Promise<string | undefined> {
  const code = newSecret();
  const changed = await queries.run(
    `update auth.flow_state set auth_code_hash = $2, auth_code_issued_at = now()
     where id = $1 and auth_code_hash is null`,
    [flowStateId, context.hashes.link(code)],
  );
  return changed === 1 ? code : undefined;
}

/**
 * `POST /token?grant_type=pkce`: a session for a code and the verifier of its challenge.
 * A second exchange of one code ends the session of the first (docs/security-attacks.md, attack 3).
 *
 * @throws ServiceError 400 `validation_failed`, 404 `flow_state_not_found`, 422 `flow_state_expired`, 400 `bad_code_verifier`
 */
export async function exchangeCode(context: AuthContext, body: unknown, client: Client) {
  const { auth_code: code, code_verifier: verifier } = readBody(BODIES.exchange, body);
  if (code === '' || verifier === '') {
    throw invalidInput('invalid request: both auth code and code verifier should be non-empty');
  }
  const outcome = await context.resources.database.transaction(async (queries) => {
    const flow = (await queries.maybe(
      `select id, user_id /* not null */, authentication_method, code_challenge, code_challenge_method, provider, provider_tokens,
         session_id, auth_code_issued_at > now() - make_interval(secs => $2) as fresh /* not null */
       from auth.flow_state where auth_code_hash = $1 for update`,
      [context.hashes.link(code), CODE_SECONDS],
    )) as FlowRow | undefined;
    if (flow === undefined) return notFound();
    if (flow.session_id !== null) {
      await queries.run('delete from auth.sessions where id = $1', [flow.session_id]);
      await queries.run('delete from auth.flow_state where id = $1', [flow.id]);
      await writeAudit(queries, {
        action: 'token_revoked',
        actorId: flow.user_id,
        client,
        payload: { cause: 'code exchanged twice' },
      });
      return notFound();
    }
    if (!flow.fresh) {
      await queries.run('delete from auth.flow_state where id = $1', [flow.id]);
      return new ServiceError(422, 'flow_state_expired', 'invalid flow state, flow state has expired');
    }
    if (!fitsChallenge(flow, verifier)) {
      return new ServiceError(
        400,
        'bad_code_verifier',
        'code challenge does not match previously saved code verifier',
      );
    }
    const user = await findUser(queries, flow.user_id);
    if (user === undefined) return notFound();
    if (isBanned(user)) return userBanned(400);
    const session = await startSession({ context, queries, client }, user, {
      method: flow.authentication_method,
      provider: flow.provider ?? undefined,
    });
    await queries.run('update auth.flow_state set session_id = $2, provider_tokens = null where id = $1', [
      flow.id,
      session.id,
    ]);
    return { session, extra: providerTokens(context, flow) };
  });
  if (outcome instanceof ServiceError) throw outcome;
  return sessionBody(context, context.resources.database, outcome.session satisfies SessionRow, {
    extra: outcome.extra,
  });
}

/** The provider's own tokens of a person who signed in by it: returned once, then deleted. */
function providerTokens({ resources }: AuthContext, flow: FlowRow): Record<string, unknown> {
  if (flow.provider_tokens === null) return {};
  return JSON.parse(openText(resources.keys, flow.provider_tokens)) as Record<string, unknown>;
}

function notFound(): ServiceError {
  return new ServiceError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
}

function fitsChallenge(flow: FlowRow, verifier: string): boolean {
  const derived =
    flow.code_challenge_method === 's256'
      ? createHash('sha256').update(verifier).digest('base64url')
      : verifier;
  return equalSecrets(derived, flow.code_challenge);
}
