import { useQuery } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Plan } from '../../../kernel/contract/plans.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { customerQuery } from '../../billing/customers/customer-read.web.ts';
import { PlanCards } from '../../billing/site/plan-card.web.tsx';
import {
  allowancesQuery,
  currentPlan,
  type Subscription,
  subscriptionOf,
} from '../../billing/subscription/subscription-read.web.ts';
import { filesQuery } from '../../files/list/file-query.web.ts';
import { DropOverlay } from '../../files/uploads/file-drop.web.tsx';
import { StorageUsage } from '../../files/usage/storage-usage.web.tsx';
import { lengthWords, VIDEO_ACCEPT } from '../course-videos.contract.ts';
import { coursesQuery } from './course-changes.web.ts';
import { CourseChoice } from './course-choice.web.tsx';
import { lessonsQuery } from './lesson-changes.web.ts';
import { LessonList } from './lesson-list.web.tsx';
import { lessons as queue } from './lesson-upload.web.ts';
import { LessonUploads } from './lesson-uploads.web.tsx';

/** The Course tab: courses of lessons as videos, each in its order, and where the agency is with them. */
export function CourseTab({ userId }: { userId: string }) {
  const lessons = useQuery(lessonsQuery(userId));
  const { courses, course, choose } = useChosenCourse(userId);
  const files = useQuery(filesQuery(userId));
  const allowances = useQuery(allowancesQuery(userId)).data;
  const customer = useQuery(customerQuery(userId));
  const picker = useRef<HTMLInputElement>(null);
  const subscription = subscriptionOf(site.plans, allowances, 'courses');
  const plan = currentPlan(site.plans, subscription);
  const canSend = plan !== undefined;
  const add = (chosen: readonly File[]): void => {
    queue.add(chosen, userId, { metadata: { course: course?.id } });
  };
  if (subscription !== undefined && !canSend && lessons.data?.length === 0) return <WithoutPlan />;
  const sizes =
    lessons.data && files.data
      ? [...files.data, ...lessons.data].map(({ file_size: size }) => size)
      : undefined;
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Course</h1>
          <p className="meta num">{summary(lessons.data, courses.length)}</p>
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
          {(canSend || courses.length > 0) && lessons.data !== undefined && (
            <CourseChoice courses={courses} lessons={lessons.data} chosen={course} onChoose={choose} />
          )}
          <LessonList query={lessons} userId={userId} courses={courses} course={course} />
        </div>
        <aside aria-label="Storage and plan">
          <PlanCards allowances={allowances} credits={customer.data?.credits} />
          {plan !== undefined && subscription && <Used plan={plan} subscription={subscription} />}
          <StorageUsage sizes={sizes} limitBytes={allowances?.storage_limit_bytes} />
        </aside>
      </div>
      {canSend && <DropOverlay onDrop={add} words="Drop videos to send lessons" />}
    </>
  );
}

/** The courses, and the one that is shown: the first until another is chosen. */
function useChosenCourse(userId: string) {
  const [chosenId, choose] = useState<string>();
  const courses = useQuery(coursesQuery(userId)).data ?? [];
  return { courses, course: courses.find(({ id }) => id === chosenId) ?? courses[0], choose };
}

/** How many lessons there are, in how many courses, and how long they are together. */
function summary(lessons: readonly { duration_seconds: number }[] | undefined, courses: number): string {
  if (lessons === undefined) return 'One moment…';
  const total = lessons.reduce((sum, lesson) => sum + lesson.duration_seconds, 0);
  const within = courses > 1 ? ` in ${courses} courses` : '';
  const count = `${lessons.length} ${lessons.length === 1 ? 'lesson' : 'lessons'}${within}`;
  return lessons.length === 0 ? count : `${count}, ${lengthWords(total)} together`;
}

/** What this month has used, as the server counts it, and how long a video may be. */
function Used({ plan, subscription }: { plan: Plan; subscription: Subscription }) {
  const { videoMinutes } = plan.limits;
  const { used: uploads, video_minutes_used: minutes } = subscription;
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
