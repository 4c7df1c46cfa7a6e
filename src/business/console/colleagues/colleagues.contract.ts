import type { OperatorRole } from '../operator-roles.contract.ts';

/**
 * What invited people call, under `/functions/v1/`; failures are `{error, code}`. Owners invite, change and remove by the
 * console's functions `operator-invite-colleague`, `-withdraw-colleague`, `-change-colleague` and `-remove-colleague`.
 */
export const COLLEAGUE_FUNCTIONS = {
  /** `{token}` from the mail, by anyone who has it; replies with ColleagueInvitation. 404 bad_invitation. */
  look: '/functions/v1/read-console-invitation',
  /**
   * `{token}`, by the account of the address in a session that used a second factor; replies with `{role}`, which is in the
   * next access token. 404 bad_invitation, 403 other_address, address_unconfirmed, second_factor_missing; 409
   * already_colleague.
   */
  accept: '/functions/v1/accept-console-invitation',
} as const;

/** Precedes the secret in the fragment of the mailed address, which browsers do not send. */
export const COLLEAGUE_FRAGMENT = 'colleague=';
/** Days for which an invitation is valid. */
export const COLLEAGUE_INVITATION_DAYS = 7;
/** Colleagues and open invitations together. */
export const MOST_COLLEAGUES = 100;

/** What an invitation to the console is about, for the person who has its mail. */
export interface ColleagueInvitation {
  readonly role: OperatorRole;
  /** The address that the mail went to: only its account may accept. */
  readonly email: string;
  /** Name and address of the inviter. */
  readonly inviter: string;
}

/** `GET operator-colleagues`; times are ISO 8601. Only owners see invitations, second factors and visits. */
export interface ColleaguesPage {
  readonly colleagues: readonly {
    readonly user_id: string;
    readonly email: string | null;
    readonly name: string | null;
    readonly role: OperatorRole;
    readonly is_own: boolean;
    readonly has_factor: boolean | null;
    /** When one of the account's sessions was last in use; null for an account that never was, and for other callers. */
    readonly seen_at: string | null;
  }[];
  readonly invitations: readonly {
    readonly id: string;
    readonly email: string;
    readonly role: OperatorRole;
    readonly expires_at: string;
  }[];
}
