import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server for a CalDAV collection and an iCalendar file (RFC 4791), on a free port of this machine. */
export interface CalendarServer {
  /** `host:port`, for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  /** The content of the collection `/work/`, by path; user `ann` opens it with `s3cret`. */
  readonly objects: Map<string, string>;
  /** The content of `/shared.ics`. */
  file: string;
  /** While true, every request gets a 503. */
  down: boolean;
  close(): void;
}

const inXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** Starts it, empty. */
export async function startCalendarServer(): Promise<CalendarServer> {
  const objects = new Map<string, string>();
  const login = `Basic ${Buffer.from('ann:s3cret').toString('base64')}`;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const answer = (status: number, text = '', type = 'text/plain') =>
        response.writeHead(status, { 'content-type': type }).end(text);
      const path = request.url ?? '';
      if (calendar.down) return answer(503);
      if (path === '/shared.ics') return answer(200, calendar.file, 'text/calendar');
      if (request.headers.authorization !== login) return answer(401);
      if (request.method === 'PUT') {
        objects.set(path, body);
        return answer(201);
      }
      if (request.method === 'DELETE') return answer(objects.delete(path) ? 204 : 404);
      if (request.method !== 'REPORT' || path !== '/work/') return answer(404);
      const wanted = body.includes('calendar-query') && body.includes('time-range');
      if (!wanted) return answer(400);
      const found = [...objects].map(
        ([href, data]) =>
          `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag><c:calendar-data>${inXml(data)}</c:calendar-data></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`,
      );
      return answer(
        207,
        `<?xml version="1.0" encoding="utf-8"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${found.join('')}</d:multistatus>`,
        'application/xml; charset=utf-8',
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const calendar: CalendarServer = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    file: '',
    down: false,
    close: () => server.close(),
  };
  return calendar;
}
