import type { Database } from '../../resources/database/database.ts';
import type { Log } from '../../resources/log/log.ts';
import type { Channel } from './channel.server.ts';
import { type Broadcast, encodeBroadcast, encodeText, type Version } from './frames.server.ts';
import { openPresenceBook, type PresenceBook, type PresenceDiff } from './presence.server.ts';
import { type OtherProcesses, type ProcessMessage, reachProcesses } from './reach-processes.server.ts';

/** Messages and presence between the channels of a topic, in this process and the others. */
export interface Hub {
  /** This process, as the home of presences. */
  readonly name: string;
  join(channel: Channel): void;
  leave(channel: Channel): void;
  /** Sends to every channel of a room but `except`. */
  broadcast(room: Room, broadcast: Broadcast, except?: Channel): void;
  presenceState(room: Room): unknown;
  enter(room: Room, key: string, meta: Record<string, unknown>, previous?: string): void;
  depart(room: Room, key: string, ref: string): void;
  sweep(now: number): void;
  close(): Promise<void>;
}

/** Private and public channels of one name do not meet. */
export interface Room {
  readonly topic: string;
  readonly isPrivate: boolean;
}

const ALIVE_MS = 10_000;
const DEAD_MS = 35_000;

/** Opens the hub. `alone` is true when no other process can be on the database. */
export async function openHub(database: Database, log: Log, alone: boolean): Promise<Hub> {
  const rooms = new Map<string, Set<Channel>>();
  const book = openPresenceBook();
  const peers = new Map<string, number>();
  let aliveAt = 0;

  const spreadBroadcast = (room: string, broadcast: Broadcast, except?: Channel): void => {
    const frames = new Map<Version, string | Buffer | undefined>();
    for (const channel of rooms.get(room) ?? []) {
      if (channel === except) continue;
      const { version } = channel.socket;
      if (!frames.has(version)) frames.set(version, encodeBroadcast(version, channel.topic, broadcast));
      const frame = frames.get(version);
      if (frame !== undefined) channel.socket.send(frame, 'drop');
    }
  };
  const spreadPresence = (room: string, diff: PresenceDiff | undefined): void => {
    if (diff === undefined) return;
    const payload = JSON.stringify(diff);
    for (const channel of rooms.get(room) ?? []) {
      if (!channel.wantsPresence) continue;
      const message = { joinRef: null, ref: null, topic: channel.topic, event: 'presence_diff', payload };
      channel.socket.send(encodeText(channel.socket.version, message), 'keep');
    }
  };
  const heard = (message: ProcessMessage, from: string): void => {
    const isNew = !peers.has(from);
    peers.set(from, Date.now());
    if (message.kind === 'broadcast') {
      const { topic, event, encoding, isPrivate } = message;
      const payload = Buffer.from(message.payload, 'base64');
      spreadBroadcast(roomKey({ topic, isPrivate }), { event, encoding, payload });
    } else if (message.kind === 'enter') {
      const { topic, key, meta } = message.entry;
      spreadPresence(topic, book.enter(topic, key, meta, from, message.previous));
    } else if (message.kind === 'leave') {
      spreadPresence(message.topic, book.leave(message.topic, message.key, message.ref));
    }
    if (isNew || message.kind === 'hello') {
      for (const entry of book.entriesOf(others?.name ?? '')) others?.send({ kind: 'enter', entry });
    }
  };
  let others: OtherProcesses | undefined;
  others = alone ? undefined : await reachProcesses(database, log, heard);
  const name = others?.name ?? 'here';
  others?.send({ kind: 'hello' });

  return {
    name,
    join(channel) {
      const key = roomKey(channel.room);
      rooms.set(key, (rooms.get(key) ?? new Set()).add(channel));
    },
    leave(channel) {
      const key = roomKey(channel.room);
      const members = rooms.get(key);
      members?.delete(channel);
      if (members?.size === 0) rooms.delete(key);
    },
    broadcast(room, broadcast, except) {
      spreadBroadcast(roomKey(room), broadcast, except);
      others?.send({
        kind: 'broadcast',
        ...room,
        event: broadcast.event,
        encoding: broadcast.encoding,
        payload: broadcast.payload.toString('base64'),
      });
    },
    presenceState: (room) => book.state(roomKey(room)),
    enter(room, key, meta, previous) {
      const topic = roomKey(room);
      spreadPresence(topic, book.enter(topic, key, meta, name, previous));
      others?.send({
        kind: 'enter',
        entry: { topic, key, meta },
        ...(previous === undefined ? {} : { previous }),
      });
    },
    depart(room, key, ref) {
      const topic = roomKey(room);
      spreadPresence(topic, book.leave(topic, key, ref));
      others?.send({ kind: 'leave', topic, key, ref });
    },
    sweep(now) {
      if (now - aliveAt > ALIVE_MS) {
        aliveAt = now;
        others?.send({ kind: 'alive' });
      }
      for (const [peer, seenAt] of peers) {
        if (now - seenAt < DEAD_MS) continue;
        peers.delete(peer);
        forget(book, peer, spreadPresence);
      }
    },
    close: async () => others?.close(),
  };
}

/** A process that died took its clients' presences with it. */
function forget(
  book: PresenceBook,
  peer: string,
  spread: (room: string, diff: PresenceDiff | undefined) => void,
): void {
  for (const { topic, key, meta } of book.entriesOf(peer)) {
    spread(topic, book.leave(topic, key, String(meta.phx_ref)));
  }
}

function roomKey({ topic, isPrivate }: Room): string {
  return `${isPrivate ? 'private' : 'public'} ${topic}`;
}
