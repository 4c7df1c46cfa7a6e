import type { ObjectStore } from './object-store.ts';

/** Objects whose bytes are to be copied elsewhere before a copy of the database names them. */
export interface NewObjects {
  /** From now on, remembers each object that is stored. Without it nothing is remembered. */
  watch(): void;
  /** Remembers nothing any more; bytes that waited for their copy to be deleted go now. */
  forget(): Promise<void>;
  /** Ids of the objects stored since then that were not reported as copied. */
  waiting(): string[];
  /** Reports a copy; bytes that were deleted in the meantime go now. */
  copied(id: string): Promise<void>;
  /** Lets bytes go that were to be deleted `ms` milliseconds ago or earlier, without a copy of them. */
  giveUp(ms: number): Promise<void>;
}

/**
 * A store that remembers what is new in it. It remembers an object before `keep` returns, and so before a row
 * of the database can name it, and deletes nothing that is still to be copied.
 */
export function rememberNewObjects(store: ObjectStore): { objects: ObjectStore; newObjects: NewObjects } {
  const waiting = new Set<string>();
  /** When their deletion was asked for, of the clock that is never put back. */
  const deleted = new Map<string, number>();
  let watching = false;
  const note = (id: string): void => void (watching && waiting.add(id));
  const removeAll = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) if (waiting.has(id)) deleted.set(id, performance.now());
    await store.removeAll(ids.filter((id) => !waiting.has(id)));
  };
  const copied = async (id: string): Promise<void> => {
    waiting.delete(id);
    if (deleted.delete(id)) await store.remove(id);
  };
  return {
    objects: {
      id: store.id,
      receive: (id, source, options) => store.receive(id, source, options),
      append: (id, offset, source, options) => store.append(id, offset, source, options),
      assemble: (id, options) => store.assemble(id, options),
      discard: (id) => store.discard(id),
      read: (id, range) => store.read(id, range),
      kept: () => store.kept(),
      received: () => store.received(),
      async keep(received) {
        await store.keep(received);
        note(received.id);
      },
      async duplicate(id, copy) {
        await store.duplicate(id, copy);
        note(copy);
      },
      remove: (id) => removeAll([id]),
      removeAll,
    },
    newObjects: {
      watch() {
        watching = true;
      },
      waiting: () => [...waiting],
      async forget() {
        watching = false;
        for (const id of [...waiting]) await copied(id);
      },
      copied,
      async giveUp(ms) {
        const limit = performance.now() - ms;
        for (const [id, asked] of [...deleted]) if (asked <= limit) await copied(id);
      },
    },
  };
}
