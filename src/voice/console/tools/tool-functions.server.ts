import { z } from 'zod';
import {
  containing,
  declareDeletion,
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  pageOf,
  SEARCH,
  signAsOperator,
} from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';
import { parseVoice } from '../../records/voice-scope.server.ts';
import { toolSchema } from '../../records/voice-tool.contract.ts';
import { draftOf, exampleFor, movedParts, TOOL_DRAFT, withDraft } from './tool-draft.server.ts';
import { canTry, tryTool } from './tool-trial.server.ts';
import { TOOL_LENGTHS, type ToolDetail, type ToolsPage, type ToolTrial } from './tools.contract.ts';

type Body = Readonly<Record<string, unknown>>;

const PER_PAGE = 50;
const BODY_LIMIT = 128 * 1024;
const TRIALS_A_MINUTE = 20;

/** Tools at the console: list, one, save, delete, and a trial. */
export function serveTools(scope: OperatorScope, records: VoiceRecords): void {
  serveReading(scope);
  serveChanges(scope, records);
  declareOperatorWork(scope, {
    name: 'try-tool',
    input: z.object({ id: z.uuid(), given: z.string().max(TOOL_LENGTHS.trial) }),
    perMinute: TRIALS_A_MINUTE,
    async work(caller, { id, given }): Promise<ToolTrial> {
      const tool = await records.whole('tool', id);
      const values = argumentsOf(given);
      await scope.resources.database.transaction((queries) =>
        signAsOperator(queries, caller, { action: 'tool.try', subject: id }),
      );
      return tryTool(scope.resources, tool, values);
    },
  });
}

function argumentsOf(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text.trim() === '' ? '{}' : text));
  } catch (error) {
    throw new ServiceError(400, 'validation_failed', 'Write the arguments as a JSON object.', {
      cause: error,
    });
  }
}

function serveReading(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'tools',
    method: 'GET',
    input: z.object({ q: SEARCH, after: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { q, after }): Promise<ToolsPage> {
      const rows = await queries.many(
        `select id /* not null */, name, body /* not null */, updated_at /* not null */ from operator.tools
          where ($1 = '' or concat_ws(' ', id, name, body ->> 'type', body ->> 'url') ilike $2)
            and ($3 = '' or (created_at, id) < (select created_at, id from operator.tools where id::text = $3))
          order by created_at desc, id desc limit $4`,
        [q, containing(q), after, PER_PAGE + 1],
      );
      return pageOf(rows, PER_PAGE, shown, ({ id }) => id);
    },
  });
  declareForOperators(scope, {
    name: 'tool',
    method: 'GET',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }): Promise<ToolDetail> {
      const row = await queries.maybe(
        `select id /* not null */, name, body /* not null */, updated_at /* not null */
           from operator.tools where id = $1`,
        [id],
      );
      if (row === undefined) throw noSuchTool();
      const draft = draftOf(row.body as Body);
      return { tool: shown(row), draft, example: canTry(row.body as Body) ? exampleFor(draft) : null };
    },
  });
}

interface Row {
  readonly id: string;
  readonly name: string | null;
  readonly body: unknown;
  readonly updated_at: Date;
}

const shown = ({ id, name, body, updated_at: at }: Row): ToolDetail['tool'] => ({
  ...{ id, name: name ?? id.slice(0, 8), type: String((body as Body).type), updated_at: at.toISOString() },
});

function serveChanges(scope: OperatorScope, records: VoiceRecords): void {
  const { database } = scope.resources;
  declareOperatorWork(scope, {
    name: 'save-tool',
    input: z.object({
      id: z.uuid().nullable(),
      draft: TOOL_DRAFT,
      secret: z.string().max(TOOL_LENGTHS.secret).default(''),
    }),
    bodyLimit: BODY_LIMIT,
    async work(caller, { id, draft, secret }) {
      const next = (present: Body): Record<string, unknown> =>
        parseVoice(toolSchema, withDraft(present, draft, secret));
      if (id === null) {
        const body = next({});
        const made = crypto.randomUUID();
        await database.transaction(async (queries) => {
          await signAsOperator(queries, caller, { action: 'tool.create', subject: made });
          await records.create('tool', body, made, queries);
        });
        return { id: made };
      }
      await records.change(
        'tool',
        id,
        (present) => {
          if (draftOf(present) === null)
            throw new ServiceError(409, 'not_edited', 'The platform’s API changes a tool of this type.');
          return { body: next(present), replaced: movedParts(present, draft) };
        },
        (queries) => signAsOperator(queries, caller, { action: 'tool.save', subject: id }),
      );
      return { id };
    },
  });
  declareDeletion(scope, 'tool', (id, within) => records.remove('tool', id, within));
}

const noSuchTool = (): ServiceError => new ServiceError(404, 'not_found', 'There is no such tool.');
