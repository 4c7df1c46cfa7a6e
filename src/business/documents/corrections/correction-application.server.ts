import { withFields } from '@northline/document-reader/corrected-report';
import { readableDay } from '@northline/document-reader/dates';
import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { Block, DocumentKind, Report } from '@northline/document-reader/report.contract';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { type Correction, type Fact, factsOf } from './fact-correction.contract.ts';
import { moneyText } from './fact-currency.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'northline_app.analysis_reports.as_read': Partial<Report>;
  }
}

/** Longer values are cut to fit into a line. */
const LONGEST_VALUE = 40;

/** A report in one line for the list of files: `Invoice · £1,240.00 · due 3 May 2026`; undefined if it has no facts. */
export function reportLine(kind: DocumentKind, facts: readonly Fact[]): string | undefined {
  const fact = (key: string): Fact | undefined => facts.find((each) => each.key === key);
  const day = (key: string): string | undefined =>
    readableDay(fact(key)?.normalized).slice(0, LONGEST_VALUE) || undefined;
  const sum = fact('total') ?? fact('rent');
  const amount = sum && moneyText({ ...sum, type: 'money', value: sum.value.slice(0, LONGEST_VALUE) }, facts);
  const [due, end] = [day('due_date'), day('end_date')];
  const parts = [
    kind === 'other' ? undefined : KIND_NAMES[kind],
    amount,
    due === undefined ? undefined : `due ${due}`,
    end === undefined ? undefined : `ends ${end}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/**
 * Stores with a report everything that follows from its fields and their corrections: its line in the list of files, its
 * title, summary, warnings, items and obligations. The next round of the search index takes them over. Does nothing
 * without a report.
 * @trigger northline_app.analysis_reports notify_waiting
 */
export async function applyCorrections(queries: Queries, fileId: string): Promise<void> {
  const row = await queries.maybe(
    `select r.report, r.as_read,
            (select jsonb_agg(jsonb_build_object('key', c.key, 'original', c.original, 'value', c.value,
                                                 'normalized', c.normalized, 'corrected_at', c.corrected_at))
               from northline_app.analysis_corrections c where c.file_id = r.file_id) as corrections
       from northline_app.analysis_reports r where r.file_id = $1`,
    [fileId],
  );
  if (row === undefined) return;
  const read: Report = { ...row.report, ...row.as_read };
  const facts = factsOf(read.fields, (row.corrections ?? []) as Correction[]);
  await queries.run(
    'update public.user_files set report_line = $2 where id = $1 and report_line is distinct from $2',
    [fileId, reportLine(read.document.kind, facts) ?? partsLine(read) ?? null],
  );
  const isCorrected = facts.some(({ correction }) => correction !== undefined);
  if (!isCorrected && row.as_read === null) return;
  await storeDerived(queries, fileId, { read, facts: isCorrected ? facts : undefined });
}

/** `3 documents`, for a file without facts of its own that holds several. */
function partsLine({ parts = [] }: Report): string | undefined {
  return parts.length === 0
    ? undefined
    : `${parts.length} ${parts.length === 1 ? 'document' : 'documents'} inside`;
}

/** The parts of a report that follow from its fields. */
function derivedParts({ document, summary, attention, items, obligations }: Report): Partial<Report> {
  return {
    ...{ document, summary, attention },
    ...(items === undefined ? {} : { items }),
    ...(obligations === undefined ? {} : { obligations }),
  };
}

/** @param facts undefined if nothing is corrected any more */
async function storeDerived(
  queries: Queries,
  fileId: string,
  { read, facts }: { read: Report; facts: readonly Fact[] | undefined },
): Promise<void> {
  const { blocks } = await queries.one(
    'select blocks from northline_app.analysis_reports where file_id = $1',
    [fileId],
  );
  // In the order of the report, as its parts name the first of several values.
  const inOrder = read.fields.map(
    (field) =>
      facts?.find(
        ({ key, value, correction }) => key === field.key && (correction?.original ?? value) === field.value,
      ) ?? field,
  );
  const report = facts === undefined ? read : withFields(read, inOrder, blocks as Block[]);
  await queries.run('delete from northline_app.analysis_index where file_id = $1', [fileId]);
  // Naming the column wakes the index.
  await queries.run(
    `update northline_app.analysis_reports set report = $2, as_read = $3, analysis_id = analysis_id
      where file_id = $1`,
    [fileId, JSON.stringify(report), facts === undefined ? null : JSON.stringify(derivedParts(read))],
  );
}
