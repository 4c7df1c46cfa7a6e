import { FATAL_ERROR_TYPES, type FatalErrorType } from '../call-events.ts';
import { isRecord } from '../rules/rule.ts';

/** A refusal of the room that ends the call, with the library's own types (docs/contracts/voice.md §2). */
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

/** The properties of a room that are known before joining. */
export interface RoomDescription {
  readonly iceServers: RTCIceServer[];
  /** `relay` for TURN servers only; undefined for any kind of connection. */
  readonly iceTransportPolicy?: RTCIceTransportPolicy;
  readonly geo: string;
  /** How many streams of each sort are received; undefined for a call with one assistant. */
  readonly layout: { readonly audio: number; readonly video: number } | undefined;
  /** Whether a call with one assistant accepts the camera, for its recording. */
  readonly camera: boolean;
  /** Whether a call with one assistant goes through a LiveKit server. */
  readonly livekit: boolean;
}

/** The data for entering: an offer, and a name. */
export interface RoomEntry {
  /** Empty for a call through LiveKit. */
  readonly sdp: string;
  readonly token: unknown;
  readonly userName: string;
  readonly userData?: unknown;
  /** Version of the library that the page uses. */
  readonly library: unknown;
}

/** A participant, in the room's own form. */
export interface RoomPerson {
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly owner: boolean;
}

/** The error types of refusals that do not name one. */
const TYPES: Readonly<Record<number, FatalErrorType>> = {
  403: 'not-allowed',
  404: 'no-room',
  409: 'not-allowed',
  410: 'exp-room',
  429: 'meeting-full',
};
const MAX_REPORT = 2000;
/** A room may be held by another process of the server, which the next request may reach. */
const ELSEWHERE = 'room_elsewhere';
const TRIES = 5;
const PAUSE_MS = 400;

/** The signalling of one call; its address is the room, and everything that entering it needs. */
export class RoomClient {
  #url: string;
  #info: Readonly<Record<string, unknown>> = {};
  readonly #fetch: typeof fetch;

  /** @throws RoomError `no-room` when `url` is not an http address */
  constructor(url: unknown, request: typeof fetch) {
    const address = typeof url === 'string' ? URL.parse(url) : null;
    if (address === null || !/^https?:$/.test(address.protocol))
      throw new RoomError('no-room', 'The address of the call is not valid.');
    this.#url = address.href.replace(/\/+$/, '');
    this.#fetch = request;
  }

  /** The address without its room: the base address of the platform's API. */
  get baseUrl(): string {
    return this.#url.replace(/\/room\/.*$/, '');
  }

  /** The room's properties since entering, in the library's form. */
  get info(): Readonly<Record<string, unknown>> {
    return this.#info;
  }

  /** @throws RoomError */
  async describe(): Promise<RoomDescription> {
    const reply = await this.#request('', { method: 'GET' }, 'room-lookup');
    const { iceServers, geo, layout, camera, livekit } = reply as Readonly<Record<string, unknown>>;
    return {
      iceServers: Array.isArray(iceServers) ? iceServers : [],
      geo: textOf(geo) ?? '',
      layout: layoutOf(layout),
      camera: camera === true,
      livekit: livekit === true,
    };
  }

  /** Whether this token lets its holder in or makes them wait, without entering. @throws RoomError */
  async access(token: unknown): Promise<unknown> {
    return Reflect.get(await this.#request('/access', post({ token: textOf(token) }), 'preauth'), 'access');
  }

  /**
   * Enters: returns the answer to the offer, or the address with a token for LiveKit, and the local participant.
   *
   * @throws RoomError
   */
  async enter({
    sdp,
    token,
    userName,
    userData,
    library,
  }: RoomEntry): Promise<{ answer: string; person: RoomPerson }> {
    const entry = { type: 'offer', sdp, token: textOf(token), userName, userData, library: textOf(library) };
    const reply = await this.#request('/offer', post(entry), 'join');
    const {
      livekit,
      sdp: answer = livekit,
      participant,
      url,
      room,
    } = reply as Readonly<Record<string, unknown>>;
    if (typeof answer !== 'string' || !isPerson(participant))
      throw new RoomError('connection-error', 'The call was not answered.', { on: 'join' });
    // From now on leaving and reporting use this call's own address, not the room's.
    if (typeof url === 'string') this.#url = url;
    if (isRecord(room)) this.#info = room;
    return { answer, person: participant };
  }

  /** Tells the room that the person leaves, also while the page is being closed. */
  leave(reason: 'left' | 'no-microphone' = 'left'): void {
    const body = JSON.stringify({ reason });
    const sent = typeof navigator !== 'undefined' && navigator.sendBeacon?.(`${this.#url}/leave`, body);
    if (!sent) void this.#post('/leave', body);
  }

  /**
   * The same for a person who refused the microphone and typed nothing. Resolves when the room knows: the end of the
   * connection would count as hanging up.
   */
  async leaveWithoutMicrophone(): Promise<void> {
    await this.#post('/leave', JSON.stringify({ reason: 'no-microphone' }));
  }

  /** Reports a fault to the room's own server, and to nobody else. */
  report(message: string, details: unknown): void {
    void this.#post(
      '/report',
      JSON.stringify({ kind: 'error', message: message.slice(0, MAX_REPORT), details }),
    );
  }

  async #post(path: string, body: string): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    try {
      await this.#fetch(`${this.#url}${path}`, { method: 'POST', headers, body, keepalive: true });
    } catch (error) {
      console.warn('The room did not get a message:', error);
    }
  }

  async #request(path: string, init: RequestInit, on: string, tries = TRIES): Promise<object> {
    let reply: Response;
    try {
      reply = await this.#fetch(`${this.#url}${path}`, init);
    } catch (error) {
      throw new RoomError('connection-error', String(error), { on });
    }
    const body: unknown = await reply.json().catch(() => ({}));
    const told = typeof body === 'object' && body !== null ? body : {};
    if (reply.ok) return told;
    const { message, code } = told as Readonly<Record<string, unknown>>;
    if (code === ELSEWHERE && tries > 1) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      return this.#request(path, init, on, tries - 1);
    }
    const text = textOf(message) ?? `The room answered ${reply.status}.`;
    const type = FATAL_ERROR_TYPES.find((one) => one === code) ?? TYPES[reply.status] ?? 'connection-error';
    throw new RoomError(type, text, type === 'connection-error' ? { on } : undefined);
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Most streams of each sort that a connection prepares for. */
const MOST_STREAMS = 16;

function layoutOf(layout: unknown): RoomDescription['layout'] {
  if (!isRecord(layout)) return undefined;
  const within = (count: unknown): number =>
    Math.max(0, Math.min(MOST_STREAMS, Math.floor(Number(count) || 0)));
  return { audio: within(layout.audio), video: within(layout.video) };
}

function isPerson(value: unknown): value is RoomPerson {
  return isRecord(value) && typeof value.session_id === 'string' && typeof value.user_name === 'string';
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
