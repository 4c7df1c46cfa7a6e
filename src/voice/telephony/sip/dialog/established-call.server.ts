import { ServiceError } from '../../../../kernel/contract/service-error.ts';
import { parseNameAddress } from '../message/sip-addresses.server.ts';
import { reasonOf, type SipRequest, type SipResponse } from '../message/sip-message.server.ts';
import { GIVE_UP, repeatSlower, T2 } from '../transaction/sip-clock.server.ts';
import type { IncomingRequest } from '../transaction/transaction-layer.server.ts';
import { readToneBody, referStatus } from './call-bodies.server.ts';
import { acceptInterval, agreedInterval, SESSION_SECONDS, SessionTimer } from './session-timer.server.ts';
import {
  ALLOW,
  type CallContextOfAgent,
  type CallEnding,
  type DialogUsage,
  type EstablishedControls,
  EXTENSIONS,
  type ReplaceableCall,
  type SipCallEvents,
  sdpOf,
} from './sip-call.server.ts';
import type { SipDialog } from './sip-dialog.server.ts';

/** What the other side tells of a call that it was asked to make is waited for so long. */
const REFER_MS = 60_000;
const SDP = 'application/sdp';
const REFRESH = { 'session-expires': `${SESSION_SECONDS};refresher=uac` };
const OURS = { seconds: SESSION_SECONDS, ours: true };
type Headers = Record<string, string | undefined>;

/** A call after its INVITE was answered with 2xx, in either direction (RFC 3261 §12.2-15). */
export class EstablishedCall implements EstablishedControls, DialogUsage {
  readonly dialog: SipDialog;
  readonly #agent: CallContextOfAgent;
  readonly #events: SipCallEvents;
  readonly #timer: SessionTimer;
  readonly #unbind: () => void;
  #over = false;
  /** Our own offer is under way. */
  #offering = false;
  /** Waits for the ACK of a 2xx of ours: what stops its repetition. */
  #unacknowledged: { readonly stop: () => void; readonly wantsAnswer: boolean } | undefined;
  #referred: ((status: number) => void) | undefined;
  #updates = false;
  #announced = false;

