import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { refusalOf, UploadError, type UploadProgress, uploadFile } from './file-upload.web.ts';

/** One file on its way. */
export interface QueuedUpload {
  readonly id: number;
  readonly file: File;
  /** `offline` goes on by itself when the connection is back. */
  readonly state: 'waiting' | 'sending' | 'offline' | 'failed';
  /** Bytes that have left the browser. */
  readonly sentBytes: number;
  /** Whole seconds left at the pace so far; null until there is a pace. */
  readonly secondsLeft: number | null;
  /** Why it failed. */
  readonly reason: string | null;
  /** Another attempt can succeed. */
  readonly retryable: boolean;
  /** It failed for want of a plan or of credits. */
  readonly needsPlan: boolean;
}

/** Callbacks of the queue, each called once per file. */
export interface UploadListener {
  /** @param storedPath where its object lies */
  uploaded(file: File, storedPath: string): void;
  failed(file: File, error: UploadError): void;
}

interface Work {
  readonly userId: string;
  readonly progress: UploadProgress;
  abort: AbortController;
}

/**
 * The uploads of this page, one after the other. It outlives the Files tab, so
 * that looking at Billing does not stop a file half way.
 */
export class UploadQueue {
  #items: readonly QueuedUpload[] = [];
  readonly #work = new Map<number, Work>();
  readonly #watchers = new Set<() => void>();
  #nextId = 1;
  #running = false;
  listener: UploadListener | null = null;

  /** The items in order of arrival; the same array until something changes. */
  readonly items = (): readonly QueuedUpload[] => this.#items;

  /** Calls `watcher` after each change; returns what ends that. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Adds files of the user; those that the dashboard does not take fail at once. */
  add(files: readonly File[], userId: string): void {
    for (const file of files) {
      const refusal = refusalOf(file);
      const id = this.#nextId++;
      this.#work.set(id, {
        userId,
        progress: { paid: false, storedPath: null },
        abort: new AbortController(),
      });
      this.#items = [
        ...this.#items,
        {
          id,
          file,
          state: refusal === undefined ? 'waiting' : 'failed',
          sentBytes: 0,
          secondsLeft: null,
          reason: refusal ?? null,
          retryable: refusal === undefined,
          needsPlan: false,
        },
      ];
      if (refusal !== undefined) this.listener?.failed(file, new UploadError(refusal));
    }
    this.#changed();
    void this.#run();
  }

  /** Stops an upload and takes it off the list; its credit comes back by itself. */
  cancel(id: number): void {
    this.#work.get(id)?.abort.abort();
    this.#remove(id);
  }

  /** Puts a failed upload back into the queue. */
  retry(id: number): void {
    const work = this.#work.get(id);
    const state = this.#find(id)?.state;
    if (work === undefined || (state !== 'failed' && state !== 'offline')) return;
    work.abort = new AbortController();
    this.#set(id, { state: 'waiting', sentBytes: 0, secondsLeft: null, reason: null });
    void this.#run();
  }

  /** Goes on with what the lost connection had stopped. */
  resume(): void {
    for (const { id, state } of this.#items) if (state === 'offline') this.retry(id);
  }

  /** Stops and forgets everything, as sign-out does. */
  clear(): void {
    for (const item of this.#items) this.cancel(item.id);
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (let item = this.#waiting(); item !== undefined; item = this.#waiting()) await this.#send(item);
    this.#running = false;
  }

  async #send({ id, file }: QueuedUpload): Promise<void> {
    const work = this.#work.get(id);
    if (work === undefined) return;
    this.#set(id, { state: 'sending' });
    const startedAt = performance.now();
    try {
      await uploadFile(
        { file, userId: work.userId, progress: work.progress },
        work.abort.signal,
        (sentBytes) =>
          this.#set(id, { sentBytes, secondsLeft: secondsLeft(startedAt, sentBytes, file.size) }),
      );
      this.#remove(id);
      this.listener?.uploaded(file, work.progress.storedPath ?? '');
    } catch (error) {
      const failure =
        error instanceof UploadError ? error : new UploadError(MESSAGES.upload.failed, 'plain', error);
      if (failure.cancelled) return;
      if (!navigator.onLine) {
        this.#set(id, { state: 'offline', reason: MESSAGES.upload.offline, secondsLeft: null });
        return;
      }
      this.#set(id, {
        state: 'failed',
        reason: failure.message,
        secondsLeft: null,
        retryable: !FINAL.has(failure.message) && !failure.outOfCredit,
        needsPlan: failure.outOfCredit,
      });
      this.listener?.failed(file, failure);
    }
  }

  #waiting(): QueuedUpload | undefined {
    return this.#items.find((item) => item.state === 'waiting');
  }

  #find(id: number): QueuedUpload | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #set(id: number, change: Partial<QueuedUpload>): void {
    this.#items = this.#items.map((item) => (item.id === id ? { ...item, ...change } : item));
    this.#changed();
  }

  #remove(id: number): void {
    this.#work.delete(id);
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#changed();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

/** Refusals that another attempt with the same file meets again. */
const FINAL: ReadonlySet<string> = new Set([MESSAGES.upload.tooLarge, MESSAGES.upload.typeNotSupported]);

function secondsLeft(startedAt: number, sentBytes: number, size: number): number | null {
  const elapsed = (performance.now() - startedAt) / 1000;
  if (elapsed < 1 || sentBytes === 0) return null;
  return Math.ceil(((size - sentBytes) / sentBytes) * elapsed);
}

/** The queue of this page. */
export const uploads = new UploadQueue();
