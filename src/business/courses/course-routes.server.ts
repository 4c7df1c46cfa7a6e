import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { startCourseMails } from './course-mails.server.ts';
import { LESSON_LENGTHS } from './course-videos.contract.ts';

/** Messages of one customer about one lesson, and of one customer at all. */
const MESSAGE_LIMIT = { count: 40, seconds: 3600, burst: 10 };

/**
 * Mounts the courses: lessons, the customers' messages about them, and the mails. Returns a function that sends the waiting
 * mails at once.
 */
export function mountCourses(http: HttpContext, resources: Resources): () => void {
  const notifySoon = startCourseMails(resources);
  declareCourseMessage(http, resources);
  return notifySoon;
}

/**
 * `course-message`: `{lesson_id, text}`: a message of a customer about one of their lessons. Answers `{id}`.
 *
 * Errors: 404 `not_found` for a lesson that is not the caller's.
 */
function declareCourseMessage(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'course-message',
    callers: 'users',
    body: z.object({ lesson_id: z.uuid(), text: z.string().trim().min(1).max(LESSON_LENGTHS.message) }),
    limit: MESSAGE_LIMIT,
    async handle({ caller, body }) {
      const { id } = await database.one("select private.write_message($1, false, $2, '{}', $3) as id", [
        requireUser(caller),
        body.text,
        body.lesson_id,
      ]);
      if (id === null) throw new ServiceError(404, 'not_found', 'There is no such lesson.');
      return { id };
    },
  });
}
