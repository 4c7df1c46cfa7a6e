import { type Figure, shown } from '../support/figure.ts';
import type { Product } from '../support/product.ts';
import { talkInCall, told } from './support/call-talk.ts';
import type { CallerSounds } from './support/caller-sounds.ts';
import { cough } from './support/caller-sounds.ts';
import { envelope, firstSilence, firstSound, placeOf, quantile, soundBetween } from './support/sound-find.ts';

/** The answer to it is long enough to be interrupted. */
const LONG_QUESTION = 'Tell me about your automated phone system.';
const INTERRUPTIONS = [
  'Stop, please.',
  'How much is the pro plan?',
  'Wait, I have another question.',
  'What are your opening hours?',
  'Excuse me, who are you?',
] as const;
/** How long the answer has been audible when the caller interrupts. */
const INTO_ANSWER_MS = 1500;
/** Silence of the assistant that is longer than a breath between two words. */
const SILENT_MS = 300;
/**
 * When an answer is cut, a fifth of it is heard; when it is only held, nearly all, without the syllables at
 * the hold.
 */
const WHOLE = 0.7;
/** An answer begins within this time. */
const ANSWER_MS = 1500;
/** How long the caller waits until everything has certainly been said. */
const ALL_SAID_MS = 2500;

/** Milliseconds from the first sound of an interrupting caller to the assistant's silence. */
export async function measureBargeIn(product: Product, sounds: CallerSounds): Promise<Figure> {
  const delays: number[] = [];
  for (const voice of ['rms', 'awb'] as const) {
    const clips: Record<string, Int16Array> = { question: await sounds.say(LONG_QUESTION, voice) };
    for (const words of INTERRUPTIONS) clips[words] = await sounds.say(words, voice);
    const begun: { clip: string; at: number }[] = [];
    const recording = await talkInCall(product, clips, async ({ speak, heard, silent }) => {
      await heard(INTO_ANSWER_MS, 0);
      await silent(ALL_SAID_MS);
      for (const words of INTERRUPTIONS) {
        await heard(INTO_ANSWER_MS, await speak('question'));
        begun.push({ clip: words, at: await speak(words) });
        // Not every interruption gets an answer.
        await silent(ALL_SAID_MS + ANSWER_MS);
      }
    });
    for (const { clip, at } of begun) {
      const sound = envelope(clips[clip] ?? new Int16Array(0));
      // Measured at the microphone's track: the page's own path to that track is not part of a call.
      const place = placeOf(sound, recording.caller, at - 100, at + 600);
      const onset = place.ms + (firstSound(sound) ?? 0);
      const spoke = soundBetween(recording.assistant, onset - 200, onset) > 0;
      const silentAt = firstSilence(recording.assistant, onset, SILENT_MS);
      if (spoke && silentAt !== undefined) delays.push(silentAt - onset);
    }
  }
  const slow = quantile(delays, 0.95);
  return {
    name: 'Barge-in: silent after',
    measured: shown(slow, 'ms'),
    against: `slowest 5 % of ${delays.length}, median ${shown(quantile(delays, 0.5), 'ms')}`,
    aim: 'at most 300 ms',
    met: slow <= 300 && delays.length >= INTERRUPTIONS.length,
  };
}

/** Whether a noise or an acknowledgement in the middle of an answer stops it. */
export async function measureFalseInterruptions(product: Product, sounds: CallerSounds): Promise<Figure> {
  const clips: Record<string, Int16Array> = {
    question: await sounds.say(LONG_QUESTION),
    cough: cough(),
    'uh-huh': await sounds.say('Uh huh.'),
    okay: await sounds.say('Okay.'),
    yeah: await sounds.say('Yeah.', 'awb'),
  };
  const noises = Object.keys(clips).filter((name) => name !== 'question');
  const asked: number[] = [];
  const recording = await talkInCall(product, clips, async ({ speak, heard, silent }) => {
    await heard(INTO_ANSWER_MS, 0);
    await silent(ALL_SAID_MS);
    for (const noise of [undefined, ...noises]) {
      const at = await speak('question');
      asked.push(at);
      await heard(INTO_ANSWER_MS, at);
      if (noise !== undefined) await speak(noise);
      await silent(ALL_SAID_MS);
    }
  });
  const answers = asked.map((from, index) => {
    const to = asked[index + 1] ?? recording.assistant.length * 5;
    return {
      sound: soundBetween(recording.assistant, from, to),
      cut: told(recording.messages, from, to, 'user-interrupted').length > 0,
    };
  });
  const whole = answers[0]?.sound ?? 0;
  const lost = noises.flatMap((noise, index) => {
    const { sound = 0, cut = true } = answers[index + 1] ?? {};
    if (!cut && sound >= WHOLE * whole) return [];
    return `${noise} (${shown(sound / 1000, 's')} heard${cut ? ', interrupted' : ''})`;
  });
  const lengths = `the answer is ${shown(whole / 1000, 's')} long`;
  return {
    name: 'Cough, uh-huh, okay, yeah',
    measured: `${lost.length} of ${noises.length}`,
    against: lost.length === 0 ? lengths : `${lengths}; lost: ${lost.join(', ')}`,
    aim: 'no answer lost',
    met: lost.length === 0 && whole > 0,
  };
}

/** Whether the assistant interrupts itself: its own voice is played into the microphone, 20 dB quieter. */
export async function measureEcho(product: Product, sounds: CallerSounds): Promise<Figure> {
  const clips = {
    question: await sounds.say(LONG_QUESTION),
    other: await sounds.say('Do you offer lead generation?'),
  };
  const recording = await talkInCall(
    product,
    clips,
    async ({ speak, heard, silent }) => {
      await heard(INTO_ANSWER_MS, 0);
      await silent(ALL_SAID_MS);
      for (const clip of ['question', 'other']) {
        await heard(300, await speak(clip));
        await silent(ALL_SAID_MS);
      }
    },
    0.1,
  );
  const end = recording.assistant.length * 5;
  const cut = told(recording.messages, 0, end, 'user-interrupted').length;
  const heard = told(recording.messages, 0, end, 'transcript').filter(
    ({ role, transcriptType }) => role === 'user' && transcriptType === 'final',
  );
  const own = heard.length - Object.keys(clips).length;
  return {
    name: 'Own voice 20 dB down',
    measured: `${cut} cut`,
    against:
      own === 0
        ? 'no word of it taken for the caller'
        : `understood: ${heard.map(({ transcript }) => transcript).join(' / ')}`,
    aim: 'no self-interruption',
    met: cut === 0 && own <= 0,
  };
}
