import { LIMITS } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import { SendError, sendResumable } from './object-send.web.ts';

/** How far an upload has come, so that a retry neither pays nor sends twice. */
export interface UploadProgress {
  /** True when a credit was taken and no reply says that it was given back. */
  paid: boolean;
  /** The path of the object once the storage service has confirmed it. */
  storedPath: string | null;
  /** The resumable upload that has begun: it has its credit, and continues where it stopped. */
  unfinished: { readonly id: string; readonly path: string } | null;
}

/** A file, its future owner, and the progress of earlier attempts. */
export interface UploadTask {
  readonly file: File;
  readonly userId: string;
  /** Stored with the object. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly progress: UploadProgress;
  /** Whether an unfinished upload belongs to another task of this page. */
  readonly isTaken: (unfinishedId: string) => boolean;
}

/** Called with the bytes that have left the browser. */
export type SentReport = (bytes: number) => void;

/** What a queue sends, e.g. documents. */
export interface UploadKind {
  /** Whether people may pause an upload that has begun. */
  readonly canPause: boolean;
  /** Why a file is refused at once; undefined when it is not. */
  refusalOf(file: File): string | undefined;
  /**
   * Makes one attempt; the caller keeps `progress` between attempts.
   *
   * @throws UploadError
   */
  send(task: UploadTask, signal: AbortSignal, onSent: SentReport): Promise<void>;
}

/**
 * A failed upload with the sentence for the user. After a lost connection (`lostLine`) the upload continues as
 * soon as there is one. `needsPlan`: Billing sells what is missing. `final`: the same file would be refused again.
 */
export class UploadError extends Error {
  readonly kind: 'plain' | 'final' | 'needsPlan' | 'cancelled' | 'lostLine';

  constructor(message: string, kind: UploadError['kind'] = 'plain', cause?: unknown) {
    super(message, { cause });
    this.name = 'UploadError';
    this.kind = kind;
  }
}

/**
 * Takes the credit of an upload.
 *
 * @param refusal said when there is none
 * @throws UploadError
 */
export async function takeCredit(
  { userId, progress }: UploadTask,
  { description, refusal }: { readonly description: string; readonly refusal: string },
): Promise<void> {
  const { data, error } = await (await supabase()).rpc('use_credits', {
    p_user_id: userId,
    p_amount: LIMITS.creditsPerUpload,
    p_description: description,
  });
  if (error !== null) throw new UploadError(MESSAGES.upload.creditsFailed, 'plain', error);
  if (data !== true) throw new UploadError(refusal, 'needsPlan');
  progress.paid = true;
}

/** Statuses after which the upload cannot continue; its credit and quota have been released. */
export const GONE: ReadonlySet<number> = new Set([404, 410]);
const ENDED: ReadonlySet<number> = new Set([...GONE, 413, 415, 422]);

/**
 * Begins a resumable upload, or continues the one of `progress`.
 *
 * @param path of the object, for an upload that begins
 * @throws SendError
 */
export async function storeResumable(
  { file, metadata, progress }: UploadTask,
  { bucket, path: newPath, contentType }: { bucket: string; path: string; contentType: string },
  { signal, onSent }: { signal: AbortSignal; onSent: SentReport },
): Promise<void> {
  const path = progress.unfinished?.path ?? newPath;
  try {
    await sendResumable({
      bucket,
      path,
      file,
      contentType,
      metadata,
      unfinishedId: progress.unfinished?.id,
      signal,
      onProgress: onSent,
      onBegun(id) {
        if (progress.unfinished !== null) return;
        progress.unfinished = { id, path };
        onSent(0);
      },
    });
  } catch (error) {
    const status = error instanceof SendError ? error.status : undefined;
    if (status !== undefined && (progress.unfinished === null || ENDED.has(status))) {
      progress.unfinished = null;
      progress.paid = false;
    }
    throw error;
  }
  progress.storedPath = path;
}
