import { AudioInput } from '../../calls/audio-input.server.ts';
import type { RunningCall } from '../../calls/call-manager.server.ts';
import type { CallMeter } from '../../engines/call-meter.server.ts';
import type { PhoneControls, TransferDestination } from '../../engines/engines.server.ts';
import { bridgeLines } from './call-bridge.server.ts';
import type { CallingNumber } from './call-dialling.server.ts';
import type { PhoneConnection } from './phone-connection.server.ts';
import type { PhoneParts } from './phone-parts.server.ts';

/** A call whose assistant may put its caller through. */
export interface TransferableCall {
  readonly callId: string;
  readonly line: PhoneConnection;
  /** The installation's number in the call, which the other person sees. */
  readonly from: CallingNumber | undefined;
  /** The conversation, which ends when the caller has been put through. */
  running(): Pick<RunningCall, 'end' | 'meter'>;
}

/** Words to be spoken on a line, and the meter that counts their voice. */
interface LineWords {
  readonly words: string;
  readonly callId: string;
  /** The meter of the call that the words belong to; they cost as much as that call's own words. */
  readonly meter: CallMeter | undefined;
}

/** How long the other person's telephone rings: a dialogue waits no longer. */
const TRANSFER_RING_SECONDS = 18;
const SUMMARY_LENGTH = 400;
/** How much speech and then quiet make a greeting, and how long silence is waited for. */
const SPEECH = 0.5;
const GREETING_MS = 150;
const GREETING_PAUSE_MS = 600;
const SILENT_GREETING_MS = 8000;
const PLAYED_POLL_MS = 50;
const UNREACHED = 'Nobody answers there at the moment.';

/** What a dialogue can do with this call. */
export function phoneControls(parts: PhoneParts, call: () => TransferableCall): PhoneControls {
  return {
    sendTones: (digits) => call().line.leg.sendTones(digits),
    transfer: (destination, summary) => transfer(parts, call(), destination, summary),
  };
}

async function transfer(
  parts: PhoneParts,
  call: TransferableCall,
  destination: TransferDestination,
  summary: string,
): Promise<void> {
  const { mode = 'blind-transfer', message, sipVerb } = destination.transferPlan ?? {};
  const warm = mode.startsWith('warm-transfer');
  const route = await parts.dialling.route(destination, call.from);
  if (sipVerb === 'refer' && !warm) return refer(call, route.to);
  const headers = /summary/.test(mode) ? { 'x-transfer-summary': headerText(summary) } : {};
  const options = { ringSeconds: TRANSFER_RING_SECONDS, headers };
  const other = await parts.dialling.call(route, call.callId, options);
  void call.line.over.then(() => other.hangUp());
  try {
    await other.established;
  } catch (error) {
    parts.log(`a transfer was not answered: ${String(error)}`);
    throw new Error(UNREACHED, { cause: error });
  }
  const words = warm ? wordsFor(mode, message, summary) : '';
  try {
    if (destination.extension !== undefined) await other.leg.sendTones(`,${destination.extension}`);
    if (mode.includes('wait-for-operator')) await hearGreeting(parts, other);
    if (words !== '') await speak(parts, other, { words, callId: call.callId, meter: call.running().meter });
  } catch (error) {
    other.hangUp();
    throw error;
  }
  if (sipVerb === 'refer') return referAttended(call, other);
  call.line.session.release();
  // The two lines go on without the assistant, whose call is over; the caller keeps the capacity that is in
  // use.
  void bridgeLines(call.line, other);
  leave(call);
}

/** Has the other side's telephone exchange put the caller through by itself (RFC 3515). */
async function refer(call: TransferableCall, to: string): Promise<void> {
  const status = (await call.line.call?.refer(to)) ?? 481;
  if (status >= 300) throw new Error(`${UNREACHED} (${status})`);
  leave(call);
}

/** Ends the assistant's part of the call. */
const leave = (call: TransferableCall): void => call.running().end('assistant-forwarded-call');

/**
 * Asks the other side's exchange to replace us in the call with the person who was informed about the caller
 * (RFC 5589 §7).
 */
async function referAttended(call: TransferableCall, other: PhoneConnection): Promise<void> {
  try {
    await refer(call, other.call?.replacingAddress() ?? '');
  } finally {
    other.hangUp();
  }
}

/** The words that a person hears before the caller is put through to them. */
function wordsFor(mode: string, message: unknown, summary: string): string {
  const { content } = (typeof message === 'object' && message !== null ? message : { content: message }) as {
    content?: unknown;
  };
  const given = mode.endsWith('summary') || typeof content !== 'string' ? '' : content;
  return (given === '' ? summary : given).slice(0, SUMMARY_LENGTH);
}

/**
 * Waits until the person has said something and is quiet again. A person who says nothing is spoken to after
 * a while.
 */
async function hearGreeting(parts: PhoneParts, line: PhoneConnection): Promise<void> {
  const heard = Promise.withResolvers<void>();
  let spoken = 0;
  let quiet = 0;
  const input = new AudioInput(await parts.engines.openDetector(), undefined, {
    window(ms, probability) {
      const speech = probability > SPEECH;
      if (speech) spoken += ms;
      quiet = speech ? 0 : quiet + ms;
      if (spoken >= GREETING_MS && quiet >= GREETING_PAUSE_MS) heard.resolve();
    },
    partial: () => {},
    final: () => {},
    failed: (_what, error) => heard.reject(error),
  });
  line.leg.session.onPcm16k((pcm) => input.push(pcm));
  const waiting = setTimeout(() => heard.resolve(), SILENT_GREETING_MS);
  try {
    await Promise.race([heard.promise, line.over]);
  } finally {
    clearTimeout(waiting);
    input.stop();
  }
}

/** Says something on a line until its end or the end of the call. @throws Error when nothing can be spoken */
export async function announce(
  parts: Pick<PhoneParts, 'engines' | 'log'>,
  line: PhoneConnection,
  said: LineWords,
): Promise<void> {
  await speak(parts, line, said);
  let over = false;
  void line.over.then(() => {
    over = true;
  });
  while (!over && line.leg.session.queuedMs() > 0)
    await new Promise((resolve) => setTimeout(resolve, PLAYED_POLL_MS));
}

/**
 * Says something on a line that has no conversation; its sound is queued when this resolves. @throws Error
 * when nothing can be spoken
 */
async function speak(
  parts: Pick<PhoneParts, 'engines' | 'log'>,
  line: PhoneConnection,
  { words, callId, meter }: LineWords,
): Promise<void> {
  const voice = await parts.engines.openVoice({
    callId,
    assistant: {},
    log: (_level, text) => parts.log(text),
    ...(meter === undefined ? {} : { meter }),
  });
  const stopped = new AbortController();
  void line.over.then(() => stopped.abort());
  // The voice is charged when it is requested, whatever the result.
  meter?.spoke(words);
  try {
    for await (const pcm of voice.speak(words, stopped.signal)) line.leg.session.writePcm(pcm);
  } finally {
    voice.close();
  }
}

/** The text as one line of a header: no line breaks, ASCII only, not too long. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, SUMMARY_LENGTH);
