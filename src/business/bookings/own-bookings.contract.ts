/** `GET own-bookings`: the user's calls to come, the next first. */
export interface OwnBookings {
  readonly bookings: readonly {
    readonly id: string;
    /** ISO 8601. */
    readonly starts_at: string;
    readonly minutes: number;
    /** The service that it is about; null: none was named. */
    readonly service: string | null;
    /** The booking's own page, where it is moved and cancelled. */
    readonly href: string;
  }[];
}
