import { isDeepStrictEqual } from 'node:util';
import type { JudgePlan, ToolCall } from './evaluation.contract.ts';
import { compileExpression } from './judge-expression.contract.ts';

/** What an assistant said and did in one turn. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/**
 * Judges a reply. `exact` compares the words without regard to case and to spaces around them, `regex` looks
 * for the expression anywhere in them; each expected tool has to be called, with the given arguments.
 *
 * @returns why the reply is wrong; null where it is right
 */
export function judgeReply(plan: JudgePlan, { text, calls }: Reply): string | null {
  const { content } = plan;
  if (content !== undefined && !saysIt(plan.type, content, text))
    return plan.type === 'exact'
      ? `The words are not “${content}”.`
      : `Nothing in the words is matched by ${content}`;
  for (const expected of plan.toolCalls ?? []) {
    const named = calls.filter(({ name }) => name === expected.name);
    if (named.length === 0) return `The tool ${expected.name} was not called.`;
    if (!named.some((call) => hasArguments(plan.type, expected, call)))
      return `The tool ${expected.name} was called with other arguments.`;
  }
  return null;
}

const plain = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();

const saysIt = (type: JudgePlan['type'], content: string, text: string): boolean =>
  type === 'exact' ? plain(text) === plain(content) : compileExpression(content).matcher(text).find();

function hasArguments(type: JudgePlan['type'], expected: ToolCall, call: ToolCall): boolean {
  return Object.entries(expected.arguments ?? {}).every(([name, value]) => {
    const given = call.arguments?.[name];
    if (type === 'exact') return isDeepStrictEqual(given, value);
    const text = typeof given === 'string' ? given : JSON.stringify(given ?? '');
    return compileExpression(String(value)).matcher(text).find();
  });
}
