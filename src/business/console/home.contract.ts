/** `GET operator-home`: the first page of the console, beside the counts of `operator-overview`. */
export interface HomePage {
  /** Bookings that begin today or tomorrow in the agency's time zone, the next first. */
  readonly bookings: readonly {
    readonly id: string;
    readonly starts_at: string;
    readonly name: string;
    readonly phone: string;
  }[];
  /** Fourteen days, the last of them today, in the agency's time zone. */
  readonly days: readonly HomeDay[];
  /** What a new installation still needs, in the order in which people do it. */
  readonly steps: readonly HomeStep[];
}

/** What happened on one day. */
export interface HomeDay {
  /** As `2026-11-27`. */
  readonly day: string;
  /**
   * What customers paid, without refunds, by the day of the invoice: the smallest unit of each currency (ISO 4217, lower
   * case) in which anything was paid.
   */
  readonly paid: Readonly<Record<string, number>>;
  /** New accounts. */
  readonly customers: number;
  /** Documents and lessons that were uploaded, deleted ones too. */
  readonly documents: number;
  readonly calls: number;
}

/** The steps of the checklist. */
export const HOME_STEPS = [
  'factor',
  'brand',
  'plans',
  'sample',
  'legal',
  'address',
  'mail',
  'payments',
  'backup',
  'call',
  'colleague',
] as const;

/** One step, and whether it is done: looked up at each request, never remembered. */
export interface HomeStep {
  readonly id: (typeof HOME_STEPS)[number];
  readonly done: boolean;
}
