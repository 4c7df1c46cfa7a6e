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

/** Tool calls after which a turn is ended: a model that goes on calling would keep the caller waiting. */
export const MOST_ROUNDS = 4;
/** Said where a model says nothing, or breaks off. */
export const LOST_THREAD = 'Sorry, I lost my thread. Could you say that again?';
/** Tool calls of one round, letters of their arguments, letters of one answer: beyond them a model has lost its way, or was led astray. */
export const MOST_CALLS = 6;
const LONGEST_ARGUMENTS = 8000;
export const LONGEST_ANSWER = 4000;
/** What a model is told of a call that begins. */
export const PICKED_UP = '(The caller has just picked up. Greet them: say that you are an AI assistant.)';

/** The tools as a model is told of them. */
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

/** Calls a tool, and tells of it; what it refused is a result too, so that the model asks again. */
export function carryOut(
  tools: Readonly<Record<string, ModelTool>>,
  { id, name, text }: ToolCall,
): AsyncGenerator<DialogueStep, ToolOutcome> {
  return runTool(Object.hasOwn(tools, name) ? tools[name] : undefined, { id, name, given: parse(text) });
}

/** What ends a turn after its tools were called: a goodbye, or that each of them has been told of already. */
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

/** The steps; where they fail before the first, those that stand in for them, and later a sentence that asks again. */
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

/** What is no JSON object, or beyond all measure, counts as nothing given: the tool then says what it needs. */
function parse(text: string): Record<string, unknown> {
  if (text.length > LONGEST_ARGUMENTS) return {};
  try {
    const given: unknown = JSON.parse(text || '{}');
    return typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
