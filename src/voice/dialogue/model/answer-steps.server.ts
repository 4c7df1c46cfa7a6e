import { z } from 'zod';
import type { DialogueStep } from '../../engines/engines.server.ts';
import { END_CALL, type ModelTool } from './model-tools.server.ts';
import { runTool, type ToolOutcome } from './tool-run.server.ts';

/** The steps of an answer, in order. */
export type Steps = AsyncGenerator<DialogueStep, void>;

/** A tool that a model calls; `text` is JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/**
 * Rounds of tool calls after which a turn ends: a model that goes on calling tools would keep the caller
 * waiting.
 */
export const MOST_ROUNDS = 4;
/** Said where a model says nothing, or breaks off. */
export const LOST_THREAD = 'Sorry, I lost my thread. Could you say that again?';
/**
 * Most tool calls of one round, and most characters of their arguments and of one answer: a model that
 * exceeds them has lost its way, or was led astray.
 */
export const MOST_CALLS = 6;
const LONGEST_ARGUMENTS = 8000;
export const LONGEST_ANSWER = 4000;
/** What a model is told when a call begins. */
export const PICKED_UP = '(The caller has just picked up. Greet them: say that you are an AI assistant.)';

/** The tools in the form that a model gets. */
export function offeredTools(tools: Readonly<Record<string, ModelTool>>): {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}[] {
  return Object.entries(tools).map(([name, tool]) => ({
    name,
    description: tool.description,
    parameters: parametersOf(tool),
  }));
}

/** Calls a tool and reports it; a refusal is a result as well, so that the model asks again. */
export function carryOut(
  tools: Readonly<Record<string, ModelTool>>,
  { id, name, text }: ToolCall,
): AsyncGenerator<DialogueStep, ToolOutcome> {
  return runTool(Object.hasOwn(tools, name) ? tools[name] : undefined, { id, name, given: parse(text) });
}

/**
 * Ends a turn after its tools were called: with a goodbye, or because something was said about each of them
 * already. Returns whether the turn is over.
 */
export function* closing(
  calls: readonly ToolCall[],
  outcomes: readonly ToolOutcome[],
): Generator<DialogueStep, boolean> {
  if (calls.some(({ name }) => name === END_CALL) || outcomes.some(({ ends }) => ends)) {
    yield { kind: 'hang-up', reason: 'assistant-ended-call' };
    return true;
  }
  return outcomes.every(({ said }) => said);
}

/**
 * Yields the steps. If they fail before the first one, those of `instead` follow; if they fail later, a
 * sentence that asks again.
 */
export async function* orFallback(
  steps: Steps,
  {
    instead,
    failed,
    signal,
  }: {
    readonly instead: () => AsyncIterable<DialogueStep>;
    readonly failed: (why: string) => void;
    readonly signal: AbortSignal;
  },
): Steps {
  let begun = false;
  try {
    for await (const step of steps) {
      begun = true;
      yield step;
    }
  } catch (error) {
    if (signal.aborted) return;
    failed(error instanceof Error ? error.message : String(error));
    if (!begun) yield* instead();
    else yield { kind: 'sentence', text: LOST_THREAD };
  }
}

function parametersOf({ parameters, input }: ModelTool): Record<string, unknown> {
  return (parameters ?? z.toJSONSchema(input ?? z.object({}))) as Record<string, unknown>;
}

/**
 * Arguments that are not a JSON object, or are far too long, count as none: the tool then says what it needs.
 */
function parse(text: string): Record<string, unknown> {
  if (text.length > LONGEST_ARGUMENTS) return {};
  try {
    const given: unknown = JSON.parse(text || '{}');
    return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
