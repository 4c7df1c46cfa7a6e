import type { CustomerAccount } from '../console.contract.ts';

/** Most rows of each list on a customer's page, the newest first. */
export const MOST_OF_A_LIST = 50;

/** Most credits that are given or taken back at once. */
export const MOST_CREDITS = 1000;

/** Longest reason of a change, characters. The customer reads it in the credit history. */
export const REASON_LENGTH = 200;

/** An invoice of the payment provider; amounts are in the smallest unit of its currency. */
export interface CustomerInvoice {
  readonly id: string;
  readonly number: string | null;
  readonly status: string;
  readonly currency: string;
  readonly total: number;
  /** What was paid and has not been given back. */
  readonly refundable: number;
  readonly refunded: number;
  readonly created_at: string;
}

/** A document or a lesson video by its name and state: never what it says. */
interface CustomerFile {
  readonly id: string;
  readonly file_name: string;
  readonly file_size: number;
  readonly status: string;
  readonly created_at: string;
}

/** Something that happened between the customer and the agency, with the address of its record. */
export interface CustomerEvent {
  readonly kind: 'call' | 'booking' | 'enquiry' | 'message' | 'lesson';
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly at: string;
}

/** A mail to the customer's address; the server keeps them for seven days. */
interface CustomerMail {
  readonly id: string;
  readonly subject: string;
  readonly state: string;
  readonly created_at: string;
}

/** `GET operator-customer?id=`: all that answers a telephone call of this customer. */
export interface CustomerRecord extends CustomerAccount {
  /** Numbers of the account, and those that enquiries and bookings with its address gave. */
  readonly phones: readonly string[];
  /** Bytes that are stored, and that may be. */
  readonly storage: { readonly used: number; readonly limit: number };
  readonly invoices: readonly CustomerInvoice[];
  readonly files: readonly CustomerFile[];
  /** The newest first. */
  readonly events: readonly CustomerEvent[];
  readonly unread: number;
  /** Null while the customer is in no team. */
  readonly team: {
    readonly name: string;
    readonly members: readonly {
      readonly user_id: string;
      readonly email: string | null;
      readonly role: string;
    }[];
  } | null;
  readonly mails: readonly CustomerMail[];
  /** Until when the customer lets the agency see the portal; null where not. */
  readonly support_until: string | null;
  /** An invented customer, whose portal is open to the agency. */
  readonly demo: boolean;
}

/** Body of `POST operator-refund`; `attempt` makes a repeated request the same refund. The amount is in the smallest unit of the invoice's currency. */
export interface RefundRequest {
  readonly id: string;
  readonly invoice: string;
  readonly amount: number;
  readonly reason: string;
  readonly attempt: string;
}
