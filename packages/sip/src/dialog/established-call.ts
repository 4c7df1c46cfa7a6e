import { ServiceError } from '@northline/service-error/service-error';
import type { DigestCredentials } from '../digest-challenge.ts';
import {
  commandSequence,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from '../message/sip-message.ts';
import { repeatWithBackoff, T2, TIMEOUT } from '../transaction/sip-clock.ts';
import type { IncomingRequest } from '../transaction/transaction-layer.ts';
import { readToneBody } from './call-bodies.ts';
import { CallReferral } from './call-referral.ts';
import { DialogRequests } from './dialog-requests.ts';
import type { ReliableProgress } from './reliable-progress.ts';
import {
  acceptInterval,
  agreedInterval,
  asksTooLittle,
  LEAST_SESSION_SECONDS,
  SessionTimer,
} from './session-timer.ts';
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
} from './sip-call.ts';
import type { SipDialog } from './sip-dialog.ts';

const SDP = 'application/sdp';
/**
 * After both sides made an offer at once, each waits a random time; the caller waits longer (RFC 3261 §14.1).
 */
const COLLISION_MS = { ours: [2100, 4000], theirs: [0, 2000] } as const;
/** How often a change is offered before it is given up. */
const MOST_OFFERS = 6;
/**
 * Statuses that mean that UPDATE is not understood, though it was announced; then INVITE refreshes the
 * session.
 */
const NOT_UNDERSTOOD = [405, 501];

/** What an established call takes over from its beginning. */
export interface BeginningOfCall {
  /** Credentials for requests that are challenged. */
  readonly credentials?: DigestCredentials | undefined;
  /** Set where a PRACK may arrive after our 2xx. */
  readonly progress?: ReliableProgress;
}

/** A 2xx of ours that waits for its ACK. */
interface Unacknowledged {
  /** The number of the INVITE: a repeated ACK belongs to an older one. */
  readonly number: number;
  readonly wantsAnswer: boolean;
  readonly over: Promise<void>;
  stop(): void;
}

/** A call after its INVITE was answered with 2xx, in either direction (RFC 3261 §12.2-15). */
export class EstablishedCall implements EstablishedControls, DialogUsage {
  readonly dialog: SipDialog;
  readonly #agent: CallContextOfAgent;
  readonly #events: SipCallEvents;
  readonly #progress: ReliableProgress | undefined;
  readonly #requests: DialogRequests;
  readonly #referral: CallReferral;
  readonly #timer: SessionTimer;
  readonly #unbind: () => void;
  #over = false;
  #unacknowledged: Unacknowledged | undefined;
  /** Our offers, made one after another, and how many of them have not been finished. */
  #offers: Promise<unknown> = Promise.resolve();
  #offersLeft = 0;
  #updates = false;
  #announced = false;

