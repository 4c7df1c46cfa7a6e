import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { isUuid } from '../../kernel/contract/uuid.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { OutboundBlocked } from '../../kernel/resources/outbound-http/outbound-http.ts';
import { isCurvePoint } from '../../kernel/resources/push/push-message.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { LONGEST_ENDPOINT, MOST_DEVICES, type PushDevices } from './push-devices.contract.ts';

const KEY_BYTES = 65;
const SECRET_BYTES = 16;
const LONGEST_NAME = 300;

const bytes = (count: number) =>
  z
    .string()
    .regex(/^[\w-]{1,100}={0,2}$/)
    .transform((text) => Buffer.from(text, 'base64url'))
    .refine((decoded) => decoded.length === count, { error: `must be ${count} bytes, base64url` });
const SUBSCRIPTION = z.object({
  endpoint: z.url().max(LONGEST_ENDPOINT),
  keys: z.object({
    p256dh: bytes(KEY_BYTES).refine(isCurvePoint, { error: 'must be a point of P-256' }),
    auth: bytes(SECRET_BYTES),
  }),
});
type Subscription = z.output<typeof SUBSCRIPTION>;

/** Mounts the functions by which browsers get notices (decision 0476). */
export function mountPush(http: HttpContext, resources: Resources): void {
  const { database } = resources;
  declareFunction(http, {
    name: 'push-devices',
    method: 'GET',
    callers: 'users',
    body: z.object({}),
    limit: { count: 120, seconds: 300 },
    handle: ({ caller }) => listDevices(resources, caller),
  });
  declareFunction(http, {
    name: 'push-subscribe',
    callers: 'users',
    body: SUBSCRIPTION,
    limit: { count: 30, seconds: 3600 },
    async handle({ caller, body, request }) {
      refuseForeignPlace(resources, body.endpoint);
      const agent = (request.headers['user-agent'] ?? '').slice(0, LONGEST_NAME);
      return { id: await addDevice(resources, caller, body, agent) };
    },
  });
  declareFunction(http, {
    name: 'push-unsubscribe',
    callers: 'users',
    body: z.object({ id: z.uuid().optional() }),
    limit: { count: 60, seconds: 300 },
    async handle({ caller, body }) {
      const removed = await database.run(
        `delete from private.push_subscriptions
          where user_id = $1 and case when $2::uuid is null then session_id = $3::uuid else id = $2::uuid end`,
        [requireUser(caller), body.id ?? null, sessionOf(caller) ?? null],
      );
      return { removed };
    },
  });
}

/** The session of the caller's token; tokens of other systems have none. */
const sessionOf = ({ claims: { session_id: id } }: Caller): string | undefined =>
  isUuid(id) ? id : undefined;

/**
 * Lists the browsers that can get notices. One that agreed to a former key gets none any more, so it is left
 * out.
 */
async function listDevices({ database, push }: Resources, caller: Caller): Promise<PushDevices> {
  const key = push.publicKey();
  const devices = await database.many(
    `select id, user_agent, paused_at is not null as paused, coalesce(session_id = $3::uuid, false) as current
       from private.push_subscriptions where user_id = $1 and server_key = $2 order by created_at, id`,
    [requireUser(caller), key, sessionOf(caller) ?? null],
  );
  return {
    key,
    devices: devices.map((row) => ({ ...row, paused: row.paused === true, current: row.current === true })),
  };
}

/** @throws ServiceError 400 `push_endpoint` */
function refuseForeignPlace({ push }: Resources, endpoint: string): void {
  try {
    push.approve(endpoint);
  } catch (error) {
    if (!(error instanceof OutboundBlocked)) throw error;
    const message = 'Notices are sent to public addresses of push services only, by https.';
    throw new ServiceError(400, 'push_endpoint', message, { cause: error });
  }
}

/**
 * Records the browser of the caller's session, replacing what was known about it. A browser that another
 * account left behind is taken over only by a caller who has its keys, because nobody but that browser knows
 * them.
 */
function addDevice(
  { database, push }: Resources,
  caller: Caller,
  { endpoint, keys }: Subscription,
  agent: string,
): Promise<string> {
  const user = requireUser(caller);
  const session = sessionOf(caller);
  return database.transaction(async (queries) => {
    // One at a time, so that simultaneous requests cannot exceed the limit.
    const alive = await queries.maybe(
      `select s.id from auth.users u join auth.sessions s on s.user_id = u.id
        where u.id = $1 and s.id = $2::uuid for no key update of u for key share of s`,
      [user, session ?? null],
    );
    if (alive === undefined)
      throw new ServiceError(403, 'session_needed', 'Sign in with this browser, and then switch notices on.');
    await queries.run(
      `delete from private.push_subscriptions
        where session_id = $1 or endpoint = $2 and (user_id = $3 or public_key = $4 and auth_secret = $5)
           or user_id = $3 and server_key <> $6`,
      [alive.id, endpoint, user, keys.p256dh, keys.auth, push.publicKey()],
    );
    const { count } = await queries.one(
      'select count(*)::int as count from private.push_subscriptions where user_id = $1',
      [user],
    );
    if (count >= MOST_DEVICES)
      throw new ServiceError(
        409,
        'push_devices_full',
        'Ten of your browsers show notices already. Switch one of them off first.',
      );
    const added = await queries.maybe(
      `insert into private.push_subscriptions (user_id, session_id, endpoint, public_key, auth_secret, server_key, user_agent)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (endpoint) do nothing returning id`,
      [user, alive.id, endpoint, keys.p256dh, keys.auth, push.publicKey(), agent],
    );
    if (added === undefined)
      throw new ServiceError(
        409,
        'push_endpoint_taken',
        'Another account shows its notices in this browser.',
      );
    return added.id;
  });
}
