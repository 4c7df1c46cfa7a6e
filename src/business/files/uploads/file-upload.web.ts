import { CREDIT_DESCRIPTION, LIMITS } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { declaredUploadType, isDocument } from '../../../platform/storage/content/upload-types.contract.ts';
import { objectSegment } from '../../../platform/storage/objects/object-name.contract.ts';
import { supabase } from '../../../ui/session/client.ts';
import { publicConfig } from '../../../ui/session/public-config.ts';
import { readCustomer, readTeamCredits } from '../../billing/customers/customer-read.web.ts';
import { isValidStatus, readSubscription } from '../../billing/subscription/subscription-read.web.ts';
import { SendError, sendObject } from './object-send.web.ts';

/** How far an upload has come, so that a retry neither pays nor sends twice. */
export interface UploadProgress {
  /** A credit was taken and no reply says that it came back. */
  paid: boolean;
  /** Where the object lies once the storage service confirmed it. */
  storedPath: string | null;
}

/** A file, whose it becomes, and how far earlier attempts have come. */
export interface UploadTask {
  readonly file: File;
  readonly userId: string;
  readonly progress: UploadProgress;
}

/** A failed upload with the sentence for the user; `outOfCredit` marks the toasts of 6 s. */
export class UploadError extends Error {
  readonly outOfCredit: boolean;
  readonly cancelled: boolean;

  constructor(message: string, kind: 'plain' | 'outOfCredit' | 'cancelled' = 'plain', cause?: unknown) {
    super(message, { cause });
    this.name = 'UploadError';
    this.outOfCredit = kind === 'outOfCredit';
    this.cancelled = kind === 'cancelled';
  }
}

/**
 * Why the dashboard does not take a file, or undefined when it does (docs/specification/site.md §5,
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
 * One upload, in the specified order: account status, credit, object, record
 * (docs/specification/site.md §5, §7). `progress` is kept by the caller between attempts.
 *
 * @throws UploadError
 */
export async function uploadFile(
  { file, userId, progress }: UploadTask,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  if (progress.storedPath === null) {
    const paidBefore = progress.paid;
    if (!paidBefore) await pay(userId, progress, signal);
    try {
      await store({ file, userId, progress }, signal, onSent);
    } catch (error) {
      // The credit of an attempt whose reply was lost has come back meanwhile: take it again.
      const takenBack = paidBefore && !progress.paid && error instanceof UploadError && !error.cancelled;
      if (!takenBack) throw error;
      await pay(userId, progress, signal);
      await store({ file, userId, progress }, signal, onSent);
    }
  }
  await record(file, userId, progress);
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

/** Says before anything is spent why an account cannot upload (docs/specification/site.md §8). */
async function checkAccount(userId: string): Promise<void> {
  const account = await Promise.all([readSubscription(), readCustomer(userId)]).catch((cause: unknown) => {
    throw new UploadError(MESSAGES.upload.accountStatus, 'plain', cause);
  });
  const [subscription, customer] = account;
  if ((customer?.credits ?? 0) >= LIMITS.creditsPerUpload) return;
  if ((await readTeamCredits()) >= LIMITS.creditsPerUpload) return;
  const status = subscription?.subscription_status ?? null;
  if (status === null) throw new UploadError(MESSAGES.upload.noPlan, 'outOfCredit');
  const words = isValidStatus(status) ? MESSAGES.upload.noCredits : MESSAGES.upload.badStatus(status);
  throw new UploadError(words, 'outOfCredit');
}

async function store(
  { file, userId, progress }: UploadTask,
  signal: AbortSignal,
  onSent: (bytes: number) => void,
): Promise<void> {
  const path = `${userId}/${Date.now()}_${objectSegment(file.name)}`;
  const [client, { publicKey }] = await Promise.all([supabase(), publicConfig()]);
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new UploadError(MESSAGES.delete.loginAgain);
  const accessToken = data.session.access_token;
  try {
    await sendObject({ path, file: withType(file), publicKey, accessToken, signal, onProgress: onSent });
  } catch (error) {
    // A refusal gave the credit back at once; only when no reply came may the reservation still stand.
    progress.paid = error instanceof SendError && error.code === 'network';
    throw describe(error);
  }
  progress.storedPath = path;
}

function describe(error: unknown): UploadError {
  if (!(error instanceof SendError)) return new UploadError(MESSAGES.upload.failed, 'plain', error);
  if (error.code === 'cancelled') return new UploadError('Cancelled', 'cancelled');
  if (error.code === 'EntityTooLarge' || error.code === '413')
    return new UploadError(MESSAGES.upload.tooLarge);
  if (error.code === 'InvalidMimeType') return new UploadError(MESSAGES.upload.typeNotSupported);
  if (error.message === '') return new UploadError(MESSAGES.upload.failed);
  return new UploadError(`${MESSAGES.upload.failed}: ${error.message}`, 'plain', error);
}

/**
 * @trigger public.user_files record_file
 */
async function record(file: File, userId: string, progress: UploadProgress): Promise<void> {
  const client = await supabase();
  const { error } = await client.from('user_files').insert({
    user_id: userId,
    file_path: progress.storedPath,
    file_name: file.name.normalize('NFC'),
    file_type: 'document',
    file_size: file.size,
    mime_type: withType(file).type,
    analyzed: false,
  });
  // 23505: an earlier attempt, whose reply was lost, wrote the record; or the server adopted the object.
  if (error !== null && error.code !== '23505') throw new UploadError(MESSAGES.upload.failed, 'plain', error);
}

/** A file whose system gave it no type is sent as the type that its extension stands for. */
function withType(file: File): File {
  const declared = file.type === '' ? declaredUploadType(file.name, '')?.mimeTypes[0] : undefined;
  return declared === undefined
    ? file
    : new File([file], file.name, { type: declared, lastModified: file.lastModified });
}
