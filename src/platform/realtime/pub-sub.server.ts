import type { Database } from '../../kernel/resources/database/database.ts';
import type { Log } from '../../kernel/resources/log/log.ts';
import type { Channel } from './channel.server.ts';
import { type Broadcast, encodeBroadcast, encodeText, type Version } from './frames.server.ts';
import { type PresenceDiff, type PresenceEntry, PresenceTracker } from './presence.server.ts';
import { openProcessBus, type ProcessBus, type ProcessMessage } from './process-messages.server.ts';

/** A channel's name; a private and a public channel with the same name are separate. */
export interface ChannelTopic {
  readonly topic: string;
  readonly isPrivate: boolean;
}

const ALIVE_MS = 10_000;
const DEAD_MS = 35_000;

/** Opens the message exchange. `alone` is true when no other process can use the database. */
export async function openPubSub(database: Database, log: Log, alone: boolean): Promise<PubSub> {
  const pubSub = new PubSub();
  if (!alone) await pubSub.connect(database, log);
  return pubSub;
}

/** Messages and presence between the channels of a topic, in this process and in the others. */
export class PubSub {
  readonly #channels = new Map<string, Set<Channel>>();
  readonly #presence = new PresenceTracker();
  /** When a message last came from each other process, epoch milliseconds. */
  readonly #peers = new Map<string, number>();
  #bus: ProcessBus | undefined;
  #aliveAt = 0;

  async connect(database: Database, log: Log): Promise<void> {
    this.#bus = await openProcessBus(database, log, {
      onMessage: (message, from) => this.#onMessage(message, from),
      onGap: () => this.#synchronise(),
    });
    this.#bus.send({ kind: 'hello' });
  }

  join(channel: Channel): void {
    const key = keyOf(channel.name);
    this.#channels.set(key, (this.#channels.get(key) ?? new Set()).add(channel));
  }

  leave(channel: Channel): void {
    const key = keyOf(channel.name);
    const members = this.#channels.get(key);
    members?.delete(channel);
    if (members?.size === 0) this.#channels.delete(key);
  }

  /** Sends to every channel of a topic except `except`. */
  broadcast(name: ChannelTopic, broadcast: Broadcast, except?: Channel): void {
    this.#sendBroadcast(keyOf(name), broadcast, (channel) => channel !== except);
    this.#bus?.send({
      kind: 'broadcast',
      ...name,
      event: broadcast.event,
      encoding: broadcast.encoding,
      payload: broadcast.payload.toString('base64'),
    });
  }

  /**
   * Sends a broadcast, which every process receives by itself, to those channels of this process that `wants`
   * accepts.
   */
  receive(name: ChannelTopic, broadcast: Broadcast, wants: (channel: Channel) => boolean): void {
    this.#sendBroadcast(keyOf(name), broadcast, wants);
  }

  presenceState(name: ChannelTopic): unknown {
    return this.#presence.state(keyOf(name));
  }

  /** Adds a presence of a client of this process; it replaces the one with the reference `previous`. */
  track(name: ChannelTopic, presence: Omit<PresenceEntry, 'topic'>, previous?: string): void {
    const entry = { topic: keyOf(name), ...presence };
    this.#sendDiff(entry.topic, this.#presence.track(entry, this.#node, previous));
    this.#bus?.send({ kind: 'enter', entry, ...(previous === undefined ? {} : { previous }) });
  }

  untrack(name: ChannelTopic, key: string, ref: string): void {
    const topic = keyOf(name);
    this.#sendDiff(topic, this.#presence.untrack(topic, key, ref));
    this.#bus?.send({ kind: 'leave', topic, key, ref });
  }

  /**
   * Announces that this process is alive, and removes the presences of processes that died. @param now epoch
   * milliseconds
   */
  sweep(now: number): void {
    if (now - this.#aliveAt > ALIVE_MS) {
      this.#aliveAt = now;
      this.#bus?.send({ kind: 'alive' });
    }
    for (const [peer, seenAt] of this.#peers) {
      if (now - seenAt < DEAD_MS) continue;
      this.#peers.delete(peer);
      this.#replaceEntries(peer, []);
    }
  }

  async close(): Promise<void> {
    await this.#bus?.close();
  }

  get #node(): string {
    return this.#bus?.node ?? 'this process';
  }

  #onMessage(message: ProcessMessage, from: string): void {
    const isNew = !this.#peers.has(from);
    this.#peers.set(from, Date.now());
    if (message.kind === 'broadcast') {
      const { topic, event, encoding, isPrivate } = message;
      const payload = Buffer.from(message.payload, 'base64');
      this.#sendBroadcast(keyOf({ topic, isPrivate }), { event, encoding, payload });
    } else if (message.kind === 'enter') {
      const { entry, previous } = message;
      this.#sendDiff(entry.topic, this.#presence.track(entry, from, previous));
    } else if (message.kind === 'leave') {
      const { topic, key, ref } = message;
      this.#sendDiff(topic, this.#presence.untrack(topic, key, ref));
    } else if (message.kind === 'presences') this.#replaceEntries(from, message.entries);
    if (isNew || message.kind === 'hello') this.#sendPresences();
  }

  /** After an outage: sends all presences of this process, and asks the others for theirs. */
  #synchronise(): void {
    this.#sendPresences();
    this.#bus?.send({ kind: 'hello' });
  }

  #sendPresences(): void {
    this.#bus?.send({ kind: 'presences', entries: this.#presence.entriesOf(this.#node) });
  }

  /** Replaces the presences of another process by these. */
  #replaceEntries(peer: string, entries: readonly PresenceEntry[]): void {
    const refOf = ({ meta }: PresenceEntry): string => String(meta.phx_ref);
    const known = this.#presence.entriesOf(peer);
    const knownRefs = new Set(known.map(refOf));
    const currentRefs = new Set(entries.map(refOf));
    for (const entry of known) {
      if (currentRefs.has(refOf(entry))) continue;
      this.#sendDiff(entry.topic, this.#presence.untrack(entry.topic, entry.key, refOf(entry)));
    }
    for (const entry of entries) {
      if (knownRefs.has(refOf(entry))) continue;
      this.#sendDiff(entry.topic, this.#presence.track(entry, peer));
    }
  }

  #sendBroadcast(key: string, broadcast: Broadcast, wants: (channel: Channel) => boolean = () => true): void {
    const frames = new Map<Version, string | Buffer | undefined>();
    for (const channel of this.#channels.get(key) ?? []) {
      if (!wants(channel)) continue;
      const { version } = channel.socket;
      if (!frames.has(version)) frames.set(version, encodeBroadcast(version, channel.topic, broadcast));
      const frame = frames.get(version);
      if (frame !== undefined) channel.socket.send(frame, 'droppable');
    }
  }

  #sendDiff(key: string, diff: PresenceDiff | undefined): void {
    if (diff === undefined) return;
    const payload = JSON.stringify(diff);
    for (const channel of this.#channels.get(key) ?? []) {
      if (!channel.hasPresence) continue;
      const message = { joinRef: null, ref: null, topic: channel.topic, event: 'presence_diff', payload };
      channel.socket.send(encodeText(channel.socket.version, message), 'required');
    }
  }
}

function keyOf({ topic, isPrivate }: ChannelTopic): string {
  return `${isPrivate ? 'private' : 'public'} ${topic}`;
}
