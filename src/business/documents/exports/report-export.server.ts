import { readOn } from '@northline/document-reader/past-days.contract';
import type { Cite, Report } from '@northline/document-reader/report.contract';
import { SENSITIVE_NAMES } from '@northline/document-reader/sensitive-names.contract';
import { unlistedTables } from '@northline/document-reader/unlisted-tables.contract';
import { z } from 'zod';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { RateLimit } from '../../../kernel/http/rate-limit.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Agency, Resources } from '../../../kernel/resources/resources.ts';
import { attachment } from '../../../platform/storage/objects/content-disposition.server.ts';
import { type Fact, factsOf } from '../corrections/fact-correction.contract.ts';
import { currencyOfDocument, currencyOfFact } from '../corrections/fact-currency.server.ts';
import { type CalendarDay, writeCalendar } from './calendar-writing.server.ts';
import { EXPORT_FORMATS, EXPORT_REPORT, type ExportFormat, isCalendarDay } from './report-export.contract.ts';
import { tableRows } from './table-rows.server.ts';
import { type TableCell, writeCsv, writeWorkbook } from './table-writing.server.ts';

const LIMIT: RateLimit = { name: 'function export-report', count: 60, seconds: 60, burst: 30 };
const querySchema = z.object({
  file_id: z.uuid(),
  format: z.enum(Object.keys(EXPORT_FORMATS) as [ExportFormat, ...ExportFormat[]]),
});
const TYPES: Readonly<Record<ExportFormat, string>> = {
  pdf: 'application/pdf',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ics: 'text/calendar; charset=utf-8',
};

/** A report for an export, with corrected values. */
interface ExportedReport {
  readonly report: Report;
  readonly facts: readonly Fact[];
  readonly fileName: string;
  /** Address of the report's page. */
  readonly address: string;
  readonly agency: Agency;
}

/**
 * `GET /functions/v1/export-report?file_id=&format=`: the user's report as a file, with corrected values. JSON is
 * `report/1`; the `source` of a corrected field stays as it was, and the corrections follow in a list. An amount has its
 * currency beside it wherever the document names one.
 *
 * Errors: 400 `validation_failed`, 404 `not_found` for a report that is not the user's, 422 `no_dates` for a calendar of
 * a report without dates, 422 `letters_missing` for a PDF in a script that its typeface lacks.
 */
export function mountExportReport(http: HttpContext, resources: Resources): void {
  http.server.get(EXPORT_REPORT, async (request, reply) => {
    const caller = await http.authenticate(request.headers, request.query as Record<string, unknown>);
    await http.rateLimiter.take(LIMIT, requireUser(caller));
    const query = querySchema.safeParse(request.query);
    if (!query.success) {
      const formats = Object.keys(EXPORT_FORMATS).join(', ');
      throw new ServiceError(400, 'validation_failed', `Give a file_id and a format: ${formats}.`);
    }
    const { file_id: fileId, format } = query.data;
    const exported = await readReport(resources, caller, fileId);
    // JSON is for programs, as the analyser wrote it.
    const read = format === 'json' ? exported : { ...exported, report: readOn(exported.report, today()) };
    const bytes = await WRITERS[format](read);
    return reply
      .headers({
        'content-disposition': attachment(`${exported.fileName.replace(/\.[^.]+$/, '')} report.${format}`),
        'cache-control': 'private, no-store',
      })
      .type(TYPES[format])
      .send(bytes);
  });
}

const today = (): string => new Date().toISOString().slice(0, 10);

async function readReport(resources: Resources, caller: Caller, fileId: string): Promise<ExportedReport> {
  const { database, siteUrl } = resources;
  const userId = requireUser(caller);
  return database.asCaller(caller, async (queries) => {
    const row = await queries.maybe(
      `select r.report, f.file_name from northline_app.analysis_reports r
         join public.user_files f on f.id = r.file_id and f.deleted_at is null
        where r.file_id = $1 and r.user_id = $2`,
      [fileId, userId],
    );
    if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such report.');
    const corrections = await queries.many(
      'select key, original, value, normalized, corrected_at from northline_app.analysis_corrections where file_id = $1',
      [fileId],
    );
    const sent = corrections.map((each) => ({ ...each, corrected_at: each.corrected_at.toISOString() }));
    return {
      report: row.report,
      facts: factsOf(row.report.fields, sent),
      fileName: row.file_name,
      address: siteUrl + analysisPath(fileId),
      agency: resources,
    };
  });
}

