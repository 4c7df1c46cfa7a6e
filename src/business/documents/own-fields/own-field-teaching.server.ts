import { createCiter } from '@northline/document-reader/citation';
import {
  type FieldExample,
  learnField,
  placedRows,
  placesOfValue,
} from '@northline/document-reader/field-learning';
import type { Block } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { rowsOfFile, rowsOfText } from './document-rows.server.ts';
import { type DrawnPlace, MOST_EXAMPLES } from './own-field.contract.ts';
import { noSuchField } from './own-field-definition.server.ts';
import { showInReport, storeValue } from './own-field-values.server.ts';

const share = z.number().min(0).max(1);

const bodySchema = z.strictObject({
  field_id: z.uuid(),
  file_id: z.uuid(),
  /** The value as the document prints it; null if it does not have the field; absent to forget what was given. */
  value: z.string().trim().min(1).max(2000).nullable().optional(),
  /** Where the value was drawn. */
  place: z.strictObject({ page: z.number().int().min(1).max(10_000), x: share, y: share }).optional(),
});
type Teaching = z.output<typeof bodySchema> & { readonly userId: string };

/**
 * `teach-own-field`: gives the value of a field in one document, says that the document does not have it, or forgets what
 * was given. The field learns from it, and all documents of its kind are read again. Answers `{value}`: the value as it is
 * printed, null if there is none.
 *
 * Errors: 404 `not_found` for a field or document that is not the user's or of another kind; 422 `not_in_document` for a value
 * that does not stand in one line of the document.
 */
export function declareTeachOwnField(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  declareFunction(http, {
    name: 'teach-own-field',
    callers: 'users',
    body: bodySchema,
    limit: { count: 60, seconds: 60, burst: 30 },
    heavyFor: 'customers',
    handle: async ({ caller, body }) => {
      const teaching = { ...body, userId: requireUser(caller) };
      return { value: await database.transaction((queries) => teach(queries, teaching)) };
    },
  });
}

async function teach(
  queries: Queries,
  { field_id: fieldId, file_id: fileId, userId, value, place }: Teaching,
) {
  // The report first, then the field, as in every other transaction that locks both.
  const stored = await queries.maybe(
    `select r.blocks, r.report #>> '{document,kind}' as kind from northline_app.analysis_reports r
       join public.user_files f on f.id = r.file_id and f.deleted_at is null
      where r.file_id = $1 and r.user_id = $2 for no key update of r`,
    [fileId, userId],
  );
  const field = await queries.maybe(
    'select kind, version from northline_app.own_fields where id = $1 and user_id = $2 for no key update',
    [fieldId, userId],
  );
  if (field === undefined || stored === undefined || stored.kind !== field.kind) throw noSuchField();
  const version = field.version + 1;
  const given = { fieldId, fileId, given: true, version, confidence: 1 };
  let printed: string | null = null;
  if (value === undefined) {
    await queries.run('delete from northline_app.own_field_values where field_id = $1 and file_id = $2', [
      fieldId,
      fileId,
    ]);
  } else if (value === null) {
    await storeValue(queries, { ...given, value: null, normalized: null, cites: [], place: null });
  } else {
    const found = await findGiven(queries, { fileId, blocks: stored.blocks as Block[], value, place });
    printed = found.value;
    await storeValue(queries, { ...given, ...found, place: place ?? null });
  }
  await learnAgain(queries, fieldId, version);
  await showInReport(queries, fileId);
  return printed;
}

/** The given value as the document prints it, with its quote. */
async function findGiven(
  queries: Queries,
  {
    fileId,
    blocks,
    value,
    place,
  }: {
    fileId: string;
    blocks: readonly Block[];
    value: string;
    place: DrawnPlace | undefined;
  },
) {
  const rows = (await rowsOfFile(queries, fileId)) ?? rowsOfText(blocks);
  const [found] = placesOfValue(placedRows(rows), {
    value,
    ...(place === undefined ? {} : { at: place }),
  });
  if (found === undefined) throw notInDocument();
  const { printed, page, normalized = null } = found;
  const beside = rows[found.place.row]?.cells.map(({ text }) => text).join(' ') ?? '';
  const cite = createCiter(blocks).find(printed, page, beside);
  return { value: printed, normalized, cites: cite === undefined ? [] : [cite] };
}

const notInDocument = (): ServiceError =>
  new ServiceError(
    422,
    'not_in_document',
    'These words do not stand in one line of the document. Write them as they are printed, or draw a box around them.',
  );

/**
 * Learns the field from its latest examples, and lets all documents of its kind be read with that.
 * @trigger private.arrived_documents notify_waiting
 */
async function learnAgain(queries: Queries, fieldId: string, version: number): Promise<void> {
  const examples = await queries.many(
    `select v.file_id, v.value, v.place, r.blocks from northline_app.own_field_values v
       join northline_app.analysis_reports r on r.file_id = v.file_id
      where v.field_id = $1 and v.given and v.value is not null order by v.read_at desc limit $2`,
    [fieldId, MOST_EXAMPLES],
  );
  const taught: FieldExample[] = [];
  for (const { file_id: fileId, value, place, blocks } of examples) {
    const rows = (await rowsOfFile(queries, fileId)) ?? rowsOfText(blocks as Block[]);
    taught.push({ rows, value: value ?? '', ...(place === null ? {} : { at: place }) });
  }
  const learned = learnField(taught);
  await queries.run('update northline_app.own_fields set learned = $2, version = $3 where id = $1', [
    fieldId,
    learned === undefined ? null : JSON.stringify(learned),
    // Without an example nothing is read, so nobody waits for a value.
    learned === undefined ? 0 : version,
  ]);
  await queries.run(
    `insert into private.arrived_documents (file_id)
     select r.file_id from northline_app.own_fields f
       join northline_app.analysis_reports r on r.user_id = f.user_id and r.report #>> '{document,kind}' = f.kind
      where f.id = $1 order by r.file_id
     on conflict (file_id) do update set noted_at = now()`,
    [fieldId],
  );
  // After the arrivals, which hold the reports: who deletes a file locks its report before its values.
  if (learned === undefined)
    await queries.run('delete from northline_app.own_field_values where field_id = $1 and not given', [
      fieldId,
    ]);
}
