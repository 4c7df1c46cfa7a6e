import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Our connections stay open longer than those of proxies, milliseconds. */
export const KEEP_ALIVE_MS = 65_000;

/** Node's undocumented field for a complete header: once it is set, Node sends it unchanged. */
interface CompleteHeader {
  _header: string | null;
}

/**
 * Whether this Node still sends a header set in that field; otherwise replies take the slower, documented
 * way. Checked once at the start.
 */
export const SUPPORTS_SINGLE_WRITE = supportsSingleWrite();

function supportsSingleWrite(): boolean {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  const header = response as unknown as CompleteHeader;
  const isUnsent = header._header === null && !response.headersSent;
  header._header = 'HTTP/1.1 200 OK\r\n\r\n';
  return isUnsent && response.headersSent;
}

/** A header that is the same for everybody except for its date, which changes once a second. */
export interface Ready {
  /** From the status line to the empty line. A small body is included, so that one flat string is written. */
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
 * Prepares a reply whose connection stays open.
 *
 * @param statusLine without the line's end
 * @param headers names and values alternately; trusted, they are not escaped
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
        // Made flat here, because Node would join a concatenated string again at every write.
        text = Buffer.from(`${start}Date: ${date}\r\n${end}`, 'latin1').toString('latin1');
      }
      return text;
    },
  };
}

/** Whether this exchange can use a ready header: HTTP/1.1, keep-alive, with a body. */
export function isPlain(request: IncomingMessage, response: ServerResponse): boolean {
  return (
    SUPPORTS_SINGLE_WRITE &&
    request.method === 'GET' &&
    request.httpVersionMinor === 1 &&
    request.httpVersionMajor === 1 &&
    response.shouldKeepAlive &&
    !response.hasHeader('connection')
  );
}

/** Sends the reply, with `body` when it is not part of the text. Call it only when `isPlain` is true. */
export function replyInOneWrite(response: ServerResponse, reply: Ready, body?: Buffer): void {
  (response as unknown as CompleteHeader)._header = reply.text();
  response.end(body);
}
