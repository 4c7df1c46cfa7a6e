import { findPlan, type Plan } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { BucketRules } from '../../platform/storage/storage-scope.server.ts';
import { COURSE_REFUSALS, lengthRefusal } from './course-videos.contract.ts';
import { readVideoLength } from './video-length.server.ts';

/** Minutes of a plan as an order: unlimited is the most. */
const minutesOf = ({ limits }: Plan): number =>
  limits.videoMinutes === -1 ? Infinity : (limits.videoMinutes ?? 0);

/** The course plan in force with the longest videos; undefined for who has none. */
export async function coursePlanOf(
  { database }: Pick<Resources, 'database'>,
  userId: string,
): Promise<Plan | undefined> {
  const rows = await database.many(
    `select s.price_id from public.customers c join public.subscriptions s on s.customer_id = c.customer_id
      where c.user_id = $1 and s.status in ('active', 'trialing')`,
    [userId],
  );
  return rows
    .map(({ price_id: price }) => findPlan(price ?? ''))
    .filter((plan) => plan?.line === 'courses')
    .sort((one, other) => minutesOf(other as Plan) - minutesOf(one as Plan))[0];
}

/**
 * What the bucket of course videos asks: a course plan before a byte is sent, and a length that the plan allows once
 * the file is there. Both refusals leave credit and storage as they were. The service key is bound by neither plan.
 */
export function createCourseRules(resources: Pick<Resources, 'database'>): BucketRules {
  const planOf = async (userId: string): Promise<Plan> => {
    const plan = await coursePlanOf(resources, userId);
    if (plan === undefined) throw new ServiceError(403, 'AccessDenied', COURSE_REFUSALS.noPlan);
    return plan;
  };
  return {
    async admit({ userId }) {
      if (userId !== undefined) await planOf(userId);
    },
    async examine({ userId }, file) {
      const length = await readVideoLength(file);
      if ('fault' in length) throw new ServiceError(422, 'InvalidVideo', COURSE_REFUSALS[length.fault]);
      if (userId !== undefined) {
        const refusal = lengthRefusal(length.seconds, await planOf(userId));
        if (refusal !== undefined) throw new ServiceError(422, 'VideoTooLong', refusal);
      }
      return { durationSeconds: length.seconds };
    },
  };
}
