import type { NameAddress } from '../message/sip-addresses.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import type { SipClock } from '../transaction/sip-clock.ts';
import type { IncomingRequest, TransactionLayer } from '../transaction/transaction-layer.ts';
import type { SipDialog } from './sip-dialog.ts';

/** Why an established call ended. */
export type CallEnding = 'remote' | 'local' | 'timeout';

/** The events of a call. Each call ends with exactly one of `failed` and `ended`. */
export interface SipCallEvents {
  /** The other side rings, or sends sound before it answers (180, 183); with its SDP, if there is one. */
  ringing?(status: number, sdp: string | undefined): void;
  /**
   * The other side's answer to our offer; the call goes on with it.
   *
   * @throws Error where it cannot be used: the call is then hung up
   */
  answered(sdp: string): void;
  /** Both sides have acknowledged the call. */
  established?(): void;
  /**
   * The call never began: the other side's status and words, 408 for no answer, 487 where we cancelled it.
   *
   * @param reached whether the other side reacted to the call at all
   */
  failed(status: number, reason: string, reached: boolean): void;
  ended(how: CallEnding): void;
  /**
   * The other side changes the session (re-INVITE, UPDATE). Returns our answer, or our offer where it made
   * none.
   *
   * @throws ServiceError 488 where that is not possible
   */
  offer(sdp: string | undefined): string;
  /** A key was pressed (INFO); tones in the sound are detected with the media. */
  tone(digit: string): void;
  /**
   * Another call is to replace the other side in this one (RFC 3891); it has to be answered or refused.
   * Without this function replacement is not allowed.
   */
  replaced?(by: IncomingCall): void;
  /**
   * The other side refers us to somebody else, for whom we shall leave it (RFC 3515). Resolves with the
   * status to report. Without this function referrals are declined.
   */
  referred?(target: string): Promise<number>;
}

/** The controls of an established call. */
export interface EstablishedControls {
  /**
   * Offers a changed session, e.g. hold. @throws ServiceError 502 `session_refused` with the other side's
   * status
   */
  reoffer(sdp: string): Promise<void>;
  /**
   * Asks the other side to call somebody else (RFC 3515). Resolves with the last status that it reports for
   * that call.
   */
  refer(to: string): Promise<number>;
  /** Presses a key by INFO, for sides that do not accept tones in the sound. */
  sendInfo(digit: string): Promise<void>;
  /** The address by which a third side can replace us in this call (RFC 3891 §3, RFC 5589 §7). */
  replacingAddress(): string;
  /** Hangs up without an event: another call has replaced this one. */
  leave(): void;
}

/** A call in one of its directions. */
export interface SipCall extends EstablishedControls {
  readonly callId: string;
  /** The other side, as it names itself without proof. */
  readonly remote: NameAddress;
  /** Refuses, cancels or hangs up, depending on the state of the call. Does nothing once it is over. */
  hangUp(status?: number, headers?: Readonly<Record<string, string | readonly string[]>>): void;
}

/** An incoming call that has not been answered. */
export interface IncomingCall extends SipCall {
  readonly incoming: IncomingRequest;
  /** The offer; undefined where the other side wants ours. */
  readonly offer: string | undefined;
  /** Reports that it rings (180), or sends sound before the answer (183). */
  ring(sdp?: string): void;
  /** Answers with our SDP; `established` follows. */
  accept(sdp: string): void;
  /** Sets the receiver of its events; has to be called first. */
  listen(events: SipCallEvents): void;
  /** The call of ours in which it is to replace the other side; undefined for a call of its own. */
  readonly replaces: ReplaceableCall | undefined;
}

/** A call of ours whose other side may be replaced. */
export interface ReplaceableCall {
  /**
   * Replaces the other side by that call. @throws ServiceError 488 where its sound does not fit; then nothing
   * changes
   */
  giveTo(call: IncomingCall): void;
}

/** What calls need from their user agent. */
export interface CallContextOfAgent {
  readonly clock: SipClock;
  readonly layer: TransactionLayer;
  /** Has `receive` and `acknowledged` called for requests of the other side in this dialog. */
  bind(dialog: SipDialog, usage: DialogUsage): () => void;
  log(line: string): void;
}

/** The handler of a dialog's requests. */
export interface DialogUsage {
  receive(incoming: IncomingRequest): void;
  acknowledged(request: SipRequest): void;
  /** The call, while it is established and may be replaced. */
  readonly replaceable?: ReplaceableCall | undefined;
  /** The process is ending. */
  close(): void;
}

/** The methods that are understood. */
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
/** The extensions that are understood (`Supported`). */
export const EXTENSIONS = ['100rel', 'timer', 'norefersub', 'replaces'];

/** The SDP of a message; undefined where it has none. */
export function sdpOf({ headers, body }: SipRequest | SipResponse): string | undefined {
  const type = headers.get('content-type') ?? '';
  return body.trim() !== '' && /^application\/sdp\s*(;|$)/i.test(type) ? body : undefined;
}
