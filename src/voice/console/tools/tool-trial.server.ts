import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { AssistantWebhook } from '../../calls/assistant-webhook.server.ts';
import { customTools } from '../../dialogue/model/custom-tools.server.ts';
import { mcpTools } from '../../dialogue/model/mcp-tools.server.ts';
import { requestTools } from '../../dialogue/model/request-tools.server.ts';
import { callTool } from '../../dialogue/spoken-tools.server.ts';
import type { CallAssistant, CallContext } from '../../engines/engines.server.ts';
import type { ToolTrial } from './tools.contract.ts';

const LONGEST_ANSWER = 8000;

/** Whether a tool asks a server, and so can be tried without a call. */
export const canTry = ({ type }: Readonly<Record<string, unknown>>): boolean =>
  type === 'function' || type === 'apiRequest' || type === 'mcp';

/**
 * Calls a tool as a call does, and tells what its server answered and what the caller would hear. Of an MCP server it
 * tells which tools it offers.
 *
 * @param tool with its secrets
 * @throws ServiceError 409 `only_in_calls` for a tool without a server
 */
export async function tryTool(
  { outbound, keys, settings }: Pick<Resources, 'outbound' | 'keys' | 'settings'>,
  tool: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolTrial> {
  if (!canTry(tool)) throw new ServiceError(409, 'only_in_calls', 'Only a call can try a tool of this type.');
  const assistant = { model: { provider: 'embedded', tools: [tool] } } as CallAssistant;
  const warnings: string[] = [];
  const log: CallContext['log'] = (_level, line) => void warnings.push(line);
  const id = randomUUID();
  const webhook = new AssistantWebhook({ outbound, keys, settings }, assistant, { call: { id } }, log);
  const call: CallContext = {
    ...{ callId: id, assistant, log },
    queryServer: (message, server) => webhook.query(message, server),
  };
  const begun = performance.now();
  const told = (trial: Omit<ToolTrial, 'milliseconds'>): ToolTrial => ({
    ...trial,
    milliseconds: Math.round(performance.now() - begun),
  });
  if (tool.type === 'mcp') {
    const offered = Object.keys(await mcpTools(call, outbound));
    if (offered.length === 0) return told({ failed: true, answer: warnings.join('\n'), said: [] });
    return told({ failed: false, answer: offered.join('\n'), said: [] });
  }
  const [[name, called] = []] = Object.entries({ ...requestTools(call, outbound), ...customTools(call) });
  if (name === undefined || called === undefined) throw new Error('The tool has no name that can be called.');
  const said: string[] = [];
  let result: unknown;
  for await (const step of callTool(name, called, given)) {
    if (step.kind === 'sentence') said.push(step.text);
    if (step.kind === 'tool-result') result = step.result;
  }
  const failed = typeof result === 'object' && result !== null && 'error' in result;
  const answer = typeof result === 'string' ? result : JSON.stringify(result, null, 2);
  return told({ failed, answer: (answer ?? '').slice(0, LONGEST_ANSWER), said });
}
