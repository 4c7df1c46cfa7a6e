import { z } from 'zod';
import { declareForOperators, type OperatorScope } from './operator-gate.server.ts';

/**
 * `GET operator-overview`: the counts of *Waiting for you* on the console's home and of the marks in its menu; also the caller's
 * own address and role, and the colleagues.
 */
export function serveOverview(scope: OperatorScope): void {
  const { site } = scope.resources;
  declareForOperators(scope, {
    name: 'overview',
    method: 'GET',
    input: z.object({}),
    async answer(queries) {
      const counts = await queries.one(
        `select auth.email() as email, auth.operator_role() as role, operator.has_second_factor() as "hasSecondFactor",
                count(*) filter (where not suspect)::integer as open,
                count(*) filter (where not suspect and due_at < now() + interval '4 hours')::integer as late,
                count(*) filter (where not suspect and due_at < now())::integer as overdue,
                count(*) filter (where suspect)::integer as suspect,
                (select count(*) from operator.events where state = 'dead')::integer as "deadEvents",
                (select count(*) from operator.mails where state in ('failed', 'bounced'))::integer as "failedMails",
                (select count(*) from operator.messages where not from_agency and read_at is null)::integer as "unreadMessages",
                exists (select from operator.site_draft) as "siteDraft",
                exists (select from operator.course_lessons) as "hasLessons",
                (select d.state from operator.demo_data d) as "demoData",
                (select count(*) from operator.course_lessons where waits_for_answer)::integer as "lessonsWaiting",
                (select count(*) from operator.bookings where state = 'booked'
                   and starts_at + make_interval(mins => minutes) > now() and starts_at < now() + interval '24 hours')::integer as "bookingsSoon",
                (select count(*) from operator.calls where body #>> '{analysis,successEvaluation}' = 'false'
                   and created_at > now() - interval '7 days')::integer as "openWishes",
                (select coalesce(json_agg(c.email order by c.email), '[]') from operator.colleagues c) as colleagues,
                (select coalesce(json_agg(c.email order by c.email) filter (where c.role = 'owner'), '[]') from operator.colleagues c) as owners
         from (select due_at, suspect_reasons <> '{}' and suspect_reasons <> '{no proof of work}' as suspect
               from operator.enquiries where replied_at is null) waiting`,
      );
      return { ...counts, hasCourses: counts.hasLessons === true || site.plans.courses.length > 0 };
    },
  });
}
