import { writeWave } from '@northline/speech/wave-file';
import { z } from 'zod';
import type { Plan } from '../../kernel/contract/plans.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { JsonBytes } from '../../kernel/http/json-slices.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { assistantOf } from '../calls/call-setup.server.ts';
import { fillAssistant } from '../calls/template-filling.server.ts';
import type { CallAssistant, VoiceEngines } from '../engines/engines.server.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import type { SampleCall, SampleLine } from '../site/sample-call.contract.ts';
import { openTypedConversation } from './typed-conversation.server.ts';

/** What a sample call is made from. */
export interface SampleParts {
  readonly resources: Pick<Resources, 'settings' | 'site' | 'log'>;
  readonly records: VoiceRecords;
  readonly engines: VoiceEngines;
  readonly defaultAssistantId: string;
}

/** Milliseconds for which a sample is kept, and for which a failure is not tried again. */
const FRESH_MS = 10 * 60_000;
const RETRY_MS = 60_000;
/**
 * Milliseconds that making a sample may take, and its length in seconds from which no further question is
 * asked.
 */
const PATIENCE_MS = 60_000;
const LONG_ENOUGH = 60;
const RATE = 16_000;
/** Silence between two lines, as in a usual conversation. */
const PAUSE = new Int16Array(0.5 * RATE);
/** The caller's voice, one of the embedded ones; the assistant has another. */
const CALLER = 'rms';

/** The caller's lines: about a plan that is sold today, the hours and the contract, and a goodbye. */
function callerLines(plan: Plan | undefined): string[] {
  return [
    ...(plan === undefined ? [] : [`How much is the ${plan.name}?`]),
    'What are your opening hours?',
    'Can I cancel at any time?',
    'Thank you, goodbye.',
  ];
}

/**
 * `GET sample-call`: a call to listen to. An invented caller asks the site's own assistant, which answers as
 * it does in calls; nothing is stored, booked or sent. It is made when somebody asks for it, once for
 * everybody, and anew after ten minutes, so that it says what a caller would hear today.
 *
 * Where a provider would make it, there is no sample (404 `no_sample_call`), even if the provider's price is
 * not known: a visitor's click must not cost anything.
 */
export function serveSampleCall(http: HttpContext, parts: SampleParts): void {
  const sample = keepFresh(() => makeSample(parts), Date.now);
  declareFunction(http, {
    name: 'sample-call',
    method: 'GET',
    callers: 'anyone',
    body: z.object({}),
    limit: { count: 20, seconds: 60 },
    handle: sample,
  });
}

/**
 * Calls `make` and gives its result to everybody who asks within ten minutes; a failure is tried again after
 * one minute.
 */
export function keepFresh<Made>(make: () => Promise<Made>, now: () => number): () => Promise<Made> {
  let kept: { until: number; readonly made: Promise<Made> } | undefined;
  return () => {
    if (kept !== undefined && now() < kept.until) return kept.made;
    const mine = { until: now() + FRESH_MS, made: make() };
    mine.made.catch(() => {
      mine.until = now() + RETRY_MS;
    });
    kept = mine;
    return mine.made;
  };
}

/**
 * @throws ServiceError 404 `no_sample_call` where a provider would make it, 503 where it cannot be made now
 */
async function makeSample({
  resources,
  records,
  engines,
  defaultAssistantId,
}: SampleParts): Promise<JsonBytes> {
  const assistant = fillAssistant(await assistantOf(records, { assistantId: defaultAssistantId }), {
    now: new Date(),
    zone: resources.settings.TIME_ZONE,
    brand: resources.settings.BRAND,
    warn: () => {},
  });
  const asked = { callId: 'sample', assistant, log: () => {} };
  for (const engine of ['model', 'voice'] as const)
    if ((await engines.provided?.(asked, engine)) === true)
      throw new ServiceError(404, 'no_sample_call', 'There is no sample call to play.');
  try {
    const call = await recordCall(engines, assistant, callerLines(resources.site.plans.sold[0]));
    return new JsonBytes(Buffer.from(JSON.stringify(call)));
  } catch (cause) {
    resources.log.warn({ err: cause }, 'no sample call could be made');
    throw new ServiceError(503, 'no_sample_call', 'There is no sample call to play at the moment.', {
      cause,
    });
  }
}

/** Holds the conversation and speaks both sides. @throws Error when an engine fails or takes too long */
async function recordCall(
  engines: VoiceEngines,
  assistant: CallAssistant,
  questions: readonly string[],
): Promise<SampleCall> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const voices: Readonly<Record<SampleLine['who'], CallAssistant>> = {
    assistant,
    caller: { ...assistant, voice: { provider: 'embedded', voiceId: CALLER } },
  };
  const conversation = await openTypedConversation(engines, {
    id: 'sample',
    assistant,
    signal,
    mostDollars: 0,
  });
  const pieces: Int16Array[] = [];
  const lines: SampleLine[] = [];
  const seconds = (): number => pieces.reduce((sum, { length }) => sum + length, 0) / RATE;
  const speak = async (who: SampleLine['who'], text: string): Promise<void> => {
    if (text === '') return;
    lines.push({ who, text, at: Math.round(seconds() * 100) / 100 });
    pieces.push(...(await spoken(engines, voices[who], text, signal)), PAUSE);
  };
  try {
    await speak('assistant', (await conversation.greet()).text);
    for (const line of questions) {
      if (seconds() > LONG_ENOUGH) break;
      await speak('caller', line);
      const { text, hungUp } = await conversation.say(line, []);
      await speak('assistant', text);
      if (hungUp) break;
    }
  } finally {
    conversation.close();
  }
  return { lines, seconds: seconds(), sound: writeWave(pieces).toString('base64') };
}

async function spoken(
  engines: VoiceEngines,
  assistant: CallAssistant,
  text: string,
  signal: AbortSignal,
): Promise<Int16Array[]> {
  const stream = await engines.openVoice({ callId: 'sample', assistant, log: () => {} });
  const pieces: Int16Array[] = [];
  try {
    for await (const piece of stream.speak(text, signal)) pieces.push(piece);
    signal.throwIfAborted();
    return pieces;
  } finally {
    stream.close();
  }
}
