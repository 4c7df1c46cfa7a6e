import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import { DOCUMENT_KINDS, type DocumentKind } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { RateLimit } from '../../../kernel/http/rate-limit.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { attachment } from '../../../platform/storage/objects/content-disposition.server.ts';
import { type TableCell, writeCsv, writeWorkbook } from '../exports/table-writing.server.ts';
import {
  type FieldReach,
  OWN_FIELD_FUNCTIONS,
  type OwnField,
  type OwnFieldDocument,
  type OwnFieldTable,
} from './own-field.contract.ts';

const MOST_LISTED = 2000;
const EXPORT_LIMIT: RateLimit = { name: 'function export-own-fields', count: 30, seconds: 60, burst: 10 };
const kindSchema = z.enum(DOCUMENT_KINDS);

/** The functions with the table of a kind's documents and own fields: for the page, and as a file. */
export function mountOwnFieldTable(http: HttpContext, resources: Resources): void {
  declareFunction(http, {
    name: 'own-field-table',
    callers: 'users',
    body: z.strictObject({ kind: kindSchema.optional() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: ({ caller, body }) => readTable(resources, caller, body.kind),
  });
  mountExport(http, resources);
}

/** The table of a kind; without one, of the kind with the most fields, then documents. */
async function readTable(
  { database }: Pick<Resources, 'database'>,
  caller: Caller,
  wanted?: DocumentKind,
): Promise<OwnFieldTable> {
  const userId = requireUser(caller);
  return database.asCaller(caller, async (queries) => {
    const { team, role } = await queries.one(
      'select auth.team_of_files() as team, auth.operator_role() as role',
    );
    const isOperator = role === 'owner' || role === 'staff';
    // Fields of others make a kind only where the caller has documents of it; operators see all of the agency's.
    const kinds = (
      await queries.many(
        `select k.kind as kind /* not null */, sum(k.documents)::int as documents /* not null */,
                sum(k.fields)::int as fields /* not null */
           from (select r.report #>> '{document,kind}' as kind, 1 as documents, 0 as fields, true as own
                   from northline_app.analysis_reports r
                   join public.user_files f on f.id = r.file_id and f.deleted_at is null where r.user_id = $1
                 union all
                 select o.kind, 0, 1, o.user_id = $1 or (o.user_id is null and $3) from northline_app.own_fields o
                  where o.user_id = $1 or o.user_id is null or o.team_id = $2) as k
          group by k.kind having bool_or(k.own) order by sum(k.fields) desc, sum(k.documents) desc, k.kind`,
        [userId, team, isOperator],
      )
    ).map((row) => ({ ...row, kind: row.kind as DocumentKind }));
    const kind = wanted ?? kinds[0]?.kind ?? null;
    const reaches: FieldReach[] = [
      'own',
      ...(team === null ? [] : (['team'] as const)),
      ...(isOperator ? (['customers'] as const) : []),
    ];
    if (kind === null) return { kinds, kind, fields: [], documents: [], more: false, reaches };
    // Row level security leaves the caller's own, the team's and the agency's.
    const fields = await queries.many(
      `select f.id, f.user_id, f.team_id, f.name, f.version,
              (select count(*) from northline_app.own_field_values v
                where v.field_id = f.id and v.given and v.value is not null)::int as examples /* not null */
         from northline_app.own_fields f
        where f.kind = $2 and (f.user_id = $1 or f.user_id is null or f.team_id = $3) order by f.created_at, f.id`,
      [userId, kind, team],
    );
    const documents = await queries.many(
      `select r.file_id, f.file_name, r.report #>> '{document,title}' as title /* not null */, f.created_at,
              coalesce((select jsonb_agg(jsonb_build_object('field_id', v.field_id, 'value', v.value,
                          'normalized', v.normalized, 'confidence', v.confidence, 'given', v.given, 'version', v.version))
                 from northline_app.own_field_values v where v.file_id = r.file_id), '[]') as values /* not null */
         from northline_app.analysis_reports r
         join public.user_files f on f.id = r.file_id and f.deleted_at is null
        where r.user_id = $1 and r.report #>> '{document,kind}' = $2
        order by f.created_at desc, r.file_id limit $3`,
      [userId, kind, MOST_LISTED + 1],
    );
    return {
      kinds,
      kind,
      fields: fields.map((field) => ({ ...field, kind })),
      documents: documents.slice(0, MOST_LISTED).map((row) => ({
        ...row,
        created_at: row.created_at.toISOString(),
        values: row.values as OwnFieldDocument['values'],
      })),
      more: documents.length > MOST_LISTED,
      reaches,
    };
  });
}

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  json: 'application/json; charset=utf-8',
} as const;

/** `GET /functions/v1/export-own-fields?kind=…&format=csv|xlsx|json`: the table as a file; 400 for another kind or format. */
function mountExport(http: HttpContext, resources: Resources): void {
  http.server.get(OWN_FIELD_FUNCTIONS.export, async (request, reply) => {
    const caller = await http.authenticate(request.headers, request.query as Record<string, unknown>);
    await http.rateLimiter.take(EXPORT_LIMIT, requireUser(caller));
    const query = z
      .object({ kind: kindSchema, format: z.enum(['csv', 'xlsx', 'json']) })
      .safeParse(request.query);
    if (!query.success)
      throw new ServiceError(
        400,
        'validation_failed',
        'Give a kind of document and a format: csv, xlsx or json.',
      );
    const { kind, format } = query.data;
    const table = await readTable(resources, caller, kind);
    return reply
      .headers({
        'content-disposition': attachment(`${KIND_NAMES[kind]} fields.${format}`),
        'cache-control': 'private, no-store',
      })
      .type(TYPES[format])
      .send(WRITERS[format](table));
  });
}

const WRITERS: Readonly<Record<keyof typeof TYPES, (table: OwnFieldTable) => Buffer>> = {
  csv: (table) => writeCsv(tableRows(table)),
  xlsx: (table) => writeWorkbook([{ name: 'Fields', rows: tableRows(table) }]),
  json: ({ kind, fields, documents }) =>
    Buffer.from(
      JSON.stringify(
        {
          kind,
          fields: fields.map(({ id, name }) => ({ id, name })),
          documents: documents.map(({ values, ...document }) => ({
            ...document,
            fields: fields.map(({ id, name }) => {
              const value = values.find((each) => each.field_id === id);
              return {
                name,
                value: value?.value ?? null,
                normalized: value?.normalized ?? null,
                confidence: value?.confidence ?? null,
                given: value?.given ?? false,
              };
            }),
          })),
        },
        undefined,
        2,
      ),
    ),
};

/** For each field its value and how sure it is; amounts as numbers. */
function tableRows({ fields, documents }: OwnFieldTable): TableCell[][] {
  return [
    ['File', 'Title', 'Uploaded', ...fields.flatMap(({ name }) => [name, `${name}: confidence`])],
    ...documents.map((document): TableCell[] => [
      document.file_name,
      document.title,
      document.created_at.slice(0, 10),
      ...fields.flatMap((field) => cellsOf(field, document)),
    ]),
  ];
}

function cellsOf({ id }: OwnField, { values }: OwnFieldDocument): TableCell[] {
  const found = values.find((each) => each.field_id === id);
  if (found === undefined || found.value === null) return ['', ''];
  const { value, normalized, confidence } = found;
  const amount = normalized !== null && /^-?\d+\.\d\d$/.test(normalized) ? Number(normalized) : undefined;
  return [amount ?? normalized ?? value, Math.round(confidence * 100) / 100];
}
