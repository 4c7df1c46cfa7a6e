import { randomBytes } from 'node:crypto';

type Meta = Readonly<Record<string, unknown>>;
type State = Record<string, { metas: Meta[] }>;

/** Which presences joined and left, in the form that clients read (docs/contracts/platform.md §5). */
export interface PresenceDiff {
  readonly joins: State;
  readonly leaves: State;
}

/** One presence; `meta.phx_ref` is its reference, unique across all processes. */
export interface PresenceEntry {
  readonly topic: string;
  readonly key: string;
  readonly meta: Meta;
}

interface TrackedPresence {
  readonly meta: Meta;
  /** The process to which its client is connected. */
  readonly node: string;
}

/** A new reference, unique across all processes. */
export function newPresenceRef(): string {
  return randomBytes(9).toString('base64url');
}

/** Tracks who is present in each topic, in this and in the other processes. */
export class PresenceTracker {
  /** By topic, key and reference. */
  readonly #topics = new Map<string, Map<string, Map<string, TrackedPresence>>>();

  /** The state of a topic, for a client that joins. */
  state(topic: string): State {
    const keys = [...(this.#topics.get(topic) ?? [])];
    return Object.fromEntries(
      keys.map(([key, presences]) => [key, { metas: [...presences.values()].map(({ meta }) => meta) }]),
    );
  }

  /** Adds a presence, which replaces the one with the reference `previous`. */
  track({ topic, key, meta }: PresenceEntry, node: string, previous?: string): PresenceDiff {
    const before = previous === undefined ? undefined : this.#remove(topic, key, previous);
    const keys = this.#topics.get(topic) ?? new Map<string, Map<string, TrackedPresence>>();
    this.#topics.set(topic, keys);
    const presences = keys.get(key) ?? new Map<string, TrackedPresence>();
    keys.set(key, presences);
    presences.set(String(meta.phx_ref), { meta, node });
    return { joins: stateOf(key, meta), leaves: before === undefined ? {} : stateOf(key, before) };
  }

  /** Removes a presence; undefined when none has that reference. */
  untrack(topic: string, key: string, ref: string): PresenceDiff | undefined {
    const meta = this.#remove(topic, key, ref);
    return meta === undefined ? undefined : { joins: {}, leaves: stateOf(key, meta) };
  }

  /** All presences of a process. */
  entriesOf(node: string): PresenceEntry[] {
    return [...this.#topics].flatMap(([topic, keys]) =>
      [...keys].flatMap(([key, presences]) =>
        [...presences.values()]
          .filter((presence) => presence.node === node)
          .map(({ meta }) => ({ topic, key, meta })),
      ),
    );
  }

  #remove(topic: string, key: string, ref: string): Meta | undefined {
    const keys = this.#topics.get(topic);
    const presences = keys?.get(key);
    const presence = presences?.get(ref);
    if (keys === undefined || presences === undefined || presence === undefined) return undefined;
    presences.delete(ref);
    if (presences.size === 0) keys.delete(key);
    if (keys.size === 0) this.#topics.delete(topic);
    return presence.meta;
  }
}

function stateOf(key: string, meta: Meta): State {
  return Object.fromEntries([[key, { metas: [meta] }]]);
}
