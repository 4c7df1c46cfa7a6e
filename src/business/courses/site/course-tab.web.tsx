import { useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import type { Plan } from '../../../kernel/contract/plans.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { customerQuery } from '../../billing/customers/customer-read.web.ts';
import { PlanCard } from '../../billing/site/plan-card.web.tsx';
import {
  currentPlan,
  type Subscription,
  subscriptionQuery,
} from '../../billing/subscription/subscription-read.web.ts';
import { filesQuery } from '../../files/list/file-query.web.ts';
import { DropOverlay } from '../../files/uploads/file-drop.web.tsx';
import { StorageUsage } from '../../files/usage/storage-usage.web.tsx';
import { lengthWords, VIDEO_ACCEPT } from '../course-videos.contract.ts';
import { lessonsQuery } from './lesson-changes.web.ts';
import { LessonList } from './lesson-list.web.tsx';
import { lessons as queue } from './lesson-queue.web.ts';
import { LessonUploads } from './lesson-uploads.web.tsx';

/** The Course tab: lessons as videos, in the order of the course, and where the agency is with them. */
export function CourseTab({ userId }: { userId: string }) {
  const lessons = useQuery(lessonsQuery(userId));
  const files = useQuery(filesQuery(userId));
  const subscription = useQuery(subscriptionQuery(userId));
  const customer = useQuery(customerQuery(userId));
  const picker = useRef<HTMLInputElement>(null);
  const plan = currentPlan(subscription.data);
  const canSend = plan?.line === 'courses';
  const add = (chosen: readonly File[]): void => {
    for (const file of chosen) queue.add(file, userId);
  };
  if (subscription.data !== undefined && !canSend && lessons.data?.length === 0) return <WithoutPlan />;
  const sizes =
    lessons.data && files.data
      ? [...files.data, ...lessons.data].map(({ file_size: size }) => size)
      : undefined;
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Course</h1>
          <p className="meta num">{summary(lessons.data)}</p>
        </div>
        {canSend && (
          <>
            <Button look="signal" onClick={() => picker.current?.click()}>
              <Upload size={18} aria-hidden="true" />
              Send a lesson
            </Button>
            <input
              ref={picker}
              type="file"
              hidden
              multiple
              accept={VIDEO_ACCEPT}
              aria-label="Videos to send"
              onChange={({ currentTarget }) => {
                add([...(currentTarget.files ?? [])]);
                currentTarget.value = '';
              }}
            />
          </>
        )}
      </div>
      <div className="cols">
        <div className="lists">
          <LessonUploads userId={userId} />
          <LessonList query={lessons} userId={userId} />
        </div>
        <aside aria-label="Storage and plan">
          <StorageUsage sizes={sizes} plan={plan} />
          <PlanCard subscription={subscription.data} credits={customer.data?.credits} />
          {plan !== undefined && subscription.data && <Used plan={plan} subscription={subscription.data} />}
        </aside>
      </div>
      {canSend && <DropOverlay onDrop={add} words="Drop videos to send lessons" />}
    </>
  );
}

/** How many lessons there are, and how long they are together. */
function summary(lessons: readonly { duration_seconds: number }[] | undefined): string {
  if (lessons === undefined) return 'One moment…';
  const total = lessons.reduce((sum, lesson) => sum + lesson.duration_seconds, 0);
  const count = `${lessons.length} ${lessons.length === 1 ? 'lesson' : 'lessons'}`;
  return lessons.length === 0 ? count : `${count}, ${lengthWords(total)} together`;
}

/** What this month has used, as the server counts it, and how long a video may be. */
function Used({ plan, subscription }: { plan: Plan; subscription: Subscription }) {
  const { videoMinutes } = plan.limits;
  const uploads = subscription.course_uploads_used ?? 0;
  const minutes = subscription.video_minutes_used ?? 0;
  return (
    <section className="panel pad" aria-labelledby="course-used">
      <h2 id="course-used">This month</h2>
      <dl className="facts num">
        <div>
          <dt>Videos sent</dt>
          <dd>{uploads}</dd>
        </div>
        <div>
          <dt>Minutes sent</dt>
          <dd>{minutes}</dd>
        </div>
        <div>
          <dt>Length of a video</dt>
          <dd>{videoMinutes === -1 ? 'Any' : `Up to ${videoMinutes} minutes`}</dd>
        </div>
      </dl>
    </section>
  );
}

function WithoutPlan() {
  return (
    <>
      <div className="lead-in">
        <h1 tabIndex={-1}>Course</h1>
      </div>
      <div className="panel empty">
        <EmptyMark />
        <b>Lessons come with a course plan</b>
        <p className="meta">
          With one you send videos here, put them in order and see where we are with each.
        </p>
        <ButtonLink look="quiet" href={PAGES.billing.path}>
          See the plans
        </ButtonLink>
      </div>
    </>
  );
}
