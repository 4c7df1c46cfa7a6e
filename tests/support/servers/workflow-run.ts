import { createRequire } from 'node:module';

/** A workflow as n8n exports it. */
export interface Workflow {
  readonly name: string;
  readonly nodes: readonly WorkflowNode[];
  /** By the node where they start: outputs, each with the nodes to which it leads. */
  readonly connections: Readonly<
    Record<string, { readonly main: readonly (readonly { readonly node: string }[])[] }>
  >;
}

interface WorkflowNode {
  readonly name: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: parameters are different for every kind of node
  readonly parameters: any;
}

/** The result of a run. */
export interface WorkflowRun {
  /** The status of the reply to the caller. */
  readonly status: number;
  /** Mails that it would have sent. */
  readonly mails: readonly Record<string, string>[];
  /** Nodes in the order in which they ran. */
  readonly path: readonly string[];
}

interface Item {
  readonly json: Record<string, unknown>;
  readonly binary?: Buffer;
}

const AsyncFunction = (async () => {}).constructor as new (
  ...words: string[]
) => (...values: unknown[]) => Promise<unknown>;
const require = createRequire(import.meta.url);

/**
 * Runs a workflow as n8n's engine does, for the kinds of nodes in our examples: code and expressions are
 * really evaluated and requests really sent; mails are only collected. `memory` is the workflow's static
 * data, which outlives a run.
 */
export async function runWorkflow(
  workflow: Workflow,
  request: { headers: Record<string, string>; body: string },
  surroundings: { env: Record<string, string>; memory: Record<string, unknown> },
): Promise<WorkflowRun> {
  const outputs = new Map<string, Item>();
  const mails: Record<string, string>[] = [];
  const path: string[] = [];
  let status = 0;

  const scope = (item: Item): Record<string, unknown> => ({
    $json: item.json,
    $env: surroundings.env,
    $input: { first: () => item },
    $: (name: string) => ({ first: () => outputs.get(name) }),
    $getWorkflowStaticData: () => surroundings.memory,
    require,
  });
  async function evaluate(template: unknown, item: Item): Promise<unknown> {
    if (typeof template !== 'string' || !template.startsWith('=')) return template;
    const whole = /^=\{\{([\s\S]*)\}\}$/.exec(template)?.[1];
    const run = (code: string) => execute(`return (${code});`, item);
    if (whole !== undefined && !whole.includes('}}')) return run(whole);
    const parts = template.slice(1).split(/\{\{([\s\S]*?)\}\}/);
    const values = await Promise.all(parts.map((part, index) => (index % 2 === 0 ? part : run(part))));
    return values.join('');
  }
  function execute(code: string, item: Item): Promise<unknown> {
    const names = scope(item);
    const helpers = { getBinaryDataBuffer: async () => item.binary };
    return new AsyncFunction(...Object.keys(names), code).call({ helpers }, ...Object.values(names));
  }

  async function sendRequest(given: WorkflowNode['parameters'], item: Item): Promise<Item> {
    const headers: Record<string, string> = {};
    for (const { name, value } of given.headerParameters?.parameters ?? []) {
      headers[name] = String(await evaluate(value, item));
    }
    const body = given.sendBody === true ? String(await evaluate(given.jsonBody, item)) : undefined;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const url = String(await evaluate(given.url, item));
    const reply = await fetch(url, {
      method: given.method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (!reply.ok) throw new Error(`${url} answered ${reply.status}`);
    return { json: {}, binary: Buffer.from(await reply.arrayBuffer()) };
  }

  async function work(
    { type, parameters: given }: WorkflowNode,
    item: Item,
  ): Promise<[Item, output: number]> {
    switch (type) {
      case 'n8n-nodes-base.webhook':
        return [item, 0];
      case 'n8n-nodes-base.code':
        return [((await execute(given.jsCode, item)) as Item[])[0] as Item, 0];
      case 'n8n-nodes-base.if': {
        const met = await evaluate(given.conditions.conditions[0].leftValue, item);
        return [item, met === true ? 0 : 1];
      }
      case 'n8n-nodes-base.respondToWebhook':
        status = given.options.responseCode;
        return [item, 0];
      case 'n8n-nodes-base.httpRequest':
        return [await sendRequest(given, item), 0];
      case 'n8n-nodes-base.emailSend': {
        const mail: Record<string, string> = {};
        for (const [name, template] of Object.entries({ ...given, ...given.options })) {
          mail[name] = String(await evaluate(template, item));
        }
        mails.push(mail);
        return [item, 0];
      }
      default:
        throw new Error(`The stand-in knows no node ${type}.`);
    }
  }

  const byName = new Map(workflow.nodes.map((node) => [node.name, node]));
  async function run(node: WorkflowNode, item: Item): Promise<void> {
    path.push(node.name);
    const [result, output] = await work(node, item);
    outputs.set(node.name, result);
    for (const { node: next } of workflow.connections[node.name]?.main[output] ?? []) {
      const following = byName.get(next);
      if (following === undefined) throw new Error(`There is no node ${next}.`);
      await run(following, result);
    }
  }
  const trigger = workflow.nodes.find(({ type }) => type === 'n8n-nodes-base.webhook');
  if (trigger === undefined) throw new Error('The workflow has no webhook.');
  await run(trigger, { json: { headers: request.headers }, binary: Buffer.from(request.body) });
  return { status, mails, path };
}
