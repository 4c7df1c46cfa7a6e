import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { endUnfinished } from '../../../platform/storage/uploads/resumable-send.web.ts';
import { DOCUMENTS } from './file-upload.web.ts';
import { UploadError, type UploadKind, type UploadProgress } from './upload-task.web.ts';

/** Pauses before each retry after a lost connection, ms; the last one repeats. */
const PAUSES_MS = [1000, 2000, 5000, 10_000, 20_000] as const;

/** One file in the queue. */
export interface QueuedUpload {
  readonly id: number;
  readonly file: File;
  /**
   * `offline` continues by itself: after a pause, and when the browser reports that the connection is back.
   */
  readonly state: 'waiting' | 'sending' | 'paused' | 'offline' | 'failed';
  /** Bytes that have left the browser. */
  readonly sentBytes: number;
  /** Whole seconds left at the speed so far; null until it is known. */
  readonly secondsLeft: number | null;
  /** Why it failed or waits. */
  readonly reason: string | null;
  /** True when another attempt can succeed. */
  readonly retryable: boolean;
  /** True when it failed for lack of a plan or of credits. */
  readonly needsPlan: boolean;
  /** True when it can be paused now. */
  readonly pausable: boolean;
}

/** Callbacks of the queue. */
export interface UploadListener {
  /** @param storedPath the path of its object */
  uploaded(file: File, storedPath: string): void;
  failed(file: File, error: UploadError): void;
  /** The server has deleted what it had of a cancelled file and released its credit. */
  ended(): void;
}

interface Work {
  readonly userId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly progress: UploadProgress;
  abort: AbortController;
}

/** An upload on the server that a file continues. */
export type Resumed = NonNullable<UploadProgress['unfinished']>;

/**
 * Uploads of this page of one kind, one after another. It outlives its tab, so that opening Billing does not
 * stop a file half way.
 */
export class UploadQueue {
  readonly #kind: UploadKind;
  #items: readonly QueuedUpload[] = [];
  readonly #work = new Map<number, Work>();
  readonly #watchers = new Set<() => void>();
  #nextId = 1;
  #running = false;
  /** Attempts since the connection was lost, and the timer of the next one. */
  #losses = 0;
  #next: ReturnType<typeof setTimeout> | undefined;
  /**
   * The server's uploads that were completed or ended here; a list that was read earlier may still contain
   * them.
   */
  readonly #over = new Set<string>();
  listener: UploadListener | null = null;

  constructor(kind: UploadKind) {
    this.#kind = kind;
  }

  /** The items in order of arrival; the same array until something changes. */
  readonly items = (): readonly QueuedUpload[] => this.#items;

