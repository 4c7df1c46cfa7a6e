import { randomUUID } from 'node:crypto';
import { parseNameAddress } from '@northline/sip/sip-addresses';
import type { IncomingCall } from '@northline/sip/sip-call';
import { parseSipUri } from '@northline/sip/sip-uri';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { RunningCall } from '../../calls/call-manager.server.ts';
import type { EndedReason } from '../../calls/conversation/conversation-events.server.ts';
import { spokenCosts } from '../../calls/record/call-report.server.ts';
import { CallMeter } from '../../engines/call-meter.server.ts';
import type { TransferDestination } from '../../engines/engines.server.ts';
import { ownServer, serverOf } from '../../records/event-server.server.ts';
import { requestAnswerer } from '../assistant-request.server.ts';
import type { CallAdmission, CallProof } from './call-admission.server.ts';
import { bridgeLines } from './call-bridge.server.ts';
import { followReferral } from './call-referral.server.ts';
import { announce, phoneControls } from './call-transfer.server.ts';
import { wireCall } from './call-wiring.server.ts';
import { callerOf } from './incoming-call-limits.server.ts';
import { type ClosedNumber, closedNow } from './number-hours.server.ts';
import type { PhoneConnection } from './phone-connection.server.ts';
import {
  numbersOfTrunk,
  type OwnNumber,
  ownNumber,
  type PhoneParts,
  plainNumber,
} from './phone-parts.server.ts';

/** The part of the number's record, or of its server's answer, that names who takes a call. */
type Subject = Readonly<Record<string, unknown>>;

/** A call that no assistant took, for its record. */
interface KeptCall {
  readonly id: string;
  readonly startedAt: Date;
  readonly endedReason: EndedReason;
  /** Without these the call cost nothing. */
  readonly costs?: Readonly<Record<string, unknown>>;
}

const TOO_OFTEN =
  'There were too many calls from this number within an hour. If you withhold your number, please call again with it, otherwise later. Goodbye.';

/** Answers incoming calls. */
export class InboundCalls {
  readonly #parts: PhoneParts;
  readonly #admission: CallAdmission;
  /** The telephone line of each call that has one. */
  readonly #lines = new WeakMap<IncomingCall, PhoneConnection>();

  /** Calls of which an assistant has left a record, though it could not take them. */
  readonly #recorded = new WeakSet<IncomingCall>();

  constructor(parts: PhoneParts, admission: CallAdmission) {
    this.#parts = parts;
    this.#admission = admission;
  }

