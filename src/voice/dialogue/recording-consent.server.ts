import type {
  CallerTurn,
  DialogueManager,
  DialogueStep,
  SpokenTurn,
  VoiceEngines,
} from '../engines/engines.server.ts';
import { normaliseWords, plainWords } from './spoken/word-normalisation.server.ts';
import { readConsent } from './spoken-form.server.ts';

type Steps = AsyncGenerator<DialogueStep, void>;

const AGREED = 'Thank you, this call is recorded from now on.';
const REFUSED = 'All right, this call is not recorded.';
const GOES_ON = 'How can I help you?';
const WITHDRAWN = 'The recording has been stopped, and what was recorded is deleted.';
/** Takes the consent back, in any words that name the recording. */
const WITHDRAWS =
  /\b(stop|end|delete|erase|cancel|remove|without|no|not)\b.*\b(recording|recordings|recorded)\b|\b(not|stop) record\b/;
/** Times that it is asked again; who answers neither yes nor no is not recorded. */
const MOST_QUESTIONS = 2;
/** Words of an answer beyond which it is more than an answer. */
const SHORT_ANSWER = 6;

/** What is asked before anything is recorded. */
export interface ConsentQuestion {
  readonly question: string;
  /** It is asked before the first message, which waits for what comes of it; otherwise after it. */
  readonly first: boolean;
}

/**
 * Engines whose dialogue asks whether the call may be recorded, and heeds who takes it back later
 * (docs/security-attacks.md, attack 44). An answer counts only when the question was heard to its end.
 */
export function withRecordingConsent(engines: VoiceEngines, asked: ConsentQuestion): VoiceEngines {
  return {
    ...engines,
    openDialogue: async (call) => askingConsent(await engines.openDialogue(call), asked),
  };
}

function askingConsent(inner: DialogueManager, { question, first }: ConsentQuestion): DialogueManager {
  const tail = plainWords(question).slice(-3).join(' ');
  let consent: 'open' | 'given' | 'refused' = 'open';
  let asked = 0;

  /** What was heard last, where it ends with the question. */
  const wasHeard = (history: readonly SpokenTurn[]): boolean => {
    const last = history.findLast(({ role }) => role === 'assistant');
    return last !== undefined && plainWords(last.text).join(' ').endsWith(tail);
  };

  async function* askAgain(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    yield* inner.reply(turn, history, signal);
    if (signal.aborted) return;
    asked += 1;
    if (asked <= MOST_QUESTIONS) {
      yield { kind: 'sentence', text: question };
      return;
    }
    consent = 'refused';
    yield { kind: 'consent', to: 'recording', given: false };
  }

  /** What follows an answer: more that the caller has asked with it, the first message, or a question. */
  async function* answered(given: boolean, rest?: () => AsyncIterable<DialogueStep>): Steps {
    consent = given ? 'given' : 'refused';
    // Who has asked for something already has been answered: greetings come too late.
    const greets = first && asked === 0 && rest === undefined;
    yield { kind: 'consent', to: 'recording', given, greets };
    if (rest !== undefined) return yield* rest();
    const told = given ? AGREED : REFUSED;
    yield { kind: 'sentence', text: greets ? told : `${told} ${GOES_ON}` };
  }

  async function* reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    const text = normaliseWords(turn.text);
    if (consent !== 'refused' && WITHDRAWS.test(text)) {
      if (consent === 'open') return yield* answered(false);
      consent = 'refused';
      yield { kind: 'consent', to: 'recording', given: false };
      yield { kind: 'sentence', text: WITHDRAWN };
      return;
    }
    if (consent !== 'open') return yield* inner.reply(turn, history, signal);
    const agreed = wasHeard(history) ? readConsent(text) : null;
    if (agreed === null) return yield* askAgain(turn, history, signal);
    const more = text.split(' ').length > SHORT_ANSWER;
    yield* answered(agreed, more ? () => inner.reply(turn, history, signal) : undefined);
  }

  return {
    name: inner.name,
    // Who has the word may change.
    get followsInstructions() {
      return inner.followsInstructions;
    },
    async *greet(signal) {
      yield* inner.greet(signal);
      if (!first) yield { kind: 'sentence', text: question };
    },
    reply,
    ...(inner.analyse === undefined ? {} : { analyse: inner.analyse.bind(inner) }),
    usage: () => inner.usage(),
    close: () => inner.close(),
  };
}
