import { ServiceError } from '@northline/service-error/service-error';
import { parseNameAddress, printNameAddress } from '../message/sip-addresses.ts';
import { commandSequence, type SipRequest } from '../message/sip-message.ts';
import type { IncomingRequest, ResponseParts } from '../transaction/transaction-layer.ts';
import { EstablishedCall } from './established-call.ts';
import { ReliableProgress } from './reliable-progress.ts';
import { acceptInterval } from './session-timer.ts';
import {
  ALLOW,
  type CallContextOfAgent,
  type DialogUsage,
  EXTENSIONS,
  type IncomingCall,
  type ReplaceableCall,
  type SipCallEvents,
  sdpOf,
} from './sip-call.ts';
import { newTag, SipDialog } from './sip-dialog.ts';

const SDP = 'application/sdp';
/** For requests that may succeed in a few seconds. */
const SOON = { headers: { 'retry-after': '5' } };

/** An incoming call, from its INVITE on. */
export class ReceivedCall implements IncomingCall, DialogUsage {
  readonly incoming: IncomingRequest;
  readonly callId: string;
  readonly remote;
  readonly offer: string | undefined;
  readonly replaces: ReplaceableCall | undefined;
  readonly #agent: CallContextOfAgent;
  readonly #dialog: SipDialog;
  readonly #unbind: () => void;
  #events: SipCallEvents | undefined;
  #established: EstablishedCall | undefined;
  #over = false;
  #failure: { readonly status: number; readonly reason: string } | undefined;
  readonly #progress: ReliableProgress;
  /** Whose description waits for an answer, or that both have agreed before the call is answered. */
  #described: 'theirs' | 'ours' | 'agreed';

