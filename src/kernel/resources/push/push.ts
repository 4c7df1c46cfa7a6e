import type { Settings } from '../../config/settings.ts';
import { type Keys, watchKeys } from '../crypto/keys.ts';
import type { Database, Queries } from '../database/database.ts';
import { type Attempt, defineDelivery, judgeReply } from '../jobs/delivery-retries.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Log } from '../log/log.ts';
import { createOutboundHttp, type OutboundHttp } from '../outbound-http/outbound-http.ts';
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

/** Seconds that a push service keeps a notice for an offline browser (RFC 8030 §5.2), and that we keep trying. */
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
  const delivery = defineDelivery(parts, {
    queues: { 'send-push': 4 },
    // One notice of a customer at a time, so that slow ones do not delay other customers.
    perGroup: 1,
    attempt: (id) => attempt({ ...parts, outbound, key: key() }, id),
  });
  jobs.everyByOne('old browser notices', CLEAN_SECONDS, async () => {
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
      for (const { id } of rows) await delivery.add(queries, { id, group: userId });
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

interface AttemptParts extends PushParts {
  readonly outbound: OutboundHttp;
  readonly key: PushKey;
}

/** Sends one notice to its browser. */
async function attempt(parts: AttemptParts, id: string): Promise<Attempt | undefined> {
  const { database, key } = parts;
  const row = await database.maybe(
    `select n.title, n.body, n.path, s.id as subscription, s.endpoint, s.public_key, s.auth_secret,
            s.server_key, n.created_at < now() - make_interval(secs => $2) as late
       from private.push_notices n join private.push_subscriptions s on s.id = n.subscription_id where n.id = $1`,
    [id, LIFE_SECONDS],
  );
  if (row === undefined) return undefined;
  if (row.server_key !== key.publicKey) {
    // The browser subscribed with an earlier key, and its push service accepts no other.
    await database.run('delete from private.push_subscriptions where id = $1', [row.subscription]);
    return undefined;
  }
  if (row.late) {
    await database.run('delete from private.push_notices where id = $1', [id]);
    return undefined;
  }
  const { title, body, path } = row;
  const text = Buffer.from(JSON.stringify({ id, title, body, path }));
  const keys = { publicKey: row.public_key, authSecret: row.auth_secret };
  const message = sealPushMessage(text, keys, PADDED_TO);
  const reply = await post(parts, row.endpoint, message).catch((error: Error) => error);
  const judged = judgeReply(reply);
  const outcome = !(reply instanceof Error) && reply.status === 404 ? 'gone' : judged.outcome;
  return {
    ...judged,
    outcome,
    async settle(queries, due) {
      if (outcome === 'gone') {
        await queries.run('delete from private.push_subscriptions where id = $1', [row.subscription]);
      } else if (due !== undefined) {
        await queries.run('update private.push_notices set attempts = attempts + 1 where id = $1', [id]);
      } else {
        await queries.run('delete from private.push_notices where id = $1', [id]);
        await countFailures(queries, row.subscription, outcome === 'delivered');
      }
    },
  };
}

/** Failures in a row; a delivered notice ends the row. */
async function countFailures(queries: Queries, subscription: string, delivered: boolean): Promise<void> {
  if (delivered) {
    await queries.run('update private.push_subscriptions set failures = 0 where id = $1 and failures > 0', [
      subscription,
    ]);
    return;
  }
  await queries.run(
    `update private.push_subscriptions set failures = failures + 1,
            paused_at = case when failures + 1 >= $2 then now() end where id = $1`,
    [subscription, MOST_FAILURES],
  );
}

async function post({ outbound, key, settings }: AttemptParts, endpoint: string, body: Buffer) {
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
