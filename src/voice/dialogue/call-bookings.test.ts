import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { openBookings } from '../../business/bookings/booking-store.server.ts';
import { readWeeklyHours } from '../../business/bookings/weekly-hours.server.ts';
import { bookingTools, withReleasedTimes } from './call-bookings.server.ts';

const MONTH_MS = 30 * 24 * 3_600_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

test('a time that a caller chose is free again when the call ends', async () => {
  const { database } = app.resources;
  const hours = readWeeklyHours('mon-fri 9:00-17:00') ?? new Map();
  const bookings = openBookings(
    app.resources,
    () => hours,
    async () => [],
  );
  const [callId, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const dialogue = await withReleasedTimes(simpleEngines(), bookings).openDialogue({
    callId,
    assistant: {},
    log: () => {},
    queryServer: async () => ({}),
  });
  const own = bookingTools(bookings, database, callId);
  const others = bookingTools(bookings, database, other);
  const [first] = await own.freeSlots(new Date(), new Date(Date.now() + MONTH_MS), 1);
  if (first === undefined) throw new Error('no time is free');
  const firstOfOthers = async () =>
    (await others.freeSlots(new Date(), new Date(Date.now() + MONTH_MS), 1))[0]?.getTime();
  await own.holdSlots([first]);
  expect(await firstOfOthers()).not.toBe(first.getTime());
  dialogue.close();
  await expect.poll(firstOfOthers).toBe(first.getTime());
});
