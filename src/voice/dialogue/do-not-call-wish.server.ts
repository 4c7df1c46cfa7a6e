import type { CallerTurn, SpokenTurn, VoiceEngines } from '../engines/engines.server.ts';
import { normaliseWords } from './spoken/word-normalisation.server.ts';

const CALL = '(?:call|ring|phone|contact)';
const US = '(?:me|us|here|this number|my number|our number)';
/** Wishes not to be called at all; `do not call me before nine` does not match. */
const WISHES = [
  new RegExp(
    `\\b(?:do not|not|never|stop) (?:ever )?(?:to )?${CALL} ${US} (?:again|any ?more|ever|any longer)\\b`,
  ),
  new RegExp(`\\bnever (?:ever )?${CALL} ${US}\\b`),
  new RegExp(`\\bdo not (?:ever )?${CALL} ${US}(?: please)?$`),
  /\b(?:stop|quit) (?:calling|ringing|phoning|contacting)\b/,
  /\b(?:take|remove|delete|strike) (?:me|us|my number|our number|this number) (?:off|from|out of) (?:your|the|this)(?: \w+){0,2} lists?\b/,
  /\bdo not call (?:list|register)\b/,
];
const DONE = 'All right, nobody calls this number from here any more.';

/** Whether somebody asks not to be called any more. */
export function asksNotToBeCalled(text: string): boolean {
  const words = normaliseWords(text);
  return WISHES.some((wish) => wish.test(words));
}

/**
 * Engines whose dialogue recognises a caller who does not want to be called any more. The wish is recorded as
 * a withdrawn consent (`to: 'be-called'`), and it ends a call that we made.
 */
export function withStopWords(engines: VoiceEngines, goesOut: boolean): VoiceEngines {
  return {
    ...engines,
    async openDialogue(call) {
      const inner = await engines.openDialogue(call);
      return {
        ...inner,
        name: inner.name,
        ...(inner.awaitsAnswer === undefined ? {} : { awaitsAnswer: inner.awaitsAnswer.bind(inner) }),
        greet: (signal) => inner.greet(signal),
        async *reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal) {
          if (!asksNotToBeCalled(turn.text)) return yield* inner.reply(turn, history, signal);
          yield { kind: 'consent', to: 'be-called', given: false };
          yield { kind: 'sentence', text: goesOut ? `${DONE} Goodbye.` : DONE };
          if (goesOut) yield { kind: 'hang-up', reason: 'assistant-ended-call' };
        },
        ...(inner.analyse === undefined ? {} : { analyse: inner.analyse.bind(inner) }),
        usage: () => inner.usage(),
        close: () => inner.close(),
      };
    },
  };
}
