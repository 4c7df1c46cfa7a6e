import { MOST_BYTES } from './message-parse.ts';

/**
 * Cuts messages out of a stream by their `Content-Length` (RFC 3261 §18.3), and drops keep-alives (RFC 5626
 * §3.5.1). After `undefined` the stream cannot be read any more and has to be closed.
 */
export class MessageFraming {
  #rest: Buffer = Buffer.alloc(0);
  /** Length of the incomplete message; until that many bytes are there, nothing is parsed again. */
  #wanted = 0;

  /** The messages that this piece completes; undefined where the stream is not SIP. */
  push(piece: Buffer): Buffer[] | undefined {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const messages: Buffer[] = [];
    for (;;) {
      const next = this.#next();
      if (next === 'broken') return undefined;
      if (next === 'incomplete') return messages;
      messages.push(next);
    }
  }

  #next(): Buffer | 'incomplete' | 'broken' {
    const start = this.#rest.findIndex((byte) => byte !== 0x0d && byte !== 0x0a);
    this.#rest = start < 0 ? Buffer.alloc(0) : this.#rest.subarray(start);
    if (this.#rest.length === 0 || this.#rest.length < this.#wanted) return 'incomplete';
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return this.#rest.length > MOST_BYTES ? 'broken' : 'incomplete';
    const length = bodyLength(this.#rest.subarray(0, end).toString('latin1'));
    if (length === undefined || end + 4 + length > MOST_BYTES) return 'broken';
    this.#wanted = end + 4 + length;
    if (this.#rest.length < this.#wanted) return 'incomplete';
    const message = this.#rest.subarray(0, this.#wanted);
    this.#rest = this.#rest.subarray(this.#wanted);
    this.#wanted = 0;
    return message;
  }
}

/** The length is required on a stream: without it nobody knows where the next message begins. */
function bodyLength(head: string): number | undefined {
  const [, digits] = /\r\n(?:content-length|l)[ \t]*:\s*(\d{1,9})[ \t]*(?:\r\n|$)/i.exec(head) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