  constructor(
    agent: CallContextOfAgent,
    incoming: IncomingRequest,
    contact: string,
    replaces?: ReplaceableCall,
  ) {
    const { headers } = incoming.request;
    const from = headers.get('from') ?? '';
    const remote = parseNameAddress(from);
    if (remote === undefined) throw new Error('a request without From came through the parser');
    this.#agent = agent;
    this.replaces = replaces;
    this.incoming = incoming;
    this.callId = headers.get('call-id') ?? '';
    this.remote = remote;
    this.offer = sdpOf(incoming.request);
    this.#described = 'theirs';
    this.#progress = new ReliableProgress({
      clock: agent.clock,
      invite: commandSequence(incoming.request),
      described: (sdp) => this.#describe(sdp),
      expired: () => this.hangUp(504),
    });
    this.#dialog = new SipDialog({
      callId: this.callId,
      local: headers.get('to') ?? '',
      remote: printNameAddress(remote),
      localTag: newTag(),
      remoteTag: remote.parameters.tag ?? '',
      contact,
      localSequence: 0,
      ours: false,
    });
    this.#dialog.learn(incoming.request, true);
    this.#dialog.follow(incoming.request, incoming.from);
    this.#unbind = agent.bind(this.#dialog, this);
    this.#respond(100, {});
  }

  listen(events: SipCallEvents): void {
    this.#events = events;
    // The call was cancelled before anybody listened.
    const { status, reason } = this.#failure ?? {};
    if (status !== undefined) queueMicrotask(() => events.failed(status, reason ?? '', true));
  }

  ring(sdp?: string): void {
    if (this.incoming.answered() || this.#over) return;
    const { headers } = this.incoming.request;
    const status = sdp === undefined ? 180 : 183;
    const type = sdp === undefined ? {} : { 'content-type': SDP };
    const send = (more: Readonly<Record<string, string>>): void =>
      this.#respond(status, { body: sdp ?? '', headers: { ...type, ...more } });
    // A lost ring does no harm, so it is reliable only where it has to be (RFC 3262 §3).
    const reliable = sdp === undefined ? [] : headers.all('supported');
    const wanted = [...headers.all('require'), ...reliable].some((one) => /^100rel$/i.test(one));
    if (!wanted) return void send({});
    if (sdp !== undefined) this.#described = this.offer === undefined ? 'ours' : 'agreed';
    this.#progress.send(send, sdp !== undefined);
  }

  accept(sdp: string): void {
    if (this.#events === undefined) throw new Error('nobody listens to the call');
    const events = this.#events;
    this.#progress.beforeAnswer(() => this.#accept(sdp, events));
  }

  #accept(sdp: string, events: SipCallEvents): void {
    const { request } = this.incoming;
    if (this.incoming.answered() || this.#over) return;
    const { interval, header } = acceptInterval(request.headers);
    this.#progress.stop();
    const call = new EstablishedCall(this.#agent, this.#dialog, events, { progress: this.#progress });
    this.#established = call;
    // A description that was agreed on by a reliable answer is not sent again (RFC 3262 §5).
    const agreed = this.#described === 'agreed';
    const headers = {
      allow: ALLOW,
      supported: EXTENSIONS.join(', '),
      ...(agreed ? {} : { 'content-type': SDP }),
      ...header,
    };
    const respond = (): void => this.#respond(200, { headers, body: agreed ? '' : sdp });
    respond();
    call.begin(request, interval);
    call.awaitAcknowledgement(respond, request, !agreed && this.offer === undefined);
  }

  hangUp(status = 480, headers: Readonly<Record<string, string | readonly string[]>> = {}): void {
    if (this.#established !== undefined) return void this.#established.hangUp();
    if (!this.incoming.answered()) this.#respond(status, { headers });
    this.#fail(status, 'Refused');
  }

  /** The other side has cancelled its call. */
  cancelled(): void {
    if (!this.incoming.answered()) this.#respond(487, {});
    this.#fail(487, 'Taken back');
  }

  reoffer(sdp: string): Promise<void> {
    return this.#goingOn().reoffer(sdp);
  }

  refer(to: string): Promise<number> {
    return this.#goingOn().refer(to);
  }

  sendInfo(digit: string): Promise<void> {
    return this.#goingOn().sendInfo(digit);
  }

  replacingAddress(): string {
    return this.#goingOn().replacingAddress();
  }

  leave(): void {
    this.#goingOn().leave();
  }

  /**
   * Handles requests in the dialog before the call is answered: PRACK, UPDATE, and a BYE that some telephones
   * send.
   */
  receive(early: IncomingRequest): void {
    const { method } = early.request;
    if (!this.#dialog.follow(early.request, early.from)) return void early.respond(500);
    if (method === 'PRACK') this.#progress.acknowledge(early);
    else if (method === 'UPDATE') this.#update(early);
    // One call may have only one INVITE at a time (RFC 3261 §14.2).
    else if (method === 'INVITE') early.respond(500, SOON);
    else if (method === 'BYE') {
      early.respond(200);
      this.cancelled();
    } else early.respond(method === 'OPTIONS' ? 200 : 405, { headers: { allow: ALLOW } });
  }

  /** An UPDATE can change only what both sides have agreed on (RFC 3311 §5.2). */
  #update(early: IncomingRequest): void {
    const offer = sdpOf(early.request);
    if (offer !== undefined && this.#described === 'theirs') return void early.respond(500, SOON);
    if (offer !== undefined && this.#described === 'ours') return void early.respond(491);
    try {
      const body = offer === undefined ? '' : (this.#events?.offer(offer) ?? '');
      this.#dialog.learn(early.request, false);
      const { contact } = this.#dialog.parts;
      const type = body === '' ? {} : { 'content-type': SDP };
      early.respond(200, { body, headers: { contact, allow: ALLOW, ...type } });
    } catch (error) {
      early.respond(error instanceof ServiceError ? 488 : 500);
    }
  }

  /** Takes the description of a PRACK: the answer to our offer, or else an offer (RFC 3262 §5). */
  #describe(sdp: string): string {
    if (this.#events === undefined) return '';
    if (this.#described !== 'ours') return this.#events.offer(sdp);
    this.#described = 'agreed';
    this.#events.answered(sdp);
    return '';
  }

  acknowledged(_request: SipRequest): void {}

  close(): void {
    this.hangUp(503);
  }

  #goingOn(): EstablishedCall {
    if (this.#established === undefined) throw new Error('the call has not been answered');
    return this.#established;
  }

  #respond(status: number, parts: ResponseParts): void {
    // A 100 does not create a dialog and has no tag of ours (RFC 3261 §8.2.6.2).
    const { localTag, contact } = this.#dialog.parts;
    const more = status === 100 ? {} : { tag: localTag };
    const headers = status > 100 && status < 300 ? { contact, ...parts.headers } : parts.headers;
    this.incoming.respond(status, { ...parts, ...more, ...(headers === undefined ? {} : { headers }) });
  }

  #fail(status: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#progress.stop();
    this.#unbind();
    this.#failure = { status, reason };
    this.#events?.failed(status, reason, true);
  }
}
