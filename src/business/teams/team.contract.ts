/**
 * Calls about one's team, under `/functions/v1/` with a user's access token; failures are `{error, code}`. Files are
 * shown by rows of `team_files` through the data service. Decision 0395.
 */
export const TEAM_FUNCTIONS = {
  /** GET; answers TeamView. */
  read: '/functions/v1/team',
  /** `{name}`; answers TeamView. 409 already_in_team, 400 bad_name. */
  create: '/functions/v1/create-team',
  /** `{name}` of an owner; answers TeamView. */
  rename: '/functions/v1/rename-team',
  /** `{email, role}` of an owner: one mail with a link that counts for a week. 409 team_full, already_member, 429. */
  invite: '/functions/v1/invite-member',
  /** `{id}` of an owner: the link counts no more. */
  withdraw: '/functions/v1/withdraw-invitation',
  /** `{token}` from the mail; answers TeamView. 404 bad_invitation, 403 other_address, 409 already_in_team. */
  accept: '/functions/v1/accept-invitation',
  /** `{user_id, role}` of an owner. 409 last_owner. */
  role: '/functions/v1/change-member',
  /** `{user_id}` of an owner, or one's own: leaving. 409 last_owner while others are in it. */
  remove: '/functions/v1/remove-member',
  /** `{pays?}` of an owner or billing: the caller's credits are the team's from now on, or with false no more. */
  pay: '/functions/v1/pay-for-team',
} as const;

/** What people may do in a team: everything; files and credits; what is paid. */
export const TEAM_ROLES = ['owner', 'member', 'billing'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** People and open invitations of one team together. */
export const MOST_MEMBERS = 50;
/** Before the secret in the part of the mailed address that browsers send to nobody. */
export const INVITATION_FRAGMENT = 'invitation=';
/** Days that an invitation counts. */
export const INVITATION_DAYS = 7;
/** Longest name, characters. */
export const TEAM_NAME_LENGTH = 60;

/** One's team; `team` is null for who is in none. Times are ISO 8601. */
export interface TeamView {
  readonly team: {
    readonly id: string;
    readonly name: string;
    /** The caller's. */
    readonly role: TeamRole;
    readonly members: readonly TeamMember[];
    /** Open ones, for owners; empty for others. */
    readonly invitations: readonly TeamInvitation[];
    readonly payer: TeamPayer | null;
  } | null;
}

export interface TeamMember {
  readonly user_id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly role: TeamRole;
  readonly joined_at: string;
}

export interface TeamInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: TeamRole;
  readonly expires_at: string;
}

/** Whose credits the team uses. */
export interface TeamPayer {
  readonly user_id: string;
  readonly credits: number;
}
