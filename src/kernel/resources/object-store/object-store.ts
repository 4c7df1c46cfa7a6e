import type { Readable } from 'node:stream';

/** Bytes that have arrived whole and are safe on disk, but are not an object yet: `keep` or `discard` them. */
export interface ReceivedBytes {
  readonly id: string;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly sha256: string;
  /** A local file with the bytes, to inspect before they are stored. */
  readonly file: string;
}

/** How bytes are taken in. */
export interface ReceiveOptions {
  /** Called with each piece as it passes; a throw ends the reception. */
  inspect(piece: Buffer): void;
  /** The pieces are not used afterwards: the store may free their memory once they are written. */
  readonly ownsPieces?: boolean;
}

/** How bytes are added. */
export interface AppendOptions extends ReceiveOptions {
  /** How many bytes from the file's start a killed process would not lose; awaited. `last`: no more are added. */
  checkpoint(bytes: number, last: boolean): Promise<void>;
}

/** How bytes that were added become a whole. */
export interface AssembleOptions extends ReceiveOptions {
  /** What they are, when all of them passed this process as they were added: then a local store reads none again. */
  readonly known?: { readonly bytes: number; readonly sha256: string };
}

/** The store lacks bytes that it should have, e.g. because another store has been configured. */
export class MissingBytes extends Error {}

/** First and last byte, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A store of bytes, independent of their meaning. Names are made by the server (UUIDs), never
 * derived from what a client sent; what is stored under a name never changes.
 */
export interface ObjectStore {
  /** Identity of the store, created with it: distinguishes one installation's bytes from another's. */
  readonly id: string;
  /**
   * Streams bytes in, with flat memory. The source's own error, or what `inspect` throws, comes
   * through after everything written has been removed.
   *
   * @throws ServiceError 503 `storage_full` when the disk is full
   */
  receive(id: string, source: AsyncIterable<Buffer>, options: ReceiveOptions): Promise<ReceivedBytes>;
  /**
   * Adds bytes to what is being received, from `offset` on. What arrived before the source failed stays.
   *
   * @throws ServiceError 503 `storage_full`; MissingBytes when there are fewer than `offset` bytes
   */
  append(id: string, offset: number, source: AsyncIterable<Buffer>, options: AppendOptions): Promise<void>;
  /**
   * What `append` has put together, checked as a whole and durable from then on.
   *
   * @throws MissingBytes when there are not as many bytes as are known
   */
  assemble(id: string, options: AssembleOptions): Promise<ReceivedBytes>;
  /**
   * Makes received bytes readable under their id, durably.
   *
   * @throws Error when the id is taken; ServiceError 503 `storage_unavailable`, as every call of a store
   * on the network may
   */
  keep(received: ReceivedBytes): Promise<void>;
  /** Removes what was received and not stored; does nothing when there is nothing. */
  discard(id: string): Promise<void>;
  /** The bytes (a part of them with `range`), or undefined when there are none under this id. */
  read(id: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Puts the same bytes under another id. @throws Error when there is no `id` or `copy` is taken */
  duplicate(id: string, copy: string): Promise<void>;
  /** Removes bytes for good; nothing happens when there are none. */
  remove(id: string): Promise<void>;
  /** Removes many at once, as `remove` does one. */
  removeAll(ids: readonly string[]): Promise<void>;
  /** Ids of all stored bytes. */
  kept(): AsyncIterable<string>;
  /** Ids of everything that is being received, or was when a process died. */
  received(): AsyncIterable<string>;
}
