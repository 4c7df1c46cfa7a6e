import type { FatalErrorType } from '../call-events.ts';

/** A refusal of the room that ends the call, in the library's own types (docs/contracts/voice.md §2). */
export class RoomError extends Error {
  override readonly name = 'RoomError';
  readonly type: FatalErrorType;
  readonly details: unknown;

  constructor(type: FatalErrorType, message: string, details?: unknown) {
    super(message);
    this.type = type;
    this.details = details;
  }
}

/** What is known of a room before it is joined. */
export interface RoomDescription {
  readonly iceServers: RTCIceServer[];
  readonly geo: string;
}

const TYPES: Readonly<Record<number, FatalErrorType>> = {
  403: 'not-allowed',
  404: 'no-room',
  409: 'not-allowed',
  410: 'exp-room',
  429: 'meeting-full',
};
const MAX_REPORT = 2000;

/** The signalling of one call: its address is the room, and all that is needed to enter it. */
export class RoomClient {
  readonly #url: string;
  readonly #fetch: typeof fetch;

  /** @throws RoomError `no-room` when `url` is no http address */
  constructor(url: unknown, request: typeof fetch) {
    const address = typeof url === 'string' ? URL.parse(url) : null;
    if (address === null || !/^https?:$/.test(address.protocol))
      throw new RoomError('no-room', 'The address of the call is not valid.');
    this.#url = address.href.replace(/\/+$/, '');
    this.#fetch = request;
  }

  /** @throws RoomError */
  async describe(): Promise<RoomDescription> {
    const reply = await this.#request('', { method: 'GET' }, 'room-lookup');
    const servers = Reflect.get(reply, 'iceServers');
    const geo = Reflect.get(reply, 'geo');
    return { iceServers: Array.isArray(servers) ? servers : [], geo: typeof geo === 'string' ? geo : '' };
  }

  /** The answer to an offer. @throws RoomError */
  async offer(sdp: string): Promise<string> {
    const reply = await this.#request('/offer', post({ type: 'offer', sdp }), 'join');
    const answer = Reflect.get(reply, 'sdp');
    if (typeof answer !== 'string')
      throw new RoomError('connection-error', 'The call was not answered.', { on: 'join' });
    return answer;
  }

  /** Says goodbye, also while the page goes away. */
  leave(reason: 'left' | 'no-microphone' = 'left'): void {
    const body = JSON.stringify({ reason });
    const sent = typeof navigator !== 'undefined' && navigator.sendBeacon?.(`${this.#url}/leave`, body);
    if (!sent) this.#post('/leave', body);
  }

  /** Reports to the room's own server what went wrong here; nobody else learns of it. */
  report(kind: 'error' | 'network' | 'log', message: string, details?: unknown): void {
    this.#post('/report', JSON.stringify({ kind, message: message.slice(0, MAX_REPORT), details }));
  }

  #post(path: string, body: string): void {
    const headers = { 'content-type': 'application/json' };
    this.#fetch(`${this.#url}${path}`, { method: 'POST', headers, body, keepalive: true }).catch(
      (error: unknown) => console.warn('The room could not be told:', error),
    );
  }

  async #request(path: string, init: RequestInit, on: string): Promise<object> {
    let reply: Response;
    try {
      reply = await this.#fetch(`${this.#url}${path}`, init);
    } catch (error) {
      throw new RoomError('connection-error', String(error), { on });
    }
    const body: unknown = await reply.json().catch(() => ({}));
    const told = typeof body === 'object' && body !== null ? body : {};
    if (reply.ok) return told;
    const message = Reflect.get(told, 'message');
    const text = typeof message === 'string' ? message : `The room answered ${reply.status}.`;
    const type = TYPES[reply.status] ?? 'connection-error';
    throw new RoomError(type, text, type === 'connection-error' ? { on } : undefined);
  }
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
