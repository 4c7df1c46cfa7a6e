import { ServiceError } from '@northline/service-error/service-error';
import type { DigestCredentials } from '../digest-challenge.ts';
import { parseNameAddress } from '../message/sip-addresses.ts';
import type { SipResponse } from '../message/sip-message.ts';
import type { IncomingRequest } from '../transaction/transaction-layer.ts';
import { DialogRequests } from './dialog-requests.ts';
import { ALLOW, type CallContextOfAgent, type DialogUsage, EXTENSIONS, sdpOf } from './sip-call.ts';
import type { SipDialog } from './sip-dialog.ts';

/** What the early dialogs of a call need. */
export interface EarlyParts {
  readonly credentials: DigestCredentials | undefined;
  /** The dialog that an answer to the INVITE creates. */
  dialogOf(response: SipResponse): SipDialog;
  /**
   * The other side changes the session before it answers (RFC 3311). @throws ServiceError where it cannot be
   * changed
   */
  offer(sdp: string): string;
  /** The process is ending. */
  close(): void;
}

/** A telephone that is ringing. */
interface Early {
  readonly dialog: SipDialog;
  readonly requests: DialogRequests;
  readonly unbind: () => void;
  /** The number of the last acknowledged answer; 0 before the first. */
  reliable: number;
  /** The description that it sent, and whether this is its answer to our offer (RFC 3262 §5). */
  sdp: string | undefined;
  answered: boolean;
  /** Whether an UPDATE has changed it since. */
  changed: boolean;
}

const NOTHING_SAID = { sdp: undefined, answered: false, changed: false };

/**
 * The ringing telephones of an outgoing call. A fork has several, each with sequence numbers of its own (RFC
 * 3261 §12.1).
 */
export class EarlyDialogs {
  readonly #agent: CallContextOfAgent;
  readonly #parts: EarlyParts;
  readonly #sides = new Map<string, Early>();

  constructor(agent: CallContextOfAgent, parts: EarlyParts) {
    this.#agent = agent;
    this.#parts = parts;
  }

  /**
   * Takes a provisional answer, and acknowledges it if it asks for that. False for a repeated one and for one
   * out of order, which are ignored (RFC 3262 §4).
   */
  progress(response: SipResponse): boolean {
    const { headers } = response;
    const tag = tagOf(response);
    if (tag === '' || response.status === 100) return true;
    const side = this.#sides.get(tag) ?? this.#begin(tag, response);
    const sdp = sdpOf(response);
    if (headers.lists('require', '100rel')) {
      const number = Number(headers.get('rseq'));
      if (!(number > 0) || (side.reliable > 0 && number !== side.reliable + 1)) return false;
      side.reliable = number;
      if (sdp !== undefined) side.answered = true;
      const rack = `${number} ${headers.get('cseq') ?? ''}`;
      side.requests.ask('PRACK', { headers: { rack } }).catch(() => {});
    }
    side.sdp = sdp ?? side.sdp;
    return true;
  }

  /** What the telephone that has answered said while it was ringing. */
  of(response: SipResponse): Readonly<Pick<Early, 'dialog' | 'sdp' | 'changed'>> | undefined {
    return this.#sides.get(tagOf(response));
  }

  /** No telephone rings any more. What they said is kept, since another branch of a fork may still answer. */
  close(): void {
    for (const { unbind } of this.#sides.values()) unbind();
  }

  #begin(tag: string, response: SipResponse): Early {
    const dialog = this.#parts.dialogOf(response);
    const { credentials } = this.#parts;
    const requests = new DialogRequests(this.#agent, dialog, { credentials, lost: () => {} });
    const usage: DialogUsage = {
      receive: (incoming) => this.#receive(side, incoming),
      acknowledged: () => {},
      close: () => this.#parts.close(),
    };
    const unbind = this.#agent.bind(dialog, usage);
    const side: Early = { dialog, requests, unbind, reliable: 0, ...NOTHING_SAID };
    this.#sides.set(tag, side);
    return side;
  }

  #receive(side: Early, incoming: IncomingRequest): void {
    const { request, from } = incoming;
    if (!side.dialog.follow(request, from)) return void incoming.respond(500);
    if (request.method === 'UPDATE') return void this.#changed(side, incoming);
    const status = request.method === 'OPTIONS' ? 200 : 405;
    incoming.respond(status, { headers: { allow: ALLOW, supported: EXTENSIONS.join(', ') } });
  }

  #changed(side: Early, incoming: IncomingRequest): void {
    const offer = sdpOf(incoming.request);
    // Our own offer has no answer yet (RFC 3311 §5.2).
    if (offer !== undefined && !side.answered) return void incoming.respond(491);
    try {
      const body = offer === undefined ? '' : this.#parts.offer(offer);
      side.dialog.learn(incoming.request, false);
      if (offer !== undefined) Object.assign(side, { sdp: undefined, changed: true });
      const headers = {
        contact: side.dialog.parts.contact,
        allow: ALLOW,
        ...(body === '' ? {} : { 'content-type': 'application/sdp' }),
      };
      incoming.respond(200, { headers, body });
    } catch (error) {
      incoming.respond(error instanceof ServiceError ? 488 : 500);
    }
  }
}

const tagOf = ({ headers }: SipResponse): string =>
  parseNameAddress(headers.get('to') ?? '')?.parameters.tag ?? '';
