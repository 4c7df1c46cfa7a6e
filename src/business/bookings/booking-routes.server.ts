import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { mountBookingActions } from './booking-actions.server.ts';
import { sendBookingNotices } from './booking-notices.server.ts';
import { sendBookingReminders } from './booking-reminders.server.ts';
import { openBookingRequests } from './booking-requests.server.ts';
import { type BookingStore, openBookings } from './booking-store.server.ts';
import { openAgencyCalendar } from './caldav-calendar.server.ts';
import { mountOwnBookings } from './own-bookings.server.ts';
import { mountBookPage } from './pages/book-page.server.ts';
import { mountBookingPage } from './pages/booking-page.server.ts';
import { readWeeklyHours } from './weekly-hours.server.ts';

/**
 * Mounts the bookings: their page, the functions of operators, their notices and their sweep. The phone assistant books through the
 * returned store.
 */
export function mountBookings(http: HttpContext, resources: Resources): BookingStore {
  // Read at each use: an owner changes them at the console.
  const hours = () => readWeeklyHours(resources.settings.VOICE_HOURS) ?? new Map();
  const bookings = openBookings(resources, hours, openAgencyCalendar(resources));
  sendBookingNotices(resources);
  sendBookingReminders(resources);
  mountBookingPage(http, resources, bookings);
  mountBookPage(http, resources, bookings, openBookingRequests(resources, bookings));
  mountOwnBookings(http, resources);
  mountBookingActions(http, resources, bookings);
  return bookings;
}
