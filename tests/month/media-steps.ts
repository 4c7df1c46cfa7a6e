import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type Allowances,
  currentPlan,
  subscriptionOf,
} from '../../src/business/billing/subscription/subscription-read.web.ts';
import { AVATARS_BUCKET, avatarPath } from '../../src/kernel/contract/avatars.ts';
import { COURSE_CREDIT_DESCRIPTION, COURSE_VIDEOS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { uploadsLeft } from '../../src/kernel/contract/plans.ts';
import type { PublishedSite } from '../../src/kernel/contract/site-content.ts';
import { creditsFor } from './document-steps.ts';
import type { Step } from './steps.ts';
import { chosen, type Person } from './world.ts';

const VIDEO = readFileSync(path.join(import.meta.dirname, '..', 'documents', 'lesson.mp4'));
/** A PNG of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Gives the account a picture, or removes it. */
export const picture: Step = async (_month, { client, id }, pick) => {
  const bucket = client.storage.from(AVATARS_BUCKET);
  const { error } =
    pick % 3 === 0
      ? await bucket.remove([avatarPath(id)])
      : await bucket.upload(avatarPath(id), PICTURE, { contentType: 'image/png', upsert: true });
  if (error !== null) throw error;
};

/** Sends a video for a course, which the server takes exactly when the page offers it; or deletes a lesson. */
export const lesson: Step = async (month, who, pick) => {
  const { client, id } = who;
  const own = client.schema('northline_app');
  const { data: lessons } = await own.from('course_lessons').select('id');
  const known = chosen(lessons ?? [], pick);
  if (known !== undefined && pick % 3 === 0) {
    const { error } = await own.from('course_lessons').delete().eq('id', known.id);
    if (error !== null) throw error;
    return;
  }
  const offered = await offeredUploads(month.app.resources.site, who);
  const paid = await client.rpc('use_credits', {
    ...{ p_user_id: id, p_amount: 1, p_description: COURSE_CREDIT_DESCRIPTION },
  });
  if (paid.data !== true && offered === 0) return;
  const name = `${id}/${pick}-${(lessons ?? []).length}-${Date.now()}.mp4`;
  const sent = await client.storage
    .from(COURSE_VIDEOS_BUCKET)
    .upload(name, VIDEO, { contentType: 'video/mp4', metadata: { name: 'lesson.mp4' } });
  if ((sent.error === null) !== offered > 0)
    throw new Error(`with ${offered} uploads left, a lesson ended with ${sent.error?.message ?? 'success'}`);
};

/** Videos that the Course tab says may be uploaded now. */
async function offeredUploads({ plans }: PublishedSite, who: Person): Promise<number> {
  const { data } = await who.client.schema('northline_app').rpc('account_allowances');
  const held = subscriptionOf(plans, data as Allowances, 'courses');
  const plan = currentPlan(plans, held);
  return plan === undefined ? 0 : uploadsLeft(plan, held?.used ?? 0, await creditsFor(who));
}
