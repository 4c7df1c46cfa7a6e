import type { Upload } from 'tus-js-client';
import { COURSE_CREDIT_DESCRIPTION, COURSE_VIDEOS_BUCKET, LIMITS } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { typeExtension } from '../../../platform/storage/content/upload-types.contract.ts';
import { objectSegment } from '../../../platform/storage/objects/object-name.contract.ts';
import { prepareUpload, type RefusedUpload } from '../../../platform/storage/uploads/resumable-send.web.ts';
import { supabase } from '../../../ui/session/client.ts';
import { readCustomer } from '../../billing/customers/customer-read.web.ts';
import { currentPlan, readAllowances, subscriptionOf } from '../../billing/subscription/subscription-read.web.ts';
import { COURSE_REFUSALS, lengthRefusal } from '../course-videos.contract.ts';
import type { LessonAim } from './lesson-queue.web.ts';

/** Waits before each further attempt, ms; after them the upload says that it has stopped. */
const RETRY_DELAYS = [0, 1000, 3000, 5000, 10_000, 20_000];
/** A browser that cannot read a video's length in this time leaves it to the server, ms. */
const LENGTH_PATIENCE_MS = 4000;

/** Why a lesson was not sent, in a sentence for its customer. */
export class LessonRefused extends Error {
  /** Another attempt with the same file may succeed. */
  readonly retryable: boolean;
  /** The customer needs a plan, which Billing sells. */
  readonly needsPlan: boolean;

  constructor(sentence: string, { retryable = false, needsPlan = false } = {}) {
    super(sentence);
    this.name = 'LessonRefused';
    this.retryable = retryable;
    this.needsPlan = needsPlan;
  }
}

/** How an upload reports itself. */
export interface LessonSending {
  /** Bytes that the server has, or that are on their way. */
  progress(bytes: number): void;
  done(): void;
  stopped(why: LessonRefused): void;
}

/**
 * Refuses a file that the server would refuse, before anything is taken: kind, plan, uploads left, length.
 *
 * @throws LessonRefused
 */
export async function checkLesson(file: File, userId: string): Promise<void> {
  if (mimeTypeOf(file) === undefined) throw new LessonRefused(COURSE_REFUSALS.type);
  if (file.size === 0) throw new LessonRefused(COURSE_REFUSALS.empty);
  const [allowances, customer] = await Promise.all([readAllowances(), readCustomer(userId)]).catch(() => {
    throw new LessonRefused(MESSAGES.upload.accountStatus, { retryable: true });
  });
  const subscription = subscriptionOf(allowances, 'courses');
  const plan = currentPlan(subscription);
  if (plan === undefined) throw new LessonRefused(COURSE_REFUSALS.noPlan, { needsPlan: true });
  const isUsedUp = (subscription?.used ?? 0) >= plan.limits.creditsPerMonth;
  if (isUsedUp || (customer?.credits ?? 0) < LIMITS.creditsPerUpload)
    throw new LessonRefused(COURSE_REFUSALS.noUploads, { needsPlan: true });
  const seconds = await lengthInBrowser(file);
  const refusal = seconds === undefined ? undefined : lengthRefusal(seconds, plan);
  if (refusal !== undefined) throw new LessonRefused(refusal, { needsPlan: true });
}

/** Takes the upload that a lesson costs. @throws LessonRefused */
export async function payForLesson(userId: string): Promise<void> {
  const { data, error } = await (await supabase()).rpc('use_credits', {
    p_user_id: userId,
    p_amount: LIMITS.creditsPerUpload,
    p_description: COURSE_CREDIT_DESCRIPTION,
  });
  if (error !== null) throw new LessonRefused(MESSAGES.upload.creditsFailed, { retryable: true });
  if (data !== true) throw new LessonRefused(COURSE_REFUSALS.noUploads, { needsPlan: true });
}

/** The upload of a lesson, not yet started. */
export function prepareLesson(
  { file, userId, unfinishedId, courseId }: LessonAim & { file: File; userId: string },
  report: LessonSending,
): Promise<Upload> {
  return prepareUpload(
    {
      file,
      bucket: COURSE_VIDEOS_BUCKET,
      path: `${userId}/${Date.now()}_${objectSegment(file.name)}`,
      contentType: mimeTypeOf(file) ?? '',
      metadata: { name: file.name.normalize('NFC'), course: courseId },
      unfinishedId,
      retryDelays: RETRY_DELAYS,
    },
    { ...report, stopped: (reply) => report.stopped(refusalOf(reply)) },
  );
}

/** The MIME type that a video is sent as; undefined for what is no video that is taken. */
export function mimeTypeOf({ name, type }: Pick<File, 'name' | 'type'>): string | undefined {
  const extension = typeExtension(name);
  if (extension !== 'mp4' && extension !== 'webm') return undefined;
  const own = `video/${extension}`;
  return type === '' || type === own ? own : undefined;
}

function refusalOf(reply: RefusedUpload | undefined): LessonRefused {
  if (reply === undefined) return new LessonRefused(LOST_LINE, { retryable: true });
  const sentence = reply.message === '' ? MESSAGES.upload.failed : reply.message;
  // A faulty file or a missing lesson fails again; a server without capacity or a lost session may recover.
  const final = [403, 404, 410, 413, 415, 422].includes(reply.status);
  return new LessonRefused(sentence, { retryable: !final, needsPlan: reply.status === 403 });
}

/** Said when the line was lost and did not return in time. */
export const LOST_LINE =
  'The connection was lost. The part that has arrived is safe: continue when you are back online.';

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
