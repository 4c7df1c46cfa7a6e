import { z } from 'zod';
import { COURSE_VIDEOS_BUCKET, LIMITS } from '../../kernel/contract/limits.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { signedObjectUrl } from '../../platform/storage/objects/object-signing.server.ts';
import {
  type ConsoleLesson,
  type ConsoleLessonDetail,
  type ConsoleLessonPage,
  LESSON_LENGTHS,
  LESSON_LISTS,
  LESSON_STATES,
  type LessonStateList,
} from '../courses/course-videos.contract.ts';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  pageOf,
  SEARCH,
  sent,
} from './operator-gate.server.ts';

const PER_PAGE = 50;
const MESSAGES_SHOWN = 200;
const COLUMNS = `id, user_id, customer_email, customer_name, file_name, file_size::float8 as file_size, duration_seconds,
  title, notes, position, course_title, course_lessons, state, published_url, created_at, waits_for_answer`;
const LISTS: Readonly<Record<LessonStateList, string>> = {
  open: "state <> 'published'",
  received: "state = 'received'",
  in_work: "state = 'in_work'",
  published: "state = 'published'",
  waiting: 'waits_for_answer',
  all: 'true',
};

/** The console's functions about lessons. The procedures of `migrations/baseline/11-courses.sql` audit what they do. */
export function serveLessons(scope: OperatorScope, tellSoon: () => void): void {
  declareForOperators(scope, {
    name: 'lessons',
    method: 'GET',
    input: z.object({
      list: z.enum(LESSON_LISTS).default('open'),
      q: SEARCH,
      after: z.uuid().or(z.literal('')).default(''),
    }),
    async answer(queries, query): Promise<ConsoleLessonPage> {
      const rows = await findLessons(queries, query);
      return pageOf(
        rows,
        PER_PAGE,
        (row) => row,
        (row) => row.id,
      );
    },
  });
  serveOneLesson(scope);
  const done = (found: boolean | null): { done: true } => {
    if (found !== true) throw noSuchLesson();
    tellSoon();
    return { done: true };
  };
  declareForOperators(scope, {
    name: 'lesson-state',
    method: 'POST',
    input: z
      .object({
        id: z.uuid(),
        state: z.enum(LESSON_STATES),
        url: z
          .url({ protocol: /^https?$/ })
          .max(LESSON_LENGTHS.url)
          .nullable()
          .default(null),
      })
      .refine(({ state, url }) => url === null || state === 'published', {
        path: ['url'],
        error: 'only a published lesson has an address',
      }),
    async answer(queries, { id, state, url }) {
      return done(
        (await queries.one('select operator.set_lesson_state($1, $2, $3) as found', [id, state, url])).found,
      );
    },
  });
  declareForOperators(scope, {
    name: 'lesson-answer',
    method: 'POST',
    input: z.object({ id: z.uuid(), text: z.string().trim().min(1).max(LESSON_LENGTHS.message) }),
    async answer(queries, { id, text }) {
      return done((await queries.one('select operator.answer_lesson($1, $2) as found', [id, text])).found);
    },
  });
}

function serveOneLesson(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'lesson',
    method: 'GET',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }): Promise<ConsoleLessonDetail> {
      const lesson = await queries.maybe(
        uncheckedSql<ConsoleLesson>(
          `select ${COLUMNS} from operator.course_lessons where id = $1`,
          'composed',
        ),
        [id],
      );
      if (lesson === undefined) throw noSuchLesson();
      const messages = await queries.many(
        `select id /* not null */, from_agency /* not null */, body /* not null */, created_at /* not null */
           from (select * from operator.course_messages where lesson_id = $1 order by created_at desc, id limit $2) newest
          order by created_at, id`,
        [id, MESSAGES_SHOWN],
      );
      return { lesson, messages: messages.map(sent) };
    },
  });
  declareForOperators(scope, {
    name: 'lesson-video',
    method: 'POST',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }) {
      const { path } = await queries.one('select operator.watch_lesson($1) as path', [id]);
      const { resources } = scope;
      const url =
        path === null
          ? undefined
          : await signedObjectUrl(resources, COURSE_VIDEOS_BUCKET, path, LIMITS.signedUrlSeconds);
      if (url === undefined) throw noSuchLesson();
      return { url: url.slice(resources.siteUrl.length) };
    },
  });
}

/** Lessons of a list that hold the words, newest first, after the one with the id `after`. */
function findLessons(
  queries: Queries,
  { list, q, after }: { list: LessonStateList; q: string; after: string },
): Promise<ConsoleLesson[]> {
  return queries.many(
    uncheckedSql<ConsoleLesson>(
      `select ${COLUMNS} from operator.course_lessons
        where ${LISTS[list]}
          and ($1 = '' or concat_ws(' ', title, course_title, file_name, notes, customer_email, customer_name) ilike $2)
          and ($3 = '' or (created_at, id) < (select created_at, id from operator.course_lessons where id::text = $3))
        order by created_at desc, id desc limit $4`,
      'composed',
    ),
    [q, containing(q), after, PER_PAGE + 1],
  );
}

const noSuchLesson = (): ServiceError => new ServiceError(404, 'not_found', 'There is no such lesson.');
