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
  /** The assistant's part is over. */
  leave(): void;
}

/** A dialogue is not waited for longer; the other one has so long to answer. */
const TRANSFER_RING_SECONDS = 18;
const SUMMARY_LENGTH = 400;
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
  const route = await parts.dialling.route(destination, call.from);
  if (sipVerb === 'refer') return refer(call, route.to);
  const headers = /summary/.test(mode) ? { 'x-transfer-summary': headerText(summary) } : {};
  await parts.dialling.reserve(route, call.callId);
  const prepared = await parts.dialling.prepare(route);
  const other = prepared.line;
  parts.dialling.go(route, prepared, { ringSeconds: TRANSFER_RING_SECONDS, headers });
  void call.line.over.then(() => other.hangUp());
  try {
    await other.established;
  } catch (error) {
    parts.log(`a transfer was not answered: ${String(error)}`);
    throw new Error(UNREACHED, { cause: error });
  }
  if (destination.extension !== undefined) await other.leg.sendTones(`,${destination.extension}`);
  const words = wordsFor(mode, message, summary);
  if (words !== '') await speak(parts, other, words, call.callId);
  call.line.session.release();
  // The sound goes on without the assistant, whose call is over with it.
  void bridgeLines(call.line, other);
  call.leave();
}

/** The other side's exchange puts the caller through by itself (RFC 3515). */
async function refer(call: TransferableCall, to: string): Promise<void> {
  const status = (await call.line.call?.refer(to)) ?? 481;
  if (status >= 300) throw new Error(`${UNREACHED} (${status})`);
  call.leave();
}

/** What a person hears who is put through to, before the caller. */
function wordsFor(mode: string, message: unknown, summary: string): string {
  if (!mode.startsWith('warm-transfer')) return '';
  if (mode.endsWith('summary')) return summary.slice(0, SUMMARY_LENGTH);
  return typeof message === 'string' && message !== '' ? message : summary.slice(0, SUMMARY_LENGTH);
}

async function speak(parts: PhoneParts, line: PhoneLine, words: string, callId: string): Promise<void> {
  const voice = await parts.engines.openVoice({
    callId,
    assistant: {},
    log: (_level, text) => parts.log(text),
  });
  const stopped = new AbortController();
  void line.over.then(() => stopped.abort());
  try {
    for await (const pcm of voice.speak(words, stopped.signal)) line.leg.session.writePcm(pcm);
  } finally {
    voice.close();
  }
}

/** One line of a header: no line ends, no letters beyond ASCII, not long. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, SUMMARY_LENGTH);
