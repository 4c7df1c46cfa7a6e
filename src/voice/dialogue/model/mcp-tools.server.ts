import { z } from 'zod';
import type { OutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { CallContext } from '../../engines/engines.server.ts';
import { type EventServer, serverHeaders, serverOf } from '../../records/event-server.server.ts';
import type { Tool } from './custom-tools.server.ts';
import type { ModelTool } from './model-tools.server.ts';
import { sayings } from './tool-run.server.ts';

const VERSION = '2025-06-18';
/** How long the beginning of a call waits for the list of tools. */
const SECONDS = { default: 5, max: 15 } as const;
const REPLY_BYTES = 512 * 1024;
const MOST_TOOLS = 40;
const LONGEST_RESULT = 8000;

const listed = z.object({
  tools: z.array(
    z.object({
      name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
      description: z.string().max(4000).optional(),
      inputSchema: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});
const called = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  isError: z.boolean().optional(),
});
const message = z.looseObject({
  id: z.unknown(),
  result: z.unknown(),
  error: z.object({ message: z.string() }).optional(),
});

/**
 * The tools that the MCP servers of an assistant offer (streamable HTTP of the Model Context Protocol
 * 2025-06-18): they are listed when the call begins. A server that cannot be reached offers no tools, and the
 * call's log says so.
 */
export async function mcpTools(
  call: CallContext,
  outbound: OutboundHttp,
): Promise<Readonly<Record<string, ModelTool>>> {
  const servers = (call.assistant.model?.tools ?? []).filter(({ type }) => type === 'mcp');
  const offered = await Promise.all(
    servers.map((tool) =>
      offeredBy(tool, outbound).catch((error: unknown) => {
        call.log('WARN', `the tools of an MCP server are not there: ${(error as Error).message}`);
        return {};
      }),
    ),
  );
  return Object.assign({}, ...offered) as Record<string, ModelTool>;
}

async function offeredBy(tool: Tool, outbound: OutboundHttp): Promise<Record<string, ModelTool>> {
  const server = serverOf({ server: tool.server });
  if (server === undefined) throw new Error('server.url is missing');
  const session = new McpSession(server, outbound);
  await session.open();
  const { tools } = listed.parse(await session.request('tools/list', {}));
  return Object.fromEntries(
    tools.slice(0, MOST_TOOLS).map(({ name, description, inputSchema }) => [
      name,
      {
        description: description ?? name,
        parameters: inputSchema ?? { type: 'object', properties: {} },
        ...sayings(tool),
        run: async (given) => resultOf(await session.request('tools/call', { name, arguments: given })),
      },
    ]),
  );
}

/** @throws Error with the server's own words where it reports that the tool failed */
function resultOf(result: unknown): string {
  const { content, isError } = called.parse(result);
  const text = content
    .map((part) => part.text ?? `(${part.type})`)
    .join('\n')
    .slice(0, LONGEST_RESULT);
  if (isError === true) throw new Error(text);
  return text;
}

class McpSession {
  readonly #server: EventServer;
  readonly #outbound: OutboundHttp;
  #session: string | undefined;
  #nextId = 1;

  constructor(server: EventServer, outbound: OutboundHttp) {
    this.#server = server;
    this.#outbound = outbound;
  }

  async open(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: VERSION,
      capabilities: {},
      clientInfo: { name: 'Northline', version: '1' },
    });
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** @throws Error where the server refuses, or its answer is not MCP */
  async request(method: string, params: object): Promise<unknown> {
    const id = this.#nextId++;
    const reply = await this.#post({ jsonrpc: '2.0', id, method, params });
    const answer = messagesOf(reply).find((one) => one.id === id);
    if (answer === undefined) throw new Error(`${method} was not answered`);
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return answer.result;
  }

  async #post(body: object): Promise<string> {
    const seconds = Math.min(this.#server.timeoutSeconds ?? SECONDS.default, SECONDS.max);
    const reply = await this.#outbound.request({
      url: this.#server.url,
      method: 'POST',
      headers: {
        ...serverHeaders(this.#server),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
      },
      body: JSON.stringify(body),
      maxBytes: REPLY_BYTES,
      headersMs: seconds * 1000,
      totalMs: seconds * 1000,
    });
    if (reply.status < 200 || reply.status >= 300) throw new Error(`it answered ${reply.status}`);
    const session = reply.headers['mcp-session-id'];
    if (typeof session === 'string') this.#session = session;
    return reply.body.toString('utf8');
  }
}

/** The messages of an answer: one JSON text, or the data of its events. */
function messagesOf(text: string): z.output<typeof message>[] {
  const parts = text.trimStart().startsWith('{')
    ? [text]
    : [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data);
  return parts.flatMap((part) => {
    const outcome = message.safeParse(parsed(part));
    return outcome.success ? [outcome.data] : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
