import { randomUUID } from 'node:crypto';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import type { Subscriber, Subscription } from './change-delivery.server.ts';
import type { ChangeFeed } from './change-feed.server.ts';
import { type Broadcast, type ClientMessage, encodeText } from './frames.server.ts';
import type { JoinRequest } from './join-parser.server.ts';
import { newPresenceRef } from './presence.server.ts';
import type { ChannelTopic, PubSub } from './pub-sub.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';
import type { RealtimeSocket } from './realtime-socket.server.ts';

/** Why the server closes a channel; sent as `system` before the close. */
export type CloseReason = 'token_expired' | 'token_invalid' | 'session_ended';

const CLOSE_MESSAGES: Record<CloseReason, string> = {
  token_expired: 'Token has expired',
  token_invalid: 'The token is not valid',
  session_ended: 'The session has ended',
};

/** Sent as `error`, which the published client passes on, when a broadcast asked to be stored. */
export const NOT_STORED = 'Broadcasts of clients are not stored; those of realtime.send() are';

/** A joined channel of one socket. */
export class Channel {
  readonly socket: RealtimeSocket;
  readonly topic: string;
  readonly joinRef: string | null;
  readonly request: JoinRequest;
  /** The topic without the prefix `realtime:`. */
  readonly name: ChannelTopic;
  caller: Caller;
  /** The token behind `caller`, which is checked again from time to time; undefined for the public key. */
  token: string | undefined;
  readonly #subscriptions: readonly Subscription[];
  readonly #feed: ChangeFeed;
  readonly #pubSub: PubSub;
  readonly #presenceKey: string;
  #presenceRef: string | undefined;
  #subscriber: Subscriber | undefined;
  #closed = false;
  /** Live changes that wait while missed ones are sent. */
  #held: { frame: () => void; id: number }[] | undefined;
  #since: string | undefined;
  /** The cursor of the newest change that was sent, until it is announced to the client. */
  #cursor: string | undefined;
  #cursorTimer: NodeJS.Timeout | undefined;
  #resumed: ReadonlySet<number> = new Set();
  readonly #joinedAt: number;

