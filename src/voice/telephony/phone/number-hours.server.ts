import type { z } from 'zod';
import { isOpenAt, readWeeklyHours, sayWeeklyHours } from '../../../business/bookings/weekly-hours.server.ts';
import type { numberHoursSchema } from '../../records/voice-resources.contract.ts';

/** The treatment of a call while its number is closed. */
export interface ClosedNumber {
  /** The assistant that takes it instead. */
  readonly assistantId?: string | undefined;
  /** Where the caller is put through. */
  readonly destination?: object | undefined;
  /** Said before hanging up, where there is neither an assistant nor a destination. */
  readonly message: string;
}

/**
 * The treatment of calls now, by a number's `hours`; undefined while it is open, or has no hours.
 *
 * @param zone the installation's time zone, for hours that name none
 */
export function closedNow(given: unknown, now: Date, zone: string): ClosedNumber | undefined {
  // The hours were checked when they were stored.
  const hours = given as z.output<typeof numberHoursSchema> | undefined | null;
  const open = readWeeklyHours(hours?.open ?? '');
  if (hours == null || open === null || isOpenAt(open, now, hours.timeZone ?? zone)) return undefined;
  const { assistantId, destination, message } = hours.outside ?? {};
  return {
    assistantId,
    destination,
    message: message ?? `We are closed at the moment. Please call again ${sayWeeklyHours(open)}.`,
  };
}
