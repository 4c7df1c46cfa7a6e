import type { OutboundHttp } from '../../kernel/resources/outbound-http/outbound-http.ts';
import { customTools } from '../dialogue/model/custom-tools.server.ts';
import { mcpTools } from '../dialogue/model/mcp-tools.server.ts';
import type { ModelTool } from '../dialogue/model/model-tools.server.ts';
import { requestTools } from '../dialogue/model/request-tools.server.ts';
import { rehearsedModelTools } from '../dialogue/rehearsed-tools.server.ts';
import type { CallContext } from '../engines/engines.server.ts';

type Tools = Readonly<Record<string, ModelTool>>;

/**
 * The tools that an assistant brings: its functions, its requests, and what its MCP servers offer. They are
 * made once for both a dialogue and the one that it falls back to.
 */
export function createOwnTools(outbound: OutboundHttp): (call: CallContext) => Promise<Tools> {
  const opened = new WeakMap<CallContext, Promise<Tools>>();
  const open = async (call: CallContext): Promise<Tools> => {
    const tools = {
      ...(await mcpTools(call, outbound)),
      ...requestTools(call, outbound),
      ...customTools(call),
    };
    return call.rehearsal === undefined ? tools : rehearsedModelTools(tools, call.rehearsal);
  };
  return (call) => {
    const there = opened.get(call) ?? open(call);
    opened.set(call, there);
    return there;
  };
}
