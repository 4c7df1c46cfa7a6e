import { AudioInput } from '../../calls/audio-input.server.ts';
import type { RunningCall } from '../../calls/call-manager.server.ts';
import type { CallMeter } from '../../engines/call-meter.server.ts';
import type { CallLine, LineDestination } from '../../engines/engines.server.ts';
import { bridgeLines } from './call-bridge.server.ts';
import type { CallingNumber } from './line-dialling.server.ts';
import type { PhoneLine } from './phone-line.server.ts';
import type { PhoneParts } from './phone-parts.server.ts';

/** One call whose assistant may put its caller through. */
export interface TransferableCall {
  readonly callId: string;
  readonly line: PhoneLine;
  /** Our number in the call, which the other one sees. */
  readonly from: CallingNumber | undefined;
  /** Its conversation, which ends when the caller has been put through. */
  running(): Pick<RunningCall, 'end' | 'meter'>;
}

/** Words on a line, and what their voice is counted by. */
interface LineWords {
  readonly words: string;
  readonly callId: string;
  /** Of the call that they belong to: they cost it what its own words would. */
  readonly meter: CallMeter | undefined;
}

/** A dialogue is not waited for longer; the other one has so long to answer. */
const TRANSFER_RING_SECONDS = 18;
const SUMMARY_LENGTH = 400;
/** A greeting is so much speech, then so much quiet; nothing at all is waited for so long. */
const SPEECH = 0.5;
const GREETING_MS = 150;
const GREETING_PAUSE_MS = 600;
const SILENT_GREETING_MS = 8000;
const PLAYED_POLL_MS = 50;
const UNREACHED = 'Nobody answers there at the moment.';

/** What a dialogue may do with this call. */
export function callLine(parts: PhoneParts, call: () => TransferableCall): CallLine {
  return {
    sendTones: (digits) => call().line.leg.sendTones(digits),
    transfer: (destination, summary) => transfer(parts, call(), destination, summary),
  };
}

async function transfer(
  parts: PhoneParts,
  call: TransferableCall,
  destination: LineDestination,
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
  // The sound goes on without the assistant, whose call is over with it; its line stays with the caller.
  void bridgeLines(call.line, other);
  leave(call);
}

/** The other side's exchange puts the caller through by itself (RFC 3515). */
async function refer(call: TransferableCall, to: string): Promise<void> {
  const status = (await call.line.call?.refer(to)) ?? 481;
  if (status >= 300) throw new Error(`${UNREACHED} (${status})`);
  leave(call);
}

/** The assistant's part is over. */
const leave = (call: TransferableCall): void => call.running().end('assistant-forwarded-call');

/** The other side's exchange takes our place in the call with the person who was told of it (RFC 5589 §7). */
async function referAttended(call: TransferableCall, other: PhoneLine): Promise<void> {
  try {
    await refer(call, other.call?.replacingAddress() ?? '');
  } finally {
    other.hangUp();
  }
}

/** What a person hears who is put through to, before the caller. */
function wordsFor(mode: string, message: unknown, summary: string): string {
  const { content } = (typeof message === 'object' && message !== null ? message : { content: message }) as {
    content?: unknown;
  };
  const given = mode.endsWith('summary') || typeof content !== 'string' ? '' : content;
  return (given === '' ? summary : given).slice(0, SUMMARY_LENGTH);
}

/** Waits until the person has said something and is quiet again; who says nothing is spoken to all the same. */
async function hearGreeting(parts: PhoneParts, line: PhoneLine): Promise<void> {
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

/** Says something on a line to its end, or to the end of the call. @throws Error when nothing can be spoken */
export async function announce(
  parts: Pick<PhoneParts, 'engines' | 'log'>,
  line: PhoneLine,
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

/** Says something on a line without a conversation; queued when it resolves. @throws Error when nothing can be spoken */
async function speak(
  parts: Pick<PhoneParts, 'engines' | 'log'>,
  line: PhoneLine,
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
  // What is asked for is charged, whatever comes of it.
  meter?.spoke(words);
  try {
    for await (const pcm of voice.speak(words, stopped.signal)) line.leg.session.writePcm(pcm);
  } finally {
    voice.close();
  }
}

/** One line of a header: no line ends, no letters beyond ASCII, not long. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, SUMMARY_LENGTH);
