import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { declareInvitations } from './team-invitation.server.ts';
import { declareMembership } from './team-membership.server.ts';

/** Teams: who is in one, invitations, and who pays; what is shared follows from policies (decision 0395). */
export function mountTeams(http: HttpContext, resources: Resources): void {
  declareMembership(http, resources);
  declareInvitations(http, resources);
}
