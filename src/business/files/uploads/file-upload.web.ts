import { CREDIT_DESCRIPTION, LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { declaredUploadType, isDocument } from '../../../platform/storage/content/upload-types.contract.ts';
import { objectSegment } from '../../../platform/storage/objects/object-name.contract.ts';
import { supabase } from '../../../ui/session/client.ts';
import { publicConfig } from '../../../ui/session/public-config.ts';
import { readCustomer, readTeamCredits } from '../../billing/customers/customer-read.web.ts';
import { isValidStatus, readAllowances } from '../../billing/subscription/subscription-read.web.ts';
import { lostLine, SendError, sendObject } from './object-send.web.ts';
import { isOfFile, readUnfinished } from './unfinished-uploads.web.ts';
import {
  GONE,
  type SentReport,
  storeResumable,
  takeCredit,
  UploadError,
  type UploadKind,
  type UploadTask,
} from './upload-task.web.ts';

/** Larger documents, in bytes, are sent so that a lost connection does not start them from the beginning. */
const SENT_AT_ONCE = 4 * 1024 * 1024;

/**
 * Why the dashboard refuses a file, or undefined when it accepts it (docs/specification/site.md §5,
 * docs/specification/platform.md §5).
 */
function refusalOf(file: Pick<File, 'name' | 'type' | 'size'>): string | undefined {
  if (!isDocument(file.name, file.type))
    return `${MESSAGES.upload.unsupported}\n${MESSAGES.upload.unsupportedFurther}`;
  if (file.size > LIMITS.uploadBytes) return MESSAGES.upload.tooLarge;
  if (file.size === 0) return `${MESSAGES.upload.failed}: the file is empty`;
  return undefined;
}

/** Documents of the dashboard. */
export const DOCUMENTS: UploadKind = { canPause: false, refusalOf, send };

/** In the specified order: account status, credit, object, record (docs/specification/site.md §5, §7). */
async function send(task: UploadTask, signal: AbortSignal, onSent: SentReport): Promise<void> {
  const { progress } = task;
  if (progress.storedPath === null) {
    const isResumable = task.file.size > SENT_AT_ONCE || progress.unfinished !== null;
    const store = isResumable ? storeInParts : storeAtOnce;
    if (isResumable) await findUnfinished(task);
    const paidBefore = progress.paid;
    if (!paidBefore) await pay(task, signal);
    try {
      await store(task, signal, onSent);
    } catch (error) {
      // The credit of an attempt whose reply was lost has been given back in the meantime: take one again.
      if (!(paidBefore && !progress.paid && isForWantOfCredit(error))) throw error;
      await pay(task, signal);
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

async function pay(task: UploadTask, signal: AbortSignal): Promise<void> {
  await checkAccount(task.userId);
  if (signal.aborted) throw new UploadError('Cancelled', 'cancelled');
  await takeCredit(task, { description: CREDIT_DESCRIPTION, refusal: MESSAGES.upload.noCredits });
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
  if (status === null) throw new UploadError(MESSAGES.upload.noPlan, 'needsPlan');
  const words = isValidStatus(status) ? MESSAGES.upload.noCredits : MESSAGES.upload.badStatus(status);
  throw new UploadError(words, 'needsPlan');
}

async function storeAtOnce(
  { file, userId, progress }: UploadTask,
  signal: AbortSignal,
  onSent: SentReport,
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

async function storeInParts(task: UploadTask, signal: AbortSignal, onSent: SentReport): Promise<void> {
  const path = newPath(task.file, task.userId);
  const file = withType(task.file);
  const object = { bucket: UPLOADS_BUCKET, path, contentType: file.type };
  await storeResumable({ ...task, file }, object, { signal, onSent }).catch((error: unknown) => {
    throw describe(error);
  });
}

function newPath({ name }: File, userId: string): string {
  return `${userId}/${Date.now()}_${objectSegment(name)}`;
}

/** @param lost what a lost connection means: the end of the attempt, or a pause */
function describe(error: unknown, lost: 'plain' | 'lostLine' = 'lostLine'): UploadError {
  if (!(error instanceof SendError)) return new UploadError(MESSAGES.upload.failed, 'plain', error);
  if (error.code === 'cancelled') return new UploadError('Cancelled', 'cancelled');
  if (error.code === 'EntityTooLarge' || error.code === '413')
    return new UploadError(MESSAGES.upload.tooLarge, 'final');
  if (error.code === 'InvalidMimeType') return new UploadError(MESSAGES.upload.typeNotSupported, 'final');
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
