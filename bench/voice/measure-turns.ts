import type { CallerVoice } from '../../tests/support/voice/callers/flite-caller.ts';
import { type Figure, median, shown } from '../support/figure.ts';
import type { Product } from '../support/product.ts';
import { type CallRecording, callFromHome, type TurnParts } from './support/browser-call.ts';
import { type CallerSounds, silence } from './support/caller-sounds.ts';
import { envelope, firstSound, lastSound, placeOf, quantile, RATE } from './support/sound-find.ts';

/** Questions with answers that are short enough for the pause after them. */
export const QUESTIONS = [
  'How much is the pro plan?',
  'What are your opening hours?',
  'Can I cancel at any time?',
  'Who are you?',
  'What does the basic plan cost?',
  'How can I contact you?',
  'What is the price of the business plan?',
] as const;
const VOICES: readonly CallerVoice[] = ['rms', 'kal16', 'awb'];
/** The greeting plays during this time. */
const BEFORE_SECONDS = 8;
const PAUSE_SECONDS = 11;
/** If no answer has begun by then, the question counts as unanswered. */
const ANSWER_MS = 8000;
/** Envelopes with a lower correlation are not the same sound. */
const LIKE = 0.7;

/** The result of one series of turns. */
export interface TurnSeries {
  readonly asked: number;
  /** From the caller's last voiced sound to the first audible sound of the reply, at the browser, ms. */
  readonly voiceToVoice: readonly number[];
  readonly parts: readonly TurnParts[];
  readonly concealed: number;
  readonly received: number;
}

/** Plays questions from a WAV file as the microphone, one call for each voice. */
export async function measureTurns(
  product: Product,
  sounds: CallerSounds,
  {
    voices = VOICES,
    questions = QUESTIONS,
    pauseSeconds = PAUSE_SECONDS,
  }: {
    readonly voices?: readonly CallerVoice[];
    readonly questions?: readonly string[];
    readonly pauseSeconds?: number;
  } = {},
): Promise<TurnSeries> {
  const series = { asked: 0, voiceToVoice: [] as number[], parts: [] as TurnParts[] };
  let concealed = 0;
  let received = 0;
  for (const voice of voices) {
    const clips = await Promise.all(questions.map((question) => sounds.say(question, voice)));
    const pieces = [
      silence(BEFORE_SECONDS),
      ...clips.flatMap((clip) => [clip, silence(pauseSeconds)]),
      silence(30),
    ];
    const call = await callFromHome(product, { microphone: await sounds.file(pieces) });
    const seconds = BEFORE_SECONDS + clips.reduce((sum, clip) => sum + clip.length / RATE + pauseSeconds, 0);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const recording = await call.finish();
    series.asked += questions.length;
    series.voiceToVoice.push(...answersTo(recording, clips, pauseSeconds));
    series.parts.push(...recording.turns);
    concealed += recording.concealed;
    received += recording.received;
  }
  return { ...series, concealed, received };
}

/**
 * Milliseconds from the end of each clip to the first sound of the answer; turns without an answer are left
 * out.
 */
function answersTo(
  { caller, assistant }: CallRecording,
  clips: readonly Int16Array[],
  pauseSeconds: number,
): number[] {
  const found: number[] = [];
  let nominal = BEFORE_SECONDS * 1000;
  let shift: number | undefined;
  for (const clip of clips) {
    const levels = envelope(clip);
    const around = nominal + (shift ?? 0);
    const slack = shift === undefined ? 4000 : 500;
    const place = placeOf(levels, caller, around - slack, around + slack);
    nominal += (clip.length / RATE + pauseSeconds) * 1000;
    if (place.likeness < LIKE) continue;
    shift ??= place.ms - around;
    const end = place.ms + (lastSound(levels) ?? 0);
    const answer = firstSound(assistant, end, end + ANSWER_MS);
    // A voice that was already speaking before is not an answer.
    if (answer !== undefined && answer > end + 40) found.push(answer - end);
  }
  return found;
}

const PARTS: readonly (readonly [part: string, name: string])[] = [
  ['endpointingLatency', 'end of turn'],
  ['transcriberLatency', 'recognition'],
  ['modelLatency', 'first sentence'],
  ['voiceLatency', 'first sound made'],
  ['playoutLatency', 'waiting and sent'],
  ['turnLatency', 'in all at the server'],
];

/** The figures of a series: `aims` in milliseconds; the slowest is undefined when it has no aim. */
export function turnFigures(
  what: string,
  { asked, voiceToVoice, parts, concealed, received }: TurnSeries,
  aims: { readonly median: number; readonly p95: number | undefined },
): Figure[] {
  const middle = median(voiceToVoice);
  const slow = quantile(voiceToVoice, 0.95);
  const answered = `${voiceToVoice.length} of ${asked} turns answered`;
  const share = (100 * concealed) / Math.max(1, received);
  const partOf = (part: string): string => shown(median(parts.map((turn) => turn[part] ?? Number.NaN)), 'ms');
  return [
    {
      name: `${what}: reply heard after`,
      measured: shown(middle, 'ms'),
      against: answered,
      aim: `median at most ${aims.median} ms`,
      met: middle <= aims.median && voiceToVoice.length >= 0.9 * asked,
    },
    {
      name: `${what}: slowest 5 %`,
      measured: shown(slow, 'ms'),
      against: `slowest ${shown(Math.max(...voiceToVoice), 'ms')}`,
      aim: aims.p95 === undefined ? 'printed' : `at most ${aims.p95} ms`,
      met: aims.p95 === undefined || slow <= aims.p95,
    },
    {
      name: `${what}: its parts (medians)`,
      measured: partOf('turnLatency'),
      against: PARTS.map(([part, name]) => `${name} ${partOf(part)}`).join(', '),
      aim: 'printed',
      met: true,
    },
    {
      name: `${what}: concealed samples`,
      measured: shown(share, '%'),
      against: `${received.toLocaleString('en-GB')} samples received`,
      aim: 'under 2 %',
      met: share < 2,
    },
  ];
}
