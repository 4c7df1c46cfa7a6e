import type { Settings } from '../../config/settings.ts';
import { type Keys, watchKeys } from '../crypto/keys.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log/log.ts';
import {
  createOutboundHttp,
  OutboundBlocked,
  type OutboundHttp,
  type OutboundReply,
} from '../outbound-http/outbound-http.ts';
import { openPushKey, type PushKey } from './push-key.ts';
import { sealPushMessage } from './push-message.ts';

/** What a browser shows. Of a document it may contain only the name and the outcome. */
export interface PushNotice {
  readonly title: string;
  readonly body: string;
  /** Path of the page that the notice opens. */
  readonly path: string;
  /** Names the subject, so that unsent notices about it can be deleted once it is over. */
  readonly topic?: string;
}

/**
 * Sends notices to browsers through an outbox, like mails: a notice exists if and only if the change does.
 */
export interface Push {
  /** Adds a notice for every browser of the user that shows notices, in the caller's transaction. */
  send(queries: Queries, userId: string, notice: PushNotice): Promise<void>;
  /** The public key that browsers subscribe with now; `northline keys rotate-push` replaces it. */
  publicKey(): string;
  /**
   * Checks the endpoint of a browser's push service.
   *
   * @throws OutboundBlocked when it is not https, or not public
   */
  approve(endpoint: string): void;
}

const JOB = 'send-push';
/**
 * The job's own retries are for crashes between two steps; `settle` handles the replies of push services. One
 * notice of a customer is sent at a time, so that slow ones do not delay other customers.
 */
const POLICY = { retries: 3, retryDelaySeconds: 5, timeoutSeconds: 60, concurrency: 4, perGroup: 1 };
/** Seconds before each further attempt. */
const DELAYS = [10, 60, 300, 1800, 7200];
const LONGEST_RETRY_AFTER = 7200;
/**
 * Seconds that a push service keeps a notice for an offline browser (RFC 8030 §5.2), and that we keep trying.
 */
const LIFE_SECONDS = 24 * 3600;
const CLEAN_SECONDS = 3600;
const HEADERS_MS = 5_000;
const TOTAL_MS = 10_000;
const REPLY_BYTES = 1024;
/** After this many successive failed notices a browser gets no more. */
const MOST_FAILURES = 5;
const LONGEST_TITLE = 100;
const LONGEST_BODY = 300;
const PADDED_TO = 512;
const GONE = [404, 410];

interface PushParts {
  readonly settings: Settings;
  readonly keys: Keys;
  readonly database: Database;
  readonly jobs: Jobs;
  readonly log: Log;
}

/**
 * Opens the sender on `private.push_subscriptions` and `private.push_notices`. Call it before `jobs.start`,
 * because it defines jobs.
 */
export function createPush(parts: PushParts): Push {
  const { settings, database, jobs, log } = parts;
  // Customers name these addresses, so the private hosts that the operator allows for automations do not
  // count.
  const outbound = createOutboundHttp(settings.PUSH_ALLOW_HOSTS);
  const key = followedKey(parts);
  jobs.define<{ id: string }>(JOB, POLICY, ({ data }) =>
    deliver({ ...parts, outbound, key: key() }, data.id),
  );
  jobs.everyByOne('push.clean', CLEAN_SECONDS, async () => {
    const removed = await database.run(
      'delete from private.push_notices where created_at < now() - make_interval(secs => $1)',
      [LIFE_SECONDS],
    );
    if (removed > 0) log.debug({ removed }, 'notices that reached no browser in a day were removed');
  });
  return {
    async send(queries, userId, { title, body, path, topic = null }) {
      const rows = await queries.many(
        `insert into private.push_notices (subscription_id, title, body, path, topic)
         select id, $2, $3, $4, $5 from private.push_subscriptions where user_id = $1 and paused_at is null
         returning id`,
        [userId, cut(title, LONGEST_TITLE), cut(body, LONGEST_BODY), path, topic],
      );
      for (const { id } of rows) await jobs.add(queries, JOB, { id }, { key: id, group: userId });
    },
    publicKey: () => key().publicKey,
    approve(endpoint) {
      outbound.approve(endpoint);
    },
  };
}

/** The current key of `keys.json`, which may be rotated while the process runs. */
function followedKey({ settings, keys, log }: PushParts): () => PushKey {
  const file = watchKeys(settings.DATA_DIR, (error) => log.error({ err: error }, 'keys.json cannot be read'));
  let key = openPushKey(keys);
  return () => {
    const changed = file.changed();
    if (changed !== undefined) key = openPushKey(changed);
    return key;
  };
}

