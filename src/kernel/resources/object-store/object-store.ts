import type { Readable } from 'node:stream';

/**
 * Bytes that have arrived completely and are safe on disk, but are not an object yet: `keep` or `discard`
 * them.
 */
export interface ReceivedBytes {
  readonly id: string;
  readonly bytes: number;
  /** SHA-256, hex. */
  readonly sha256: string;
  /** A local file with the bytes, to inspect before they are stored. */
  readonly file: string;
}

/** Options of receiving bytes. */
export interface ReceiveOptions {
  /** Called with each piece as it passes; a throw ends the reception. */
  inspect(piece: Buffer): void;
  /** True when nobody uses the pieces afterwards: the store may free their memory once they are written. */
  readonly ownsPieces?: boolean;
}

/** Options of adding bytes. */
export interface AppendOptions extends ReceiveOptions {
  /**
   * Called with the number of bytes from the file's start that a killed process would not lose; awaited.
   * `last`: no more bytes follow.
   */
  checkpoint(bytes: number, last: boolean): Promise<void>;
}

/** Options of joining the added bytes into a whole. */
export interface AssembleOptions extends ReceiveOptions {
  /**
   * Size and hash, when all bytes passed this process as they were added; a local store then reads none
   * again.
   */
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
 * A store of bytes, which does not know what they mean. The server makes the names (UUIDs), never from what a
 * client sent; the bytes under a name never change.
 */
export interface ObjectStore {
  /**
   * Identity of the store, created with it: distinguishes the bytes of one installation from those of
   * another.
   */
  readonly id: string;
  /**
   * Receives a stream of bytes, with constant memory. When the source fails or `inspect` throws, the store
   * removes everything written and rethrows the error.
   *
   * @throws ServiceError 503 `storage_full` when the disk is full
   */
  receive(id: string, source: AsyncIterable<Buffer>, options: ReceiveOptions): Promise<ReceivedBytes>;
  /**
   * Adds bytes to an upload from `offset` on. Bytes that arrived before the source failed stay.
   *
   * @throws ServiceError 503 `storage_full`; MissingBytes when there are fewer than `offset` bytes
   */
  append(id: string, offset: number, source: AsyncIterable<Buffer>, options: AppendOptions): Promise<void>;
  /**
   * Checks the bytes added by `append` as a whole and makes them durable.
   *
   * @throws MissingBytes when there are fewer bytes than `known` says
   */
  assemble(id: string, options: AssembleOptions): Promise<ReceivedBytes>;
  /**
   * Makes received bytes readable under their id, durably.
   *
   * @throws Error when the id is taken; ServiceError 503 `storage_unavailable`, as every call may for a store
   * on the network
   */
  keep(received: ReceivedBytes): Promise<void>;
  /** Removes received bytes that were not stored; does nothing when there are none. */
  discard(id: string): Promise<void>;
  /** The bytes, or the part in `range`; undefined when none are stored under this id. */
  read(id: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Stores the same bytes under another id. @throws Error when `id` does not exist or `copy` is taken */
  duplicate(id: string, copy: string): Promise<void>;
  /** Deletes bytes; does nothing when there are none. */
  remove(id: string): Promise<void>;
  /** Deletes the bytes of many ids. */
  removeAll(ids: readonly string[]): Promise<void>;
  /** Ids of all stored bytes. */
  kept(): AsyncIterable<string>;
  /** Ids of everything that is being received, or was when a process was killed. */
  received(): AsyncIterable<string>;
}