  constructor(
    agent: CallContextOfAgent,
    dialog: SipDialog,
    events: SipCallEvents,
    { credentials, progress }: BeginningOfCall = {},
  ) {
    this.dialog = dialog;
    this.#agent = agent;
    this.#events = events;
    this.#progress = progress;
    this.#requests = new DialogRequests(agent, dialog, { credentials, lost: () => this.#end('timeout') });
    const { local } = dialog.parts;
    this.#referral = new CallReferral(agent, { requests: this.#requests, events, local });
    this.#unbind = agent.bind(dialog, this);
    this.#timer = new SessionTimer(agent.clock, {
      refresh: () => void this.#refresh(),
      expired: () => this.#end('timeout'),
    });
  }

  /** Takes what the INVITE or its answer said about the session's interval and about UPDATE. */
  begin(message: SipMessage, interval = agreedInterval(message.headers)): void {
    this.#updates = message.headers.lists('allow', 'UPDATE');
    this.#timer.set(interval);
  }

  /** Repeats a 2xx to an INVITE until it is acknowledged (RFC 3261 §13.3.1.4). */
  awaitAcknowledgement(repeat: () => void, invite: SipRequest, wantsAnswer: boolean): void {
    const over = Promise.withResolvers<void>();
    const stopRepeat = repeatWithBackoff(this.#agent.clock, repeat, T2);
    const stopWait = this.#agent.clock.after(TIMEOUT, () => {
      waiting.stop();
      if (this.#over) this.#sayGoodbye();
      else this.#end('timeout');
    });
    const waiting: Unacknowledged = {
      number: commandSequence(invite).number,
      wantsAnswer,
      over: over.promise,
      stop: () => {
        stopRepeat();
        stopWait();
        over.resolve();
        this.#unacknowledged = undefined;
      },
    };
    this.#unacknowledged = waiting;
  }

  acknowledged(request: SipRequest): void {
    const waiting = this.#unacknowledged;
    if (waiting === undefined || commandSequence(request).number !== waiting.number) return;
    waiting.stop();
    if (this.#over) return void this.#sayGoodbye();
    try {
      if (waiting.wantsAnswer) this.#events.answered(sdpOf(request) ?? '');
    } catch (error) {
      this.#agent.log(`an answer could not be used: ${String(error)}`);
      this.#end('local');
      return;
    }
    this.announce();
  }

  /** Reports once that both sides have acknowledged the call; later offers are not reported. */
  announce(): void {
    if (this.#announced || this.#over) return;
    this.#announced = true;
    this.#events.established?.();
  }

  receive(incoming: IncomingRequest): void {
    const { request } = incoming;
    if (!this.dialog.follow(request, incoming.from)) return void incoming.respond(500);
    if (this.#over && request.method !== 'BYE') return void incoming.respond(481);
    switch (request.method) {
      case 'BYE':
        incoming.respond(200);
        this.#finish();
        break;
      case 'INVITE':
      case 'UPDATE':
        this.#changed(incoming);
        break;
      case 'INFO':
        this.#info(incoming);
        break;
      case 'NOTIFY':
        this.#referral.notified(incoming);
        break;
      case 'OPTIONS':
        incoming.respond(200, { headers: { allow: ALLOW, supported: EXTENSIONS.join(', '), accept: SDP } });
        break;
      case 'REFER':
        this.#referral.receive(incoming);
        break;
      case 'PRACK':
        if (this.#progress === undefined) incoming.respond(481);
        else this.#progress.acknowledge(incoming);
        break;
      default:
        incoming.respond(405, { headers: { allow: ALLOW } });
    }
  }

  reoffer(sdp: string): Promise<void> {
    // If another offer is waiting, this description may be out of date by the time it is sent.
    const given = this.#offersLeft === 0 ? sdp : undefined;
    this.#offersLeft += 1;
    const offered = this.#offers
      .then(() => this.#offer(given))
      .finally(() => {
        this.#offersLeft -= 1;
      });
    this.#offers = offered.catch(() => {});
    return offered;
  }

  refer(to: string): Promise<number> {
    return this.#referral.ask(to);
  }

  async sendInfo(digit: string): Promise<void> {
    const headers = { 'content-type': 'application/dtmf-relay' };
    await this.#requests.ask('INFO', { headers, body: `Signal=${digit}\r\nDuration=160\r\n` });
  }

  replacingAddress(): string {
    return this.dialog.replacingAddress();
  }

  get replaceable(): ReplaceableCall | undefined {
    const { replaced } = this.#events;
    if (this.#over || replaced === undefined) return undefined;
    return {
      giveTo: (call) => {
        // The call may have ended while the other caller proved who it is.
        if (this.#over) return call.hangUp(481);
        replaced(call);
        this.#leave();
      },
    };
  }

  /** Hangs up. */
  hangUp(): void {
    this.#end('local');
  }

  leave(): void {
    if (!this.#over) this.#referral.left();
    this.#leave();
  }

  close(): void {
    const told = this.#over;
    this.#over = true;
    // The process is ending, so a missing ACK is not waited for.
    this.#sayGoodbye();
    if (!told) this.#tellEnd('local');
  }

  #changed(incoming: IncomingRequest): void {
    const { request } = incoming;
    const invite = request.method === 'INVITE';
    const offer = sdpOf(request);
    if (this.#collides(invite, offer !== undefined)) return void incoming.respond(491);
    if (asksTooLittle(request.headers))
      return void incoming.respond(422, { headers: { 'min-se': String(LEAST_SESSION_SECONDS) } });
    const { interval, header } = acceptInterval(request.headers, this.#timer.interval);
    let body = '';
    try {
      // An UPDATE without an offer only keeps the session alive.
      if (invite || offer !== undefined) body = this.#events.offer(offer);
    } catch (error) {
      incoming.respond(error instanceof ServiceError ? 488 : 500);
      return;
    }
    this.dialog.learn(request, false);
    this.#timer.set(interval);
    const headers: Record<string, string> = {
      contact: this.dialog.parts.contact,
      allow: ALLOW,
      supported: EXTENSIONS.join(', '),
      ...header,
      ...(body === '' ? {} : { 'content-type': SDP }),
    };
    const respond = (): void => void incoming.respond(200, { headers, body });
    respond();
    if (invite) this.awaitAcknowledgement(respond, request, offer === undefined);
  }

  /**
   * Whether an INVITE, or an offer, arrives while one of either side is unfinished (RFC 3261 §14.2, RFC 3311
   * §5.2).
   */
  #collides(invite: boolean, offers: boolean): boolean {
    const waiting = this.#unacknowledged;
    if (this.#requests.offering && (invite || offers)) return true;
    return waiting !== undefined && (invite || (offers && waiting.wantsAnswer));
  }

  #info(incoming: IncomingRequest): void {
    const digit = readToneBody(incoming.request);
    incoming.respond(digit === 'unknown' ? 415 : 200, {
      headers: digit === 'unknown' ? { accept: 'application/dtmf-relay, application/dtmf' } : {},
    });
    if (digit !== 'unknown' && digit !== undefined) this.#events.tone(digit);
  }

  /**
   * Makes an offer until the other side accepts or refuses it; without a description it offers the present
   * one.
   */
  async #offer(given: string | undefined): Promise<void> {
    let sdp = given;
    for (let tries = 0; tries < MOST_OFFERS; tries += 1) {
      // Only one INVITE at a time, whichever side sent it.
      await this.#unacknowledged?.over;
      if (this.#over) break;
      const body = sdp ?? this.#events.offer(undefined);
      const headers = { 'content-type': SDP, ...this.#timer.header };
      const response = await this.#requests.ask('INVITE', { body, headers });
      const { status } = response;
      if (status < 300) return this.#agreed(response);
      if (status === 491) {
        await this.#collisionOver();
        sdp = undefined;
      } else if (status !== 422 || !this.#timer.lengthen(response.headers)) throw refused(status);
    }
    throw refused(this.#over ? 481 : 491);
  }

  /**
   * A change was accepted: the session's interval begins anew, with the length in the answer or else as
   * before.
   */
  #refreshed(response: SipResponse): void {
    this.dialog.learn(response, false);
    if (!this.#over) this.#timer.set(agreedInterval(response.headers) ?? this.#timer.interval);
  }

  #agreed(response: SipResponse): void {
    this.#refreshed(response);
    const answer = sdpOf(response);
    if (answer === undefined) throw refused(response.status);
    this.#events.answered(answer);
  }

  #collisionOver(): Promise<void> {
    const [least, most] = COLLISION_MS[this.dialog.parts.ours ? 'ours' : 'theirs'];
    return new Promise((resolve) => {
      this.#agent.clock.after(least + Math.random() * (most - least), resolve);
    });
  }

  async #refresh(): Promise<void> {
    try {
      if (!this.#updates) return await this.reoffer(this.#events.offer(undefined));
      const response = await this.#requests.ask('UPDATE', { headers: this.#timer.header });
      const { status, headers } = response;
      if (this.#over) return;
      if (status < 300) return this.#refreshed(response);
      this.#updates = !NOT_UNDERSTOOD.includes(status);
      if (!this.#updates || (status === 422 && this.#timer.lengthen(headers))) return this.#timer.retry(0);
      throw refused(status);
    } catch (error) {
      this.#agent.log(`a session could not be refreshed: ${String(error)}`);
      // If refreshing keeps failing, the session expires.
      if (!this.#over) this.#timer.retry();
    }
  }

  #end(how: CallEnding): void {
    if (this.#over) return;
    this.#leave();
    this.#tellEnd(how);
  }

  /** The other side hung up. */
  #finish(): void {
    const told = this.#over;
    this.#stop();
    if (!told) this.#tellEnd('remote');
  }

  #leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer.stop();
    // The called side may say BYE only after its 2xx was acknowledged or has timed out (RFC 3261 §15).
    if (this.#unacknowledged === undefined || this.#announced) this.#sayGoodbye();
  }

  #sayGoodbye(): void {
    this.#requests.ask('BYE').catch(() => {});
    this.#stop();
  }

  #tellEnd(how: CallEnding): void {
    this.#referral.ended(how);
    this.#events.ended(how);
  }

  #stop(): void {
    this.#over = true;
    this.#unacknowledged?.stop();
    this.#timer.stop();
    this.#unbind();
  }
}

const refused = (status: number): ServiceError =>
  new ServiceError(502, 'session_refused', `The telephone refused the change with ${status}.`);
