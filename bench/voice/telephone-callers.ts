/**
 * Telephones in a process of their own, so that they take no time from the server's: run by `measure-telephone.ts` with
 * what they are to do as JSON in the arguments.
 */

import type { LineQuality } from '@northline/telephone-audio/sound-session';
import { joined } from '../../packages/telephone-audio/src/sounds.fixture.ts';
import type { FliteVoice } from '../../src/voice/engines/speech/speech-client.server.ts';
import { seeded } from '../../tests/histories/random.ts';
import { openTelephone, type Telephone } from '../../tests/support/voice/sip-telephone.ts';
import { QUESTIONS } from './measure-turns.ts';
import { openCallerSounds } from './support/caller-sounds.ts';
import { lossyLine } from './support/lossy-line.ts';
import { envelope, firstSound, lastSound } from './support/sound-find.ts';

/** What the telephones are to do. */
export interface TelephoneTask {
  /** Address of the number, `sip:+1202…@127.0.0.1:port`. */
  readonly uri: string;
  /** One call for each, in this voice; all at once, each two seconds after the one before. */
  readonly voices: readonly FliteVoice[];
  readonly questions: number;
  readonly pauseSeconds: number;
  /** Of a hundred packets of sound in each direction, how many get lost. */
  readonly lossPercent: number;
}

/** What one telephone heard. */
export interface TelephoneCallFigures {
  /** From the INVITE to the first sound that was heard, ms; undefined where none was. */
  readonly greetingMs: number | undefined;
  readonly asked: number;
  /** From the last sound of each question, as it left, to the first of the reply, as it is heard, ms. */
  readonly replies: readonly number[];
  readonly quality: LineQuality | undefined;
}

/** Told to the parent when all have hung up. */
export interface TelephoneNews {
  readonly calls: readonly TelephoneCallFigures[];
}

const FRAME_MS = 20;
/** The greeting is heard in it. */
const BEFORE_SECONDS = 9;
/** A reply that has not begun by then counts as none. */
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

/** Both directions of a call as its telephone has them: a frame goes out and one is heard with each tick of 20 ms. */
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
    /** When the first sound was heard, on the machine's clock. */
    firstHeardAt(): number | undefined {
      const first = firstSound(envelope(joined(heard)));
      return first === undefined || began === undefined ? undefined : began + first;
    },
    /** Milliseconds from the end of what was said since `from`, and lasted so long, to the answer. */
    replyAfter(from: number, lasting: number): number | undefined {
      const end = lastSound(envelope(joined(said)), from + lasting + 2 * FRAME_MS, from);
      if (end === undefined) return undefined;
      const answer = firstSound(envelope(joined(heard)), end, end + ANSWER_MS);
      // A voice that is still there from before is no reply.
      return answer === undefined || answer <= end + 2 * FRAME_MS ? undefined : answer - end;
    },
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
