import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import { type JsonBytes, jsonFields, jsonList, sendJson } from '../../../kernel/http/json-slices.ts';
import { isKnownHash } from '../../../kernel/resources/crypto/passwords.ts';
import { type Queries, sqlState } from '../../../kernel/resources/database/database.ts';
import { deleteAccount } from '../account/account-deletion.server.ts';
import { writeAudit } from '../audit-log.server.ts';
import { type AuthContext, clientOf } from '../auth-context.server.ts';
import { invalidInput } from '../auth-error.server.ts';
import { notifyOwner } from '../mails/owner-notices.server.ts';
import { passwordRules, requireStrongPassword } from '../passwords/password-strength.server.ts';
import { phoneExists } from '../phones/phone-change.server.ts';
import { setProviders } from '../providers/identity-store.server.ts';
import { mergeMetadata, readBody, readEmail, readPhone } from '../request-input.server.ts';
import { dropTokens } from '../tokens/one-time-token.server.ts';
import { createUser, setEmailIdentity, setPhoneIdentity } from '../users/user-creation.server.ts';
import {
  findUser,
  lockMetadata,
  reloadUser,
  USER_COLUMNS,
  type UserRow,
} from '../users/user-lookup.server.ts';
import { emailExists } from '../users/user-update.server.ts';
import { userBody } from '../users/user-view.server.ts';
import { ADMIN_BODIES, type AdminUserInput, readBanSeconds } from './admin-input.server.ts';

const PER_PAGE = 50;
const MOST_PER_PAGE = 1000;
/** A page of this size or more is expensive and waits in a queue. */
const LARGE_PAGE = 100;

/**
 * `GET /admin/users?page&per_page&filter`: `{users, aud}`, newest first, with
 * `X-Total-Count` and a `Link` header whose first query parameter is the page (docs/contracts/platform.md §2).
 */
export async function listUsers(context: AuthContext, request: FastifyRequest, reply: FastifyReply) {
  const query = request.query as Record<string, unknown>;
  const page = readCount(query.page, 1, Number.MAX_SAFE_INTEGER / MOST_PER_PAGE);
  const perPage = readCount(query.per_page, PER_PAGE, MOST_PER_PAGE);
  const filter = typeof query.filter === 'string' ? query.filter.toLowerCase().slice(0, 200) : '';
  const { database } = context.resources;
  const where = `from auth.users u where deleted_at is null
    and ($1 = '' or strpos(coalesce(email, ''), $1) > 0 or strpos(coalesce(phone, ''), $1) > 0 or strpos(lower(coalesce(raw_user_meta_data ->> 'full_name', '')), $1) > 0)`;
  const find = async (): Promise<JsonBytes> => {
    const { total } = await database.one(`select count(*)::int as total ${where}`, [filter]);
    const rows = await database.many(
      `select ${USER_COLUMNS} ${where}
     order by created_at desc, id limit $2 offset $3`,
      [filter, perPage, (page - 1) * perPage],
    );
    const lastPage = Math.max(1, Math.ceil(total / perPage));
    const link = (to: number, rel: string) =>
      `</auth/v1/admin/users?page=${to}&per_page=${perPage}>; rel="${rel}"`;
    reply.headers({
      'x-total-count': String(total),
      link: [...(page < lastPage ? [link(page + 1, 'next')] : []), link(lastPage, 'last')].join(', '),
    });
    return jsonFields({ users: await jsonList(rows as UserRow[], userBody), aud: 'authenticated' });
  };
  const { agency } = context.http.heavyQueues;
  return sendJson(reply, await (perPage >= LARGE_PAGE ? agency.run('accounts', find) : find()));
}

function readCount(value: unknown, fallback: number, most: number): number {
  if (value === undefined || value === '') return fallback;
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1)
    throw invalidInput('page and per_page must be whole numbers from 1');
  return Math.min(count, most);
}

/** `GET /admin/users/{id}` @throws ServiceError 404 `user_not_found` */
export async function showUser(context: AuthContext, request: FastifyRequest) {
  return userBody(await userOf(context.resources.database, request));
}

/** The account named in the path `…/users/{id}`. @throws ServiceError 404 */
export async function userOf(queries: Queries, request: FastifyRequest): Promise<UserRow> {
  const { id } = request.params as { id: string };
  if (!isUuid(id)) throw new ServiceError(404, 'validation_failed', 'user_id must be an UUID');
  const user = await findUser(queries, id);
  if (user === undefined) throw new ServiceError(404, 'user_not_found', 'User not found');
  return user;
}

