import type { EvalMessage } from '../../evaluations/evaluation.contract.ts';
import type { Judge, TestLine } from './assistant-tests.contract.ts';

const ANY_CASE = '(?i)';
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** The messages of a test that was written line by line. */
export function messagesOf(lines: readonly TestLine[]): EvalMessage[] {
  return lines.flatMap(({ say, judge, expect, tool }): EvalMessage[] => {
    const words =
      expect === '' ? {} : { content: judge === 'contains' ? `${ANY_CASE}${escaped(expect)}` : expect };
    const toolCalls = tool === '' ? {} : { toolCalls: [{ name: tool }] };
    const said: EvalMessage = { role: 'user', content: say };
    if (expect === '' && tool === '') return [said];
    const type = judge === 'exact' ? ('exact' as const) : ('regex' as const);
    return [said, { role: 'assistant', judgePlan: { type, ...words, ...toolCalls } }];
  });
}

/** The lines of a test; null where it has more than lines can express. */
export function linesOf(messages: readonly EvalMessage[]): TestLine[] | null {
  const lines: TestLine[] = [];
  for (const message of messages) {
    if (message.role === 'user')
      lines.push({ say: message.content, judge: 'contains', expect: '', tool: '' });
    else {
      const last = lines.pop();
      const judged = last === undefined || message.role !== 'assistant' ? null : judgedLine(last, message);
      if (judged === null) return null;
      lines.push(judged);
    }
  }
  return lines;
}

/** A line with the way its reply is judged; null where a line cannot express that, or is judged already. */
function judgedLine(
  line: TestLine,
  { judgePlan, continuePlan }: Extract<EvalMessage, { role: 'assistant' }>,
): TestLine | null {
  const { type, content = '', toolCalls = [] } = judgePlan;
  const [tool] = toolCalls;
  const isMore = toolCalls.length > 1 || tool?.arguments !== undefined || continuePlan !== undefined;
  if (isMore || line.expect !== '' || line.tool !== '') return null;
  const contained = type === 'regex' ? containedIn(content) : null;
  const judge: Judge = type === 'exact' ? 'exact' : contained === null ? 'regex' : 'contains';
  return { ...line, judge, expect: contained ?? content, tool: tool?.name ?? '' };
}

/** The words that one of our own expressions looks for; null for any other expression. */
function containedIn(expression: string): string | null {
  if (expression === '') return '';
  if (!expression.startsWith(ANY_CASE)) return null;
  const words = expression.slice(ANY_CASE.length).replaceAll(/\\([\\^$.*+?()[\]{}|])/g, '$1');
  return `${ANY_CASE}${escaped(words)}` === expression ? words : null;
}
