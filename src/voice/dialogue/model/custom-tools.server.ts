import type { CallContext } from '../../engines/engines.server.ts';
import { serverOf, withoutSecrets } from '../../records/event-server.server.ts';
import type { ModelTool } from './model-tools.server.ts';
import { SaidResult, sayings } from './tool-run.server.ts';

/** A tool as an assistant describes it. */
export type Tool = NonNullable<NonNullable<CallContext['assistant']['model']>['tools']>[number];
interface Described {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const NOTHING = { type: 'object', properties: {} };

/**
 * The function tools of an assistant: calling one sends a question to the tool's server, or to the
 * assistant's, and the dialogue goes on with the answer (docs/contracts/voice.md §3: `tool-calls`).
 */
export function customTools(call: CallContext): Readonly<Record<string, ModelTool>> {
  const tools = (call.assistant.model?.tools ?? []).flatMap((tool) => {
    const described = functionOf(tool);
    return described === undefined ? [] : [[described.name, toolOf(call, tool, described)] as const];
  });
  return Object.fromEntries(tools);
}

/** The name by which a dialogue calls a tool of the type `apiRequest`. */
export function requestToolName(tool: Tool): string {
  const name = tool.function?.name ?? tool.name ?? '';
  const plain = name
    .trim()
    .replaceAll(/[^a-zA-Z0-9_-]+/g, '_')
    .slice(0, 64);
  return plain === '' ? 'api_request' : plain;
}

function functionOf(tool: Tool): { name: string; description: string; parameters: object } | undefined {
  const { name, description, parameters } = (tool.function ?? {}) as Described;
  if (tool.type !== 'function' || typeof name !== 'string' || !NAME.test(name)) return undefined;
  return {
    name,
    description: typeof description === 'string' ? description : name,
    parameters: typeof parameters === 'object' && parameters !== null ? parameters : NOTHING,
  };
}

function toolOf(
  call: CallContext,
  tool: Tool,
  { name, description, parameters }: { name: string; description: string; parameters: object },
): ModelTool {
  const server = serverOf({ server: tool.server as Parameters<typeof serverOf>[0]['server'] });
  const legacy = wantsLegacy(call);
  return {
    description,
    parameters,
    ...sayings(tool),
    async run(given, id) {
      const { queryServer } = call;
      if (queryServer === undefined) throw new Error('There is no server to ask.');
      const described = { id, type: 'function', function: { name, arguments: given } };
      const message = legacy
        ? { type: 'function-call', functionCall: { name, parameters: given } }
        : {
            type: 'tool-calls',
            toolCallList: [described],
            toolCalls: [described],
            toolWithToolCallList: [{ ...withoutSecrets(tool), name, toolCall: described }],
          };
      const asking = queryServer(message, server);
      if (tool.async === true) {
        asking.catch((error: unknown) => call.log('WARN', `the tool ${name} failed: ${String(error)}`));
        return 'Success.';
      }
      const reply = await asking;
      return legacy ? (reply as { result?: unknown } | null)?.result : resultOf(reply, id);
    },
  };
}

/** Older assistants, from before there were tool calls, ask only for `function-call`. */
function wantsLegacy({ assistant: { serverMessages } }: CallContext): boolean {
  return serverMessages?.includes('function-call') === true && !serverMessages.includes('tool-calls');
}

interface ToolResult {
  readonly toolCallId?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly message?: unknown;
}

/**
 * The result in a server's answer to `tool-calls`. One call is sent at a time, so a single result without an
 * id belongs to it, and so does a bare `result`, which older servers answer.
 *
 * @throws Error with the server's own words where it reports that the tool failed
 */
function resultOf(reply: unknown, id: string): unknown {
  const { results, error, result } = (reply ?? {}) as {
    results?: unknown;
    error?: unknown;
    result?: unknown;
  };
  const list = (Array.isArray(results) ? results : []).filter(
    (one): one is ToolResult => typeof one === 'object' && one !== null,
  );
  const [only] = list;
  const bare = result === undefined ? undefined : { result };
  const unnamed = list.length === 1 && only?.toolCallId == null ? only : undefined;
  const own: ToolResult | undefined = list.find((one) => one.toolCallId === id) ?? unnamed ?? bare;
  if (own === undefined)
    throw new Error(
      typeof error === 'string' ? error : 'The server gave no result for this call of the tool.',
    );
  if (typeof own.error === 'string') throw new Error(own.error);
  const saying = sayingOf(own.message);
  return saying === undefined ? own.result : new SaidResult(own.result, saying);
}

/** The text of a result's own `message` for a completed tool; the first where there are several. */
function sayingOf(message: unknown): string | undefined {
  const messages = (Array.isArray(message) ? message : [message]) as (object | null | undefined)[];
  return sayings({
    messages: messages.map((one) => ({ type: 'request-complete', ...one })),
  }).completed?.text;
}
