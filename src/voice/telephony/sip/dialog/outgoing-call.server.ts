import { answerChallenge, type DigestCredentials } from '../digest/digest-challenge.server.ts';
import { parseNameAddress, printNameAddress } from '../message/sip-addresses.server.ts';
import { SipHeaders } from '../message/sip-headers.server.ts';
import { commandSequence, type SipRequest, type SipResponse } from '../message/sip-message.server.ts';
import { newBranch } from '../transaction/transaction-layer.server.ts';
import type { SipPlace } from '../transport/sip-transport.server.ts';
import { EstablishedCall } from './established-call.server.ts';
import { LEAST_SESSION_SECONDS, SESSION_SECONDS } from './session-timer.server.ts';
import {
  ALLOW,
  type CallContextOfAgent,
  EXTENSIONS,
  type SipCall,
  type SipCallEvents,
  sdpOf,
} from './sip-call.server.ts';
import { newTag, SipDialog } from './sip-dialog.server.ts';

/** A call that is to be made. */
export interface InviteOptions {
  /** Whom to call, as `sip:+4420…@host`. */
  readonly to: string;
  /** Where the request goes: the address itself, or a trunk's gateway. */
  readonly place: SipPlace;
  /** Who calls: address, and name for the display. */
  readonly from: { readonly text: string; readonly name?: string };
  /** How we are reached. */
  readonly contact: string;
  /** Our offer. */
  readonly sdp: string;
  readonly credentials?: DigestCredentials | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long it may ring. */
  readonly ringSeconds: number;
}

/** After that a CANCEL that nobody reacts to has ended the call all the same (RFC 3261 §9.1). */
const CANCELLED_MS = 32_000;
const UNAUTHORISED = {
  401: ['www-authenticate', 'authorization'],
  407: ['proxy-authenticate', 'proxy-authorization'],
} as const;

/** A call that we make, from its INVITE on. */
export class OutgoingCall implements SipCall {
  readonly callId = `${newTag()}@northline`;
  readonly remote;
  readonly #agent: CallContextOfAgent;
  readonly #options: InviteOptions;
  readonly #events: SipCallEvents;
  readonly #localTag = newTag();
  #sequence = 1;
  #invite: { readonly request: SipRequest; readonly branch: string } | undefined;
  #provisional = false;
  #cancelled = false;
  #tried = false;
  #interval = SESSION_SECONDS;
  #over = false;
  #stopWaiting: () => void;
  /** One for each side that answered: of a fork only the first stays (RFC 3261 §13.2.2.4). */
  readonly #established = new Map<string, EstablishedCall>();
  #present: EstablishedCall | undefined;
  #lastReliable = 0;

  constructor(agent: CallContextOfAgent, options: InviteOptions, events: SipCallEvents) {
    this.#agent = agent;
    this.#options = options;
    this.#events = events;
    this.remote = { name: '', text: options.to, uri: undefined, parameters: {} };
    this.#stopWaiting = agent.clock.after(options.ringSeconds * 1000, () => this.#giveUp(408, 'No answer'));
    this.#send();
  }

  reoffer(sdp: string): Promise<void> {
    return this.#established_().reoffer(sdp);
  }

  refer(to: string, headers?: Readonly<Record<string, string>>): Promise<number> {
    return this.#established_().refer(to, headers);
  }

  sendInfo(digit: string): Promise<void> {
    return this.#established_().sendInfo(digit);
  }

  replacingAddress(): string {
    return this.#established_().replacingAddress();
  }

  leave(): void {
    this.#established_().leave();
  }

