import { randomBytes } from 'node:crypto';
import { parseNameAddress } from '../message/sip-addresses.ts';
import { SipHeaders } from '../message/sip-headers.ts';
import { commandSequence, type SipMessage, type SipRequest } from '../message/sip-message.ts';
import { parseSipUri } from '../message/sip-uri.ts';
import { resolvePlace } from '../transport/place-resolution.ts';
import type { SipPlace } from '../transport/sip-transport.ts';

/** What a dialog consists of (RFC 3261 §12). */
export interface DialogParts {
  readonly callId: string;
  /** Our side and the other side, as in `From` and `To`, without tags. */
  readonly local: string;
  readonly remote: string;
  readonly localTag: string;
  readonly remoteTag: string;
  /** The address at which the other side reaches us. */
  readonly contact: string;
  readonly localSequence: number;
  /**
   * Whether this side made the call and its id; the caller waits longer after a collision (RFC 3261 §14.1).
   */
  readonly ours: boolean;
  /** Where requests are sent until the other side says where it can be reached. */
  readonly target?: string;
}

/** A tag or id of ours; it cannot be guessed, so that nobody can speak for another (RFC 3261 §19.3). */
export const newTag = (): string => randomBytes(9).toString('hex');

/** Identifies a dialog: by its call, our tag and the other side's tag. */
export const dialogKey = (callId: string, localTag: string, remoteTag: string): string =>
  `${callId} ${localTag} ${remoteTag}`;

/** A dialog: both sides, the route between them, and the numbers of its requests. */
export class SipDialog {
  readonly parts: DialogParts;
  #sequence: number;
  #remoteSequence = -1;
  #target: string;
  #routes: readonly string[] = [];
  /** Where requests of an incoming call are sent back to; the port of a NAT may change during the call. */
  #place: SipPlace | undefined;

  constructor(parts: DialogParts) {
    this.parts = parts;
    this.#sequence = parts.localSequence;
    this.#target = parts.target ?? '';
  }

  get key(): string {
    return dialogKey(this.parts.callId, this.parts.localTag, this.parts.remoteTag);
  }

  /** The number of our last request. */
  get sequence(): number {
    return this.#sequence;
  }

  /**
   * Takes a request of the other side that creates or refreshes the dialog; false for one that is older than
   * the last.
   */
  follow(request: SipRequest, from: SipPlace): boolean {
    const { number } = commandSequence(request);
    if (number < this.#remoteSequence) return false;
    this.#remoteSequence = number;
    this.#place = from;
    return true;
  }

  /** Takes over the address at which the other side can be reached (RFC 3261 §12.1.1, §12.2). */
  learn(message: SipMessage, first: boolean): void {
    const target = parseNameAddress(message.headers.get('contact') ?? '')?.text;
    if (target !== undefined && parseSipUri(target) !== undefined) this.#target = target;
    if (!first) return;
    const routes = message.headers.all('record-route');
    this.#routes = message.kind === 'request' ? routes : routes.reverse();
  }

  /** Makes a request in the dialog. An ACK has the number of the INVITE that it belongs to. */
  request(
    method: string,
    more: { headers?: Record<string, string | undefined>; body?: string; number?: number } = {},
  ): SipRequest {
    const { callId, local, remote, localTag, remoteTag, contact } = this.parts;
    if (more.number === undefined) this.#sequence += 1;
    const headers = new SipHeaders({
      'max-forwards': '70',
      route: this.#routes,
      from: `${local};tag=${localTag}`,
      to: `${remote};tag=${remoteTag}`,
      'call-id': callId,
      cseq: `${more.number ?? this.#sequence} ${method}`,
      contact,
      ...more.headers,
    });
    return { kind: 'request', method, uri: this.#target, headers, body: more.body ?? '' };
  }

  /** The address by which a third side can ask the other side to replace us (RFC 3891 §3). */
  replacingAddress(): string {
    const { callId, localTag, remoteTag } = this.parts;
    const replaces = encodeURIComponent(`${callId};to-tag=${remoteTag};from-tag=${localTag}`);
    return `${this.#target}${this.#target.includes('?') ? '&' : '?'}Replaces=${replaces}`;
  }

  /** Where the next request is sent. @throws Error when the other side's address is unknown */
  async place(): Promise<SipPlace> {
    if (this.#place !== undefined) return this.#place;
    const hop = parseNameAddress(this.#routes[0] ?? '')?.uri ?? parseSipUri(this.#target);
    if (hop === undefined) throw new Error('the other side did not say where it is reached');
    return resolvePlace(hop);
  }

  /** Keeps using an open connection, since nobody could open one to a telephone behind a router. */
  stayAt(place: SipPlace): void {
    if (place.protocol !== 'udp') this.#place = place;
  }
}
