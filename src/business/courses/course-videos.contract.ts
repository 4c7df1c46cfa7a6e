import type { Plan } from '../../kernel/contract/plans.ts';

/** The states of a lesson as the agency sets them, and the words for them. */
export const LESSON_STATES = ['received', 'in_work', 'published'] as const;
export type LessonState = (typeof LESSON_STATES)[number];

/** What a state is called on the page and in mails. */
export const STATE_WORDS: Readonly<Record<LessonState, string>> = {
  received: 'Received',
  in_work: 'In work',
  published: 'Published',
};

/** Longest texts, characters; the same as in the database. */
export const LESSON_LENGTHS = { title: 200, notes: 5000, message: 5000, url: 500 } as const;

/** `accept` of the picker of videos. */
export const VIDEO_ACCEPT = '.mp4,.webm';

/** A row of `courses`, as REST answers it. */
export interface Course {
  readonly id: string;
  readonly title: string;
  /** Place among the customer's courses. */
  readonly position: number;
}

/** A row of `course_lessons`, as REST answers it. */
export interface Lesson {
  readonly id: string;
  readonly course_id: string;
  readonly file_path: string;
  readonly file_name: string;
  /** Bytes. */
  readonly file_size: number;
  /** Read from the file by the server. */
  readonly duration_seconds: number;
  readonly title: string;
  readonly notes: string;
  /** Place in the course. */
  readonly position: number;
  readonly state: LessonState;
  readonly published_url: string | null;
  /** ISO 8601. */
  readonly created_at: string;
}

/** A message about a lesson: a row of the view `course_messages`. */
export interface LessonMessage {
  readonly id: string;
  readonly lesson_id: string;
  readonly from_agency: boolean;
  readonly body: string;
  /** ISO 8601. */
  readonly created_at: string;
}

/** A lesson as the console lists it. Times are ISO 8601. */
export interface ConsoleLesson {
  readonly id: string;
  readonly user_id: string;
  readonly customer_email: string | null;
  readonly customer_name: string | null;
  readonly file_name: string;
  readonly file_size: number;
  readonly duration_seconds: number;
  readonly title: string;
  readonly notes: string;
  readonly position: number;
  readonly course_title: string;
  /** Lessons of that course. */
  readonly course_lessons: number;
  readonly state: LessonState;
  readonly published_url: string | null;
  readonly created_at: string;
  /** Its customer wrote last. */
  readonly waits_for_answer: boolean;
}

/** Which lessons the console lists. */
export const LESSON_LISTS = ['open', ...LESSON_STATES, 'waiting', 'all'] as const;
export type LessonStateList = (typeof LESSON_LISTS)[number];

/** `GET operator-lessons?list=&q=&after=`: newest first, at most 50; `next` goes into `after`. */
export interface ConsoleLessonPage {
  readonly rows: readonly ConsoleLesson[];
  readonly next: string | null;
}

/** `GET operator-lesson?id=`: one lesson and what was written about it, oldest first. */
export interface ConsoleLessonDetail {
  readonly lesson: ConsoleLesson;
  readonly messages: readonly Omit<LessonMessage, 'lesson_id'>[];
}

/** Sentences of refusals, the same in the browser and from the server. */
export const COURSE_REFUSALS = {
  noPlan: 'Videos come with a course plan. Choose one under Billing to send lessons.',
  noUploads: 'The uploads of your plan are used up for this month. They start again with the next one.',
  type: 'Lessons are MP4 or WebM videos.',
  empty: 'This file is empty.',
  unreadable: 'The length of this video could not be read. Save it again as MP4 or WebM and send that.',
  noPicture: 'There is no picture in this file. Lessons are videos.',
  tooLong: (minutes: number, plan: string) =>
    `Videos of the ${plan} are at most ${minutes} minutes long. This one is longer, so it was not kept and nothing was used up.`,
} as const;

/** Seconds that a video may be over its plan's minutes: the last frame does not end on the second. */
const TOLERANCE_SECONDS = 1;

/** Why the plan does not take a video of this length; undefined when it does (docs/specification/site.md §9). */
export function lengthRefusal(seconds: number, plan: Pick<Plan, 'name' | 'limits'>): string | undefined {
  const minutes = plan.limits.videoMinutes ?? 0;
  if (minutes === -1 || seconds <= minutes * 60 + TOLERANCE_SECONDS) return undefined;
  return COURSE_REFUSALS.tooLong(minutes, plan.name);
}

/** `14:05`, `1:02:03`: a length in hours, minutes and seconds. */
export function lengthWords(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (figure: number): string => String(figure).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
