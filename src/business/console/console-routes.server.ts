import { z } from 'zod';
import { serveBookings } from './booking-queries.server.ts';
import { serveColleagues } from './colleagues/colleague-functions.server.ts';
import { declareColleagueInvitations } from './colleagues/colleague-invitation.server.ts';
import { type ContentScope, mountContent } from './content-routes.server.ts';
import { serveCustomers } from './customer-queries.server.ts';
import { exportEnquiries } from './enquiry-export.server.ts';
import { serveEnquiries } from './enquiry-queries.server.ts';
import { serveEvents } from './event-queries.server.ts';
import { declareFirstOperator } from './first-operator.server.ts';
import { serveHealth } from './health-queries.server.ts';
import { serveHome } from './home-queries.server.ts';
import { serveLessons } from './lesson-queries.server.ts';
import { serveMails } from './mail-queries.server.ts';
import { serveActions } from './operator-actions.server.ts';
import { declareForOperators, type OperatorScope } from './operator-gate.server.ts';
import { servePosts } from './post-queries.server.ts';
import { serveSearch } from './records/console-search.server.ts';
import { serveCustomerRecord } from './records/customer-record.server.ts';
import { serveRefunds } from './records/customer-refund.server.ts';
import { servePortal } from './records/portal-view.server.ts';
import { serveAudit } from './settings/audit-queries.server.ts';
import { type SettingsScope, serveSettings } from './settings/setting-functions.server.ts';
import { serveThreads } from './thread-queries.server.ts';

/** What the console needs to serve its functions. */
interface ConsoleScope extends ContentScope, SettingsScope {
  /** Sends the mails about lessons at once. */
  readonly notifyOfLessons: () => void;
}

/** The operator's console: its page is `/operator`, its rights are in `migrations/baseline/03-operator.sql`. */
export function mountConsole(scope: ConsoleScope): void {
  declareFirstOperator(scope.http, scope.resources);
  declareColleagueInvitations(scope.http, scope.resources);
  serveColleagues(scope);
  serveOverview(scope);
  serveHome(scope);
  serveSearch(scope);
  serveEnquiries(scope);
  exportEnquiries(scope);
  serveEvents(scope);
  serveMails(scope);
  serveCustomers(scope);
  serveCustomerRecord(scope);
  serveRefunds(scope);
  servePortal(scope);
  serveBookings(scope);
  serveLessons(scope, scope.notifyOfLessons);
  serveThreads(scope);
  servePosts(scope);
  serveHealth(scope);
  mountContent(scope);
  serveActions(scope);
  serveSettings(scope);
  serveAudit(scope);
}

function serveOverview(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'overview',
    method: 'GET',
    input: z.object({}),
    answer: (queries) =>
      queries.one(
        `select auth.email() as email, auth.operator_role() as role, operator.has_second_factor() as "hasSecondFactor",
                count(*) filter (where not suspect)::integer as open,
                count(*) filter (where not suspect and due_at < now() + interval '4 hours')::integer as late,
                count(*) filter (where not suspect and due_at < now())::integer as overdue,
                count(*) filter (where suspect)::integer as suspect,
                (select count(*) from operator.events where state = 'dead')::integer as "deadEvents",
                (select count(*) from operator.mails where state in ('failed', 'bounced'))::integer as "failedMails",
                (select count(*) from operator.messages where not from_agency and read_at is null)::integer as "unreadMessages",
                exists (select from operator.site_draft) as "siteDraft",
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
      ),
  });
}
