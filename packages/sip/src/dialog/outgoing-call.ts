import { type DigestCredentials, proofFor } from '../digest-challenge.ts';
import { parseNameAddress, printNameAddress } from '../message/sip-addresses.ts';
import { SipHeaders } from '../message/sip-headers.ts';
import { commandSequence, type SipRequest, type SipResponse } from '../message/sip-message.ts';
import { newBranch } from '../transaction/transaction-layer.ts';
import type { SipPlace } from '../transport/sip-transport.ts';
import { EarlyDialogs } from './early-dialogs.ts';
import { EstablishedCall } from './established-call.ts';
import { LEAST_SESSION_SECONDS, leastOf, SESSION_SECONDS } from './session-timer.ts';
import {
  ALLOW,
  type CallContextOfAgent,
  EXTENSIONS,
  type SipCall,
  type SipCallEvents,
  sdpOf,
} from './sip-call.ts';
import { newTag, SipDialog } from './sip-dialog.ts';

/** A call that is to be made. */
export interface InviteOptions {
  /** The address to call, such as `sip:+4420…@host`. */
  readonly to: string;
  /** Where the request is sent: to the address itself, or to a trunk's gateway. */
  readonly place: SipPlace;
  /** The caller: an address, and a name to display. */
  readonly from: { readonly text: string; readonly name?: string };
  /** The address at which the other side reaches us. */
  readonly contact: string;
  /** Our offer, SDP. */
  readonly sdp: string;
  readonly credentials?: DigestCredentials | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the call may ring. */
  readonly ringSeconds: number;
}

/** After this time a CANCEL without a reaction has ended the call as well (RFC 3261 §9.1). */
const CANCELLED_MS = 32_000;
/** How often an INVITE is repeated because of a refusal that allows it. */
const MOST_TRIES = 4;

