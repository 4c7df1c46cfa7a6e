import { createCiter } from '@northline/document-reader/citation';
import type { Row } from '@northline/document-reader/extracted-document';
import type { LearnedField } from '@northline/document-reader/field-learning';
import { readField } from '@northline/document-reader/field-reading';
import type { Block, Cite, Field } from '@northline/document-reader/report.contract';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { type DrawnPlace, OWN_KEY } from './own-field.contract.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'northline_app.own_fields.learned': LearnedField;
    'northline_app.own_field_values.cites': Cite[];
    'northline_app.own_field_values.place': DrawnPlace;
  }
}

/** A value to store; null values mean that the document does not have the field. */
interface StoredValue {
  readonly fieldId: string;
  readonly fileId: string;
  readonly value: string | null;
  readonly normalized: string | null;
  readonly confidence: number;
  readonly cites: readonly Cite[];
  readonly place: DrawnPlace | null;
  readonly given: boolean;
  readonly version: number;
}

/** Stores a value. A value that a person gave is only replaced by another one that a person gave. */
export async function storeValue(queries: Queries, value: StoredValue): Promise<void> {
  await queries.run(
    `insert into northline_app.own_field_values
       (field_id, file_id, user_id, value, normalized, confidence, cites, place, given, version)
     select f.id, $2, f.user_id, $3, $4, $5, $6, $7, $8, $9 from northline_app.own_fields f where f.id = $1
     on conflict (field_id, file_id) do update
       set value = excluded.value, normalized = excluded.normalized, confidence = excluded.confidence,
           cites = excluded.cites, place = excluded.place, given = excluded.given, version = excluded.version, read_at = now()
       where excluded.given or not own_field_values.given`,
    [
      value.fieldId,
      value.fileId,
      value.value,
      value.normalized?.slice(0, 200) ?? null,
      value.confidence,
      JSON.stringify(value.cites),
      value.place === null ? null : JSON.stringify(value.place),
      value.given,
      value.version,
    ],
  );
}

/**
 * Reads the fields that the customer named for a document's kind in its lines, and shows them in its report. Values that a person gave stay.
 *
 * @param rows undefined if the lines are not stored yet
 * @returns false if there are fields to read and no lines to read them in
 */
export async function readOwnFields(
  queries: Queries,
  fileId: string,
  rows: () => Promise<readonly Row[] | undefined>,
): Promise<boolean> {
  const stored = await queries.maybe(
    `select user_id, report #>> '{document,kind}' as kind /* not null */
       from northline_app.analysis_reports where file_id = $1 for no key update`,
    [fileId],
  );
  if (stored === undefined) return true;
  const fields = await queries.many(
    `select f.id, f.learned, f.version from northline_app.own_fields f
      where f.user_id = $1 and f.kind = $2 and f.learned is not null
        and not exists (select from northline_app.own_field_values v
                         where v.field_id = f.id and v.file_id = $3 and v.given)
      order by f.created_at`,
    [stored.user_id, stored.kind, fileId],
  );
  const lines = fields.length === 0 ? [] : await rows();
  if (lines === undefined) return false;
  // A new analysis may have found another kind.
  await queries.run(
    `delete from northline_app.own_field_values v using northline_app.own_fields f
      where v.file_id = $1 and f.id = v.field_id and f.kind <> $2`,
    [fileId, stored.kind],
  );
  if (fields.length > 0) await readFields(queries, fileId, { fields, lines });
  await showInReport(queries, fileId);
  return true;
}

interface FieldsToRead {
  readonly fields: readonly {
    readonly id: string;
    readonly learned: LearnedField | null;
    readonly version: number;
  }[];
  readonly lines: readonly Row[];
}

async function readFields(queries: Queries, fileId: string, { fields, lines }: FieldsToRead): Promise<void> {
  const { blocks } = await queries.one(
    'select blocks from northline_app.analysis_reports where file_id = $1',
    [fileId],
  );
  const citer = createCiter(blocks as Block[]);
  for (const { id, learned, version } of fields) {
    const read = learned === null ? undefined : readField(learned, lines);
    const cite = read && citer.find(read.value, read.page, read.beside.slice(0, 60));
    await storeValue(queries, {
      ...{ fieldId: id, fileId, version, place: null, given: false },
      value: read?.value ?? null,
      normalized: read?.normalized ?? null,
      confidence: read?.confidence ?? 0,
      cites: cite === undefined ? [] : [cite],
    });
  }
}

const MOST_FIELDS_OF_REPORT = 200;

/**
 * Copies the values into the report, so that exports, shares, search and the API have them beside its other fields.
 * @trigger northline_app.analysis_reports notify_waiting
 */
export async function showInReport(queries: Queries, fileId: string): Promise<void> {
  const row = await queries.maybe(
    `select report -> 'fields' as fields from northline_app.analysis_reports where file_id = $1`,
    [fileId],
  );
  if (row === undefined) return;
  const values = await queries.many(
    `select f.id, f.name, f.learned #>> '{form,class}' as class, v.value, v.normalized, v.confidence, v.cites
       from northline_app.own_field_values v join northline_app.own_fields f on f.id = v.field_id
      where v.file_id = $1 and v.value is not null order by f.created_at, f.id`,
    [fileId],
  );
  const before = row.fields as Field[];
  const read = before.filter(({ key }) => !key.startsWith(OWN_KEY));
  const own = values.map(
    ({ id, name, class: form, value, normalized, confidence, cites }): Field => ({
      key: OWN_KEY + id,
      label: name,
      value: value ?? '',
      ...(normalized === null ? {} : { normalized }),
      type: TYPES[form ?? ''] ?? 'text',
      confidence,
      source: 'text',
      cites,
    }),
  );
  const fields = [...read.slice(0, MOST_FIELDS_OF_REPORT - own.length), ...own];
  if (JSON.stringify(fields) === JSON.stringify(before)) return;
  await queries.run('delete from northline_app.analysis_index where file_id = $1', [fileId]);
  // Naming the column wakes the index.
  await queries.run(
    `update northline_app.analysis_reports
        set report = jsonb_set(report, '{fields}', $2), analysis_id = analysis_id where file_id = $1`,
    [fileId, JSON.stringify(fields)],
  );
}

const TYPES: Readonly<Record<string, Field['type']>> = {
  date: 'date',
  money: 'money',
  iban: 'iban',
  email: 'email',
  code: 'id',
};