const WRITERS: Readonly<Record<ExportFormat, (exported: ExportedReport) => Buffer | Promise<Buffer>>> = {
  // The facts come first, as they stood alone before there were items; an empty line separates the tables.
  csv: ({ report, facts }) => {
    const tables = [
      factRows(facts),
      itemRows(report, facts),
      partRows(report),
      ...tablesOf(report),
      unlistedRows(report),
      sensitiveRows(report),
    ].filter(({ length }) => length > 0);
    return writeCsv(tables.flatMap((rows, index) => (index === 0 ? rows : [[], ...rows])));
  },
  xlsx: ({ report, facts }) =>
    writeWorkbook([
      { name: 'Facts', rows: factRows(facts) },
      ...(report.items === undefined ? [] : [{ name: 'Items', rows: itemRows(report, facts) }]),
      ...(report.parts === undefined ? [] : [{ name: 'Documents', rows: partRows(report) }]),
      ...tablesOf(report).map((rows, index) => ({ name: `Table ${index + 1}`, rows })),
      ...(report.tablesLeftOut === undefined ? [] : [{ name: 'More tables', rows: unlistedRows(report) }]),
      ...(report.obligations === undefined ? [] : [{ name: 'Obligations', rows: obligationRows(report) }]),
      ...((report.pii ?? []).length === 0 ? [] : [{ name: 'Sensitive data', rows: sensitiveRows(report) }]),
      { name: 'Summary', rows: summaryRows(report) },
    ]),
  json: ({ report, facts }) => Buffer.from(JSON.stringify(withCurrencies(report, facts), undefined, 2)),
  pdf: async ({ report, facts, fileName, agency }) => {
    const { writeReportPdf } = await import('./pdf-writing.server.ts');
    return writeReportPdf(report, facts, { fileName, agency });
  },
  ics: ({ report, facts, address }) => {
    const days = datesOf(facts, report);
    if (days.length === 0)
      throw new ServiceError(422, 'no_dates', 'This report holds no date for a calendar.');
    return writeCalendar(days, { title: report.document.title, address, stamp: new Date() });
  },
};

/** The analyser's report with the currency of each amount, and the corrections with theirs. */
function withCurrencies(report: Report, facts: readonly Fact[]): object {
  const named = (currency: string | undefined) => (currency === undefined ? {} : { currency });
  return {
    ...report,
    fields: report.fields.map((field) => ({
      ...field,
      ...named(currencyOfFact({ ...field, correction: undefined }, facts)),
    })),
    ...(report.items === undefined
      ? {}
      : { items: { ...report.items, ...named(currencyOfDocument(facts)) } }),
    corrections: facts.flatMap((fact) =>
      fact.correction === undefined ? [] : [{ ...fact.correction, ...named(currencyOfFact(fact, facts)) }],
    ),
  };
}

const HEAD = ['Field', 'Value', 'Normalised', 'Currency', 'Confidence', 'Page', 'Quote', 'Read as'];

function factRows(facts: readonly Fact[]): TableCell[][] {
  return [
    HEAD,
    ...facts.map((fact): TableCell[] => [
      fact.label,
      fact.value,
      fact.type === 'money' && fact.normalized !== undefined
        ? Number(fact.normalized)
        : (fact.normalized ?? ''),
      currencyOfFact(fact, facts) ?? '',
      fact.confidence,
      fact.cites[0]?.page ?? '',
      fact.cites[0]?.quote ?? '',
      fact.correction?.original ?? '',
    ]),
  ];
}

/** The facts of the documents inside the file; empty if there are none. */
function partRows({ parts = [] }: Report): TableCell[][] {
  if (parts.length === 0) return [];
  return [
    ['Document', 'Kind', ...HEAD.slice(0, -1)],
    ...parts.flatMap((part): TableCell[][] => {
      const name = [part.name, part.document?.kind ?? ''];
      const rows = factRows(factsOf(part.fields, [])).slice(1);
      return rows.length === 0
        ? [[...name, '', part.reason ?? part.short]]
        : rows.map((row) => [...name, ...row.slice(0, -1)]);
    }),
  ];
}

