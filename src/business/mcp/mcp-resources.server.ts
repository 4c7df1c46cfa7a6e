import { type McpServer, ResourceNotFoundError, type ServerContext } from '@modelcontextprotocol/server';
import type { ApiRight } from '../../kernel/contract/api-rights.ts';
import { isUuid } from '../../kernel/contract/uuid.ts';
import type { DocumentList } from '../documents/exports/document-reading.contract.ts';
import { findEnquiry } from './agency-tools.server.ts';
import { FunctionRefused, type ToolRun } from './mcp-tool.server.ts';

/** One kind of resource: its template, the right that it needs, and how one is read. */
interface ResourceKind {
  readonly scheme: string;
  readonly title: string;
  readonly description: string;
  readonly right: ApiRight;
  read(run: ToolRun, id: string): Promise<unknown>;
}

const KINDS: readonly ResourceKind[] = [
  {
    scheme: 'document',
    title: 'Report of a document',
    description: 'Summary, facts and obligations with their quotes.',
    right: 'documents:read',
    read: ({ ask }, id) => ask('read-document', { file_id: id }),
  },
  {
    scheme: 'enquiry',
    title: 'Enquiry',
    description: 'What a visitor asked, and the answers.',
    right: 'enquiries:read',
    read: findEnquiry,
  },
  {
    scheme: 'call',
    title: 'Call',
    description: 'A call with its transcript.',
    right: 'calls:read',
    read: ({ ask }, id) => ask('operator-call', { id }, 'GET'),
  },
  {
    scheme: 'customer',
    title: 'Customer',
    description: 'An account with its plans and ledger.',
    right: 'customers:read',
    read: ({ ask }, id) => ask('operator-customer', { id }, 'GET'),
  },
];

/** Lists that stand at one address each. */
const LISTS: readonly ResourceKind[] = [
  {
    scheme: 'enquiries',
    title: 'Open enquiries',
    description: 'What visitors asked and nobody has answered.',
    right: 'enquiries:read',
    read: ({ ask }) => ask('operator-enquiries', {}, 'GET'),
  },
  {
    scheme: 'bookings',
    title: 'Bookings to come',
    description: 'Calls with a colleague that people booked.',
    right: 'bookings:read',
    read: ({ ask }) => ask('operator-bookings', {}, 'GET'),
  },
];
const LIST_ID = 'list';

/**
 * Registers resources: documents in pages, the open enquiries and the bookings to come, and templates for one document,
 * enquiry, call or customer. Only those that the rights allow are there.
 */
export function registerResources(
  { server }: McpServer,
  rights: readonly ApiRight[],
  runOf: (context: ServerContext) => ToolRun,
): void {
  const allowed = (kinds: readonly ResourceKind[]) => kinds.filter(({ right }) => rights.includes(right));
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: allowed(KINDS).map(({ scheme, title, description }) => ({
      ...{ name: scheme, title, description, mimeType: 'application/json' },
      uriTemplate: `${scheme}://{id}`,
    })),
  }));
  server.setRequestHandler('resources/list', async ({ params }, context) => {
    const after = params?.cursor ?? '';
    const lists = after === '' ? allowed(LISTS) : [];
    const { documents, next } = rights.includes('documents:read')
      ? await runOf(context).ask<DocumentList>('list-documents', { after })
      : { documents: [], next: null };
    return {
      resources: [
        ...lists.map(({ scheme, title, description }) => ({
          ...{ name: scheme, title, description, mimeType: 'application/json' },
          uri: `${scheme}://${LIST_ID}`,
        })),
        ...documents.map(({ id, name, title, line }) => ({
          ...{ name, title: title ?? name, mimeType: 'application/json' },
          uri: `document://${id}`,
          ...(line !== null && { description: line }),
        })),
      ],
      ...(next !== null && { nextCursor: next }),
    };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const content = await readResource(uri, allowed, runOf(context));
    if (content === undefined)
      throw new ResourceNotFoundError(uri, 'There is no such resource for this key.');
    return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(content) }] };
  });
}

async function readResource(
  uri: string,
  allowed: (kinds: readonly ResourceKind[]) => readonly ResourceKind[],
  run: ToolRun,
): Promise<unknown> {
  const [scheme = '', id = ''] = uri.split('://');
  const kind =
    id === LIST_ID
      ? allowed(LISTS).find((list) => list.scheme === scheme)
      : allowed(KINDS).find((one) => one.scheme === scheme && (scheme === 'enquiry' || isUuid(id)));
  try {
    return await kind?.read(run, id);
  } catch (error) {
    if (error instanceof FunctionRefused) throw new ResourceNotFoundError(uri, error.message);
    throw error;
  }
}
