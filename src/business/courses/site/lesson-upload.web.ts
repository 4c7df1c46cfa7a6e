import { COURSE_CREDIT_DESCRIPTION, COURSE_VIDEOS_BUCKET, LIMITS } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { typeExtension } from '../../../platform/storage/content/upload-types.contract.ts';
import { objectSegment } from '../../../platform/storage/objects/object-name.contract.ts';
import { site } from '../../../ui/brand.ts';
import { readCustomer } from '../../billing/customers/customer-read.web.ts';
import {
  currentPlan,
  readAllowances,
  subscriptionOf,
} from '../../billing/subscription/subscription-read.web.ts';
import { SendError } from '../../files/uploads/object-send.web.ts';
import { UploadQueue } from '../../files/uploads/upload-queue.web.ts';
import {
  type SentReport,
  storeResumable,
  takeCredit,
  UploadError,
  type UploadTask,
} from '../../files/uploads/upload-task.web.ts';
import { COURSE_REFUSALS, lengthRefusal } from '../course-videos.contract.ts';

/** A browser that cannot read a video's length in this time leaves it to the server, ms. */
const LENGTH_PATIENCE_MS = 4000;

/** The videos that this page sends. */
export const lessons = new UploadQueue({ canPause: true, refusalOf, send });

function refusalOf(file: File): string | undefined {
  if (mimeTypeOf(file) === undefined) return COURSE_REFUSALS.type;
  return file.size === 0 ? COURSE_REFUSALS.empty : undefined;
}

async function send(task: UploadTask, signal: AbortSignal, onSent: SentReport): Promise<void> {
  const { file, userId, progress } = task;
  if (!progress.paid) {
    await checkPlan(file, userId);
    if (signal.aborted) throw new UploadError('Cancelled', 'cancelled');
    await takeCredit(task, { description: COURSE_CREDIT_DESCRIPTION, refusal: COURSE_REFUSALS.noUploads });
  }
  const object = {
    bucket: COURSE_VIDEOS_BUCKET,
    path: `${userId}/${Date.now()}_${objectSegment(file.name)}`,
    contentType: mimeTypeOf(file) ?? '',
  };
  await storeResumable(task, object, { signal, onSent }).catch((error: unknown) => {
    throw describe(error);
  });
}

/**
 * Refuses a video that the server would refuse, before anything is taken: plan, uploads left, length.
 *
 * @throws UploadError
 */
async function checkPlan(file: File, userId: string): Promise<void> {
  const [allowances, customer] = await Promise.all([readAllowances(), readCustomer(userId)]).catch(
    (cause: unknown) => {
      throw new UploadError(MESSAGES.upload.accountStatus, 'plain', cause);
    },
  );
  const subscription = subscriptionOf(site.plans, allowances, 'courses');
  const plan = currentPlan(site.plans, subscription);
  if (plan === undefined) throw new UploadError(COURSE_REFUSALS.noPlan, 'needsPlan');
  const isUsedUp = (subscription?.used ?? 0) >= plan.limits.creditsPerMonth;
  if (isUsedUp || (customer?.credits ?? 0) < LIMITS.creditsPerUpload)
    throw new UploadError(COURSE_REFUSALS.noUploads, 'needsPlan');
  const seconds = await lengthInBrowser(file);
  const refusal = seconds === undefined ? undefined : lengthRefusal(seconds, plan);
  if (refusal !== undefined) throw new UploadError(refusal, 'needsPlan');
}

/** The MIME type that a video is sent as; undefined for what is no video that is taken. */
function mimeTypeOf({ name, type }: Pick<File, 'name' | 'type'>): string | undefined {
  const extension = typeExtension(name);
  if (extension !== 'mp4' && extension !== 'webm') return undefined;
  const own = `video/${extension}`;
  return type === '' || type === own ? own : undefined;
}

function describe(error: unknown): UploadError {
  if (!(error instanceof SendError)) return new UploadError(MESSAGES.upload.failed, 'plain', error);
  const { code, status, message } = error;
  if (code === 'cancelled') return new UploadError(message, 'cancelled');
  if (code === 'network') return new UploadError(message, 'lostLine', error);
  const sentence = message === '' ? MESSAGES.upload.failed : message;
  if (status === 403) return new UploadError(sentence, 'needsPlan', error);
  // A faulty file or a missing lesson fails again; a server without capacity or a lost session may recover.
  const final = status !== undefined && [404, 410, 413, 415, 422].includes(status);
  return new UploadError(sentence, final ? 'final' : 'plain', error);
}

/** Seconds of a video as the browser reads them; undefined where it cannot. */
function lengthInBrowser(file: File): Promise<number | undefined> {
  const address = URL.createObjectURL(file);
  const video = document.createElement('video');
  return new Promise<number | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), LENGTH_PATIENCE_MS);
    const end = (seconds: number | undefined): void => {
      clearTimeout(timer);
      resolve(seconds !== undefined && Number.isFinite(seconds) ? seconds : undefined);
    };
    video.preload = 'metadata';
    video.onloadedmetadata = () => end(video.duration);
    video.onerror = () => end(undefined);
    video.src = address;
  }).finally(() => {
    video.removeAttribute('src');
    URL.revokeObjectURL(address);
  });
}
