/**
 * Calls about the user's own team, under `/functions/v1/` with a user's access token; failures are `{error,
 * code}`. Files are shown by rows of `team_files` through the data service. Decision 0395.
 */
export const TEAM_FUNCTIONS = {
  /** GET; replies with TeamView. */
  read: '/functions/v1/team',
  /** `{name}`; replies with TeamView. 409 already_in_team, 400 bad_name. */
  create: '/functions/v1/create-team',
  /** `{name}`, by an owner; replies with TeamView. */
  rename: '/functions/v1/rename-team',
  /**
   * `{email, role}`, by an owner: sends a mail with a link that works for a week. 409 team_full,
   * already_member, 422 mails_stopped, 429.
   */
  invite: '/functions/v1/invite-member',
  /** `{id}`, by an owner: the link stops working. */
  withdraw: '/functions/v1/withdraw-invitation',
  /**
   * `{token}` from the mail; replies with TeamView. 404 bad_invitation, 403 other_address, 409
   * already_in_team.
   */
  accept: '/functions/v1/accept-invitation',
  /** `{token}` from the mail, by anyone who has it; replies with InvitationView. 404 bad_invitation. */
  look: '/functions/v1/read-invitation',
  /** `{user_id, role}`, by an owner. 409 last_owner. */
  role: '/functions/v1/change-member',
  /** `{user_id}`, by an owner, or the caller's own id to leave. 409 last_owner while others are in it. */
  remove: '/functions/v1/remove-member',
  /**
   * `{pays?}`, by an owner or billing: the team uses the caller's credits from now on, or with false no
   * longer.
   */
  pay: '/functions/v1/pay-for-team',
} as const;

/** What people may do in a team: everything; use files and credits; pay. */
export const TEAM_ROLES = ['owner', 'member', 'billing'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

/** People and open invitations of one team together. */
export const MOST_MEMBERS = 50;
/** Precedes the secret in the fragment of the mailed address, which browsers do not send. */
export const INVITATION_FRAGMENT = 'invitation=';
/** Days for which an invitation is valid. */
export const INVITATION_DAYS = 7;
/** Longest name, characters. */
export const TEAM_NAME_LENGTH = 60;

/** The user's team; `team` is null for a user without one. Times are ISO 8601. */
export interface TeamView {
  readonly team: {
    readonly id: string;
    readonly name: string;
    /** The caller's role. */
    readonly role: TeamRole;
    readonly members: readonly TeamMember[];
    /** Open invitations, for owners; empty for others. */
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

/** The member whose credits the team uses. */
export interface TeamPayer {
  readonly user_id: string;
  readonly credits: number;
}

/** What an invitation is about, for the person who has its mail. */
export interface InvitationView {
  readonly team: string;
  readonly role: TeamRole;
  /** The address that the mail went to: only its account may join. */
  readonly email: string;
  /** Name and address of the inviter; null when the address is not proven, because it might be anybody's. */
  readonly inviter: string | null;
}
