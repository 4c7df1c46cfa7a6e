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
import { serveOverview } from './overview-counts.server.ts';
import { servePosts } from './post-queries.server.ts';
import { serveSearch } from './records/console-search.server.ts';
import { serveCustomerRecord } from './records/customer-record.server.ts';
import { serveRefunds } from './records/customer-refund.server.ts';
import { servePortal } from './records/portal-view.server.ts';
import { serveAudit } from './settings/audit-queries.server.ts';
import { type RestartScope, serveRestart } from './settings/product-restart.server.ts';
import { type SettingsScope, serveSettings } from './settings/setting-functions.server.ts';
import { serveThreads } from './thread-queries.server.ts';

/** What the console needs to serve its functions. */
interface ConsoleScope extends ContentScope, SettingsScope, RestartScope {
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
  serveRestart(scope);
  serveAudit(scope);
}
