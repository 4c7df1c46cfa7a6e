import type { Queries } from '../../../kernel/resources/database/database.ts';
import { prepared } from '../../../kernel/resources/database/prepared-statements.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'auth.users.raw_app_meta_data': Record<string, unknown>;
    'auth.users.raw_user_meta_data': Record<string, unknown>;
  }
}

/** One identity of a user, as stored. */
export interface IdentityRow {
  readonly id: string;
  readonly user_id: string;
  readonly provider: string;
  readonly provider_id: string;
  readonly identity_data: Record<string, unknown>;
  readonly email: string | null;
  readonly last_sign_in_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A second factor of an account, without its secret. */
export interface FactorView {
  readonly id: string;
  readonly friendly_name: string | null;
  readonly factor_type: string;
  readonly status: 'unverified' | 'verified';
  readonly phone: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_challenged_at: string | null;
}

/** An account with its identities and second factors. */
export interface UserRow {
  readonly id: string;
  readonly aud: string;
  readonly role: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly encrypted_password: string | null;
  readonly email_confirmed_at: Date | null;
  readonly phone_confirmed_at: Date | null;
  readonly invited_at: Date | null;
  readonly confirmation_sent_at: Date | null;
  readonly recovery_sent_at: Date | null;
  readonly reauthentication_sent_at: Date | null;
  readonly email_change: string | null;
  readonly email_change_sent_at: Date | null;
  readonly phone_change: string | null;
  readonly phone_change_sent_at: Date | null;
  readonly last_sign_in_at: Date | null;
  readonly raw_app_meta_data: Record<string, unknown>;
  readonly raw_user_meta_data: Record<string, unknown>;
  /** Language of the browser at sign-up. */
  readonly locale: string | null;
  readonly is_sso_user: boolean;
  readonly is_anonymous: boolean;
  /** Infinity for a ban without an end that SQL set. */
  readonly banned_until: Date | number | null;
  readonly deleted_at: Date | null;
  /** When the account will be deleted, because its owner asked for it. */
  readonly deletion_due_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly identities: IdentityRow[];
  readonly factors: FactorView[];
}

/** The columns of a UserRow, of `auth.users u`. */
export const USER_COLUMNS = `u.id, u.aud, u.role, u.email, u.phone, u.encrypted_password, u.email_confirmed_at, u.phone_confirmed_at,
    u.invited_at, u.confirmation_sent_at, u.recovery_sent_at, u.reauthentication_sent_at, u.email_change,
    u.email_change_sent_at, u.phone_change, u.phone_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data,
    u.raw_user_meta_data, u.locale, u.is_sso_user, u.is_anonymous, u.banned_until, u.deleted_at,
    u.deletion_due_at, u.created_at, u.updated_at, coalesce((
    select jsonb_agg(to_jsonb(i) order by i.created_at, i.id) from auth.identities i where i.user_id = u.id
  ), '[]') as identities, coalesce((
    select jsonb_agg(to_jsonb(f) - 'secret' - 'last_step' order by f.created_at, f.id)
    from auth.mfa_factors f where f.user_id = u.id
  ), '[]') as factors`;

const SELECT = `select ${USER_COLUMNS} from auth.users u`;

/** The account with this id, unless it was deleted. */
export function findUser(queries: Queries, id: string): Promise<UserRow | undefined> {
  return queries.maybe(`${SELECT} where u.id = $1 and u.deleted_at is null`, [id]) as Promise<
    UserRow | undefined
  >;
}

type UserInSession = UserRow & { readonly session_used_counter: string | null };

/** The account, with the refresh counter of one of its sessions: null when that session no longer exists. */
export function findUserInSession(
  queries: Queries,
  id: string,
  sessionId: string,
): Promise<UserInSession | undefined> {
  return queries.maybe(IN_SESSION, [id, sessionId]) as Promise<UserInSession | undefined>;
}

const BY_EMAIL = prepared(`${SELECT} where u.email = $1 and not u.is_sso_user and u.deleted_at is null`);
const IN_SESSION = prepared(
  `select ${USER_COLUMNS}, s.used_counter as session_used_counter from auth.users u
     left join auth.sessions s on s.id = $2 and s.user_id = u.id and coalesce(s.not_after > now(), true)
     where u.id = $1 and u.deleted_at is null`,
);

/** The account that owns a lower-case address. */
export function findUserByEmail(queries: Queries, email: string): Promise<UserRow | undefined> {
  return queries.maybe(BY_EMAIL, [email]) as Promise<UserRow | undefined>;
}

/** The account that owns a number, given as digits. */
export function findUserByPhone(queries: Queries, phone: string): Promise<UserRow | undefined> {
  return queries.maybe(`${SELECT} where u.phone = $1 and u.deleted_at is null`, [phone]) as Promise<
    UserRow | undefined
  >;
}

/** Reads the same account again after a change. */
export async function reloadUser(queries: Queries, id: string): Promise<UserRow> {
  return queries.one(`${SELECT} where u.id = $1`, [id]) as Promise<UserRow>;
}

/** Reads an account's metadata and locks them until the transaction ends. */
export function lockMetadata(
  queries: Queries,
  id: string,
): Promise<Pick<UserRow, 'raw_user_meta_data' | 'raw_app_meta_data'>> {
  return queries.one(
    'select raw_user_meta_data, raw_app_meta_data from auth.users where id = $1 for no key update',
    [id],
  );
}

/** Whether the account is banned now. */
export function isBanned(user: Pick<UserRow, 'banned_until'>): boolean {
  return user.banned_until !== null && Number(user.banned_until) > Date.now();
}
