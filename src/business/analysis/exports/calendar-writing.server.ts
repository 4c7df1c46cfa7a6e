import { createHash } from 'node:crypto';

/** A day that a document names. */
export interface CalendarDay {
  /** ISO date. */
  readonly day: string;
  readonly label: string;
}

/** Days as a calendar (RFC 5545): a whole-day event for each, with a reminder the day before. */
export function writeCalendar(
  days: readonly CalendarDay[],
  { title, address, stamp }: { title: string; address: string; stamp: Date },
): Buffer {
  const now = `${stamp.toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const events = days.flatMap(({ day, label }) => [
    'BEGIN:VEVENT',
    // The same day of the same report is the same event, even if the file is imported twice.
    `UID:${createHash('sha256').update(`${address} ${day} ${label}`).digest('hex').slice(0, 32)}@northline`,
    `DTSTAMP:${now}`,
    `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
    `DTEND;VALUE=DATE:${dayAfter(day).replaceAll('-', '')}`,
    `SUMMARY:${escaped(`${label}: ${title}`)}`,
    `URL:${address}`,
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:-P1D',
    `DESCRIPTION:${escaped(`${label}: ${title}`)}`,
    'END:VALARM',
    'END:VEVENT',
  ]);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Northline//Report//EN',
    ...events,
    'END:VCALENDAR',
  ];
  return Buffer.from(lines.map((line) => `${folded(line)}\r\n`).join(''));
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, (sign) => `\\${sign}`)
    .replace(/\s+/g, ' ')
    .trim();

const LONGEST_LINE = 74;

/** Lines of at most 75 bytes, as the format requires; never cut within a character. */
function folded(line: string): string {
  let out = '';
  let bytes = 0;
  for (const sign of line) {
    const size = Buffer.byteLength(sign);
    if (bytes + size > LONGEST_LINE) {
      out += '\r\n ';
      bytes = 1;
    }
    out += sign;
    bytes += size;
  }
  return out;
}
