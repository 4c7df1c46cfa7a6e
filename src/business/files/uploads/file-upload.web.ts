import { CREDIT_DESCRIPTION, LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { declaredUploadType, isDocument } from '../../../platform/storage/content/upload-types.contract.ts';
import { objectSegment } from '../../../platform/storage/objects/object-name.contract.ts';
import { supabase } from '../../../ui/session/client.ts';
import { publicConfig } from '../../../ui/session/public-config.ts';
import { readCustomer, readTeamCredits } from '../../billing/customers/customer-read.web.ts';
import { isValidStatus, readAllowances } from '../../billing/subscription/subscription-read.web.ts';
import { lostLine, SendError, sendObject, sendResumable } from './object-send.web.ts';
import { isOfFile, readUnfinished } from './unfinished-uploads.web.ts';

/** Larger documents, in bytes, are sent so that a lost connection does not start them from the beginning. */
const SENT_AT_ONCE = 4 * 1024 * 1024;

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
  readonly progress: UploadProgress;
  /** Whether an unfinished upload belongs to another task of this page. */
  readonly isTaken: (unfinishedId: string) => boolean;
}

/**
 * A failed upload with the sentence for the user. `outOfCredit` marks the toasts of 6 s. After a lost
 * connection (`lostLine`) the upload continues as soon as there is one.
 */
export class UploadError extends Error {
  readonly kind: 'plain' | 'outOfCredit' | 'cancelled' | 'lostLine';

  constructor(message: string, kind: UploadError['kind'] = 'plain', cause?: unknown) {
    super(message, { cause });
    this.name = 'UploadError';
    this.kind = kind;
  }
}

/**
 * Why the dashboard refuses a file, or undefined when it accepts it (docs/specification/site.md §5,
 * docs/specification/platform.md §5).
 */
export function refusalOf(file: Pick<File, 'name' | 'type' | 'size'>): string | undefined {
  if (!isDocument(file.name, file.type))
    return `${MESSAGES.upload.unsupported}\n${MESSAGES.upload.unsupportedFurther}`;
  if (file.size > LIMITS.uploadBytes) return MESSAGES.upload.tooLarge;
  if (file.size === 0) return `${MESSAGES.upload.failed}: the file is empty`;
  return undefined;
}

/**
 * One upload, in the specified order: account status, credit, object, record (docs/specification/site.md §5,
 * §7). The caller keeps `progress` between attempts.
 *
 * @throws UploadError
 */
export async function uploadFile(
  task: UploadTask,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  const { userId, progress } = task;
  if (progress.storedPath === null) {
    const isResumable = task.file.size > SENT_AT_ONCE || progress.unfinished !== null;
    const store = isResumable ? storeResumable : storeAtOnce;
    if (isResumable) await findUnfinished(task);
    const paidBefore = progress.paid;
    if (!paidBefore) await pay(userId, progress, signal);
    try {
      await store(task, signal, onSent);
    } catch (error) {
      // The credit of an attempt whose reply was lost has been given back in the meantime: take one again.
      if (!(paidBefore && !progress.paid && isForWantOfCredit(error))) throw error;
      await pay(userId, progress, signal);
      await store(task, signal, onSent);
    }
  }
  await record(task);
}

/** True when the service found no credit for the upload, or not the upload that had one. */
function isForWantOfCredit(error: unknown): boolean {
  const cause = error instanceof UploadError ? error.cause : undefined;
  return cause instanceof SendError && (cause.code === 'AccessDenied' || GONE.has(cause.status ?? 0));
}

/** Continues an upload of this same file that stopped when its page was closed. @throws UploadError */
async function findUnfinished({ file, progress, isTaken }: UploadTask): Promise<void> {
  if (progress.unfinished !== null) return;
  const all = await readUnfinished(UPLOADS_BUCKET).catch((error: unknown) => {
    throw describe(error);
  });
  const found = all.find((upload) => isOfFile(upload, file) && !isTaken(upload.id));
  if (found === undefined) return;
  progress.unfinished = { id: found.id, path: found.path };
  progress.paid = true;
}

async function pay(userId: string, progress: UploadProgress, signal: AbortSignal): Promise<void> {
  await checkAccount(userId);
  if (signal.aborted) throw new UploadError('Cancelled', 'cancelled');
  const client = await supabase();
  const { data, error } = await client.rpc('use_credits', {
    p_user_id: userId,
    p_amount: LIMITS.creditsPerUpload,
    p_description: CREDIT_DESCRIPTION,
  });
  if (error !== null) throw new UploadError(MESSAGES.upload.creditsFailed, 'plain', error);
  if (data !== true) throw new UploadError(MESSAGES.upload.noCredits, 'outOfCredit');
  progress.paid = true;
}

