/** An enquiry as a caller gave it. At least one of `email` and `phone` is set. */
export interface SpokenEnquiry {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** One of the services that an enquiry may name. */
  readonly service: string;
  /** What it is about, in the caller's words. */
  readonly notes: string;
}

/** A call with a colleague that a caller wants to book. */
export interface SpokenBooking {
  readonly start: Date;
  readonly name: string;
  readonly phone: string;
}

/** A call that is booked. */
export interface BookedCall extends SpokenBooking {
  readonly id: string;
}

/** The actions of a dialogue. Each may fail; the dialogue then says so. */
export interface DialogueTools {
  /** Stores an enquiry as the site's form does. @returns its id, `ENQ-…` */
  takeEnquiry(enquiry: SpokenEnquiry): Promise<{ readonly id: string }>;
  /** Free times between the two dates, soonest first; at most `count`. */
  freeSlots(from: Date, until: Date, count: number): Promise<readonly Date[]>;
  /**
   * Holds exactly these times for some minutes, so that nobody else is offered them, and releases all others
   * of this call. @returns those that were still free
   */
  holdSlots(starts: readonly Date[]): Promise<readonly Date[]>;
  /**
   * Books a free time.
   *
   * @returns null when somebody else has taken it; `confirmedBy` is `text` where a text message confirms it
   * automatically
   */
  bookSlot(
    booking: SpokenBooking,
  ): Promise<{ readonly id: string; readonly confirmedBy: 'text' | null } | null>;
  /** Has the confirmation mailed. @throws Error where no more mails may go to that address */
  confirmBooking(booked: BookedCall, email: string): Promise<{ readonly id: string }>;
  /** The number that the call comes from; null where it does not come by telephone. */
  callersNumber(): Promise<string | null>;
  /** The next call that is booked under that name and number, which together prove whose it is. */
  findBooking(name: string, phone: string): Promise<BookedCall | null>;
  /**
   * Moves a call that was booked or found in this call to a free time. @returns null when somebody else has
   * taken it
   */
  moveBooking(booked: BookedCall, start: Date): Promise<{ readonly id: string } | null>;
  /** Cancels a call that was booked or found in this call. */
  cancelBooking(booked: BookedCall): Promise<{ readonly id: string }>;
}

/** Whether a tool's result is a failure. */
export function failed(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'error' in result;
}
