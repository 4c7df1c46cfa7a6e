import type { Plan } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { BucketRules } from '../../platform/storage/storage-scope.server.ts';
import { COURSE_REFUSALS, lengthRefusal } from './course-videos.contract.ts';
import { readVideoLength } from './video-length.server.ts';

/** Minutes of a plan as an order: unlimited is the most. */
const minutesOf = ({ limits }: Plan): number =>
  limits.videoMinutes === -1 ? Infinity : (limits.videoMinutes ?? 0);

/** A course plan in force, and how many videos were uploaded in its period. */
interface CoursePlan {
  readonly plan: Plan;
  readonly uploads: number;
}

/** The course plan in force with the longest videos; undefined for a customer without one. */
async function coursePlanOf(
  { database, site }: Pick<Resources, 'database' | 'site'>,
  userId: string,
): Promise<CoursePlan | undefined> {
  const rows = await database.many(
    `select s.price_id, (select count(*)::int from northline_app.course_uploads u
                          where u.user_id = c.user_id and u.created_at >= s.current_period_start) as uploads
       from public.customers c join public.subscriptions s on s.customer_id = c.customer_id
      where c.user_id = $1 and s.status in ('active', 'trialing')`,
    [userId],
  );
  return rows
    .flatMap(({ price_id: price, uploads }) => {
      const plan = site.plans.find(price ?? '');
      return plan?.line === 'courses' ? [{ plan, uploads: uploads ?? 0 }] : [];
    })
    .sort((one, other) => minutesOf(other.plan) - minutesOf(one.plan))[0];
}

/**
 * What the bucket of course videos asks: a course plan with an upload left before a byte is sent (credits of a document
 * plan or bought ones are no course uploads, decision 0360), and a length that the plan allows once the file is there. Both refusals leave credit and storage as they were. The service key is bound by neither plan.
 */
export function createCourseRules(resources: Pick<Resources, 'database' | 'site'>): BucketRules {
  const planOf = async (userId: string): Promise<Plan> => {
    const held = await coursePlanOf(resources, userId);
    if (held === undefined) throw new ServiceError(403, 'AccessDenied', COURSE_REFUSALS.noPlan);
    if (held.uploads >= held.plan.limits.creditsPerMonth)
      throw new ServiceError(403, 'AccessDenied', COURSE_REFUSALS.noUploads);
    return held.plan;
  };
  return {
    noPlace: COURSE_REFUSALS.noUploads,
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
