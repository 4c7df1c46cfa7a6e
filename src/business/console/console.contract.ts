import type { OperatorRole } from './operator-roles.contract.ts';

/** Answers of the console's functions, `/functions/v1/operator-…`; times are ISO 8601. */

/** `GET operator-overview`. */
export interface OperatorOverview {
  readonly email: string | null;
  readonly role: OperatorRole;
  readonly hasSecondFactor: boolean;
  /** Enquiries that wait for a reply, those of them past 20 and past 24 hours, and marked ones. */
  readonly open: number;
  readonly late: number;
  readonly overdue: number;
  readonly suspect: number;
  readonly deadEvents: number;
  readonly failedMails: number;
  /** Messages of customers that nobody of the agency has read. */
  readonly unreadMessages: number;
  /** Addresses of owners and staff: who may be given an enquiry. */
  readonly colleagues: readonly string[];
  /** Addresses of the owners, whom a colleague asks for what the role does not allow. */
  readonly owners: readonly string[];
  /** Lessons whose customer wrote last. */
  readonly lessonsWaiting: number;
  /** Bookings that begin in the next 24 hours or go on. */
  readonly bookingsSoon: number;
  /** Calls of the last seven days after which a wish was open. */
  readonly openWishes: number;
  /** Whether the agency sells courses, or has lessons of former ones. */
  readonly hasCourses: boolean;
  /** Whether the operator is writing on the site and has not published it. */
  readonly siteDraft: boolean;
  /** State of the demo data; null where there is none. */
  readonly demoData: DemoState | null;
}

/** The states of demo data. */
export type DemoState = 'adding' | 'ready' | 'removing';

/** A row of `GET operator-enquiries`. */
export interface OperatorEnquiry {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly company_name: string | null;
  readonly website: string | null;
  readonly enquiry_type: string;
  readonly additional_notes: string | null;
  readonly course_description: string | null;
  readonly user_id: string | null;
  readonly suspect_reasons: readonly string[];
  readonly created_at: string;
  readonly due_at: string;
  readonly warned_at: string | null;
  readonly replied_at: string | null;
  readonly replied_by: string | null;
  readonly note: string;
  /** Address of the operator who answers it; null while nobody has taken it. */
  readonly assignee: string | null;
  /** State of its delivery to the automation; null when it was mailed. */
  readonly delivery: string | null;
  /** Answers that were written at the console, oldest first; `mailed_at` is null while one is on its way. */
  readonly replies: readonly {
    readonly body: string;
    readonly author: string | null;
    readonly mailed_at: string | null;
    readonly created_at: string;
  }[];
}

/** Which enquiries are listed; `mine` are those that wait for the caller. */
export const ENQUIRY_LISTS = ['open', 'mine', 'suspect', 'answered', 'all'] as const;
export type EnquiryList = (typeof ENQUIRY_LISTS)[number];

/** `GET operator-enquiries?list=&q=&after=`; `next` goes into `after`. */
export interface EnquiryPage {
  readonly rows: readonly OperatorEnquiry[];
  readonly next: string | null;
}

/** One automation of the settings. `url` is shown without its path: paths of hooks are secrets. */
export interface OperatorTarget {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly paused_at: string | null;
  readonly disabled_at: string | null;
  readonly previous_until: string | null;
  readonly pending: number;
  readonly delivered: number;
  readonly dead: number;
}

export interface OperatorEvent {
  readonly id: string;
  readonly kind: string;
  readonly target: string | null;
  readonly subject_id: string;
  readonly state: 'pending' | 'delivered' | 'dead' | 'cancelled';
  readonly attempts: number;
  readonly created_at: string;
  readonly due_at: string | null;
  readonly last_status: number | null;
  readonly last_reply: string | null;
}

/** `GET operator-events?state=&target=`. */
export interface EventsPage {
  readonly targets: readonly OperatorTarget[];
  readonly events: readonly OperatorEvent[];
}

/** `GET operator-event?id=`: every attempt, oldest first. */
export interface EventAttempts {
  readonly attempts: readonly {
    readonly attempt: number;
    readonly status: number | null;
    readonly reply: string;
    readonly duration_ms: number;
    readonly created_at: string;
  }[];
}

export interface OperatorMail {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly state: 'kept' | 'waiting' | 'sent' | 'failed' | 'bounced' | 'suppressed';
  readonly purpose: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly sent_at: string | null;
}

export interface OperatorSuppression {
  readonly address: string;
  readonly reason: 'bounce' | 'complaint' | 'unsubscribe' | 'operator';
  readonly source: string;
  readonly detail: string;
  readonly created_at: string;
}

