/**
 * Telephones in their own process, so that they take no time from the server. Started by
 * `measure-telephone.ts` with their task as JSON in the arguments.
 */

import type { LineQuality } from '@northline/telephone-audio/sound-session';
import { joined } from '../../packages/telephone-audio/src/sounds.fixture.ts';
import { seeded } from '../../tests/histories/random.ts';
import type { CallerVoice } from '../../tests/support/voice/callers/flite-caller.ts';
import { openTelephone, type Telephone } from '../../tests/support/voice/sip-telephone.ts';
import { QUESTIONS } from './measure-turns.ts';
import { openCallerSounds } from './support/caller-sounds.ts';
import { lossyLine } from './support/lossy-line.ts';
import { envelope, firstSound, lastSound } from './support/sound-find.ts';

/** The task of the telephones. */
export interface TelephoneTask {
  /** Address of the number, `sip:+1202…@127.0.0.1:port`. */
  readonly uri: string;
  /** One call for each of these voices; all at once, each two seconds after the one before. */
  readonly voices: readonly CallerVoice[];
  readonly questions: number;
  readonly pauseSeconds: number;
  /** How many of a hundred sound packets are lost in each direction. */
  readonly lossPercent: number;
}

/** What one telephone heard. */
export interface TelephoneCallFigures {
  /** From the INVITE to the first audible sound, ms; undefined without any sound. */
  readonly greetingMs: number | undefined;
  readonly asked: number;
  /**
   * From the last sound of each question, when it was sent, to the first sound of the reply, when it was
   * heard, ms.
   */
  readonly replies: readonly number[];
  readonly quality: LineQuality | undefined;
}

/** Message to the parent when all have hung up. */
export interface TelephoneNews {
  readonly calls: readonly TelephoneCallFigures[];
}

const FRAME_MS = 20;
/** The greeting plays during this time. */
const BEFORE_SECONDS = 9;
/** If no reply has begun by then, the question counts as unanswered. */
const ANSWER_MS = 8000;
const STAGGER_MS = 2000;
const SEED = 1;

const task = JSON.parse(process.argv[2] ?? '{}') as TelephoneTask;
const sounds = await openCallerSounds();
const clips = await Promise.all(
  task.voices.map((voice) =>
    Promise.all(QUESTIONS.slice(0, task.questions).map((question) => sounds.say(question, voice))),
  ),
);
await sounds.close();
const random = seeded(SEED);
const telephone = await openTelephone(
  undefined,
  task.lossPercent === 0 ? undefined : (leg) => lossyLine(leg, task.lossPercent, random),
);
const calls = await Promise.all(
  clips.map((sentences, at) => wait(at * STAGGER_MS).then(() => talk(sentences, at))),
);
await telephone.close();
process.send?.({ calls } satisfies TelephoneNews);
process.disconnect();

async function talk(sentences: readonly Int16Array[], at: number): Promise<TelephoneCallFigures> {
  const made = await telephone.dial(task.uri, `sip:+120255501${String(at).padStart(2, '0')}@127.0.0.1`);
  const dialled = performance.now();
  const line = listen(made.leg.session);
  await wait(BEFORE_SECONDS * 1000);
  const replies: number[] = [];
  for (const sentence of sentences) {
    const from = line.nowMs();
    made.leg.session.writePcm(sentence);
    await wait((sentence.length / 16 + task.pauseSeconds * 1000) | 0);
    const reply = line.replyAfter(from, sentence.length / 16);
    if (reply !== undefined) replies.push(reply);
  }
  const { quality } = made.leg.session.stats();
  made.call.hangUp();
  const first = line.firstHeardAt();
  return {
    greetingMs: first === undefined ? undefined : first - dialled,
    asked: sentences.length,
    replies,
    quality,
  };
}

/**
 * Both directions of a call at its telephone: with each tick of 20 ms one frame is sent and one is received.
 */
function listen(session: Awaited<ReturnType<Telephone['dial']>>['leg']['session']) {
  const [said, heard]: [Int16Array[], Int16Array[]] = [[], []];
  let began: number | undefined;
  session.onSent((frame) => void said.push(frame.slice()));
  session.onPcm16k((frame) => {
    began ??= performance.now() - FRAME_MS;
    heard.push(frame.slice());
  });
  return {
    /** Milliseconds of the call so far. */
    nowMs: (): number => said.length * FRAME_MS,
    /** When the first sound was heard, by the machine's clock. */
    firstHeardAt(): number | undefined {
      const first = firstSound(envelope(joined(heard)));
      return first === undefined || began === undefined ? undefined : began + first;
    },
    /** Milliseconds from the end of what was said from `from` on, lasting `lasting`, to the reply. */
    replyAfter(from: number, lasting: number): number | undefined {
      const end = lastSound(envelope(joined(said)), from + lasting + 2 * FRAME_MS, from);
      if (end === undefined) return undefined;
      const answer = firstSound(envelope(joined(heard)), end, end + ANSWER_MS);
      // A voice that was already speaking before is not a reply.
      return answer === undefined || answer <= end + 2 * FRAME_MS ? undefined : answer - end;
    },
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
