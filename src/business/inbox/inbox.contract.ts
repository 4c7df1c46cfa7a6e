/**
 * Calls about documents by mail, under `/functions/v1/` with a user's access token; failures are `{error, code}`.
 * What changes something replies 404 `inbox_off` where the installation takes none. Decision 0695.
 */
export const INBOX_FUNCTIONS = {
  /** GET; replies with InboxView, or InboxOff where the installation takes no documents by mail. */
  read: '/functions/v1/inbox',
  /** `{}`: gives the customer a new address, and ends the one before; replies with InboxView. */
  address: '/functions/v1/new-inbox-address',
  /** `{address}`: mails a link to the address; replies with InboxView. 409 too_many_senders, 429. */
  ask: '/functions/v1/ask-inbox-sender',
  /** `{token}` of that link, by the user who asked; replies with InboxView. 404 bad_proof. */
  prove: '/functions/v1/prove-inbox-sender',
  /** `{address}`: takes no more mails of it; replies with InboxView. */
  remove: '/functions/v1/remove-inbox-sender',
} as const;

/** Precedes the secret in the fragment of the mailed address, which browsers do not send. */
export const PROOF_FRAGMENT = 'mail-sender=';
/** Days for which that link is valid. */
export const PROOF_DAYS = 3;
/** Addresses that a customer may add. */
export const MOST_SENDERS = 20;
/** Mails that the page lists. */
export const SHOWN_MAILS = 20;

/** Why an attachment, or a whole mail, is not taken. */
export const REFUSALS = {
  type: 'files of this type cannot be read',
  empty: 'the file is empty',
  large: 'the file is larger than 100 MB',
  credits: 'there is no credit left',
  storage: 'the storage is full',
  malware: 'the file contains malware',
  many: 'a mail may have 50 attachments',
  failed: 'it could not be stored, please send it again',
  size: 'the mail is larger than 40 MB',
  daily: 'more than 200 mails came within a day',
  nothing: 'it has neither an attachment nor a text',
  closing: 'the account is being deleted',
  sender: 'the sender is not in your list',
  forged: 'the mail server could not confirm the sender',
} as const;
export type Refusal = keyof typeof REFUSALS;

/** What a customer sees of documents by mail. Times are ISO 8601. */
export interface InboxView {
  /** Null before the customer has asked for one. */
  readonly address: string | null;
  readonly senders: readonly InboxSender[];
  /** Newest first. */
  readonly mails: readonly InboxMail[];
}

export interface InboxOff {
  readonly off: true;
}

export interface InboxSender {
  readonly address: string;
  /** `account`: the customer's own; `team`: a member's; `added`: by the customer. */
  readonly kind: 'account' | 'team' | 'added';
  /** Mails are taken only from proven addresses. */
  readonly proven: boolean;
}

export interface InboxMail {
  readonly id: string;
  readonly sender: string;
  readonly subject: string;
  readonly at: string;
  readonly state: 'working' | 'done' | 'refused';
  readonly reason: Refusal | null;
  readonly documents: readonly {
    readonly name: string;
    /** Null when it was refused or has been deleted. */
    readonly file_id: string | null;
    readonly reason: Refusal | null;
  }[];
}
