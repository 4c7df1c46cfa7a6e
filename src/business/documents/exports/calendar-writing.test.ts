import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { writeCalendar } from './calendar-writing.server.ts';

test('each day is a whole day of its own, with a reminder the day before if something is to be done, and words that no calendar misreads', () => {
  const days = [
    { day: '2026-12-31', label: 'Due; now, or never' },
    { day: '2028-02-29', label: 'Ends' },
    { day: '2026-12-01', label: 'Issue date', isRecord: true },
  ];
  const report = { title: 'Lease\n  “Harbour”', address: 'https://agency.example/analysis/1' };
  const written = writeCalendar(days, { ...report, stamp: new Date('2026-11-27T06:45:12Z') });
  const events = ICAL.Component.fromString(written.toString()).getAllSubcomponents('vevent');
  const read = events.map((event) => {
    const { startDate, endDate, summary } = new ICAL.Event(event);
    const trigger = event.getFirstSubcomponent('valarm')?.getFirstPropertyValue('trigger');
    return [String(startDate), startDate.isDate, String(endDate), summary, String(trigger)];
  });
  expect(read).toEqual([
    ['2026-12-31', true, '2027-01-01', 'Due; now, or never: Lease “Harbour”', '-P1D'],
    ['2028-02-29', true, '2028-03-01', 'Ends: Lease “Harbour”', '-P1D'],
    ['2026-12-01', true, '2026-12-02', 'Issue date: Lease “Harbour”', 'undefined'],
  ]);
  const uids = events.map((event) => event.getFirstPropertyValue('uid'));
  const again = writeCalendar(days, { ...report, stamp: new Date('2027-01-01T00:00:00Z') }).toString();
  expect(new Set(uids).size).toBe(3);
  for (const uid of uids) expect(again).toContain(`UID:${uid}`);
});