/**
 * `POST /admin/users`: creates an account and sends no mail. @throws ServiceError 422 `email_exists`,
 * `phone_exists`, `weak_password`
 */
export async function addUser(context: AuthContext, request: FastifyRequest) {
  const body = readBody(ADMIN_BODIES.user, request.body);
  if (!body.email && !body.phone) throw invalidInput('Cannot create a user without either an email or phone');
  const account = {
    id: body.id ?? undefined,
    email: body.email ? readEmail(body.email) : null,
    phone: body.phone ? readPhone(body.phone) : null,
    metadata: body.user_metadata ?? {},
    passwordHash: (await passwordHashOf(context, body, body.email ?? '')) ?? null,
  };
  const user = await context.resources.database
    .transaction(async (queries) => {
      const confirmed = account.email === null ? body.phone_confirm : body.email_confirm;
      const created = await createUser(queries, account, confirmed === true);
      if (created === undefined) throw account.email === null ? phoneExists() : emailExists();
      await writeAudit(queries, {
        action: 'user_signedup',
        actorId: created.id,
        client: clientOf(context, request),
        payload: { by: 'admin' },
      });
      await applyOther(queries, created, body);
      return reloadUser(queries, created.id);
    })
    .catch(takenAddress);
  return userBody(user);
}

/** `PUT /admin/users/{id}`; an empty `phone` takes the number away. @throws ServiceError 404 `user_not_found`; 422 `email_exists`, `phone_exists`, `weak_password` */
export async function changeUser(context: AuthContext, request: FastifyRequest) {
  const body = readBody(ADMIN_BODIES.user, request.body);
  const { database } = context.resources;
  const before = await userOf(database, request);
  const email = body.email ? readEmail(body.email) : before.email;
  const phone = readNewPhone(body, before, email);
  const passwordHash = await passwordHashOf(context, body, email ?? '');
  const user = await database
    .transaction(async (queries) => {
      if (email !== null && email !== before.email) {
        await queries.run('update auth.users set email = $2 where id = $1', [before.id, email]);
        await setEmailIdentity(queries, before.id, email, true);
        await dropTokens(queries, before.id);
        await notifyOwner(context, queries, before, {
          kind: 'email-changed',
          variables: { newAddress: email },
        });
      }
      await setPhone(context, queries, before, phone);
      if (email !== null || phone !== null) {
        await queries.run('update auth.users set is_anonymous = false where id = $1', [before.id]);
      }
      if (body.email_confirm === true) {
        await queries.run(
          'update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()) where id = $1',
          [before.id],
        );
      }
      if (passwordHash !== undefined) {
        await queries.run('update auth.users set encrypted_password = $2 where id = $1', [
          before.id,
          passwordHash,
        ]);
        await queries.run('delete from auth.sessions where user_id = $1', [before.id]);
        await dropTokens(queries, before.id);
        await notifyOwner(context, queries, before, { kind: 'password-changed', variables: {} });
      }
      if (body.user_metadata) {
        const { raw_user_meta_data: present } = await lockMetadata(queries, before.id);
        await queries.run('update auth.users set raw_user_meta_data = $2 where id = $1', [
          before.id,
          JSON.stringify(mergeMetadata(present, body.user_metadata)),
        ]);
      }
      await applyOther(queries, before, body);
      await queries.run('update auth.users set updated_at = now() where id = $1', [before.id]);
      await writeAudit(queries, {
        action: 'user_modified',
        actorId: before.id,
        client: clientOf(context, request),
        payload: { by: 'admin' },
      });
      return reloadUser(queries, before.id);
    })
    .catch(takenAddress);
  return userBody(user);
}

/**
 * The number that an account has after a change: an empty one and null take it away.
 *
 * @throws ServiceError 400 `validation_failed` when the account would have no address left
 */
function readNewPhone(body: AdminUserInput, before: UserRow, email: string | null): string | null {
  if (body.phone) return readPhone(body.phone);
  if (body.phone === undefined || before.phone === null) return before.phone;
  if (email === null) throw invalidInput('An account needs an email address or a phone number');
  return null;
}

