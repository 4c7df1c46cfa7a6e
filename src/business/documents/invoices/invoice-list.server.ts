import type { Field } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { isIsoDay } from '../../../kernel/contract/dates.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { calendarDay } from '../../../kernel/contract/times.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { RateLimit } from '../../../kernel/http/rate-limit.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { attachment } from '../../../platform/storage/objects/content-disposition.server.ts';
import { type Correction, type Fact, factsOf } from '../corrections/fact-correction.contract.ts';
import { currencyOfDocument, currencyOfFact } from '../corrections/fact-currency.server.ts';
import { type TableCell, writeCsv, writeWorkbook } from '../exports/table-writing.server.ts';
import { INVOICE_FUNCTIONS, type Invoice, type InvoiceList } from './invoice-list.contract.ts';
import { type LoneInvoice, sumInvoices, withDuplicates } from './invoice-sums.server.ts';

const MOST_LISTED = 2000;
const EXPORT_LIMIT: RateLimit = { name: 'function export-invoices', count: 30, seconds: 60, burst: 10 };

/** The functions of the invoice workbench: the list with its sums, marking as paid, and the export. */
export function declareInvoices(http: HttpContext, resources: Resources): void {
  declareFunction(http, {
    name: 'list-invoices',
    callers: 'users',
    body: z.object({}),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: ({ caller }) => listInvoices(resources, caller),
  });
  declareMarkInvoice(http, resources);
  mountExportInvoices(http, resources);
}

/** `mark-invoice`: stores the day of payment, or null. Answers `{paid_on}`; 404 for another user's invoice. */
function declareMarkInvoice(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'mark-invoice',
    callers: 'users',
    body: z.object({ file_id: z.uuid(), paid_on: calendarDay.nullable() }),
    limit: { count: 120, seconds: 60, burst: 60 },
    handle: async ({ caller, body: { file_id: fileId, paid_on: day } }) => {
      const userId = requireUser(caller);
      const seen = await database.asCaller(caller, (queries) =>
        queries.maybe(
          'select file_id from northline_app.analysis_reports where file_id = $1 and user_id = $2',
          [fileId, userId],
        ),
      );
      if (seen === undefined) throw new ServiceError(404, 'not_found', 'There is no such invoice.');
      if (day === null)
        await database.run('delete from northline_app.analysis_invoice_marks where file_id = $1', [fileId]);
      else {
        await database.run(
          `insert into northline_app.analysis_invoice_marks (file_id, user_id, paid_on) values ($1, $2, $3::text::date)
           on conflict (file_id) do update set paid_on = excluded.paid_on, marked_at = now()`,
          [fileId, userId, day],
        );
      }
      return { paid_on: day };
    },
  });
}

/** The answer of `list-invoices`. */
async function listInvoices({ database }: Resources, caller: Caller): Promise<InvoiceList> {
  const userId = requireUser(caller);
  const rows = await database.asCaller(caller, (queries) =>
    queries.many(
      `select r.file_id, f.file_name, r.report #>> '{document,kind}' as kind /* not null */,
              coalesce(r.report #>> '{document,sha256}', '') as sha256 /* not null */,
              r.report -> 'fields' as fields, m.paid_on::text as paid,
              (select jsonb_agg(jsonb_build_object('key', c.key, 'original', c.original, 'value', c.value,
                                                   'normalized', c.normalized, 'corrected_at', c.corrected_at))
                 from northline_app.analysis_corrections c where c.file_id = r.file_id) as corrections
         from northline_app.analysis_reports r
         join public.user_files f on f.id = r.file_id and f.deleted_at is null
         left join northline_app.analysis_invoice_marks m on m.file_id = r.file_id
        where r.user_id = $1 and r.report #>> '{document,kind}' in ('invoice', 'credit_note', 'receipt')
        order by f.created_at desc limit $2`,
      [userId, MOST_LISTED + 1],
    ),
  );
  const invoices = withDuplicates(rows.slice(0, MOST_LISTED).map((row) => invoiceOf(row as InvoiceRow)));
  return {
    invoices,
    months: sumInvoices(invoices, ({ issued }) =>
      issued !== null && isIsoDay(issued) ? issued.slice(0, 7) : undefined,
    ).sort((a, b) => b.name.localeCompare(a.name)),
    suppliers: sumInvoices(invoices, ({ supplier }) => supplier ?? undefined).sort(
      (a, b) => b.total - a.total,
    ),
    more: rows.length > MOST_LISTED,
  };
}

