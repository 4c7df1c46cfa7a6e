import { setTimeout as pause } from 'node:timers/promises';
import type { DialogueStep } from '../../engines/engines.server.ts';
import type { ModelTool } from './model-tools.server.ts';

/** What an assistant's author wants said about a tool (the published API: `tool.messages`). */
export interface ToolSayings {
  /** `request-start`: said before the tool is called; it may depend on the tool's arguments. */
  readonly begun?: string | ((given: unknown) => string | undefined) | undefined;
  /** `request-response-delayed`: said once, if there is no answer after `ms` milliseconds. */
  readonly delayed?: { readonly text: string; readonly ms: number } | undefined;
  /** `request-complete`: said instead of an answer that the dialogue makes from the result. */
  readonly completed?: Saying | undefined;
  /** `request-failed`: the same where the tool failed. */
  readonly failed?: Saying | undefined;
}

/** A sentence, and whether the call ends with it. */
export interface Saying {
  readonly text: string;
  readonly ends: boolean;
}

/** A result with a sentence for the caller from the tool's server (`results[].message`). */
export class SaidResult {
  readonly result: unknown;
  readonly saying: string;

  constructor(result: unknown, saying: string) {
    this.result = result;
    this.saying = saying;
  }
}

/** The outcome of a tool call. */
export interface ToolOutcome {
  /** An object with `error` where the tool failed. */
  readonly result: unknown;
  readonly failed: boolean;
  /** Whether the caller has been told the outcome, so that the dialogue need not answer with the result. */
  readonly said: boolean;
  /** Whether the call ends after it. */
  readonly ends: boolean;
}

/** Milliseconds after which a tool is late, where the assistant does not say otherwise. */
const LATE_MS = 3000;

interface Message {
  readonly type?: unknown;
  readonly role?: unknown;
  readonly content?: unknown;
  readonly contents?: unknown;
  readonly conditions?: unknown;
  readonly timingMilliseconds?: unknown;
  readonly endCallAfterSpokenEnabled?: unknown;
}

/**
 * What is said while a tool works and afterwards. Messages with conditions, or for the model only, are not
 * said.
 */
export function sayings({ messages }: { readonly messages?: unknown }): ToolSayings {
  const list = (Array.isArray(messages) ? messages : []) as Message[];
  const find = (type: string): (Message & { text: string }) | undefined => {
    const found = list.find(
      (one) => one.type === type && one.role !== 'system' && noneOf(one.conditions) && textOf(one) !== '',
    );
    return found === undefined ? undefined : { ...found, text: textOf(found) };
  };
  const late = find('request-response-delayed');
  const saying = (type: string): Saying | undefined => {
    const found = find(type);
    return found && { text: found.text, ends: found.endCallAfterSpokenEnabled === true };
  };
  return {
    begun: find('request-start')?.text,
    delayed: late && { text: late.text, ms: Number(late.timingMilliseconds ?? LATE_MS) || LATE_MS },
    completed: saying('request-complete'),
    failed: saying('request-failed'),
  };
}

const noneOf = (conditions: unknown): boolean => !Array.isArray(conditions) || conditions.length === 0;

/**
 * The text of a message: of several languages the English one, otherwise the first; these come before
 * `content`.
 */
function textOf({ content, contents }: Message): string {
  const ways = (Array.isArray(contents) ? contents : []) as { text?: unknown; language?: unknown }[];
  const way = ways.find(({ language }) => /^en\b/.test(String(language))) ?? ways[0];
  const text = way?.text ?? content;
  return typeof text === 'string' ? text.trim() : '';
}

/**
 * Runs a tool, says what is to be said meanwhile, and reports the call and its result. A refusal is a result
 * as well.
 */
export async function* runTool(
  tool: ModelTool | undefined,
  { id, name, given }: { readonly id: string; readonly name: string; readonly given: unknown },
): AsyncGenerator<DialogueStep, ToolOutcome> {
  const begun = typeof tool?.begun === 'function' ? tool.begun(given) : tool?.begun;
  if (begun !== undefined) yield { kind: 'sentence', text: begun };
  yield { kind: 'tool-call', id, name, arguments: given as Record<string, unknown> };
  const running = resultOf(tool, name, { id, given });
  if (tool?.delayed !== undefined && !(await settledWithin(running, tool.delayed.ms)))
    yield { kind: 'sentence', text: tool.delayed.text };
  const { result, failed, saying } = await running;
  if (tool?.consent && !failed) yield { kind: 'consent', to: tool.consent, given: true };
  yield { kind: 'tool-result', id, name, result };
  const said = saying ?? (failed ? tool?.failed : tool?.completed);
  if (said !== undefined) yield { kind: 'sentence', text: said.text };
  return { result, failed, said: said !== undefined, ends: said?.ends === true };
}

interface Result {
  readonly result: unknown;
  readonly failed: boolean;
  readonly saying?: Saying | undefined;
}

async function resultOf(
  tool: ModelTool | undefined,
  name: string,
  { id, given }: { readonly id: string; readonly given: unknown },
): Promise<Result> {
  try {
    if (tool === undefined) throw new Error(`There is no tool ${name}.`);
    const result = await tool.run(given, id);
    if (!(result instanceof SaidResult)) return { result, failed: isFailure(result) };
    return { result: result.result, failed: false, saying: { text: result.saying, ends: false } };
  } catch (error) {
    return { result: { error: error instanceof Error ? error.message : String(error) }, failed: true };
  }
}

const isFailure = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'error' in result;

/** Whether a promise that never rejects settles within `ms` milliseconds. */
async function settledWithin(running: Promise<unknown>, ms: number): Promise<boolean> {
  const clock = new AbortController();
  const late = pause(ms, false, { signal: clock.signal }).catch(() => false);
  const settled = await Promise.race([running.then(() => true), late]);
  clock.abort();
  return settled;
}
