import pg from 'pg';
import type { Log } from '../log/log.ts';

/** One caller of `listen`. */
interface Subscription {
  readonly channel: string;
  readonly heard: (payload: string) => void;
  readonly resumed: () => void;
  /**
   * True once the server has confirmed it; a new connection then means that notifications may have been
   * missed.
   */
  confirmed: boolean;
}

const CONNECT_TIMEOUT_MS = 10_000;
/** TCP notices a server that vanished silently; it starts probing after this time. */
const KEEP_ALIVE_MS = 10_000;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 10_000;

/**
 * Milliseconds to wait before reconnecting. The wait doubles with each failure up to a ceiling; half of it is
 * random, so that the processes of an installation do not all return at the same moment.
 *
 * @param failures attempts that failed since the connection was lost
 */
export function retryDelay(failures: number, random = Math.random()): number {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
  return longest * (0.5 + random / 2);
}

/**
 * The one connection of a process that listens for notifications, shared by everybody who wants them. The
 * first `listen` opens it; when it breaks, one timer opens it again.
 */
export class NotificationListener {
  readonly #owner: pg.ClientConfig;
  readonly #log: Log;
  readonly #subscriptions = new Set<Subscription>();
  /** The connection that is in use or being opened. */
  #current: { readonly client: pg.Client; readonly open: Promise<pg.Client> } | undefined;
  /** The latest statement: a connection runs one at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;

  constructor(owner: pg.ClientConfig, log: Log) {
    this.#owner = owner;
    this.#log = log;
  }

  /** See `Database.listen`. */
  async listen(
    channel: string,
    heard: (payload: string) => void,
    resumed: () => void = () => {},
  ): Promise<() => Promise<void>> {
    const subscription: Subscription = { channel, heard, resumed, confirmed: false };
    const client = await this.#connect();
    // Added before the statement runs, because its confirmation and the first notification may arrive
    // together.
    this.#subscriptions.add(subscription);
    try {
      await this.#run(client, listenTo(channel));
      subscription.confirmed = true;
    } catch (error) {
      this.#subscriptions.delete(subscription);
      throw error;
    }
    return () => this.#stop(subscription);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#current?.client.end().catch(() => {});
  }

  async #stop(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription);
    const open = await this.#current?.open.catch(() => undefined);
    const wanted = [...this.#subscriptions].some(({ channel }) => channel === subscription.channel);
    if (wanted || this.#closed || open === undefined) return;
    // If the connection breaks now, it stops listening anyway.
    await this.#run(open, `unlisten ${pg.escapeIdentifier(subscription.channel)}`).catch(() => {});
  }

  #run(client: pg.Client, statement: string): Promise<unknown> {
    const mine = this.#turn.then(() => client.query(statement));
    this.#turn = mine.catch(() => {});
    return mine;
  }

  #connect(): Promise<pg.Client> {
    if (this.#current !== undefined) return this.#current.open;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const client = new pg.Client({
      ...this.#owner,
      application_name: 'northline listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    // The cause is also the reason of a rejected statement, or is followed by `end`.
    client.on('error', (error) => this.#log.debug({ err: error }, 'the listening connection had an error'));
    client.on('notification', ({ channel, payload }) => this.#spread(channel, payload ?? ''));
    client.once('end', () => this.#lost(client));
    const open = this.#establish(client);
    this.#current = { client, open };
    open.catch((error) => {
      this.#log.debug({ err: error }, 'the listening connection could not be made');
      client.end().catch(() => {});
      this.#lost(client);
    });
    return open;
  }

  async #establish(client: pg.Client): Promise<pg.Client> {
    await client.connect();
    const channels = new Set([...this.#subscriptions].map(({ channel }) => channel));
    if (channels.size > 0) await client.query([...channels].map(listenTo).join('; '));
    if (this.#failures > 0) this.#log.info('the listening connection is back');
    this.#failures = 0;
    for (const subscription of [...this.#subscriptions]) {
      if (subscription.confirmed) this.#guarded(subscription.resumed);
    }
    return client;
  }

  /** A failed attempt and the end of its connection both arrive here; only the first counts. */
  #lost(client: pg.Client): void {
    if (this.#current?.client !== client) return;
    this.#current = undefined;
    if (this.#closed || this.#subscriptions.size === 0) return;
    if (this.#failures === 0) this.#log.warn('the listening connection to the database was lost');
    this.#retry = setTimeout(() => this.#connect().catch(() => {}), retryDelay(this.#failures));
    this.#failures += 1;
  }

  #spread(channel: string, payload: string): void {
    for (const subscription of [...this.#subscriptions]) {
      if (subscription.channel === channel) this.#guarded(() => subscription.heard(payload));
    }
  }

  /** An error of one listener must neither stop the others from being called nor end the process. */
  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#log.error({ err: error }, 'a notification could not be handled');
    }
  }
}

function listenTo(channel: string): string {
  return `listen ${pg.escapeIdentifier(channel)}`;
}
