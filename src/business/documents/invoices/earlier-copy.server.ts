import { readableDay } from '@northline/document-reader/dates';
import type { Attention, DocumentKind, Report } from '@northline/document-reader/report.contract';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { type InvoiceRow, invoiceOf } from './invoice-list.server.ts';
import { invoiceKeys } from './invoice-sums.server.ts';

/** Kinds of which two papers are the same if supplier and number, or supplier, sum and day, are equal. */
const NAMES: Partial<Record<DocumentKind, string>> = {
  invoice: 'invoice',
  credit_note: 'credit note',
  receipt: 'receipt',
};
/** Most papers with the same sum and day, or number, that are compared. */
const MOST_COMPARED = 50;
const MOST_ATTENTION = 30;

/**
 * Adds a notice to a report if the customer has uploaded the document before: the same file or, for invoices, credit notes
 * and receipts, one that the invoice workbench calls a duplicate. The notice names the day and not the file, as people
 * with a link to the report see it too.
 */
export async function withEarlierCopy(
  queries: Queries,
  { fileId, userId }: { fileId: string; userId: string },
  report: Report,
): Promise<Report> {
  const day = await dayOfEarlierCopy(queries, { fileId, userId }, report);
  if (day === undefined) return report;
  const duplicate: Attention = {
    code: 'duplicate',
    severity: 'warn',
    text: `You uploaded this ${NAMES[report.document.kind] ?? 'document'} before, on ${readableDay(day)}.`,
    cites: [],
  };
  return { ...report, attention: [duplicate, ...report.attention].slice(0, MOST_ATTENTION) };
}

/** The day on which the earlier copy was uploaded, ISO date; undefined without a copy. */
async function dayOfEarlierCopy(
  queries: Queries,
  { fileId, userId }: { fileId: string; userId: string },
  { document: { kind, sha256 }, fields }: Report,
): Promise<string | undefined> {
  const isBill = NAMES[kind] !== undefined;
  if (!isBill && sha256 === '') return undefined;
  const own = invoiceOf({
    ...{ file_id: fileId, file_name: '', kind, sha256, fields, paid: null, corrections: null },
  });
  const keys = new Set(isBill ? invoiceKeys(own) : [`file ${sha256}`]);
  const rows = await queries.many(
    `select r.file_id, f.file_name, r.report #>> '{document,kind}' as kind /* not null */,
            coalesce(r.report #>> '{document,sha256}', '') as sha256 /* not null */,
            r.report -> 'fields' as fields,
            (f.created_at at time zone 'UTC')::date::text as day /* not null */
       from public.user_files f
       join northline_app.analysis_reports r on r.file_id = f.id
      where f.user_id = $1 and f.id <> $2 and f.deleted_at is null
        and f.created_at < (select o.created_at from public.user_files o where o.id = $2)
        and (r.report #>> '{document,sha256}' = nullif($3::text, '')
             or (r.report #>> '{document,kind}' = $4::text
                 and exists (select 1 from jsonb_array_elements(r.report -> 'fields') as e
                              where (e ->> 'key' = 'document_number'
                                     and regexp_replace(lower(e ->> 'value'), '[^[:alnum:]]', '', 'g')
                                         = regexp_replace(lower(nullif($5::text, '')), '[^[:alnum:]]', '', 'g'))
                                 or (e ->> 'key' = 'total' and e ->> 'normalized' = nullif($6::text, '')))))
      order by f.created_at, f.id limit $7::int`,
    [
      userId,
      fileId,
      sha256,
      isBill ? kind : '',
      own.number ?? '',
      own.number === null ? (fields.find(({ key }) => key === 'total')?.normalized ?? '') : '',
      MOST_COMPARED,
    ],
  );
  const same = rows.find((row) => {
    const theirs = invoiceKeys(invoiceOf({ ...row, paid: null, corrections: null } as InvoiceRow));
    return theirs.some((key) => keys.has(key));
  });
  return same?.day;
}
