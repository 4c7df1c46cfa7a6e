import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { ResumableUpload } from './resumable-upload.server.ts';
import { tusErrors } from './tus-protocol.server.ts';

/** A writing request that does not renew its lock for this long counts as dead. */
const LOCK_SECONDS = 10;
const RENEW_MS = 3000;
/** How long a request waits for the previous one to end; one that has received all bytes may need longer. */
const PATIENCE_MS = 3000;
/** Pauses while it waits, doubled from the first to the longest. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;
/** Notifies all processes of the id of an upload whose lock another request wants. */
const CHANNEL = 'upload_wanted';
/**
 * After a power cut a lost lock is over anyway, and a client that is told a smaller number of bytes sends the
 * rest again.
 */
const ASYNC_COMMIT = "set_config('synchronous_commit', 'off', true) <> ''";

/** The right of one request to write. */
export interface UploadLock {
  /** Records how many bytes are safe. @throws ServiceError 423 when another request took over */
  save(bytes: number): Promise<void>;
  /** Records `bytes`, if given, and lets the next request write. @throws as `save` */
  release(bytes?: number): Promise<void>;
}

/**
 * The locks of uploads. The database knows which request holds each lock; each process can end its own
 * requests.
 */
export class UploadLocks {
  readonly #resources: Pick<Resources, 'database' | 'log'>;
  /** Functions that end the requests of this process, by upload id. */
  readonly #enders = new Map<string, () => void>();

  private constructor(resources: Pick<Resources, 'database' | 'log'>) {
    this.#resources = resources;
  }

  static async open(resources: Pick<Resources, 'database' | 'log'>): Promise<UploadLocks> {
    const locks = new UploadLocks(resources);
    await resources.database.listen(CHANNEL, (id) => locks.#enders.get(id)?.());
    return locks;
  }

  /**
   * Makes a request the only one that writes to the upload.
   *
   * @param end called when another request wants the lock; has to make this one release it soon
   * @throws ServiceError 423 while another request writes, or when the upload has moved on
   */
  async acquire({ id, received }: ResumableUpload, end: () => void): Promise<UploadLock> {
    const { database, log } = this.#resources;
    const writer = randomUUID();
    const taken = await database.run(
      `update private.resumable_uploads set writer = $2, writing_until = now() + make_interval(secs => $3)
        where id = $1 and received = $4 and (writer is null or writing_until < now()) and ${ASYNC_COMMIT}`,
      [id, writer, LOCK_SECONDS, received],
    );
    if (taken === 0) throw tusErrors.locked();
    this.#enders.set(id, end);
    const renew = (bytes: number | null): Promise<number> =>
      database.run(
        `update private.resumable_uploads
            set received = coalesce($4, received), writing_until = now() + make_interval(secs => $3)
          where id = $1 and writer = $2 and ${ASYNC_COMMIT}`,
        [id, writer, LOCK_SECONDS, bytes],
      );
    const renewal = setInterval(
      () =>
        void renew(null).catch((error) =>
          log.warn({ err: error, upload: id }, 'the lock of an upload was not renewed'),
        ),
      RENEW_MS,
    );
    return {
      async save(bytes) {
        if ((await renew(bytes)) === 0) throw tusErrors.locked();
      },
      release: async (bytes) => {
        clearInterval(renewal);
        if (this.#enders.get(id) === end) this.#enders.delete(id);
        const ended = await database.run(
          `update private.resumable_uploads
              set received = coalesce($3, received), writer = null, writing_until = null
            where id = $1 and writer = $2 and ${ASYNC_COMMIT}`,
          [id, writer, bytes ?? null],
        );
        if (bytes !== undefined && ended === 0) throw tusErrors.locked();
      },
    };
  }

  /**
   * Ends the request that writes to the upload, in whichever process, and waits until its bytes are saved.
   * The client sends a new request only after it has given up the old one, even if the server has not noticed
   * that the connection broke. A request that has received everything and only stores it may finish. When the
   * request does not end in time, the lock stays as it is.
   */
  async end({ id }: ResumableUpload): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    for (let wait = FIRST_PAUSE_MS; Date.now() < until; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      // Notified in every round, because the request may have taken the lock only now.
      const held = await this.#resources.database.maybe(
        `select pg_notify('${CHANNEL}', id::text) from private.resumable_uploads
          where id = $1 and writing_until > now()`,
        [id],
      );
      if (held === undefined) return;
      await pause(wait);
    }
  }
}
