import type { NameAddress } from '../message/sip-addresses.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import type { SipClock } from '../transaction/sip-clock.ts';
import type { IncomingRequest, TransactionLayer } from '../transaction/transaction-layer.ts';
import type { SipDialog } from './sip-dialog.ts';

/** Why an established call was over. */
export type CallEnding = 'remote' | 'local' | 'timeout';

/** What happens to a call. Each call ends with exactly one of `failed` and `ended`. */
export interface SipCallEvents {
  /** It rings, or sound comes before it is answered (180, 183); SDP where it came along. */
  ringing?(status: number, sdp: string | undefined): void;
  /**
   * The other side's answer to an offer of ours: the call goes on with it.
   *
   * @throws Error where it cannot be used: then the call is hung up
   */
  answered(sdp: string): void;
  /** It goes on: acknowledged by both sides. */
  established?(): void;
  /** It never began: the status and words of the other side, 408 for silence, 487 where we took it back. */
  failed(status: number, reason: string): void;
  ended(how: CallEnding): void;
  /**
   * The other side changes the session (re-INVITE, UPDATE): our answer; without an offer our own.
   *
   * @throws ServiceError 488 where it cannot be
   */
  offer(sdp: string | undefined): string;
  /** A key that was pressed (INFO; tones in the sound are the media's). */
  tone(digit: string): void;
  /**
   * Another call takes the other side's place in this one (RFC 3891): it is to be answered or refused. Without this no
   * call may do so.
   */
  replaced?(by: IncomingCall): void;
  /**
   * The other side wants us to call somebody else and leave it for that one (RFC 3515). Resolves with the status that
   * it is told. Without this it is declined.
   */
  referred?(target: string): Promise<number>;
}

/** A call that goes on. */
export interface EstablishedControls {
  /** Offers a changed session, e.g. hold. @throws ServiceError 502 `session_refused` with the other side's status */
  reoffer(sdp: string): Promise<void>;
  /** Asks the other side to call somebody else (RFC 3515). Resolves with the last status that it told of that call. */
  refer(to: string, headers?: Readonly<Record<string, string>>): Promise<number>;
  /** Presses a key by INFO, for those who take no tones in the sound. */
  sendInfo(digit: string): Promise<void>;
  /** The address by which a third one takes our place in this call (RFC 3891 §3, RFC 5589 §7). */
  replacingAddress(): string;
  /** Hangs up, and says nothing of it to whoever listens: another call took its place. */
  leave(): void;
}

/** A call in one of its directions. */
export interface SipCall extends EstablishedControls {
  readonly callId: string;
  /** The other side as it names itself; nothing proves it. */
  readonly remote: NameAddress;
  /** Refuses, takes back or hangs up, as it stands. Nothing for a call that is over. */
  hangUp(status?: number, headers?: Readonly<Record<string, string | readonly string[]>>): void;
}

/** A call that came and is not answered yet. */
export interface IncomingCall extends SipCall {
  readonly incoming: IncomingRequest;
  /** The offer; undefined where the other side wants ours. */
  readonly offer: string | undefined;
  /** Says that it rings (180), or with sound before the answer (183). */
  ring(sdp?: string): void;
  /** Answers with our SDP; `established` follows. */
  accept(sdp: string): void;
  /** Where its events go; the first thing to do with it. */
  listen(events: SipCallEvents): void;
  /** The call of ours in which it takes the other side's place; undefined for a call of its own. */
  readonly replaces: ReplaceableCall | undefined;
}

/** A call of ours in which another may take the other side's place. */
export interface ReplaceableCall {
  /** Gives the place to that call. @throws ServiceError 488 where its sound does not fit; then all stays as it was */
  giveTo(call: IncomingCall): void;
}

/** What calls need of their user agent. */
export interface CallContextOfAgent {
  readonly clock: SipClock;
  readonly layer: TransactionLayer;
  /** Requests of the other side in this dialog go to `receive` and `acknowledged`. */
  bind(dialog: SipDialog, usage: DialogUsage): () => void;
  log(line: string): void;
}

/** Who handles requests in a dialog. */
export interface DialogUsage {
  receive(incoming: IncomingRequest): void;
  acknowledged(request: SipRequest): void;
  /** The call, where it goes on and may be taken over. */
  readonly replaceable?: ReplaceableCall | undefined;
  /** The process ends. */
  close(): void;
}

/** Methods that are understood. */
export const METHODS = [
  'INVITE',
  'ACK',
  'CANCEL',
  'BYE',
  'OPTIONS',
  'PRACK',
  'UPDATE',
  'INFO',
  'NOTIFY',
  'REFER',
];
export const ALLOW = METHODS.join(', ');
/** Extensions that are understood (`Supported`). */
export const EXTENSIONS = ['100rel', 'timer', 'norefersub', 'replaces'];

/** The SDP of a message; undefined where it has none. */
export function sdpOf({ headers, body }: SipRequest | SipResponse): string | undefined {
  const type = headers.get('content-type') ?? '';
  return body.trim() !== '' && /^application\/sdp\s*(;|$)/i.test(type) ? body : undefined;
}