/** The source of an invoice: its report's fields, with corrections. */
export interface InvoiceRow {
  readonly file_id: string;
  readonly file_name: string;
  readonly kind: string;
  readonly sha256: string;
  readonly fields: readonly Field[];
  readonly paid: string | null;
  readonly corrections: readonly Correction[] | null;
}

/** An invoice from its report, with corrected values. */
export function invoiceOf({
  file_id,
  file_name,
  kind,
  sha256,
  fields,
  paid,
  corrections,
}: InvoiceRow): LoneInvoice {
  const facts = factsOf(fields, corrections ?? []);
  const find = (key: string): Fact | undefined => facts.find((fact) => fact.key === key);
  const total = find('total');
  const sign = kind === 'credit_note' ? -1 : 1;
  const amount = (key: string): number | null => {
    const value = Number(find(key)?.normalized ?? Number.NaN);
    return Number.isFinite(value) ? sign * Math.abs(value) : null;
  };
  const issued = find('issue_date')?.normalized ?? null;
  return {
    file_id,
    file_name,
    kind: kind as Invoice['kind'],
    sha256,
    supplier: find('supplier')?.value ?? null,
    number: find('document_number')?.value ?? null,
    issued,
    due: find('due_date')?.normalized ?? null,
    currency:
      (total === undefined ? undefined : currencyOfFact(total, facts)) ?? currencyOfDocument(facts) ?? null,
    net: amount('net_total'),
    vat: amount('tax_total'),
    total: amount('total'),
    paid: paid ?? (kind === 'receipt' ? issued : null),
  };
}

/** `GET /functions/v1/export-invoices?format=csv|xlsx`: all invoices as a table; 400 for another format. */
function mountExportInvoices(http: HttpContext, resources: Resources): void {
  http.server.get(INVOICE_FUNCTIONS.export, async (request, reply) => {
    const caller = await http.authenticate(request.headers, request.query as Record<string, unknown>);
    await http.rateLimiter.take(EXPORT_LIMIT, requireUser(caller));
    const query = z.object({ format: z.enum(['csv', 'xlsx']) }).safeParse(request.query);
    if (!query.success) throw new ServiceError(400, 'validation_failed', 'Give a format: csv or xlsx.');
    const { format } = query.data;
    const { invoices, months, suppliers } = await listInvoices(resources, caller);
    const bytes =
      format === 'csv'
        ? writeCsv(invoiceRows(invoices))
        : writeWorkbook([
            { name: 'Invoices', rows: invoiceRows(invoices) },
            { name: 'Months', rows: sumRows('Month', months) },
            { name: 'Suppliers', rows: sumRows('Supplier', suppliers) },
          ]);
    const type =
      format === 'csv'
        ? 'text/csv; charset=utf-8'
        : 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    return reply
      .headers({
        'content-disposition': attachment(`Bills.${format}`),
        'cache-control': 'private, no-store',
      })
      .type(type)
      .send(bytes);
  });
}

const HEAD = [
  'Supplier',
  'Number',
  'Kind',
  'Issued',
  'Due',
  'Currency',
  'Net',
  'VAT',
  'Total',
  'Paid on',
  'File',
  'Duplicate',
];

function invoiceRows(invoices: readonly Invoice[]): TableCell[][] {
  return [
    HEAD,
    ...invoices.map((each): TableCell[] => [
      each.supplier ?? '',
      each.number ?? '',
      each.kind,
      each.issued ?? '',
      each.due ?? '',
      each.currency ?? '',
      each.net ?? '',
      each.vat ?? '',
      each.total ?? '',
      each.paid ?? '',
      each.file_name,
      each.duplicates.length > 0 ? 'yes' : '',
    ]),
  ];
}

function sumRows(name: string, sums: InvoiceList['months']): TableCell[][] {
  return [
    [name, 'Currency', 'Invoices', 'Net', 'VAT', 'Total', 'Open'],
    ...sums.map((sum): TableCell[] => [
      sum.name,
      sum.currency,
      sum.count,
      sum.net,
      sum.vat,
      sum.total,
      sum.open,
    ]),
  ];
}
