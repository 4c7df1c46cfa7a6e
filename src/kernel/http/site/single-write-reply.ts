import type { IncomingMessage, ServerResponse } from 'node:http';

/** Connections are kept longer than proxies keep theirs, milliseconds. */
export const KEEP_ALIVE_MS = 65_000;

/** What Node keeps of a response whose header has been made: set, it is sent as it is. */
interface MadeHeader {
  _header: string;
}

/** A header that is the same for everybody, with the time of now: made once a second. */
export interface Ready {
  /** From the status line to the empty line; with a small body the body too, so that one flat string is written. */
  text(): string;
}

let second = 0;
let date = '';

/** The Date header (RFC 9110 §6.6.1), written once a second. */
function now(): number {
  const time = Math.floor(Date.now() / 1000);
  if (time !== second) {
    second = time;
    date = new Date(time * 1000).toUTCString();
  }
  return time;
}

/**
 * Prepares a reply that keeps its connection open.
 *
 * @param statusLine without the line's end
 * @param headers names and values in turn; trusted, they are not escaped
 * @param body Latin-1 text that leaves together with the header
 */
export function ready(statusLine: string, headers: readonly string[], body = ''): Ready {
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}\r\n`] : []));
  const start = `HTTP/1.1 ${statusLine}\r\n${lines.join('')}`;
  const end = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1000}\r\n\r\n${body}`;
  let made = 0;
  let text = '';
  return {
    text() {
      const time = now();
      if (time !== made) {
        made = time;
        // Flat, because a string of parts would be put together anew at every write.
        text = Buffer.from(`${start}Date: ${date}\r\n${end}`, 'latin1').toString('latin1');
      }
      return text;
    },
  };
}

/** Whether nothing about this exchange asks for headers of its own: HTTP/1.1, kept alive, a body is wanted. */
export function isPlain(request: IncomingMessage, response: ServerResponse): boolean {
  return (
    request.method === 'GET' &&
    request.httpVersionMinor === 1 &&
    request.httpVersionMajor === 1 &&
    response.shouldKeepAlive &&
    !response.hasHeader('connection')
  );
}

/** Sends it, and `body` where it is not part of the text. Call it only where `isPlain`. */
export function replyInOneWrite(response: ServerResponse, reply: Ready, body?: Buffer): void {
  (response as unknown as MadeHeader)._header = reply.text();
  response.end(body);
}
