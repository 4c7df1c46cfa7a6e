import { parseNameAddress } from '../message/sip-addresses.server.ts';
import type { SipRequest } from '../message/sip-message.server.ts';
import { GIVE_UP, repeatSlower } from '../transaction/sip-clock.server.ts';
import type { IncomingRequest, ResponseParts } from '../transaction/transaction-layer.server.ts';
import { EstablishedCall } from './established-call.server.ts';
import { acceptInterval } from './session-timer.server.ts';
import {
  ALLOW,
  type CallContextOfAgent,
  type DialogUsage,
  EXTENSIONS,
  type IncomingCall,
  type ReplaceableCall,
  type SipCallEvents,
  sdpOf,
} from './sip-call.server.ts';
import { newTag, SipDialog } from './sip-dialog.server.ts';

const SDP = 'application/sdp';

/** A call that came, from its INVITE on. */
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
  /** A provisional answer that is sent until its PRACK comes. */
  #reliable: { number: number; stop: () => void } | undefined;

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
    this.#dialog = new SipDialog({
      callId: this.callId,
      local: headers.get('to') ?? '',
      remote: from.replace(/;\s*tag\s*=[^;]*/i, ''),
      localTag: newTag(),
      remoteTag: remote.parameters.tag ?? '',
      contact,
      localSequence: 0,
    });
    this.#dialog.learn(incoming.request, true);
    this.#dialog.follow(incoming.request, incoming.from);
    this.#unbind = agent.bind(this.#dialog, this);
    this.#respond(100, {});
  }

  listen(events: SipCallEvents): void {
    this.#events = events;
    // Taken back before anybody listened.
    const { status, reason } = this.#failure ?? {};
    if (status !== undefined) queueMicrotask(() => events.failed(status, reason ?? ''));
  }

  ring(sdp?: string): void {
    if (this.incoming.answered() || this.#reliable !== undefined) return;
    const { headers } = this.incoming.request;
    const status = sdp === undefined ? 180 : 183;
    const body = sdp === undefined ? {} : { body: sdp, headers: { 'content-type': SDP } };
    if (!headers.lists('require', '100rel')) return void this.#respond(status, body);
    // Sent again until it is acknowledged (RFC 3262 §3).
    const number = 1 + Math.floor(Math.random() * 1_000_000);
    const parts = { ...body, headers: { ...body.headers, require: '100rel', rseq: String(number) } };
    const send = (): void => this.#respond(status, parts);
    send();
    const stopRepeat = repeatSlower(this.#agent.clock, send);
    const stopWait = this.#agent.clock.after(GIVE_UP, () => this.hangUp(504));
    this.#reliable = {
      number,
      stop: () => {
        stopRepeat();
        stopWait();
      },
    };
  }

  accept(sdp: string): void {
    const { request } = this.incoming;
    if (this.incoming.answered() || this.#over) return;
    const times = acceptInterval(request.headers);
    if (times === undefined || this.#events === undefined) return void this.hangUp(422, { 'min-se': '90' });
    this.#reliable?.stop();
    this.#unbind();
    const call = new EstablishedCall(this.#agent, this.#dialog, this.#events);
    this.#established = call;
    const headers = {
      allow: ALLOW,
      supported: EXTENSIONS.join(', '),
      'content-type': SDP,
      ...times.header,
    };
    const respond = (): void => this.#respond(200, { headers, body: sdp });
    respond();
    call.begin(request, times.interval);
    call.awaitAcknowledgement(respond, this.offer === undefined);
  }

  hangUp(status = 480, headers: Readonly<Record<string, string | readonly string[]>> = {}): void {
    if (this.#established !== undefined) return void this.#established.hangUp();
    if (!this.incoming.answered()) this.#respond(status, { headers });
    this.#fail(status, 'Refused');
  }

  /** The other side took its call back. */
  cancelled(): void {
    if (!this.incoming.answered()) this.#respond(487, {});
    this.#fail(487, 'Taken back');
  }

  reoffer(sdp: string): Promise<void> {
    return this.#goingOn().reoffer(sdp);
  }

  refer(to: string, headers?: Readonly<Record<string, string>>): Promise<number> {
    return this.#goingOn().refer(to, headers);
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

  /** Requests in the dialog before the call is answered: PRACK, UPDATE, and a BYE that some send. */
  receive(early: IncomingRequest): void {
    const { method, headers } = early.request;
    if (!this.#dialog.follow(early.request, early.from)) return void early.respond(500);
    if (method === 'PRACK') {
      const fits = Number((headers.get('rack') ?? '').split(/\s+/)[0]) === this.#reliable?.number;
      if (fits) this.#reliable?.stop();
      early.respond(fits ? 200 : 481);
    } else if (method === 'BYE') {
      early.respond(200);
      this.cancelled();
    } else
      early.respond(method === 'UPDATE' || method === 'INVITE' ? 491 : 405, { headers: { allow: ALLOW } });
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
    // 100 makes no dialog and has no tag of ours (RFC 3261 §8.2.6.2).
    const { localTag, contact } = this.#dialog.parts;
    const more = status === 100 ? {} : { tag: localTag };
    const headers = status > 100 && status < 300 ? { contact, ...parts.headers } : parts.headers;
    this.incoming.respond(status, { ...parts, ...more, ...(headers === undefined ? {} : { headers }) });
  }

  #fail(status: number, reason: string): void {
    if (this.#over) return;
    this.#over = true;
    this.#reliable?.stop();
    this.#unbind();
    this.#failure = { status, reason };
    this.#events?.failed(status, reason);
  }
}