  /** Answers or refuses a call; the caller is not left ringing, whatever fails. */
  take(call: IncomingCall): void {
    this.#take(call).catch((error: unknown) => {
      this.#parts.log(`a telephone call could not be taken: ${String(error)}`);
      call.hangUp(error instanceof ServiceError && error.status === 488 ? 488 : 500);
    });
  }

  async #take(call: IncomingCall): Promise<void> {
    const proof = await this.#admission.proofOf(call);
    if (proof === undefined) return;
    // Only a participant of a call knows its secret tags.
    if (call.replaces !== undefined) return call.replaces.giveTo(call);
    const number = await this.#numberOf(call, proof);
    if (number === undefined) return call.hangUp(404);
    if (!(await this.#admission.isWelcome(call))) return call.hangUp(503, { 'retry-after': '60' });
    const caller = callerOf(call.remote);
    const verdict = await this.#parts.callers.enter(caller);
    if (verdict.kind !== 'taken') return this.#turnAway(call, number, verdict.kind);
    const left = (): void => void this.#parts.callers.leave(verdict.id);
    try {
      await this.#serve(call, number);
    } finally {
      const line = this.#lines.get(call);
      if (line === undefined) left();
      else void line.over.then(left);
    }
  }

  /**
   * The number that a call reaches. A call to the account that we registered names its number in
   * `P-Called-Party-ID` (RFC 7315 §4.2) or `To`; otherwise it is for the trunk's only number, or, where the
   * trunk has none or several, for the site's assistant.
   */
  async #numberOf(call: IncomingCall, proof: CallProof): Promise<OwnNumber | undefined> {
    const { uri, headers } = call.incoming.request;
    const user = parseSipUri(uri)?.user ?? '';
    const reached = async (called: string): Promise<OwnNumber | undefined> => {
      const number = await ownNumber(this.#parts, plainNumber(called));
      return number !== undefined && this.#admission.reaches(proof, number) ? number : undefined;
    };
    const named = await reached(user);
    if (named !== undefined) return named;
    const account = await this.#admission.accountOf(proof, call, user);
    if (account === undefined) return undefined;
    for (const header of ['p-called-party-id', 'to']) {
      const called = await reached(parseNameAddress(headers.get(header) ?? '')?.uri?.user ?? '');
      if (called !== undefined) return called;
    }
    const [only, ...more] = await numbersOfTrunk(this.#parts, account.id);
    if (only !== undefined && more.length === 0) return only;
    const body = { provider: 'byo-phone-number', credentialId: account.id, status: 'active' };
    return { id: undefined, number: user, body };
  }

  /** Refuses a number that calls too much: it hears the busy signal, is told why, or is declined. */
  async #turnAway(call: IncomingCall, number: OwnNumber, how: 'busy' | 'told' | 'declined'): Promise<void> {
    this.#parts.log(`a call was not taken: its number calls too much (${how})`);
    if (how === 'busy') return call.hangUp(486, { 'retry-after': '60' });
    if (how === 'declined') return call.hangUp(603, { 'retry-after': '3600' });
    call.ring();
    await this.#say(call, number, TOO_OFTEN);
  }

  async #serve(call: IncomingCall, number: OwnNumber): Promise<void> {
    call.ring();
    const closed = closedNow(number.body.hours, new Date(), this.#parts.resources.settings.TIME_ZONE);
    if (closed !== undefined) return this.#takeClosed(call, number, closed);
    const answerer = await this.#answererOf(number, call).catch((error: unknown) => {
      this.#parts.log(`the server of a number gave no assistant: ${String(error)}`);
      return undefined;
    });
    const destination = answerer?.destination ?? number.body.fallbackDestination;
    if (answerer?.subject !== undefined && (await this.#converse(call, number, answerer.subject))) return;
    await this.#forward(call, number, destination as TransferDestination | undefined);
  }

  /**
   * Outside the number's hours: another assistant takes the call, the caller is put through, or hears when it
   * is open.
   */
  async #takeClosed(call: IncomingCall, number: OwnNumber, closed: ClosedNumber): Promise<void> {
    const { assistantId, destination = number.body.fallbackDestination } = closed;
    if (assistantId !== undefined && (await this.#converse(call, number, { assistantId }))) return;
    if (destination !== undefined) return this.#forward(call, number, destination as TransferDestination);
    await this.#say(call, number, closed.message);
  }

  /** Answers, says a sentence and hangs up. */
  async #say(call: IncomingCall, number: OwnNumber, words: string): Promise<void> {
    const id = randomUUID();
    const startedAt = new Date();
    const line = await this.#lineFor(call);
    let endedReason: EndedReason = 'call.ringing.error-sip-inbound-call-failed-to-connect';
    const meter = new CallMeter();
    try {
      line.attach(call);
      call.listen(line.events);
      call.accept(call.offer === undefined ? line.leg.offer() : line.leg.answer(call.offer));
      await line.established;
      await announce(this.#parts, line, { words, callId: id, meter });
      endedReason = 'assistant-ended-call-after-message-spoken';
    } catch (error) {
      this.#parts.log(`a call was not told why it is not taken: ${String(error)}`);
    } finally {
      line.hangUp(480);
      const { prices } = this.#parts.engines;
      await this.#keep(call, number, { id, startedAt, endedReason, costs: spokenCosts(meter, prices) });
    }
  }

  /**
   * The number's own assistant or squad; otherwise the one that its server names; otherwise nobody if the
   * number has a `fallbackDestination`, or the site's own assistant.
   */
  async #answererOf(
    number: OwnNumber,
    call: IncomingCall,
  ): Promise<{ subject?: Subject; destination?: object } | undefined> {
    const { assistantId, squadId, fallbackDestination } = number.body;
    if (typeof assistantId === 'string') return { subject: { assistantId } };
    if (typeof squadId === 'string') return { subject: { squadId } };
    const { resources, records } = this.#parts;
    const stored = number.id === undefined ? {} : await records.whole('phone-number', number.id);
    const server = serverOf(stored) ?? ownServer(resources);
    if (server !== undefined) {
      const described = { ...factsOf(call, number), phoneNumber: { id: number.id, ...number.body } };
      return requestAnswerer(resources, server, described);
    }
    return fallbackDestination === undefined
      ? { subject: { assistantId: this.#parts.defaultAssistantId } }
      : undefined;
  }

  /** Has an assistant take the call. False where no capacity is free, or the call cannot be begun. */
  async #converse(call: IncomingCall, number: OwnNumber, subject: Subject): Promise<boolean> {
    const { manager } = this.#parts;
    let callId: string | undefined;
    let line: PhoneConnection | undefined;
    try {
      const made = await manager.createPhone({ ...factsOf(call, number), ...subject });
      callId = made.record.id;
      line = await this.#lineFor(call);
      const sdp = call.offer === undefined ? line.leg.offer() : line.leg.answer(call.offer);
      const from = { number: number.number, body: number.body };
      const own = { callId, line, from, running: () => running };
      const running: RunningCall = await manager.runPhone(
        made,
        line,
        phoneControls(this.#parts, () => own),
      );
      const near = call.incoming.from.listener.loopback;
      line.onRefer((target) => followReferral(this.#parts, { ...own, near }, target));
      wireCall(line, running, () => 'call.ringing.sip-inbound-caller-hungup-before-call-connect');
      line.attach(call);
      call.listen(line.events);
      call.accept(sdp);
      return true;
    } catch (error) {
      this.#parts.log(`a telephone call was not answered: ${String(error)}`);
      line?.hangUp();
      if (callId !== undefined) {
        this.#recorded.add(call);
        await manager.abandon(callId, 'call.ringing.error-sip-inbound-call-failed-to-connect');
      }
      if (!(error instanceof ServiceError) || error.status !== 488) return false;
      call.hangUp(488);
      return true;
    }
  }

  async #lineFor(call: IncomingCall): Promise<PhoneConnection> {
    const line = await this.#parts.openLine(call.incoming.from.listener.loopback, true);
    this.#lines.set(call, line);
    return line;
  }

  /** Puts a call through to somebody else, or refuses it as busy. */
  async #forward(call: IncomingCall, number: OwnNumber, to: TransferDestination | undefined): Promise<void> {
    if (to === undefined) {
      call.hangUp(486, { 'retry-after': '60' });
      if (this.#recorded.has(call)) return;
      const endedReason = 'call.ringing.error-sip-inbound-call-failed-to-connect';
      return this.#keep(call, number, { id: randomUUID(), startedAt: new Date(), endedReason });
    }
    const { dialling } = this.#parts;
    const id = randomUUID();
    const route = await dialling.route(to, { number: number.number, body: number.body });
    await dialling.reserve(route, id);
    const prepared = await dialling.prepare(route);
    const line = await this.#lineFor(call).catch((error: unknown) => {
      prepared.line.hangUp();
      throw error;
    });
    line.attach(call);
    call.listen(line.events);
    void line.over.then(() => prepared.line.hangUp());
    dialling.go(route, prepared);
    const startedAt = new Date();
    let endedReason: EndedReason = 'customer-did-not-answer';
    try {
      await prepared.line.established;
      const sdp = call.offer === undefined ? line.leg.offer() : line.leg.answer(call.offer);
      call.accept(sdp);
      await line.established;
      endedReason = 'assistant-forwarded-call';
      await bridgeLines(line, prepared.line);
    } catch (error) {
      this.#parts.log(`a call was not put through: ${String(error)}`);
      line.hangUp(480);
      prepared.line.hangUp();
    }
    await this.#keep(call, number, { id, startedAt, endedReason });
  }

  /** Stores the record of a call that no assistant took. */
  async #keep(
    call: IncomingCall,
    number: OwnNumber,
    { id, startedAt, endedReason, costs = { cost: 0 } }: KeptCall,
  ): Promise<void> {
    const times = { startedAt: startedAt.toISOString(), endedAt: new Date().toISOString() };
    await this.#parts.records.create(
      'call',
      { ...factsOf(call, number), ...times, status: 'ended', endedReason, ...costs },
      id,
    );
  }
}

/** The members of a record that say who called which number. */
function factsOf(call: IncomingCall, number: OwnNumber): Record<string, unknown> {
  const { uri, name, text } = call.remote;
  const caller = plainNumber(uri?.user ?? '');
  const customer = /^\+[1-9]\d{4,14}$/.test(caller) ? { number: caller } : { sipUri: text.slice(0, 500) };
  const hidden = /^anonymous$/i.test(uri?.user ?? '');
  const { provider } = number.body;
  return {
    type: 'inboundPhoneCall',
    ...(number.id === undefined ? {} : { phoneNumberId: number.id }),
    phoneCallProvider: provider === 'twilio' || provider === 'vonage' ? provider : 'vapi',
    phoneCallTransport: 'sip',
    ...(hidden ? {} : { customer: { ...customer, ...(name === '' ? {} : { name: printable(name) }) } }),
  };
}

/** A displayed name without the characters that no database stores. */
const printable = (name: string): string =>
  name
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f]/g, '')
    .slice(0, 40);
