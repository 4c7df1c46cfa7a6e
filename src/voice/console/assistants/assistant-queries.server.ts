import { z } from 'zod';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  pageOf,
  SEARCH,
  sent,
} from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { PROVIDERS, type ProvidedEngine } from '../../records/provider-list.contract.ts';
import { changedFields, draftOf } from './assistant-draft.server.ts';
import type { AssistantDetail, AssistantsPage } from './assistant-editor.contract.ts';

type Body = Readonly<Record<string, unknown>>;

const PER_PAGE = 50;
const VERSIONS_SHOWN = 30;

/** Assistants at the console: the list, and one with its parts and versions. */
export function serveAssistants(scope: OperatorScope): void {
  const siteId = scope.resources.keys.voice_assistant_id;
  declareForOperators(scope, {
    name: 'assistants',
    method: 'GET',
    input: z.object({ q: SEARCH, after: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { q, after }): Promise<AssistantsPage> {
      const rows = await queries.many(
        `select id /* not null */, body ->> 'name' as name, version, updated_at /* not null */
           from operator.assistants
          where ($1 = '' or concat_ws(' ', id, body ->> 'name', body ->> 'firstMessage') ilike $2)
            and ($3 = '' or (created_at, id) < (select created_at, id from operator.assistants where id::text = $3))
          order by created_at desc, id desc limit $4`,
        [q, containing(q), after, PER_PAGE + 1],
      );
      return pageOf(
        rows,
        PER_PAGE,
        (row) => ({ ...sent(row), version: row.version ?? 1, is_site: row.id === siteId }),
        (row) => row.id,
      );
    },
  });
  serveAssistant(scope);
}

function serveAssistant(scope: OperatorScope): void {
  const siteId = scope.resources.keys.voice_assistant_id;
  declareForOperators(scope, {
    name: 'assistant',
    method: 'GET',
    input: z.object({ id: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { id }): Promise<AssistantDetail> {
      if (id === '') return { assistant: null, ...(await describe(queries, {})), versions: [] };
      const row = await queries.maybe(
        `select id /* not null */, body /* not null */, version, updated_at /* not null */
           from operator.assistants where id = $1`,
        [id],
      );
      if (row === undefined) throw noSuchAssistant();
      const { body, ...assistant } = row;
      const described = await describe(queries, body as Body);
      const { name } = described.draft;
      return {
        assistant: {
          ...sent(assistant),
          name: name === '' ? null : name,
          version: row.version ?? 1,
          is_site: id === siteId,
        },
        ...described,
        versions: await versionsOf(queries, id),
      };
    },
  });
}

/** One assistant, and the parts that it can be given. */
async function describe(
  queries: Queries,
  body: Body,
): Promise<Omit<AssistantDetail, 'assistant' | 'versions'>> {
  // Only the platform's API can name a model behind an address of its own.
  const named = (engine: ProvidedEngine): string[] =>
    PROVIDERS[engine].filter(({ url }) => url !== '').map(({ provider }) => provider);
  return {
    draft: draftOf(body),
    own_tools: ownTools(body),
    ...(await partsToGive(queries)),
    providers: { model: named('model'), voice: named('voice'), transcriber: named('transcriber') },
  };
}

/** The 404 for an assistant that does not exist. */
export const noSuchAssistant = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is no such assistant.');

function ownTools(body: Body): string[] {
  const { tools } = (body.model ?? {}) as {
    readonly tools?: readonly { readonly type: string; readonly function?: { readonly name?: string } }[];
  };
  return (tools ?? []).map(({ type, function: named }) => named?.name ?? type);
}

async function partsToGive(queries: Queries): Promise<Pick<AssistantDetail, 'files' | 'tools'>> {
  const parts = await queries.many(
    `select id /* not null */, kind /* not null */, name, status from operator.assistant_parts
      order by created_at desc, id limit 200`,
  );
  const of = (wanted: string) =>
    parts
      .filter(({ kind }) => kind === wanted)
      .map(({ id, name, status }) => ({ id, name: name ?? id.slice(0, 8), status }));
  return { files: of('file'), tools: of('tool') };
}

async function versionsOf(queries: Queries, id: string): Promise<AssistantDetail['versions']> {
  const rows = await queries.many(
    `select version /* not null */, body /* not null */, author, at /* not null */ from operator.assistant_versions
      where assistant_id = $1 order by version desc limit $2`,
    [id, VERSIONS_SHOWN + 1],
  );
  return rows.slice(0, VERSIONS_SHOWN).map(({ version, body, author, at }, index) => {
    const before = rows[index + 1];
    return {
      ...{ version, author, at: at.toISOString() },
      changed: before === undefined ? [] : changedFields(before.body as Body, body as Body),
    };
  });
}