/** Shortens a text to `most` characters, without cutting a surrogate pair in two. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text.toWellFormed() : `${[...text.toWellFormed()].slice(0, most - 1).join('')}…`;

interface DeliveryParts extends PushParts {
  readonly outbound: OutboundHttp;
  readonly key: PushKey;
}

/** One attempt at one notice. */
async function deliver(parts: DeliveryParts, id: string): Promise<void> {
  const { database, key } = parts;
  const row = await database.maybe(
    `select n.title, n.body, n.path, n.attempts, s.id as subscription, s.user_id, s.endpoint, s.public_key, s.auth_secret,
            s.server_key, n.created_at < now() - make_interval(secs => $2) as late
       from private.push_notices n join private.push_subscriptions s on s.id = n.subscription_id where n.id = $1`,
    [id, LIFE_SECONDS],
  );
  if (row === undefined) return;
  if (row.server_key !== key.publicKey) {
    // The browser subscribed with an earlier key, and its push service accepts no other.
    await database.run('delete from private.push_subscriptions where id = $1', [row.subscription]);
    return;
  }
  if (row.late) {
    await database.run('delete from private.push_notices where id = $1', [id]);
    return;
  }
  const { title, body, path } = row;
  const text = Buffer.from(JSON.stringify({ id, title, body, path }));
  const keys = { publicKey: row.public_key, authSecret: row.auth_secret };
  const message = sealPushMessage(text, keys, PADDED_TO);
  const reply = await post(parts, row.endpoint, message).catch((error: Error) => error);
  await settle(
    parts,
    { id, subscription: row.subscription, user: row.user_id, attempts: row.attempts },
    reply,
  );
}

async function post({ outbound, key, settings }: DeliveryParts, endpoint: string, body: Buffer) {
  return outbound.request({
    url: endpoint,
    method: 'POST',
    headers: {
      authorization: await key.authorizationFor(endpoint, settings.CONTACT_EMAIL),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(LIFE_SECONDS),
      urgency: 'normal',
    },
    body,
    maxBytes: REPLY_BYTES,
    headersMs: HEADERS_MS,
    totalMs: TOTAL_MS,
  });
}

interface Attempted {
  readonly id: string;
  readonly subscription: string;
  readonly user: string;
  /** Earlier attempts, without this one. */
  readonly attempts: number;
}

/** Records the outcome of an attempt and its consequences in one transaction. */
async function settle(
  { database, jobs, log }: DeliveryParts,
  { id, subscription, user, attempts }: Attempted,
  reply: OutboundReply | Error,
): Promise<void> {
  const status = reply instanceof Error ? 0 : reply.status;
  const delay = DELAYS[attempts];
  await database.transaction(async (queries) => {
    if (status >= 200 && status < 300) {
      await queries.run('delete from private.push_notices where id = $1', [id]);
      await queries.run('update private.push_subscriptions set failures = 0 where id = $1 and failures > 0', [
        subscription,
      ]);
    } else if (GONE.includes(status)) {
      await queries.run('delete from private.push_subscriptions where id = $1', [subscription]);
    } else if (isPassing(reply) && delay !== undefined) {
      await queries.run('update private.push_notices set attempts = attempts + 1 where id = $1', [id]);
      const after = new Date(Date.now() + Math.max(delay, askedDelay(reply)) * 1000);
      await jobs.add(queries, JOB, { id }, { after, key: `${id} ${attempts + 1}`, group: user });
    } else {
      await queries.run('delete from private.push_notices where id = $1', [id]);
      await queries.run(
        `update private.push_subscriptions set failures = failures + 1,
                paused_at = case when failures + 1 >= $2 then now() end where id = $1`,
        [subscription, MOST_FAILURES],
      );
    }
  });
  // Never logs the address, which is the browser's secret, nor the reply.
  if (status < 200 || status >= 300) log.warn({ notice: id, status, attempts }, 'a notice was refused');
}

/** Whether another attempt may succeed: no answer, too many requests, or a fault of the push service. */
function isPassing(reply: OutboundReply | Error): boolean {
  if (reply instanceof Error) return !(reply instanceof OutboundBlocked);
  return [408, 425, 429].includes(reply.status) || reply.status >= 500;
}

function askedDelay(reply: OutboundReply | Error): number {
  const asked = reply instanceof Error ? 0 : Number(reply.headers['retry-after'] ?? 0) || 0;
  return Math.min(Math.max(asked, 0), LONGEST_RETRY_AFTER);
}
