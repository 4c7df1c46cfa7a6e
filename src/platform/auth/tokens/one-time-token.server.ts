import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { AuthContext } from '../auth-context.server.ts';
import { newCode, newSecret } from './one-time-secret.server.ts';

/** The purpose of a one-time token. A user has one token of each type; a newer one replaces it. */
export type TokenType =
  | 'confirmation'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change_current'
  | 'email_change_new'
  | 'reauthentication'
  | 'phone_confirmation'
  | 'phone_login'
  | 'phone_change';

/** A token as mails contain it: six digits to type, or a long secret inside the link. */
export interface IssuedToken {
  readonly code: string;
  readonly link: string;
}

/** A valid token that has just been used up. */
export interface ConsumedToken {
  readonly user_id: string;
  readonly token_type: TokenType;
  readonly relates_to: string;
  readonly flow_state_id: string | null;
}

/** Life of mailed tokens, seconds (docs/contracts/platform.md §6). */
export const MAIL_TOKEN_SECONDS = 3600;
/** After this many wrong codes, only the link of that mail still works (docs/contracts/platform.md §6). */
const MAX_TRIES = 5;
/**
 * Marks links that send their visitor back with a code and not with a session (docs/contracts/platform.md §6,
 * PKCE).
 */
const PKCE_PREFIX = 'pkce_';

/** Makes a token of this type for a user, which replaces an older one. */
export async function issueToken(
  context: AuthContext,
  queries: Queries,
  token: {
    userId: string;
    type: TokenType;
    address: string;
    flowStateId?: string | undefined;
    /** Life of a token that is not sent by mail. */
    seconds?: number;
  },
): Promise<IssuedToken> {
  const code = newCode();
  const link = `${token.flowStateId === undefined ? '' : PKCE_PREFIX}${newSecret()}`;
  await queries.run(
    `insert into auth.one_time_tokens
       (user_id, token_type, relates_to, code_hash, link_hash, flow_state_id, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
     on conflict (user_id, token_type) do update set
       relates_to = excluded.relates_to, code_hash = excluded.code_hash, link_hash = excluded.link_hash,
       flow_state_id = excluded.flow_state_id, expires_at = excluded.expires_at, tries = 0, created_at = now()`,
    [
      token.userId,
      token.type,
      token.address,
      context.hashes.code(token.type, token.address, code),
      context.hashes.link(link),
      token.flowStateId ?? null,
      token.seconds ?? MAIL_TOKEN_SECONDS,
    ],
  );
  return { code, link };
}

/** Whether a link is still valid; changes nothing, so that mail scanners cannot use it up. */
export async function isLinkAlive(
  context: AuthContext,
  types: readonly TokenType[],
  link: string,
): Promise<boolean> {
  const row = await context.resources.database.maybe(
    'select 1 from auth.one_time_tokens where link_hash = $1 and token_type = any ($2) and expires_at > now()',
    [context.hashes.link(link), types],
  );
  return row !== undefined;
}

/** Uses up the token of a link; undefined when it is not valid. */
export function consumeLink(
  context: AuthContext,
  queries: Queries,
  types: readonly TokenType[],
  link: string,
): Promise<ConsumedToken | undefined> {
  return queries.maybe(
    `delete from auth.one_time_tokens where link_hash = $1 and token_type = any ($2) and expires_at > now()
     returning user_id, token_type, relates_to, flow_state_id`,
    [context.hashes.link(link), types],
  );
}

/** A code as somebody typed it, for a mail address or a number. */
export interface TypedCode {
  readonly types: readonly TokenType[];
  readonly address: string;
  readonly code: string;
  /** Only this user's token is accepted; any user's when left out. */
  readonly userId?: string;
}

/**
 * Uses up the token whose code was typed for an address; undefined when none is valid. A wrong code counts as
 * a try against every token that it may have been meant for, so commit the transaction in that case too.
 */
export async function consumeCode(
  context: AuthContext,
  queries: Queries,
  typed: TypedCode,
): Promise<ConsumedToken | undefined> {
  const { types, address, code, userId } = typed;
  const rows = await queries.many(
    `select id, user_id, token_type, relates_to, flow_state_id, code_hash from auth.one_time_tokens
     where relates_to = $1 and token_type = any ($2) and expires_at > now() and code_hash is not null
       and ($3::uuid is null or user_id = $3)
     order by id for update`,
    [address, types, userId ?? null],
  );
  const given = code.replace(/\s/g, '');
  const right = rows.find((row) => {
    const hash = context.hashes.code(row.token_type, address, given);
    return equalSecrets(hash.toString('base64'), row.code_hash?.toString('base64') ?? '');
  });
  if (right === undefined) {
    await queries.run(
      `update auth.one_time_tokens set tries = tries + 1,
         code_hash = case when tries + 1 >= $2 then null else code_hash end
       where id = any ($1)`,
      [rows.map((row) => row.id), MAX_TRIES],
    );
    return undefined;
  }
  await queries.run('delete from auth.one_time_tokens where id = $1', [right.id]);
  return right;
}

/** Deletes every token of a user, after a change of password or address (docs/contracts/platform.md §6). */
export async function dropTokens(queries: Queries, userId: string): Promise<void> {
  await queries.run('delete from auth.one_time_tokens where user_id = $1', [userId]);
}
