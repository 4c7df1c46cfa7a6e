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

const AGREED = 'Thank you, this call is recorded from now on. How can I help you?';
const REFUSED = 'All right, this call is not recorded. How can I help you?';
const WITHDRAWN = 'The recording has been stopped, and what was recorded is deleted.';
/** Takes the consent back, in any words that name the recording. */
const WITHDRAWS =
  /\b(stop|end|delete|erase|cancel|remove|without|no|not)\b.*\b(recording|recordings|recorded)\b|\b(not|stop) record\b/;
/** Times that it is asked again; who answers neither yes nor no is not recorded. */
const MOST_QUESTIONS = 2;
/** Words of an answer beyond which it is more than an answer. */
const SHORT_ANSWER = 6;

/**
 * Engines whose dialogue asks whether the call may be recorded, and heeds who takes it back later
 * (docs/security-attacks.md, attack 44). An answer counts only when the question was heard to its end.
 */
export function withRecordingConsent(engines: VoiceEngines, question: string): VoiceEngines {
  return {
    ...engines,
    openDialogue: async (call) => askingConsent(await engines.openDialogue(call), question),
  };
}

function askingConsent(inner: DialogueManager, question: string): DialogueManager {
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

  async function* answered(given: boolean, rest: () => AsyncIterable<DialogueStep> | undefined): Steps {
    consent = given ? 'given' : 'refused';
    yield { kind: 'consent', to: 'recording', given };
    const more = rest();
    if (more === undefined) yield { kind: 'sentence', text: given ? AGREED : REFUSED };
    else yield* more;
  }

  async function* reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    const text = normaliseWords(turn.text);
    if (consent !== 'refused' && WITHDRAWS.test(text)) {
      const recorded = consent === 'given';
      consent = 'refused';
      yield { kind: 'consent', to: 'recording', given: false };
      yield { kind: 'sentence', text: recorded ? WITHDRAWN : REFUSED };
      return;
    }
    if (consent !== 'open') return yield* inner.reply(turn, history, signal);
    const agreed = wasHeard(history) ? readConsent(text) : null;
    if (agreed === null) return yield* askAgain(turn, history, signal);
    const rest =
      text.split(' ').length > SHORT_ANSWER ? () => inner.reply(turn, history, signal) : () => undefined;
    yield* answered(agreed, rest);
  }

  return {
    name: inner.name,
    // Who has the word may change.
    get followsInstructions() {
      return inner.followsInstructions;
    },
    async *greet(signal) {
      yield* inner.greet(signal);
      yield { kind: 'sentence', text: question };
    },
    reply,
    ...(inner.analyse === undefined ? {} : { analyse: inner.analyse.bind(inner) }),
    usage: () => inner.usage(),
    close: () => inner.close(),
  };
}
