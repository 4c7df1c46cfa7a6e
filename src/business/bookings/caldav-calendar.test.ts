import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CalendarServer, startCalendarServer } from '../../../tests/support/servers/calendar-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { readBusyTimes } from './busy-times.server.ts';
import { openAgencyCalendar } from './caldav-calendar.server.ts';

const SPAN = { from: new Date('2026-03-02T00:00:00Z'), until: new Date('2026-03-16T00:00:00Z') };

const calendarOf = (...events: string[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//T//T//EN',
    ...events.flatMap((event) => event.split('|')),
    'END:VCALENDAR',
    '',
  ].join('\r\n');
const eventOf = (uid: string, lines: string): string =>
  `BEGIN:VEVENT|UID:${uid}|DTSTAMP:20260101T000000Z|${lines}|END:VEVENT`;
const busyIn = (...events: string[]): string[] =>
  readBusyTimes(calendarOf(...events), SPAN, 'Europe/London', (uid) => uid.startsWith('booking-'))
    .map(({ from, until }) => `${from.toISOString().slice(5, 16)} ${until.toISOString().slice(5, 16)}`)
    .sort();

let calendar: CalendarServer;
let app: TestApp;
beforeAll(async () => {
  calendar = await startCalendarServer();
  app = await startTestApp({
    settings: {
      BOOKING_CALENDAR: `http://ann:s3cret@${calendar.host}/work/`,
      OUTBOUND_ALLOW_HOSTS: calendar.host,
    },
  });
});
afterAll(async () => {
  await app?.close();
  calendar?.close();
});

test('busy times are read as calendars write them: zones, whole days, repetitions with exceptions', () => {
  expect(busyIn(eventOf('1', 'DTSTART:20260303T090000Z|DTEND:20260303T100000Z'))).toEqual([
    '03-03T09:00 03-03T10:00',
  ]);
  expect(busyIn(eventOf('2', 'DTSTART;TZID=America/New_York:20260304T090000|DURATION:PT30M'))).toEqual([
    '03-04T14:00 03-04T14:30',
  ]);
  expect(busyIn(eventOf('3', 'DTSTART;VALUE=DATE:20260305|DTEND;VALUE=DATE:20260306'))).toEqual([
    '03-05T00:00 03-06T00:00',
  ]);
  const weekly = eventOf(
    '4',
    'DTSTART:20250106T080000Z|DTEND:20250106T083000Z|RRULE:FREQ=WEEKLY|EXDATE:20260309T080000Z',
  );
  const moved = eventOf(
    '4',
    'RECURRENCE-ID:20260302T080000Z|DTSTART:20260302T120000Z|DTEND:20260302T130000Z',
  );
  expect(busyIn(weekly, moved)).toEqual(['03-02T12:00 03-02T13:00']);
  expect(
    busyIn(
      eventOf('5', 'DTSTART:20260303T090000Z|DTEND:20260303T100000Z|STATUS:CANCELLED'),
      eventOf('6', 'DTSTART:20260303T090000Z|DTEND:20260303T100000Z|TRANSP:TRANSPARENT'),
      eventOf('booking-7@x', 'DTSTART:20260303T090000Z|DTEND:20260303T100000Z'),
      eventOf('8', 'DTSTART:20270303T090000Z|DTEND:20270303T100000Z'),
    ),
  ).toEqual([]);
  expect(() => busyIn('nonsense')).toThrow();
});

test('a CalDAV calendar gives busy times and gets the bookings, as they are made, moved and cancelled', async () => {
  // The home page: 'It knows your calendar, offers the slots that suit your rounds, holds one while the caller thinks, and sends the confirmation.'
  // bookings.test.ts covers offers, holds and confirmations.
  const { database } = app.resources;
  const from = new Date(Date.now() + 3_600_000);
  const until = new Date(Date.now() + 7_200_000);
  const stamp = (at: Date) => `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  calendar.objects.set(
    '/work/a.ics',
    calendarOf(eventOf('a', `DTSTART:${stamp(from)}|DTEND:${stamp(until)}`)),
  );
  const busy = await openAgencyCalendar(app.resources)(from, until);
  expect(busy.map((span) => stamp(span.from))).toEqual([stamp(from)]);

  const { id } = await database.one(
    "insert into northline_app.bookings (starts_at, minutes, name, phone) values ('2031-03-03T10:00:00Z', 30, 'Ann', '1') returning id",
  );
  const written = () => [...calendar.objects].find(([path]) => path.includes(id))?.[1] ?? '';
  await expect.poll(written).toContain('DTSTART:20310303T100000Z');
  expect(written()).not.toMatch(/METHOD|ATTENDEE/);
  expect(await openAgencyCalendar(app.resources)(from, until)).toHaveLength(1);
  await database.run(
    "update northline_app.bookings set starts_at = '2031-03-03T11:00:00Z', changes = 1 where id = $1",
    [id],
  );
  await expect.poll(written).toContain('DTSTART:20310303T110000Z');
  await database.run("update northline_app.bookings set state = 'cancelled', changes = 2 where id = $1", [
    id,
  ]);
  await expect.poll(written).toBe('');
});

test('an iCalendar file is read; without any copy no time is offered, and an earlier copy stays valid', async () => {
  const settings = { ...app.resources.settings, BOOKING_CALENDAR: `http://${calendar.host}/shared.ics` };
  const [from, until] = [new Date('2031-03-03T09:00:00Z'), new Date('2031-03-03T12:00:00Z')];
  calendar.down = true;
  const busy = openAgencyCalendar({ ...app.resources, settings });
  const all = await busy(from, until);
  expect(all.map((span) => [span.from <= from, span.until >= until])).toEqual([[true, true]]);
  calendar.down = false;
  calendar.file = calendarOf();
  expect(await busy(from, until)).toEqual([]);
  calendar.down = true;
  expect(await busy(from, until)).toEqual([]);
  calendar.down = false;
  expect(
    await openAgencyCalendar({ ...app.resources, settings: { ...settings, BOOKING_CALENDAR: '' } })(
      from,
      until,
    ),
  ).toEqual([]);
});