/** `GET operator-mails?state=&q=`. */
export interface MailsPage {
  readonly mails: readonly OperatorMail[];
  readonly suppressions: readonly OperatorSuppression[];
  /** No mail server: mails stay at /dev/mail. */
  readonly keepsMails: boolean;
  /** Whether that mailbox can be opened, on the server's own machine. */
  readonly mailbox: boolean;
}

export interface OperatorCustomer {
  readonly user_id: string;
  readonly email: string | null;
  readonly full_name: string | null;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
  readonly customer_id: string | null;
  readonly credits: number;
  /** Those that have not ended, the ones in force first; else the last one. */
  readonly plans: readonly CustomerPlan[];
  readonly files: number;
  /** When the account will be deleted, as its owner asked for. */
  readonly deletion_due_at: string | null;
}

/** A subscription of a customer. */
export interface CustomerPlan {
  readonly price_id: string;
  readonly tier: string | null;
  readonly status: string;
  readonly current_period_end: string | null;
  readonly cancel_at_period_end: boolean;
}

/** `GET operator-customers?q=&after=`: at most 50, newest first; `next` goes into `after`. */
export interface CustomersPage {
  readonly rows: readonly OperatorCustomer[];
  readonly next: string | null;
}

/** An account with its ledger; `balance` runs through the ledger from the oldest entry. */
export interface CustomerAccount {
  readonly customer: OperatorCustomer;
  /** The plan that automations see instead of the paid one. */
  readonly override: {
    readonly plan: string;
    readonly reason: string;
    readonly set_by: string;
    readonly created_at: string;
    readonly until: string | null;
  } | null;
  readonly ledger: readonly {
    readonly id: string;
    readonly amount: number;
    readonly kind: string;
    readonly description: string | null;
    readonly state: string;
    readonly created_at: string;
    readonly balance: number;
  }[];
}

/** Bodies of `POST operator-act`: one thing that an operator does. */
export type OperatorAction =
  | { readonly do: 'enquiry.replied'; readonly id: string; readonly replied: boolean }
  | { readonly do: 'enquiry.note'; readonly id: string; readonly note: string }
  | { readonly do: 'enquiry.not_suspect'; readonly id: string }
  /** To the operator of that address; null to nobody. */
  | { readonly do: 'enquiry.assign'; readonly id: string; readonly assignee: string | null }
  | { readonly do: 'enquiry.reply'; readonly id: string; readonly text: string }
  | { readonly do: 'booking.cancel'; readonly id: string }
  | { readonly do: 'target.pause'; readonly target: string; readonly paused: boolean }
  | { readonly do: 'target.replay'; readonly target: string }
  | { readonly do: 'target.test'; readonly target: string }
  | { readonly do: 'event.replay'; readonly id: string }
  | { readonly do: 'mail.retry'; readonly id: string }
  | { readonly do: 'mail.suppress'; readonly address: string }
  | { readonly do: 'mail.lift'; readonly address: string }
  | {
      readonly do: 'customer.override';
      readonly id: string;
      readonly plan: string;
      readonly reason: string;
      /** ISO 8601. */
      readonly until: string | null;
    }
  | { readonly do: 'customer.end_override'; readonly id: string }
  /** Gives credits, or takes them back with a negative amount. */
  | { readonly do: 'customer.credits'; readonly id: string; readonly amount: number; readonly reason: string }
  | { readonly do: 'support.end'; readonly id: string };

/** `GET operator-bookings?list=&q=&after=`: at most 50; `next` is the place that goes into `after`. */
export interface BookingsPage {
  readonly rows: readonly {
    readonly id: string;
    readonly starts_at: string;
    readonly minutes: number;
    readonly name: string;
    readonly phone: string;
    /** The call in which it was booked, while that is kept. */
    readonly call_id: string | null;
    readonly created_at: string;
    readonly email: string | null;
    readonly state: 'booked' | 'cancelled';
    /** How often it was moved or cancelled, when and by whom the last time. */
    readonly changes: number;
    readonly changed_at: string | null;
    readonly changed_by: 'call' | 'link' | 'desk' | null;
    /** How who booked is told of it; null: there is no way. */
    readonly confirmed_by: 'mail' | 'text' | null;
    /** The name of the service when it was booked; null: none was named. */
    readonly service: string | null;
    /** Where it was booked. */
    readonly source: 'call' | 'page';
  }[];
  readonly next: string | null;
  /** Times to come that callers are deciding on at this moment. */
  readonly held: readonly { readonly starts_at: string; readonly until: string }[];
}

/** Longest answer to an enquiry, characters. */
export const REPLY_LENGTH = 10_000;

/** Longest note, characters. */
export const NOTE_LENGTH = 4000;

/** Code of the 403 for an operator whose session has not used the account's second factor. */
export const SECOND_FACTOR_NEEDED = 'second_factor_needed';

/** What stands after `#` in the address that gives the first operator the console, before its token. */
export const FIRST_OPERATOR_FRAGMENT = 'owner=';
