import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import { createOutboundHttp } from '../../kernel/resources/outbound-http/outbound-http.ts';
import type { CallContext } from '../engines/engines.server.ts';
import type { toolSchema } from '../records/voice-tool.contract.ts';
import { createOwnTools } from './assistant-tools.server.ts';

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
const asked: Asked[] = [];
const lines: string[] = [];
let server: Server;
let host: string;
let ownTools: ReturnType<typeof createOwnTools>;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (url === '/mcp') answerMcp(response, headers, Buffer.concat(chunks).toString());
    else if (url === '/down') response.writeHead(503).end();
    else response.writeHead(200).end('{"price":9}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  ownTools = createOwnTools(createOutboundHttp([host]));
});
beforeEach(() => {
  asked.length = 0;
  lines.length = 0;
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

/**
 * An MCP server with one tool. It begins a session with its first answer, answers lists as JSON and calls as
 * events.
 */
function answerMcp(response: ServerResponse, headers: IncomingHttpHeaders, text: string): void {
  const { id, method, params } = JSON.parse(text);
  if (method !== 'initialize' && headers['mcp-session-id'] !== 'session-1') {
    response.writeHead(400).end();
    return;
  }
  if (id === undefined) {
    response.writeHead(202).end();
    return;
  }
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 's', version: '1' },
    }),
    'tools/list': () => ({
      tools: [
        {
          name: 'find_table',
          description: 'Finds a table.',
          inputSchema: { type: 'object', properties: { seats: { type: 'number' } } },
        },
      ],
    }),
    'tools/call': () =>
      params.arguments.seats > 8
        ? { content: [{ type: 'text', text: 'We have no such table.' }], isError: true }
        : { content: [{ type: 'text', text: `Table for ${params.arguments.seats}.` }] },
  };
  const message = JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.() });
  const events = method === 'tools/call';
  response.writeHead(200, {
    'content-type': events ? 'text/event-stream' : 'application/json',
    'mcp-session-id': 'session-1',
  });
  response.end(events ? `event: message\ndata: ${message}\n\n` : message);
}

type Tool = (typeof toolSchema)['_zod']['output'];
const callWith = (...tools: Tool[]): CallContext => ({
  callId: 'c1',
  assistant: { model: { provider: 'embedded', tools }, variableValues: { town: 'Kiel' } },
  log: (_, line) => lines.push(line),
});

test('an apiRequest tool sends what it was given, what is fixed, and filled headers, and its answer is the result', async () => {
  showsSettings('tool', 'name', 'description', 'url', 'method', 'headers.*', 'body.*', 'timeoutSeconds');
  const tools = await ownTools(
    callWith({
      type: 'apiRequest',
      name: 'look up price',
      method: 'PUT',
      url: `http://${host}/prices/{{dish}}?town={{town}}`,
      headers: {
        type: 'object',
        properties: { 'x-key': { type: 'string', value: 'k-{{town}}' }, host: { value: 'evil' } },
      },
      body: {
        type: 'object',
        properties: { dish: { type: 'string' }, currency: { type: 'string', value: 'GBP' } },
        required: ['dish', 'currency'],
      },
      messages: [{ type: 'request-start', content: 'One moment.' }],
    }),
  );
  const tool = tools.look_up_price;
  expect(tool?.parameters).toEqual({
    type: 'object',
    properties: { dish: { type: 'string' } },
    required: ['dish'],
  });
  expect(tool?.begun).toBe('One moment.');
  expect(await tool?.run({ dish: '../a/b c' }, 'id')).toBe('{"price":9}');
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ method: 'PUT', url: '/prices/..%2Fa%2Fb%20c?town=Kiel' });
  expect([asked[0]?.headers['x-key'], asked[0]?.headers.host]).toEqual(['k-Kiel', host]);
  expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ dish: '../a/b c', currency: 'GBP' });
});

test('an apiRequest that is refused, or leads to a private address, fails with a sentence', async () => {
  const run = async (url: string) => {
    const tools = await ownTools(callWith({ type: 'apiRequest', method: 'GET', url }));
    return tools.api_request?.run({}, 'id');
  };
  await expect(run(`http://${host}/down`)).rejects.toThrow('The service answered 503.');
  await expect(run('https://169.254.169.254/latest')).rejects.toThrow('not a public address');
  await expect(run('http://127.0.0.1:1/')).rejects.toThrow('OUTBOUND_ALLOW_HOSTS');
});

test('tools of an MCP server are listed when the call begins, and called with what was given', async () => {
  showsSettings('tool', 'type');
  const call = callWith({ type: 'mcp', server: { url: `http://${host}/mcp`, secret: 'hush' } });
  const tools = await ownTools(call);
  expect(Object.keys(tools)).toEqual(['find_table']);
  expect(await ownTools(call)).toBe(tools);
  expect(await tools.find_table?.run({ seats: 4 }, 'id')).toBe('Table for 4.');
  await expect(tools.find_table?.run({ seats: 9 }, 'id')).rejects.toThrow('We have no such table.');
  expect(asked.map(({ body }) => JSON.parse(body).method)).toEqual([
    'initialize',
    'notifications/initialized',
    'tools/list',
    'tools/call',
    'tools/call',
  ]);
  expect(asked.every(({ headers }) => headers['x-vapi-secret'] === 'hush')).toBe(true);
});

test('an MCP server that is not there is noted, and the call has its other tools', async () => {
  const there = { type: 'apiRequest', url: `http://${host}/x` };
  const tools = await ownTools(callWith({ type: 'mcp', server: { url: 'https://localhost/mcp' } }, there));
  expect(Object.keys(tools)).toEqual(['api_request']);
  expect(lines).toEqual([expect.stringContaining('MCP')]);
});