/** Reports why an account cannot upload before anything is spent (docs/specification/site.md §8). */
async function checkAccount(userId: string): Promise<void> {
  const account = await Promise.all([readAllowances(), readCustomer(userId)]).catch((cause: unknown) => {
    throw new UploadError(MESSAGES.upload.accountStatus, 'plain', cause);
  });
  const [{ plans }, customer] = account;
  if ((customer?.credits ?? 0) >= LIMITS.creditsPerUpload) return;
  if ((await readTeamCredits()) >= LIMITS.creditsPerUpload) return;
  const status = plans[0]?.subscription_status ?? null;
  if (status === null) throw new UploadError(MESSAGES.upload.noPlan, 'outOfCredit');
  const words = isValidStatus(status) ? MESSAGES.upload.noCredits : MESSAGES.upload.badStatus(status);
  throw new UploadError(words, 'outOfCredit');
}

async function storeAtOnce(
  { file, userId, progress }: UploadTask,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  const path = newPath(file, userId);
  const [client, { publicKey }] = await Promise.all([supabase(), publicConfig()]);
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new UploadError(MESSAGES.delete.loginAgain);
  const accessToken = data.session.access_token;
  try {
    await sendObject({ path, file: withType(file), publicKey, accessToken, signal, onProgress: onSent });
  } catch (error) {
    // A refusal gave the credit back at once; only without a reply may the reservation still exist.
    progress.paid = error instanceof SendError && error.code === 'network';
    throw describe(error, 'plain');
  }
  progress.storedPath = path;
}

/** Statuses after which the upload cannot continue; its credit and quota have been released. */
const GONE: ReadonlySet<number> = new Set([404, 410]);
const ENDED: ReadonlySet<number> = new Set([...GONE, 413, 415, 422]);

async function storeResumable(
  { file, userId, progress }: UploadTask,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  const path = progress.unfinished?.path ?? newPath(file, userId);
  try {
    await sendResumable({
      path,
      file: withType(file),
      unfinishedId: progress.unfinished?.id,
      signal,
      onProgress: onSent,
      onBegun(id) {
        progress.unfinished = { id, path };
      },
    });
  } catch (error) {
    const status = error instanceof SendError ? error.status : undefined;
    if (status !== undefined && (progress.unfinished === null || ENDED.has(status))) {
      progress.unfinished = null;
      progress.paid = false;
    }
    throw describe(error);
  }
  progress.storedPath = path;
}

function newPath({ name }: File, userId: string): string {
  return `${userId}/${Date.now()}_${objectSegment(name)}`;
}

/** @param lost what a lost connection means: the end of the attempt, or a pause */
function describe(error: unknown, lost: 'plain' | 'lostLine' = 'lostLine'): UploadError {
  if (!(error instanceof SendError)) return new UploadError(MESSAGES.upload.failed, 'plain', error);
  if (error.code === 'cancelled') return new UploadError('Cancelled', 'cancelled');
  if (error.code === 'EntityTooLarge' || error.code === '413')
    return new UploadError(MESSAGES.upload.tooLarge);
  if (error.code === 'InvalidMimeType') return new UploadError(MESSAGES.upload.typeNotSupported);
  if (error.message === '') return new UploadError(MESSAGES.upload.failed, 'plain', error);
  const kind = error.code === 'network' ? lost : 'plain';
  return new UploadError(`${MESSAGES.upload.failed}: ${error.message}`, kind, error);
}

/**
 * @trigger public.user_files record_file
 */
async function record({ file, userId, progress }: UploadTask): Promise<void> {
  const client = await supabase();
  const { error, status } = await client.from('user_files').insert({
    user_id: userId,
    file_path: progress.storedPath,
    file_name: file.name.normalize('NFC'),
    file_type: 'document',
    file_size: file.size,
    mime_type: withType(file).type,
    analyzed: false,
  });
  // 23505: an earlier attempt, whose reply was lost, wrote the record; or the server adopted the object.
  if (error === null || error.code === '23505') return;
  throw status === 0 ? describe(lostLine()) : new UploadError(MESSAGES.upload.failed, 'plain', error);
}

/** A file without a type from the operating system is sent with the type of its extension. */
function withType(file: File): File {
  const declared = file.type === '' ? declaredUploadType(file.name, '')?.mimeTypes[0] : undefined;
  return declared === undefined
    ? file
    : new File([file], file.name, { type: declared, lastModified: file.lastModified });
}
