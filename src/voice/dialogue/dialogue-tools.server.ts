import type { ENQUIRY_SERVICES } from '../../kernel/contract/enquiries.ts';

/** An enquiry as a caller gave it. One of `email` and `phone` is there. */
export interface SpokenEnquiry {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly service: (typeof ENQUIRY_SERVICES)[number];
  /** What it is about, in the caller's words. */
  readonly notes: string;
}

/** A call with a colleague that a caller booked. */
export interface SpokenBooking {
  readonly start: Date;
  readonly name: string;
  readonly phone: string;
}

/** What a dialogue can do in the world. Each may fail; the dialogue then says so. */
export interface DialogueTools {
  /** Stores the enquiry as one of the form is stored. @returns its id, `ENQ-…` */
  takeEnquiry(enquiry: SpokenEnquiry): Promise<{ readonly id: string }>;
  /** Free times from then on, soonest first; at most `count`. */
  freeSlots(from: Date, until: Date, count: number): Promise<readonly Date[]>;
  /** Takes a free time. @returns null when somebody else has it by now */
  bookSlot(booking: SpokenBooking): Promise<{ readonly id: string } | null>;
  /** Moves a call that was booked in this call to a free time. @returns null when somebody else has it by now */
  moveBooking(
    booked: SpokenBooking & { readonly id: string },
    start: Date,
  ): Promise<{ readonly id: string } | null>;
  /** Cancels a call that was booked in this call. */
  cancelBooking(booked: SpokenBooking & { readonly id: string }): Promise<{ readonly id: string }>;
}

/** Whether a tool's result is a failure. */
export function failed(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'error' in result;
}
