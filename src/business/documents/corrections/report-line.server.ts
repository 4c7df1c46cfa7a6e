import { readableDay } from '@northline/document-reader/dates';
import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { DocumentKind, Field } from '@northline/document-reader/report.contract';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { type Correction, type Fact, factsOf } from './fact-correction.contract.ts';
import { moneyText } from './fact-currency.server.ts';

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

/** Stores the line of a file's report with the file, with corrected values. Does nothing without a report. */
export async function noteReportLine(queries: Queries, fileId: string): Promise<void> {
  const row = await queries.maybe(
    `select r.report #>> '{document,kind}' as kind /* not null */, r.report -> 'fields' as fields,
            (select jsonb_agg(jsonb_build_object('key', c.key, 'original', c.original, 'value', c.value,
                                                 'normalized', c.normalized, 'corrected_at', c.corrected_at))
               from northline_app.analysis_corrections c where c.file_id = r.file_id) as corrections
       from northline_app.analysis_reports r where r.file_id = $1`,
    [fileId],
  );
  if (row === undefined) return;
  const facts = factsOf(row.fields as Field[], (row.corrections ?? []) as Correction[]);
  await queries.run(
    'update public.user_files set report_line = $2 where id = $1 and report_line is distinct from $2',
    [fileId, reportLine(row.kind as DocumentKind, facts) ?? null],
  );
}
