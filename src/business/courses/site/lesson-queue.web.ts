import type { Upload } from 'tus-js-client';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { checkLesson, LessonRefused, LOST_LINE, payForLesson, prepareLesson } from './lesson-upload.web.ts';

/** One video on its way. */
export interface QueuedLesson {
  readonly id: number;
  readonly file: File;
  readonly state: 'checking' | 'sending' | 'paused' | 'offline' | 'failed';
  /** Bytes that have left the browser. */
  readonly sentBytes: number;
  /** Why it failed or waits. */
  readonly reason: string | null;
  readonly retryable: boolean;
  readonly needsPlan: boolean;
}

/** Where a video goes. */
export interface LessonAim {
  /** An upload that is to go on. */
  readonly unfinishedId?: string;
  /** The course that it will be in; the first one without it. */
  readonly courseId?: string | undefined;
}

interface Work extends LessonAim {
  readonly userId: string;
  upload: Upload | null;
  paid: boolean;
}

/** The videos that this page sends. It outlives the Course tab, so that looking at Billing does not stop one. */
export class LessonQueue {
  #items: readonly QueuedLesson[] = [];
  readonly #work = new Map<number, Work>();
  readonly #watchers = new Set<() => void>();
  #nextId = 1;
  /** Called when a lesson has arrived, or its upload has ended. */
  onChange: (arrived: File | null) => void = () => {};

  /** The items in order of arrival; the same array until something changes. */
  readonly items = (): readonly QueuedLesson[] => this.#items;

  /** Ids of the uploads that an item of this page stands for. */
  readonly uploadIds = (): ReadonlySet<string> =>
    new Set([...this.#work.values()].map(({ upload }) => upload?.url?.split('/').at(-1) ?? ''));

  /** Calls `watcher` after each change; returns what ends that. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Sends a video of the user, or goes on with the unfinished one. */
  add(file: File, userId: string, aim: LessonAim = {}): void {
    const id = this.#nextId++;
    this.#work.set(id, { userId, ...aim, upload: null, paid: false });
    const begun = {
      state: 'checking',
      sentBytes: 0,
      reason: null,
      retryable: false,
      needsPlan: false,
    } as const;
    this.#items = [...this.#items, { id, file, ...begun }];
    this.#changed();
    void this.#begin(id);
  }

  /** Stops sending; the server keeps the bytes that have arrived for a day. */
  pause(id: number): void {
    if (this.#find(id)?.state !== 'sending') return;
    this.#set(id, { state: 'paused' });
    void this.#work.get(id)?.upload?.abort();
  }

  /** Goes on after a pause, a lost line or a failure. */
  resume(id: number): void {
    const work = this.#work.get(id);
    const item = this.#find(id);
    if (work === undefined || item === undefined || item.state === 'sending' || item.state === 'checking')
      return;
    if (work.upload === null) {
      this.#set(id, { state: 'checking', reason: null });
      void this.#begin(id);
      return;
    }
    this.#set(id, { state: 'sending', reason: null });
    work.upload.start();
  }

  /** Goes on with what the lost line had stopped. */
  resumeAll(): void {
    for (const { id, state } of this.#items) if (state === 'offline') this.resume(id);
  }

  /** Ends an upload and removes it from the list; its reserved place is free again. */
  async cancel(id: number): Promise<void> {
    const upload = this.#work.get(id)?.upload;
    const failed = this.#find(id)?.state === 'failed';
    this.#remove(id);
    // Where this does not reach the server, the unfinished upload is listed, and can be ended there.
    if (!failed) await upload?.abort(true).catch(() => {});
    this.onChange(null);
  }

  /** Stops everything, as sign-out does. */
  clear(): void {
    for (const { id } of this.#items) {
      void this.#work.get(id)?.upload?.abort();
      this.#remove(id);
    }
  }

  async #begin(id: number): Promise<void> {
    const work = this.#work.get(id);
    const file = this.#find(id)?.file;
    if (work === undefined || file === undefined) return;
    try {
      if (work.unfinishedId === undefined && !work.paid) {
        await checkLesson(file, work.userId);
        if (!this.#work.has(id)) return;
        await payForLesson(work.userId);
        work.paid = true;
      }
      const upload = await prepareLesson({ file, ...work }, this.#reportOf(id));
      // Cancelled meanwhile: what was taken comes back by itself.
      if (!this.#work.has(id)) return;
      work.upload = upload;
      this.#set(id, { state: 'sending' });
      upload.start();
    } catch (error) {
      this.#stopped(
        id,
        error instanceof LessonRefused
          ? error
          : new LessonRefused(MESSAGES.upload.failed, { retryable: true }),
      );
    }
  }

  #reportOf(id: number) {
    return {
      progress: (sentBytes: number): void => this.#set(id, { sentBytes }),
      done: (): void => {
        const file = this.#find(id)?.file ?? null;
        this.#remove(id);
        this.onChange(file);
      },
      stopped: (why: LessonRefused): void => this.#stopped(id, why),
    };
  }

  #stopped(id: number, why: LessonRefused): void {
    const work = this.#work.get(id);
    if (work === undefined || this.#find(id)?.state === 'paused') return;
    if (why.message === LOST_LINE && !navigator.onLine) {
      this.#set(id, { state: 'offline', reason: MESSAGES.upload.offline });
      return;
    }
    // The server gave back what a refused upload had taken; one without an address never began.
    if (why.message !== LOST_LINE && work.upload?.url == null) {
      work.paid = false;
      work.upload = null;
    }
    this.#set(id, {
      state: 'failed',
      reason: why.message,
      retryable: why.retryable,
      needsPlan: why.needsPlan,
    });
    this.onChange(null);
  }

  #find(id: number): QueuedLesson | undefined {
    return this.#items.find((item) => item.id === id);
  }

  #set(id: number, change: Partial<QueuedLesson>): void {
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

/** The queue of this page. */
export const lessons = new LessonQueue();