/** An outgoing call, from its INVITE on. */
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
  #tries = 0;
  #tried = false;
  #least = LEAST_SESSION_SECONDS;
  /** The credentials of the INVITE, which its ACK repeats (RFC 3261 §13.2.2.4). */
  #proof: Readonly<Record<string, string>> = {};
  #over = false;
  #stopWaiting: () => void;
  /** One for each telephone that answered; of a fork only the first stays (RFC 3261 §13.2.2.4). */
  readonly #established = new Map<string, EstablishedCall>();
  #present: EstablishedCall | undefined;
  readonly #early: EarlyDialogs;

  constructor(agent: CallContextOfAgent, options: InviteOptions, events: SipCallEvents) {
    this.#agent = agent;
    this.#options = options;
    this.#events = events;
    this.remote = { name: '', text: options.to, uri: undefined, parameters: {} };
    this.#early = new EarlyDialogs(agent, {
      credentials: options.credentials,
      dialogOf: (response) => this.#dialogOf(response),
      offer: (sdp) => events.offer(sdp),
      close: () => this.hangUp(),
    });
    this.#stopWaiting = agent.clock.after(options.ringSeconds * 1000, () => this.#giveUp(408, 'No answer'));
    this.#send();
  }

  reoffer(sdp: string): Promise<void> {
    return this.#established_().reoffer(sdp);
  }

  refer(to: string): Promise<number> {
    return this.#established_().refer(to);
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

  #send(): void {
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
        'session-expires': String(Math.max(SESSION_SECONDS, this.#least)),
        'min-se': String(this.#least),
        'content-type': 'application/sdp',
        ...headers,
        ...this.#proof,
      }),
    };
    this.#provisional = false;
    const branch = newBranch();
    this.#invite = { request, branch };
    const listener = {
      response: (response: SipResponse) => this.#answered(response),
      failed: (status: 408 | 503) =>
        this.#fail(status, status === 408 ? 'Nobody answers' : 'The other side cannot be reached', false),
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
    if (this.#over || !this.#early.progress(response) || response.status === 100) return;
    try {
      this.#events.ringing?.(response.status, sdpOf(response));
    } catch (error) {
      // Early sound that cannot be used is not heard; the answer may describe other sound.
      this.#agent.log(`early sound could not be used: ${String(error)}`);
    }
  }

  #accepted(response: SipResponse): void {
    const tag = parseNameAddress(response.headers.get('to') ?? '')?.parameters.tag ?? '';
    const known = this.#established.get(tag);
    const early = this.#early.of(response);
    const dialog = known?.dialog ?? early?.dialog ?? this.#dialogOf(response);
    // The answer determines the dialog, whatever was said while it was ringing (RFC 3261 §13.2.2.4).
    if (known === undefined) dialog.learn(response, true);
    const ack = dialog.request('ACK', { number: commandSequence(response).number, headers: this.#proof });
    this.#toDialog(dialog, (place) => this.#agent.layer.send(ack, place));
    if (known !== undefined) return;
    const first = this.#present === undefined && !this.#over;
    const silent: SipCallEvents = { ...this.#events, ended: () => {}, failed: () => {} };
    const { credentials } = this.#options;
    const call = new EstablishedCall(this.#agent, dialog, first ? this.#events : silent, { credentials });
    this.#established.set(tag, call);
    this.#early.close();
    // Another branch of a fork, or one that answered while the call was being cancelled.
    if (!first) return void call.hangUp();
    this.#stopWaiting();
    this.#present = call;
    if (this.#cancelled) return void call.hangUp();
    call.begin(response);
    // A description that was sent reliably while ringing, or changed since, is not repeated in the answer
    // (RFC 3262 §5).
    const sdp = sdpOf(response) ?? early?.sdp;
    if (sdp !== undefined || early?.changed !== true) this.#use(call, sdp ?? '');
    else call.announce();
  }

  #use(call: EstablishedCall, sdp: string): void {
    try {
      this.#events.answered(sdp);
    } catch (error) {
      this.#agent.log(`an answer could not be used: ${String(error)}`);
      return void call.hangUp();
    }
    call.announce();
  }

  /** Repeats the INVITE where the refusal asks for credentials, or for a longer session. */
  #again(response: SipResponse): boolean {
    if (this.#cancelled || this.#over || this.#tries >= MOST_TRIES) return false;
    if (response.status === 422) {
      const least = leastOf(response.headers);
      if (least <= this.#least) return false;
      this.#least = least;
      // Credentials are valid for one request; this new one may be asked for its own.
      this.#proof = {};
      this.#tried = false;
    } else {
      const { credentials, to } = this.#options;
      const proof = proofFor(response, { method: 'INVITE', uri: to }, credentials);
      if (proof === undefined || this.#tried) return false;
      this.#tried = true;
      this.#proof = proof;
    }
    this.#tries += 1;
    this.#sequence += 1;
    this.#early.close();
    this.#send();
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
      ours: true,
      target: to,
    });
    dialog.learn(response, true);
    dialog.stayAt(place);
    return dialog;
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
    // The time in which the other side has to confirm that it stopped.
    this.#stopWaiting = this.#agent.clock.after(CANCELLED_MS, () => this.#fail(status, reason));
    this.#reasonOfCancel = { status, reason };
    // There is nothing to cancel before a provisional answer has come (RFC 3261 §9.1).
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
      // The number of the INVITE, whatever was acknowledged since (RFC 3261 §9.1).
      cseq: `${commandSequence(request).number} CANCEL`,
    });
    const cancel: SipRequest = { kind: 'request', method: 'CANCEL', uri: request.uri, headers, body: '' };
    const listener = { response: () => {}, failed: () => {} };
    this.#agent.layer.request(cancel, this.#options.place, listener, branch);
  }

  #fail(status: number, reason: string, reached = true): void {
    if (this.#over || this.#present !== undefined) return;
    this.#over = true;
    this.#stopWaiting();
    this.#early.close();
    const { status: why, reason: words } = this.#reasonOfCancel ?? { status, reason };
    this.#events.failed(why, words, reached);
  }
}
