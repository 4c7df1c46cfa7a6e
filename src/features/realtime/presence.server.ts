import { randomBytes } from 'node:crypto';

/** Presences of one key, by `phx_ref`. */
type Metas = Map<string, Record<string, unknown>>;
type State = Record<string, { metas: Record<string, unknown>[] }>;

/** Who came and who went, as clients read it (contract §5). */
export interface PresenceDiff {
  readonly joins: State;
  readonly leaves: State;
}

/** One presence as processes tell it each other. */
export interface PresenceEntry {
  readonly topic: string;
  readonly key: string;
  readonly meta: Record<string, unknown>;
}

/** Who is present in each topic, here and in the other processes. */
export interface PresenceBook {
  /** The state of a topic, for a client that joins. */
  state(topic: string): State;
  /** Puts a presence in place of an earlier one with `previous` as its reference. */
  enter(
    topic: string,
    key: string,
    meta: Record<string, unknown>,
    home: string,
    previous?: string,
  ): PresenceDiff;
  leave(topic: string, key: string, ref: string): PresenceDiff | undefined;
  /** All presences of a process. */
  entriesOf(home: string): PresenceEntry[];
}

/** A new reference, unique among all processes. */
export function newPresenceRef(): string {
  return randomBytes(9).toString('base64url');
}

/** Opens an empty book. `home` is the process that a presence belongs to. */
export function openPresenceBook(): PresenceBook {
  const topics = new Map<string, Map<string, Metas>>();
  const homes = new Map<string, string>();

  function remove(topic: string, key: string, ref: string): Record<string, unknown> | undefined {
    const keys = topics.get(topic);
    const metas = keys?.get(key);
    const meta = metas?.get(ref);
    if (keys === undefined || metas === undefined || meta === undefined) return undefined;
    metas.delete(ref);
    homes.delete(ref);
    if (metas.size === 0) keys.delete(key);
    if (keys.size === 0) topics.delete(topic);
    return meta;
  }

  return {
    state(topic) {
      const keys = [...(topics.get(topic) ?? [])];
      return Object.fromEntries(keys.map(([key, metas]) => [key, { metas: [...metas.values()] }]));
    },
    enter(topic, key, meta, home, previous) {
      const before = previous === undefined ? undefined : remove(topic, key, previous);
      const keys = topics.get(topic) ?? new Map<string, Metas>();
      topics.set(topic, keys);
      const metas: Metas = keys.get(key) ?? new Map();
      keys.set(key, metas);
      metas.set(String(meta.phx_ref), meta);
      homes.set(String(meta.phx_ref), home);
      return { joins: one(key, meta), leaves: before === undefined ? {} : one(key, before) };
    },
    leave(topic, key, ref) {
      const meta = remove(topic, key, ref);
      return meta === undefined ? undefined : { joins: {}, leaves: one(key, meta) };
    },
    entriesOf(home) {
      return [...topics].flatMap(([topic, keys]) =>
        [...keys].flatMap(([key, metas]) =>
          [...metas].filter(([ref]) => homes.get(ref) === home).map(([, meta]) => ({ topic, key, meta })),
        ),
      );
    },
  };
}

function one(key: string, meta: Record<string, unknown>): State {
  return Object.fromEntries([[key, { metas: [meta] }]]);
}
