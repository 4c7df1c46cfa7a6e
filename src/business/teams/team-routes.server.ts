import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { declareInvitations } from './team-invitation.server.ts';
import { declareMembership } from './team-membership.server.ts';

/**
 * Teams: members, invitations, and who pays. Policies decide what is shared (decision 0395), and triggers
 * notify members of changes (decision 0460).
 *
 * @trigger northline_app.teams begin_team_changes
 * @trigger northline_app.teams tell_team
 * @trigger northline_app.team_members tell_team
 * @trigger northline_app.team_files tell_team
 * @trigger private.team_invitations tell_team
 * @trigger public.customers tell_team
 * @trigger public.user_files tell_team
 * @trigger auth.users tell_team
 * @trigger northline_app.team_changes realtime_publish
 * @trigger northline_app.team_members realtime_publish
 */
export function mountTeams(http: HttpContext, resources: Resources): void {
  declareMembership(http, resources);
  declareInvitations(http, resources);
}
