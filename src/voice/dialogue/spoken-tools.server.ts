import { randomUUID } from 'node:crypto';
import type { CallerTurn, DialogueManager, DialogueStep } from '../engines/engines.server.ts';
import type { ModelTool } from './model/model-tools.server.ts';
import { runTool } from './model/tool-run.server.ts';
import { sayResult } from './spoken/result-saying.server.ts';
import { plainWords } from './spoken/word-normalisation.server.ts';

type Tools = Readonly<Record<string, ModelTool>>;

/** Words that a plain request may have beside those of the action: `I would like you to … please`. */
const CIVIL_WORDS = 7;
const FAILED = 'I am sorry, that did not work just now.';
/** Words that, in a tool's name, say what a program does, and not what a caller asks for. */
const VERBS = new Set([
  'get',
  'fetch',
  'check',
  'find',
  'look',
  'lookup',
  'read',
  'list',
  'up',
  'the',
  'of',
  'for',
]);

/** Verbs of tools that only look something up; any other tool may change something. */
const LOOKS_UP = /^(get|fetch|check|find|look|lookup|read|list|search|show|query|is|has|count|track)/i;
/** Words that speak about an action without asking for it: `how do I cancel`, `I do not want to cancel`. */
const ONLY_MENTIONS =
  /\b(not|never|don't|didn't|won't|without|if|when|how|what|why|whether|who|already|instead of|can i|could i|may i|do i|did|does|was|were|has|have been)\b/;

/**
 * Lets a dialogue without a language model call an assistant's own tools: where a caller says the words of a
 * tool's name, and the tool needs no argument, or only the question itself. A tool that may change something
 * is called only by a plain request of a few words, and none while a form of the dialogue is open.
 */
export function withSpokenTools(dialogue: DialogueManager, tools: Tools): DialogueManager {
  const offered = Object.entries(tools).flatMap(([name, tool]) => {
    const words = wordsOf(name);
    const input = inputOf(tool);
    return words.length === 0 || input === undefined ? [] : [{ name, tool, words, input }];
  });
  if (offered.length === 0) return dialogue;
  return {
    ...dialogue,
    async *reply(turn, history, signal) {
      const spoken = plainWords(turn.text);
      const said = new Set(spoken.map(stem));
      const meant = dialogue.awaitsAnswer?.()
        ? undefined
        : offered.find(
            ({ name, words }) =>
              words.every((word) => said.has(word)) &&
              (LOOKS_UP.test(name) || isRequest(spoken, words.length)),
          );
      if (meant === undefined) yield* dialogue.reply(turn, history, signal);
      else yield* callTool(meant.name, meant.tool, meant.input(turn));
    },
  };
}

/** Whether words plainly ask for an action, such as `please cancel my contract`. @param words how many words name it */
const isRequest = (spoken: readonly string[], words: number): boolean =>
  spoken.length <= words + CIVIL_WORDS && !ONLY_MENTIONS.test(spoken.join(' '));

/** Calls a tool, and says what came of it: its own sentence, or its result as a person would say it. */
export async function* callTool(
  name: string,
  tool: ModelTool,
  given: Readonly<Record<string, unknown>>,
): AsyncGenerator<DialogueStep, void> {
  const { result, failed, said, ends } = yield* runTool(tool, { id: randomUUID(), name, given });
  // The caller is told that a server failed, and can ask for something else.
  if (!said) yield { kind: 'sentence', text: failed ? FAILED : sayResult(result) };
  if (ends) yield { kind: 'hang-up', reason: 'assistant-ended-call' };
}

/**
 * The words that ask for a tool: `getOpeningHours` and `get_opening_hours` are asked for with `opening` and
 * `hours`.
 */
function wordsOf(name: string): string[] {
  return plainWords(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]/g, ' '))
    .filter((word) => !VERBS.has(word))
    .map(stem);
}
const stem = (word: string): string => word.replace(/s$/, '');

/**
 * The arguments of a tool: none, or the caller's words where they are the only argument. Undefined for other
 * tools.
 */
function inputOf({ parameters }: ModelTool): ((turn: CallerTurn) => Record<string, unknown>) | undefined {
  const { required } = (parameters ?? {}) as { required?: unknown };
  const needed = Array.isArray(required) ? required : [];
  if (needed.length === 0) return () => ({});
  const [name] = needed;
  if (needed.length > 1 || !['query', 'question', 'text', 'message', 'input'].includes(String(name)))
    return undefined;
  return ({ text }) => ({ [String(name)]: text });
}