  hangUp(): void {
    if (this.#present !== undefined) this.#present.hangUp();
    else this.#giveUp(487, 'Taken back');
  }

  #established_(): EstablishedCall {
    if (this.#present === undefined) throw new Error('the call has not been answered');
    return this.#present;
  }

  #send(more: Record<string, string> = {}): void {
    const { to, place, from, contact, sdp, headers } = this.#options;
    const request: SipRequest = {
      kind: 'request',
      method: 'INVITE',
      uri: to,
      body: sdp,
      headers: new SipHeaders({
        'max-forwards': '70',
        from: printNameAddress(from, { tag: this.#localTag }),
        to: `<${to}>`,
        'call-id': this.callId,
        cseq: `${this.#sequence} INVITE`,
        contact,
        allow: ALLOW,
        supported: EXTENSIONS.join(', '),
        'session-expires': String(this.#interval),
        'min-se': String(LEAST_SESSION_SECONDS),
        'content-type': 'application/sdp',
        ...headers,
        ...more,
      }),
    };
    this.#provisional = false;
    const branch = newBranch();
    this.#invite = { request, branch };
    const listener = {
      response: (response: SipResponse) => this.#answered(response),
      failed: (status: 408 | 503) =>
        this.#fail(status, status === 408 ? 'Nobody answers' : 'The other side cannot be reached'),
    };
    this.#agent.layer.request(request, place, listener, branch);
  }

  #answered(response: SipResponse): void {
    const { status } = response;
    if (status < 200) this.#progress(response);
    else if (status < 300) this.#accepted(response);
    else if (!this.#again(response)) this.#fail(status, response.reason);
  }

  #progress(response: SipResponse): void {
    this.#provisional = true;
    if (this.#cancelled) this.#sendCancel();
    if (response.headers.lists('require', '100rel')) this.#acknowledgeProgress(response);
    if (response.status > 100 && !this.#over) this.#events.ringing?.(response.status, sdpOf(response));
  }

  /** Answers a provisional response that is sent until it is acknowledged (RFC 3262). */
  #acknowledgeProgress(response: SipResponse): void {
    const number = Number(response.headers.get('rseq') ?? 0);
    if (!(number > this.#lastReliable)) return;
    this.#lastReliable = number;
    const dialog = this.#dialogOf(response);
    this.#sequence += 1;
    const request = dialog.request('PRACK', {
      number: this.#sequence,
      headers: { rack: `${number} ${response.headers.get('cseq') ?? ''}` },
    });
    const ignore = { response: () => {}, failed: () => {} };
    this.#ask(dialog, request, ignore);
  }

  #accepted(response: SipResponse): void {
    const tag = parseNameAddress(response.headers.get('to') ?? '')?.parameters.tag ?? '';
    const known = this.#established.get(tag);
    const dialog = known?.dialog ?? this.#dialogOf(response);
    const ack = dialog.request('ACK', { number: commandSequence(response).number });
    this.#toDialog(dialog, (place) => this.#agent.layer.send(ack, place));
    if (known !== undefined) return;
    const first = this.#present === undefined && !this.#over;
    const silent: SipCallEvents = { ...this.#events, ended: () => {}, failed: () => {} };
    const call = new EstablishedCall(this.#agent, dialog, first ? this.#events : silent);
    this.#established.set(tag, call);
    // Another one of a fork, or one that answered as it was taken back.
    if (!first) return void call.hangUp();
    this.#stopWaiting();
    if (this.#cancelled) {
      this.#present = call;
      return void call.hangUp();
    }
    this.#present = call;
    call.begin(response);
    this.#use(call, response);
  }

  #use(call: EstablishedCall, response: SipResponse): void {
    try {
      this.#events.answered(sdpOf(response) ?? '');
    } catch (error) {
      this.#agent.log(`an answer could not be used: ${String(error)}`);
      return void call.hangUp();
    }
    call.announce();
  }

  /** Asked to prove who we are, or for a longer session: once more. */
  #again(response: SipResponse): boolean {
    const { status, headers } = response;
    if (this.#cancelled || this.#over) return false;
    if (status === 422) {
      const least = Number(headers.get('min-se') ?? 0);
      if (!(least > this.#interval) || least > 86_400) return false;
      this.#interval = least;
      this.#sequence += 1;
      this.#send({ 'min-se': String(least) });
      return true;
    }
    const { credentials, to } = this.#options;
    const names = status === 401 || status === 407 ? UNAUTHORISED[status] : undefined;
    if (names === undefined || credentials === undefined || this.#tried) return false;
    const answer = answerChallenge(headers.all(names[0]), { method: 'INVITE', uri: to }, credentials);
    if (answer === undefined) return false;
    this.#tried = true;
    this.#sequence += 1;
    this.#send({ [names[1]]: answer });
    return true;
  }

  #dialogOf(response: SipResponse): SipDialog {
    const remoteTag = parseNameAddress(response.headers.get('to') ?? '')?.parameters.tag ?? '';
    const { to, from, contact, place } = this.#options;
    const dialog = new SipDialog({
      callId: this.callId,
      local: printNameAddress(from),
      remote: `<${to}>`,
      localTag: this.#localTag,
      remoteTag,
      contact,
      localSequence: this.#sequence,
    });
    dialog.learn(response, true);
    dialog.stayAt(place);
    return dialog;
  }

  #ask(
    dialog: SipDialog,
    request: SipRequest,
    listener: Parameters<CallContextOfAgent['layer']['request']>[2],
  ): void {
    this.#toDialog(dialog, (place) => this.#agent.layer.request(request, place, listener));
  }

  #toDialog(dialog: SipDialog, send: (place: SipPlace) => unknown): void {
    dialog
      .place()
      .then(send, (error: unknown) => this.#agent.log(`the other side is unknown: ${String(error)}`));
  }

  #giveUp(status: number, reason: string): void {
    if (this.#over || this.#cancelled || this.#present !== undefined) return;
    this.#cancelled = true;
    this.#stopWaiting();
    // The other side has so long to say that it stopped.
    this.#stopWaiting = this.#agent.clock.after(CANCELLED_MS, () => this.#fail(status, reason));
    this.#reasonOfCancel = { status, reason };
    // Before anything came there is nothing to cancel yet (RFC 3261 §9.1).
    if (this.#provisional) this.#sendCancel();
  }
  #reasonOfCancel: { status: number; reason: string } | undefined;
  #cancelSent = false;

  #sendCancel(): void {
    if (this.#cancelSent || this.#invite === undefined) return;
    this.#cancelSent = true;
    const { request, branch } = this.#invite;
    const headers = new SipHeaders({
      'max-forwards': '70',
      from: request.headers.get('from'),
      to: request.headers.get('to'),
      'call-id': this.callId,
      cseq: `${this.#sequence} CANCEL`,
    });
    const cancel: SipRequest = { kind: 'request', method: 'CANCEL', uri: request.uri, headers, body: '' };
    const listener = { response: () => {}, failed: () => {} };
    this.#agent.layer.request(cancel, this.#options.place, listener, branch);
  }

  #fail(status: number, reason: string): void {
    if (this.#over || this.#present !== undefined) return;
    this.#over = true;
    this.#stopWaiting();
    const { status: why, reason: words } = this.#reasonOfCancel ?? { status, reason };
    this.#events.failed(why, words);
  }
}