  constructor(agent: CallContextOfAgent, dialog: SipDialog, events: SipCallEvents) {
    this.dialog = dialog;
    this.#agent = agent;
    this.#events = events;
    this.#unbind = agent.bind(dialog, this);
    this.#timer = new SessionTimer(agent.clock, {
      refresh: () => void this.#refresh(),
      expired: () => this.#end('timeout'),
    });
  }

  /** What the INVITE or its answer said about the session's time and about UPDATE. */
  begin(message: SipRequest | SipResponse, interval = agreedInterval(message.headers)): void {
    this.#updates = message.headers.lists('allow', 'UPDATE');
    this.#timer.set(interval);
  }

  /** Sends a 2xx to an INVITE again and again until it is acknowledged (RFC 3261 §13.3.1.4). */
  awaitAcknowledgement(repeat: () => void, wantsAnswer: boolean): void {
    const stopRepeat = repeatSlower(this.#agent.clock, repeat, T2);
    const stopWait = this.#agent.clock.after(GIVE_UP, () => this.#end('timeout'));
    this.#unacknowledged = {
      wantsAnswer,
      stop: () => {
        stopRepeat();
        stopWait();
      },
    };
  }

  acknowledged(request: SipRequest): void {
    const waiting = this.#unacknowledged;
    if (waiting === undefined) return;
    this.#unacknowledged = undefined;
    waiting.stop();
    const answer = sdpOf(request);
    try {
      if (waiting.wantsAnswer) this.#events.answered(answer ?? '');
    } catch (error) {
      this.#agent.log(`an answer could not be used: ${String(error)}`);
      this.#end('local');
      return;
    }
    this.announce();
  }

  /** Both sides have acknowledged the call; of later offers nothing is said. */
  announce(): void {
    if (this.#announced || this.#over) return;
    this.#announced = true;
    this.#events.established?.();
  }

  receive(incoming: IncomingRequest): void {
    const { request } = incoming;
    if (!this.dialog.follow(request, incoming.from)) return void incoming.respond(500);
    switch (request.method) {
      case 'BYE':
        incoming.respond(200);
        this.#finish('remote');
        break;
      case 'INVITE':
      case 'UPDATE':
        this.#changed(incoming);
        break;
      case 'INFO':
        this.#info(incoming);
        break;
      case 'NOTIFY':
        this.#notified(incoming);
        break;
      case 'OPTIONS':
        incoming.respond(200, { headers: { allow: ALLOW, supported: EXTENSIONS.join(', '), accept: SDP } });
        break;
      case 'REFER':
        this.#sentElsewhere(incoming);
        break;
      default:
        incoming.respond(request.method === 'PRACK' ? 200 : 405, { headers: { allow: ALLOW } });
    }
  }

  async reoffer(sdp: string): Promise<void> {
    const response = await this.#ask('INVITE', { body: sdp, headers: { 'content-type': SDP, ...REFRESH } });
    const answer = sdpOf(response);
    if (response.status < 300) this.#timer.set(agreedInterval(response.headers) ?? OURS);
    if (response.status >= 300 || answer === undefined)
      throw new ServiceError(
        502,
        'session_refused',
        `The telephone refused the change with ${response.status}.`,
      );
    this.#events.answered(answer);
  }

  refer(to: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    return new Promise((resolve) => {
      const cancel = this.#agent.clock.after(REFER_MS, () => done(408));
      const done = (status: number): void => {
        cancel();
        this.#referred = undefined;
        resolve(status);
      };
      this.#referred = done;
      const asked = this.#ask('REFER', {
        headers: { 'refer-to': `<${to}>`, 'referred-by': this.dialog.parts.local, ...headers },
      });
      asked.then(
        ({ status, headers: answered }) => {
          if (status >= 300) done(status);
          // Without a subscription nothing more is told (RFC 4488).
          else if (/^false$/i.test(answered.get('refer-sub') ?? '')) done(200);
        },
        () => done(408),
      );
    });
  }

  async sendInfo(digit: string): Promise<void> {
    const headers = { 'content-type': 'application/dtmf-relay' };
    await this.#ask('INFO', { headers, body: `Signal=${digit}\r\nDuration=160\r\n` });
  }

  replacingAddress(): string {
    return this.dialog.replacingAddress();
  }

  get replaceable(): ReplaceableCall | undefined {
    const { replaced } = this.#events;
    if (this.#over || replaced === undefined) return undefined;
    return {
      giveTo: (call) => {
        // It may have ended while whoever calls proved who it is.
        if (this.#over) return call.hangUp(481);
        replaced(call);
        this.leave();
      },
    };
  }

  /** Hangs up. */
  hangUp(): void {
    this.#end('local');
  }

  close(): void {
    this.#end('local');
  }

  #changed(incoming: IncomingRequest): void {
    const { request } = incoming;
    const invite = request.method === 'INVITE';
    if (this.#offering || (invite && this.#unacknowledged !== undefined)) return void incoming.respond(491);
    const times = acceptInterval(request.headers);
    if (times === undefined) return void incoming.respond(422, { headers: { 'min-se': '90' } });
    const offer = sdpOf(request);
    let body = '';
    try {
      // An UPDATE without an offer only says that the session goes on.
      if (invite || offer !== undefined) body = this.#events.offer(offer);
    } catch (error) {
      incoming.respond(error instanceof ServiceError ? 488 : 500);
      return;
    }
    this.dialog.learn(request, false);
    this.#timer.set(times.interval);
    const headers: Headers = {
      contact: this.dialog.parts.contact,
      allow: ALLOW,
      ...times.header,
      ...(body === '' ? {} : { 'content-type': SDP }),
    };
    const respond = (): void => void incoming.respond(200, { headers, body });
    respond();
    if (invite) this.awaitAcknowledgement(respond, offer === undefined);
  }

  /** Whom we are sent to is for whoever has the call to judge: without one that does, nobody is. */
  #sentElsewhere(incoming: IncomingRequest): void {
    const { headers } = incoming.request;
    const target = parseNameAddress(headers.get('refer-to') ?? '')?.text;
    if (this.#events.referred === undefined) return void incoming.respond(603);
    if (target === undefined) return void incoming.respond(400);
    const untold = /^false$/i.test(headers.get('refer-sub') ?? '');
    incoming.respond(202, untold ? { headers: { 'refer-sub': 'false' } } : {});
    const tell = (status: number): void => {
      if (untold) return;
      const state = status < 200 ? 'active;expires=60' : 'terminated;reason=noresource';
      const more = { event: 'refer', 'subscription-state': state, 'content-type': 'message/sipfrag' };
      this.#ask('NOTIFY', { headers: more, body: `SIP/2.0 ${status} ${reasonOf(status)}\r\n` }).catch(
        () => {},
      );
    };
    tell(100);
    this.#events.referred(target).then(tell, (error: unknown) => {
      this.#agent.log(`a call was not moved: ${String(error)}`);
      tell(500);
    });
  }

  #info(incoming: IncomingRequest): void {
    const digit = readToneBody(incoming.request);
    incoming.respond(digit === 'unknown' ? 415 : 200, {
      headers: digit === 'unknown' ? { accept: 'application/dtmf-relay, application/dtmf' } : {},
    });
    if (digit !== 'unknown' && digit !== undefined) this.#events.tone(digit);
  }

  #notified(incoming: IncomingRequest): void {
    if (!/^refer\b/i.test(incoming.request.headers.get('event') ?? '') || this.#referred === undefined)
      return void incoming.respond(481);
    incoming.respond(200);
    const status = referStatus(incoming.request.body);
    if (status !== undefined && status >= 200) this.#referred(status);
  }

  async #refresh(): Promise<void> {
    try {
      if (this.#updates) {
        const response = await this.#ask('UPDATE', { headers: REFRESH });
        if (response.status < 300) this.#timer.set(agreedInterval(response.headers) ?? OURS);
      } else await this.reoffer(this.#events.offer(undefined));
    } catch (error) {
      this.#agent.log(`a session could not be refreshed: ${String(error)}`);
    }
  }

  /** Asks in the dialog; resolves with the final answer. Silence is 408, and ends the call (RFC 3261 §12.2.1.2). */
  #ask(method: string, more: { headers?: Headers; body?: string }): Promise<SipResponse> {
    const invite = method === 'INVITE';
    if (invite) this.#offering = true;
    return new Promise<SipResponse>((resolve, reject) => {
      const request = this.dialog.request(method, {
        ...more,
        headers: { allow: ALLOW, supported: EXTENSIONS.join(', '), ...more.headers },
      });
      const number = this.dialog.sequence;
      const failed = (status: number): void => {
        reject(new ServiceError(502, 'session_refused', `The telephone did not answer (${status}).`));
        if (method !== 'BYE') this.#end('timeout');
      };
      const send = (place: Awaited<ReturnType<SipDialog['place']>>): void => {
        this.#agent.layer.request(request, place, {
          response: (response) => {
            if (response.status < 200) return;
            if (invite && response.status < 300) this.#acknowledge(number);
            if (response.status === 481 && method !== 'BYE') this.#end('timeout');
            resolve(response);
          },
          failed,
        });
      };
      this.dialog.place().then(send, () => failed(503));
    }).finally(() => {
      if (invite) this.#offering = false;
    });
  }

  /** Acknowledges a 2xx; each time that it comes. */
  #acknowledge(number: number): void {
    const ack = this.dialog.request('ACK', { number });
    this.dialog.place().then(
      (place) => this.#agent.layer.send(ack, place),
      (error: unknown) => this.#agent.log(`an ACK could not be sent: ${String(error)}`),
    );
  }

  #end(how: CallEnding): void {
    if (this.#over) return;
    this.leave();
    this.#tellEnd(how);
  }

  #finish(how: CallEnding): void {
    if (this.#over) return;
    this.#stop();
    this.#tellEnd(how);
  }

  leave(): void {
    if (this.#over) return;
    this.#ask('BYE', {}).catch(() => {});
    this.#stop();
  }

  #tellEnd(how: CallEnding): void {
    this.#referred?.(how === 'remote' ? 200 : 487);
    this.#events.ended(how);
  }

  #stop(): void {
    this.#over = true;
    this.#unacknowledged?.stop();
    this.#timer.stop();
    this.#unbind();
  }
}