  /** Ids of the server's unfinished uploads that this page is working on. */
  readonly unfinishedIds = (): ReadonlySet<string> =>
    new Set([
      ...this.#over,
      ...[...this.#work.values()].map(({ progress }) => progress.unfinished?.id ?? ''),
    ]);

  /** Calls `watcher` after each change; returns a function that stops this. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /**
   * Adds files of the user; those that this kind refuses fail at once.
   *
   * @param resumed the upload to continue, when there is one file
   * @param metadata stored with the objects
   */
  add(
    files: readonly File[],
    userId: string,
    { resumed = null, metadata = {} }: { resumed?: Resumed | null; metadata?: Work['metadata'] } = {},
  ): void {
    for (const file of files) {
      const refusal = this.#kind.refusalOf(file);
      const id = this.#nextId++;
      this.#work.set(id, {
        userId,
        metadata,
        progress: { paid: resumed !== null, storedPath: null, unfinished: resumed },
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
          pausable: false,
        },
      ];
      if (refusal !== undefined) this.listener?.failed(file, new UploadError(refusal, 'final'));
    }
    this.#changed();
    void this.#run();
  }

  /** Stops an upload for good and removes it from the list; its credit is released by the server. */
  cancel(id: number): void {
    const unfinished = this.#work.get(id)?.progress.unfinished;
    this.#stop(id);
    if (unfinished) void this.#end(unfinished.id);
  }

  /** Puts a failed, paused or interrupted upload back into the queue. */
  retry(id: number): void {
    const work = this.#work.get(id);
    const item = this.#find(id);
    if (work === undefined || item === undefined || item.state === 'waiting' || item.state === 'sending')
      return;
    work.abort = new AbortController();
    // The reason stays visible until bytes flow again.
    const reason = item.state === 'offline' ? item.reason : null;
    this.#set(id, { state: 'waiting', secondsLeft: null, reason });
    void this.#run();
  }

  /** Stops an upload until somebody continues it; the server keeps received bytes for a day. */
  pause(id: number): void {
    if (this.#find(id)?.pausable !== true) return;
    this.#work.get(id)?.abort.abort();
    this.#set(id, { state: 'paused', secondsLeft: null, pausable: false });
  }

  /** Aborts requests over a lost connection if another request can continue them. */
  pauseAll(): void {
    for (const { id, state } of this.#items) {
      const work = this.#work.get(id);
      if (state !== 'sending' || !work?.progress.unfinished || work.progress.storedPath !== null) continue;
      work.abort.abort();
      this.#set(id, { state: 'offline', reason: MESSAGES.upload.offline, secondsLeft: null });
    }
  }

  /** Continues uploads that the lost connection had stopped. */
  resumeAll(): void {
    clearTimeout(this.#next);
    for (const { id, state } of this.#items) if (state === 'offline') this.retry(id);
  }

  /** Stops and forgets all uploads, as sign-out does; the server keeps received bytes for a day. */
  clear(): void {
    clearTimeout(this.#next);
    for (const item of this.#items) this.#stop(item.id);
    this.#over.clear();
  }

  #stop(id: number): void {
    this.#work.get(id)?.abort.abort();
    this.#remove(id);
  }

  async #end(unfinishedId: string): Promise<void> {
    // If this request does not reach the server, the unfinished upload is listed, and can be ended there.
    await endUnfinished(unfinishedId).catch(() => this.#over.delete(unfinishedId));
    this.listener?.ended();
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    for (let item = this.#waiting(); item !== undefined; item = this.#waiting()) await this.#send(item);
    this.#running = false;
  }

  async #send(item: QueuedUpload): Promise<void> {
    const { id, file } = item;
    const work = this.#work.get(id);
    if (work === undefined) return;
    this.#set(id, { state: 'sending' });
    const { progress, abort } = work;
    const isTaken = (unfinishedId: string): boolean => this.unfinishedIds().has(unfinishedId);
    try {
      await this.#kind.send({ file, ...work, isTaken }, abort.signal, this.#paceOf(item, work));
      this.#losses = 0;
      this.#remove(id);
      this.listener?.uploaded(file, progress.storedPath ?? '');
    } catch (error) {
      this.#failed(
        id,
        file,
        error instanceof UploadError ? error : new UploadError(MESSAGES.upload.failed, 'plain', error),
      );
    }
  }

  /** Records the progress of one attempt; it starts from the bytes that the server already has. */
  #paceOf({ id, file }: QueuedUpload, { progress, abort: { signal } }: Work): (sentBytes: number) => void {
    const startedAt = performance.now();
    let first: number | undefined;
    return (sentBytes) => {
      if (signal.aborted) return;
      first ??= progress.unfinished === null ? 0 : sentBytes;
      if (sentBytes > first) this.#losses = 0;
      const left = secondsLeft(performance.now() - startedAt, sentBytes - first, file.size - sentBytes);
      const pausable = this.#kind.canPause && progress.unfinished !== null;
      this.#set(id, { sentBytes, secondsLeft: left, pausable, ...(sentBytes > first && { reason: null }) });
    };
  }

  #failed(id: number, file: File, failure: UploadError): void {
    if (failure.kind === 'cancelled') return;
    if (!navigator.onLine || failure.kind === 'lostLine') {
      const reason = navigator.onLine ? MESSAGES.upload.lostLine : MESSAGES.upload.offline;
      this.#set(id, { state: 'offline', reason, secondsLeft: null, pausable: false });
      this.#resumeLater();
      return;
    }
    this.#set(id, {
      state: 'failed',
      reason: failure.message,
      secondsLeft: null,
      retryable: failure.kind === 'plain',
      needsPlan: failure.kind === 'needsPlan',
      pausable: false,
    });
    this.listener?.failed(file, failure);
  }

  /**
   * The browser reports when it is online again, but not when only the connection to the server was broken.
   */
  #resumeLater(): void {
    clearTimeout(this.#next);
    if (!navigator.onLine) return;
    this.#next = setTimeout(() => this.resumeAll(), PAUSES_MS[this.#losses] ?? PAUSES_MS.at(-1));
    this.#losses += 1;
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
    const unfinished = this.#work.get(id)?.progress.unfinished;
    if (unfinished) this.#over.add(unfinished.id);
    this.#work.delete(id);
    this.#items = this.#items.filter((item) => item.id !== id);
    this.#changed();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

/** Seconds left at the speed of an attempt that has lasted `elapsedMs`. */
function secondsLeft(elapsedMs: number, sentBytes: number, leftBytes: number): number | null {
  if (elapsedMs < 1000 || sentBytes <= 0) return null;
  return Math.ceil(((leftBytes / sentBytes) * elapsedMs) / 1000);
}

/** The documents of this page. */
export const uploads = new UploadQueue(DOCUMENTS);