const ITEM_HEAD = [
  ...['Item', 'Quantity', 'Unit', 'Price', 'Discount %', 'Tax rate %', 'Amount', 'Currency', 'Page', 'Quote'],
];

/** The items with their sum below; empty without items. */
function itemRows({ items }: Report, facts: readonly Fact[]): TableCell[][] {
  if (items === undefined) return [];
  const currency = currencyOfDocument(facts) ?? '';
  return [
    ITEM_HEAD,
    ...items.rows.map(({ text, quantity, unit, price, discount, taxRate, amount, cites }): TableCell[] => [
      text,
      figure(quantity),
      unit ?? '',
      figure(price),
      figure(discount),
      figure(taxRate),
      figure(amount),
      currency,
      cites[0]?.page ?? '',
      cites.map(({ quote }: Cite) => quote).join(' … '),
    ]),
    ['Sum', '', '', '', '', '', figure(items.sum), currency, '', ''],
  ];
}

/** A decimal as a number, so that it can be summed. */
function figure(decimal: string | undefined): TableCell {
  const value = Number(decimal);
  return decimal === undefined ? '' : Number.isFinite(value) ? value : decimal;
}

/** The document's tables, figures as numbers. */
function tablesOf({ tables = [] }: Report): TableCell[][][] {
  return tables.map((table) => tableRows(table));
}

/** A row with the number of tables that the report leaves out; empty if it has all. */
function unlistedRows({ tablesLeftOut }: Report): TableCell[][] {
  return tablesLeftOut === undefined ? [] : [[unlistedTables(tablesLeftOut)]];
}

function obligationRows({ obligations = [] }: Report): TableCell[][] {
  return [
    ['Kind', 'Party', 'Text', 'By', 'Page'],
    ...obligations.map(({ kind, party, text, deadline, cites }): TableCell[] => [
      ...[kind.replace('_', ' '), party ?? '', text, deadline ?? ''],
      cites[0]?.page ?? '',
    ]),
  ];
}

/** Sensitive data, each with its quote; empty if none was found. */
function sensitiveRows({ pii = [] }: Report): TableCell[][] {
  if (pii.length === 0) return [];
  return [
    ['Sensitive data', 'Quote', 'Page'],
    ...pii.flatMap(({ class: name, count, cites }): TableCell[][] => [
      ...cites.map(({ quote, page }): TableCell[] => [SENSITIVE_NAMES[name], quote, page ?? '']),
      ...(count > cites.length
        ? [[SENSITIVE_NAMES[name], `${count - cites.length} more in the document`, '']]
        : []),
    ]),
  ];
}

function summaryRows({ document, summary, attention }: Report): TableCell[][] {
  return [
    ['Title', document.title],
    ['Kind', document.kind],
    ['Summary', summary.short],
    ...summary.points.map(({ text }) => ['Point', text]),
    ...attention.map(({ text }) => ['Attention', text]),
  ];
}

/** The days that a report's facts and obligations name, each once. */
function datesOf(facts: readonly Fact[], { obligations = [], parts = [] }: Report): CalendarDay[] {
  const inside = parts.flatMap(({ name, document, fields }) =>
    factsOf(fields, []).map((fact) => ({ ...fact, label: `${fact.label}: ${document?.title ?? name}` })),
  );
  const days = [...facts, ...inside]
    .filter(isCalendarDay)
    .map(({ key, label, normalized = '' }) => ({ day: normalized, label, isRecord: RECORDS.has(key) }));
  const bound = obligations.flatMap(({ kind, party, text, deadline }) =>
    deadline === undefined
      ? []
      : [
          {
            day: deadline,
            label: kind === 'notice_day' ? LAST_DAY : `${party ?? 'Obligation'}: ${cut(text)}`,
          },
        ],
  );
  return [...new Map([...days, ...bound].map((each) => [`${each.day} ${each.label}`, each])).values()];
}

/** Dates that say what was, so that nobody is reminded of them. */
const RECORDS: ReadonlySet<string> = new Set(['issue_date', 'birth_date', 'delivery_date']);
const LAST_DAY = 'Last day for a notice';
const LONGEST_NAME = 120;

/** A sentence as the name of an event. */
function cut(text: string): string {
  return text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME).replace(/\s\S*$/, '')} …`;
}
