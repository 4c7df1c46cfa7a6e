import type { z } from 'zod';
import { isOpenAt, readWeeklyHours, sayWeeklyHours } from '../../../business/bookings/weekly-hours.server.ts';
import type { numberHoursSchema } from '../../records/voice-resources.contract.ts';

/** What happens to a call that comes when a number is closed. */
export interface ClosedNumber {
  /** Another assistant takes it. */
  readonly assistantId?: string | undefined;
  /** It is put through. */
  readonly destination?: object | undefined;
  /** Said before hanging up, where neither of the two is there. */
  readonly message: string;
}

/**
 * What a number's `hours` say now; undefined where it is open, or has none.
 *
 * @param zone the installation's time zone, for hours that name none
 */
export function closedNow(given: unknown, now: Date, zone: string): ClosedNumber | undefined {
  // Checked when it was stored.
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