/** Gives the account another number, or takes its number away with the identity; tells the owner. */
async function setPhone(
  context: AuthContext,
  queries: Queries,
  user: UserRow,
  phone: string | null,
): Promise<void> {
  if (phone === user.phone) return;
  if (phone === null) {
    await queries.run(
      'update auth.users set phone = null, phone_confirmed_at = null, phone_change = null where id = $1',
      [user.id],
    );
    await queries.run("delete from auth.identities where user_id = $1 and provider = 'phone'", [user.id]);
    await setProviders(queries, user.id);
    await notifyOwner(context, queries, user, {
      kind: 'sign-in-removed',
      variables: { way: `+${user.phone}` },
    });
  } else {
    await queries.run('update auth.users set phone = $2 where id = $1', [user.id, phone]);
    await setPhoneIdentity(queries, user.id, phone, true);
    await notifyOwner(context, queries, user, {
      kind: 'phone-changed',
      variables: { newPhone: `+${phone}` },
    });
  }
  await dropTokens(queries, user.id);
}

/**
 * Throws the error for a unique constraint, whose name tells which value was taken. @throws ServiceError 422
 */
function takenAddress(error: unknown): never {
  const constraint = sqlState(error)?.constraint;
  if (constraint === 'users_email_key') throw emailExists();
  if (constraint === 'users_phone_key') throw phoneExists();
  if (constraint !== 'users_pkey') throw error;
  throw new ServiceError(422, 'user_already_exists', 'A user with this id already exists');
}

/** The changes that both calls share: the number's confirmation, app metadata and the ban. */
async function applyOther(queries: Queries, user: UserRow, body: AdminUserInput): Promise<void> {
  if (body.phone_confirm === true) {
    await queries.run(
      'update auth.users set phone_confirmed_at = coalesce(phone_confirmed_at, now()) where id = $1',
      [user.id],
    );
  }
  if (body.app_metadata) {
    const { raw_app_meta_data: present } = await lockMetadata(queries, user.id);
    await queries.run('update auth.users set raw_app_meta_data = $2 where id = $1', [
      user.id,
      JSON.stringify(mergeMetadata(present, body.app_metadata)),
    ]);
  }
  if (body.ban_duration) {
    await queries.run(
      'update auth.users set banned_until = case when $2::float8 > 0 then now() + make_interval(secs => $2::float8) end where id = $1',
      [user.id, readBanSeconds(body.ban_duration)],
    );
  }
}

async function passwordHashOf(
  context: AuthContext,
  body: AdminUserInput,
  email: string,
): Promise<string | undefined> {
  if (body.password_hash) {
    if (!isKnownHash(body.password_hash)) {
      throw invalidInput('password_hash has to be a bcrypt or argon2 hash');
    }
    return body.password_hash;
  }
  if (!body.password) return undefined;
  const { settings } = context.resources;
  const { BRAND: brand } = settings;
  requireStrongPassword(body.password, passwordRules(settings), {
    email,
    metadata: body.user_metadata ?? {},
    brand,
  });
  return context.passwords.hash(body.password);
}

/**
 * `DELETE /admin/users/{id}`: deletes the row, or with `should_soft_delete` only everything that identifies
 * the person.
 * @trigger auth.users delete_objects_of_user
 * @trigger auth.users end_subscriptions_of_user
 * @trigger auth.users end_subscriptions_of_hidden_user
 * @trigger auth.users leave_team
 * @trigger auth.users delete_picture
 * @trigger auth.users user_barred
 */
export async function removeUser(context: AuthContext, request: FastifyRequest) {
  const { should_soft_delete: soft } = readBody(ADMIN_BODIES.deletion, request.body);
  await context.resources.database.transaction(async (queries) => {
    const user = await userOf(queries, request);
    if (soft) {
      await queries.run(
        `update auth.users set deleted_at = now(), email = null, phone = null, encrypted_password = null,
           email_change = null, phone_change = null, raw_user_meta_data = '{}', raw_app_meta_data = '{}'
         where id = $1`,
        [user.id],
      );
      await queries.run('delete from auth.identities where user_id = $1', [user.id]);
      await dropTokens(queries, user.id);
    } else {
      await deleteAccount(queries, user.id);
    }
    await writeAudit(queries, {
      action: 'user_deleted',
      actorId: user.id,
      client: clientOf(context, request),
      payload: { soft: soft === true },
    });
  });
  return {};
}