  constructor(
    socket: RealtimeSocket,
    message: ClientMessage,
    join: {
      request: JoinRequest;
      caller: Caller;
      token: string | undefined;
      subscriptions: readonly Subscription[];
    },
    service: { feed: ChangeFeed; pubSub: PubSub },
  ) {
    this.socket = socket;
    this.topic = message.topic;
    this.joinRef = message.joinRef;
    this.request = join.request;
    this.caller = join.caller;
    this.token = join.token;
    this.name = { topic: message.topic.slice('realtime:'.length), isPrivate: join.request.isPrivate };
    this.#subscriptions = join.subscriptions;
    this.#feed = service.feed;
    this.#pubSub = service.pubSub;
    this.#presenceKey = join.request.presence.key === '' ? randomUUID() : join.request.presence.key;
    this.#joinedAt = service.feed.position();
    this.#since = join.subscriptions.length === 0 ? undefined : join.request.since;
    if (this.#since !== undefined) this.#held = [];
    this.#subscriber = this.#newSubscriber();
    if (this.#subscriber !== undefined) this.#feed.add(this.#subscriber);
    this.#pubSub.join(this);
  }

  get hasPresence(): boolean {
    return this.request.presence.enabled;
  }

  /** Seconds since the epoch when the token ends; undefined for the public key. */
  get expiresAt(): number | undefined {
    return this.token === undefined ? undefined : Number(this.caller.claims.exp);
  }

  #newSubscriber(): Subscriber | undefined {
    if (this.#subscriptions.length === 0) return undefined;
    return {
      caller: this.caller,
      subscriptions: this.#subscriptions,
      deliver: (ids, data, { id }, cursor) => {
        if (this.#resumed.has(id)) return;
        if (this.#held === undefined) this.#deliver(ids, data, cursor);
        else if (this.#held.length < REALTIME_LIMITS.waitingChanges) {
          this.#held.push({ id, frame: () => this.#deliver(ids, data, cursor) });
        } else this.resync();
      },
      resync: () => this.resync(),
    };
  }

  #deliver(ids: readonly number[], data: string, cursor?: string): void {
    const payload = `{"ids":${JSON.stringify(ids)},"data":${data}}`;
    const message = { joinRef: null, ref: null, topic: this.topic, event: 'postgres_changes', payload };
    if (this.#closed) return;
    this.socket.send(encodeText(this.socket.version, message), 'droppable');
    if (this.#since !== undefined && cursor !== undefined) this.#announceCursor(cursor);
  }

  /**
   * Sends a client that uses cursors its current one, once for all changes that come together. The published
   * client passes on `system` messages only, not `data.cursor`.
   */
  #announceCursor(cursor: string): void {
    this.#cursor = cursor;
    this.#cursorTimer ??= setTimeout(() => {
      this.#cursorTimer = undefined;
      if (!this.#closed && this.#cursor !== undefined) this.#pushCursor('cursor', this.#cursor, false);
    }, REALTIME_LIMITS.cursorPause).unref();
  }

  #pushCursor(message: string, cursor: string | undefined, resync: boolean): void {
    const about = { extension: 'postgres_changes', status: 'ok', channel: this.name.topic };
    this.#push('system', { ...about, message, resync, cursor });
  }

  /**
   * Sends what the client missed since its cursor. Then a `system` message has the cursor from which the
   * channel is live: `resumed`, `from now on` without a cursor, or `resync` when the client has to read
   * again. Clients without cursors get nothing.
   */
  async resume(): Promise<void> {
    const subscriber = this.#subscriber;
    const since = this.#since;
    if (subscriber === undefined || since === undefined) return;
    this.#held ??= [];
    const deliver: Subscriber['deliver'] = (ids, data) => this.#deliver(ids, data);
    const { complete, cursor, found } = await this.#feed.resume({ ...subscriber, deliver }, since);
    if (this.#closed) return;
    this.#resumed = new Set(found);
    // A token often comes after the join; until then the client keeps its old cursor.
    if (since === '' || this.caller.role !== 'anon') this.#since = cursor;
    const message = !complete
      ? 'resync: changes may have been missed, read again'
      : since === ''
        ? 'from now on: no cursor was given, so nothing from before is sent'
        : 'resumed';
    this.#pushCursor(message, complete ? this.#since : cursor, !complete);
    const held = this.#held;
    this.#held = undefined;
    for (const { id, frame } of held) if (!this.#resumed.has(id)) frame();
  }

  /**
   * Uses the rights of another token from now on. Changes from the time before the client had rights are read
   * again.
   */
  async changeCaller(caller: Caller, token: string): Promise<void> {
    const wasPublic = this.caller.role === 'anon';
    const before = this.#subscriber;
    this.caller = caller;
    this.token = token;
    this.#subscriber = this.#newSubscriber();
    if (before === undefined || this.#subscriber === undefined) return;
    this.#feed.replace(before, this.#subscriber);
    if (!wasPublic) return;
    if (this.#since === undefined) this.#feed.replay(this.#subscriber, this.#joinedAt);
    else await this.resume();
  }

  /** Handles `presence`: track and untrack. */
  presence(message: ClientMessage): void {
    const { event, payload } = (message.payload ?? {}) as { event?: unknown; payload?: unknown };
    const action = typeof event === 'string' ? event.toLowerCase() : '';
    if (action === 'track') {
      const previous = this.#presenceRef;
      this.#presenceRef = newPresenceRef();
      const given = typeof payload === 'object' && payload !== null ? payload : {};
      const replaced = previous === undefined ? {} : { phx_ref_prev: previous };
      const meta = { ...given, phx_ref: this.#presenceRef, ...replaced };
      this.#pubSub.track(this.name, { key: this.#presenceKey, meta }, previous);
    } else if (action === 'untrack') this.#untrack();
    else {
      this.socket.reply(message, 'error', { reason: 'UnknownPresenceEvent: track or untrack' });
      return;
    }
    this.socket.reply(message, 'ok', {});
  }

  #untrack(): void {
    if (this.#presenceRef === undefined) return;
    this.#pubSub.untrack(this.name, this.#presenceKey, this.#presenceRef);
    this.#presenceRef = undefined;
  }

  /**
   * Handles `broadcast` to the other clients of the channel. One that was to be stored is sent, and the
   * client is told that it was not stored.
   */
  broadcast(message: ClientMessage, broadcast: Broadcast): void {
    this.#pubSub.broadcast(this.name, broadcast, this.request.self ? undefined : this);
    if (message.isToBeStored) this.socket.reply(message, 'error', { error: NOT_STORED });
    else if (this.request.ack) this.socket.reply(message, 'ok', {});
  }

  /**
   * Informs the client that changes may have been missed, so that it joins and reads again
   * (docs/contracts/platform.md §5).
   */
  resync(): void {
    if (this.#closed || this.#subscriptions.length === 0) return;
    this.#system('postgres_changes', 'resync: changes may have been missed, read again');
    this.end();
    this.#push('phx_error', {}, this.joinRef);
  }

  /** Closes the channel for good, with the reason. */
  close(reason: CloseReason): void {
    if (this.#closed) return;
    this.#system('system', CLOSE_MESSAGES[reason]);
    this.end();
    this.#push('phx_close', {}, this.joinRef);
  }

  #system(extension: string, message: string): void {
    const payload = { extension, status: 'error', message, channel: this.name.topic };
    this.#push('system', payload);
  }

  #push(event: string, payload: unknown, ref: string | null = null): void {
    this.socket.push({ joinRef: this.joinRef, ref, topic: this.topic, event }, payload);
  }

  /** Ends the channel without informing the client. */
  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#cursorTimer);
    if (this.#subscriber !== undefined) this.#feed.remove(this.#subscriber);
    this.#untrack();
    this.#pubSub.leave(this);
    if (this.socket.channels.get(this.topic) === this) this.socket.channels.delete(this.topic);
  }
}
