import { readOn } from '@northline/document-reader/past-days.contract';
import type { Block, Cite, Report } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { factsOf } from '../corrections/fact-correction.contract.ts';
import {
  DOCUMENTS_A_PAGE,
  type DocumentList,
  type DocumentReport,
  type DocumentTables,
  type DocumentText,
  TEXT_A_PAGE,
} from './document-reading.contract.ts';

/**
 * The functions `list-documents` and `read-document`, for programs: the caller's documents and those of the caller's
 * team, each as its report, its text or its tables, in pages.
 *
 * Errors: 404 `not_found` for a document that the caller does not see, 409 `not_read` before it has a report.
 */
export function declareDocumentReading(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'list-documents',
    callers: 'users',
    body: z.object({
      q: z.string().trim().max(200).default(''),
      after: z.uuid().or(z.literal('')).default(''),
      /** Only this document. */
      file_id: z.uuid().nullish(),
    }),
    limit: { count: 120, seconds: 60, burst: 40 },
    handle: ({ caller, body }) =>
      database.asCaller(caller, (queries) => listDocuments(queries, requireUser(caller), body)),
  });
  declareFunction(http, {
    name: 'read-document',
    callers: 'users',
    body: z.object({
      file_id: z.uuid(),
      part: z.enum(['report', 'text', 'tables']).default('report'),
      after: z.number().int().min(0).max(1_000_000).default(0),
    }),
    limit: { count: 120, seconds: 60, burst: 40 },
    heavyFor: 'customers',
    handle: ({ caller, body: { file_id: fileId, part, after } }) =>
      database.asCaller<object>(caller, (queries) =>
        part === 'report' ? readReport(queries, fileId) : readPart(queries, { fileId, part, after }),
      ),
  });
}

/** The rights of the rows decide which documents there are. */
async function listDocuments(
  queries: Queries,
  userId: string,
  { q, after, file_id: fileId }: { q: string; after: string; file_id?: string | null | undefined },
): Promise<DocumentList> {
  const rows = await queries.many(
    `select f.id, f.user_id, f.file_name, f.status, f.progress, f.report_line, f.file_size, f.created_at,
            r.report #>> '{document,title}' as title, r.report #>> '{document,kind}' as kind
       from public.user_files f left join northline_app.analysis_reports r on r.file_id = f.id
      where f.deleted_at is null
        and ($1 = '' or position(lower($1) in lower(concat_ws(' ', f.file_name, r.report #>> '{document,title}'))) > 0)
        and ($2 = '' or (f.created_at, f.id) < (select created_at, id from public.user_files where id::text = $2))
        and ($4::uuid is null or f.id = $4)
      order by f.created_at desc, f.id desc limit $3`,
    [q, after, DOCUMENTS_A_PAGE + 1, fileId ?? null],
  );
  const shown = rows.slice(0, DOCUMENTS_A_PAGE);
  return {
    documents: shown.map((row) => ({
      id: row.id,
      name: row.file_name,
      status: row.status as DocumentList['documents'][number]['status'],
      progress: row.progress,
      title: row.title,
      kind: row.kind as DocumentList['documents'][number]['kind'],
      line: row.report_line,
      bytes: Number(row.file_size),
      uploaded_at: row.created_at.toISOString(),
      is_mine: row.user_id === userId,
    })),
    next: rows.length > DOCUMENTS_A_PAGE ? (shown.at(-1)?.id ?? null) : null,
  };
}

async function readReport(queries: Queries, fileId: string): Promise<DocumentReport> {
  const { report: stored, name } = await reportOf(queries, fileId);
  const report = readOn(stored, new Date().toISOString().slice(0, 10));
  const corrections = await queries.many(
    'select key, original, value, normalized, corrected_at from northline_app.analysis_corrections where file_id = $1',
    [fileId],
  );
  const facts = factsOf(
    report.fields,
    corrections.map((each) => ({ ...each, corrected_at: each.corrected_at.toISOString() })),
  );
  const { document, summary } = report;
  return {
    id: fileId,
    name,
    title: document.title,
    kind: document.kind,
    language: document.language,
    pages: document.pages,
    words: document.words,
    status: report.status,
    summary: summary.short,
    points: summary.points.map(({ text, cites }) => ({ text, quotes: quotesOf(cites) })),
    facts: facts.map(({ key, label, value, normalized, type, confidence, correction, cites }) => ({
      ...{ key, label, value, type, confidence },
      normalized: normalized ?? null,
      original: correction?.original ?? value,
      quotes: quotesOf(cites),
    })),
    attention: report.attention.map(({ severity, text, cites }) => ({
      severity,
      text,
      quotes: quotesOf(cites),
    })),
    obligations: (report.obligations ?? []).map(({ kind, party, text, deadline, cites }) => ({
      kind,
      party: party ?? null,
      text,
      deadline: deadline ?? null,
      quotes: quotesOf(cites),
    })),
    tables: tablesOf(report).length,
  };
}

async function readPart(
  queries: Queries,
  { fileId, part, after }: { fileId: string; part: 'text' | 'tables'; after: number },
): Promise<DocumentText | DocumentTables> {
  if (part === 'tables') {
    const { report, name } = await reportOf(queries, fileId);
    const tables = tablesOf(report);
    return {
      id: fileId,
      name,
      table: tables[after] ?? null,
      next: after + 1 < tables.length ? after + 1 : null,
    };
  }
  const { name } = await reportOf(queries, fileId);
  const { blocks } = await queries.one(
    'select blocks from northline_app.analysis_reports where file_id = $1',
    [fileId],
  );
  const all = blocks as readonly Block[];
  const shown: DocumentText['blocks'] = [];
  let length = 0;
  for (const { id, type, page, text } of all.slice(after)) {
    if (length >= TEXT_A_PAGE) break;
    shown.push({ id, type, page: page ?? null, text });
    length += text.length;
  }
  const next = after + shown.length;
  return { id: fileId, name, blocks: shown, next: next < all.length ? next : null };
}

async function reportOf(queries: Queries, fileId: string): Promise<{ report: Report; name: string }> {
  const row = await queries.maybe(
    `select f.file_name, r.report from public.user_files f
       left join northline_app.analysis_reports r on r.file_id = f.id
      where f.id = $1 and f.deleted_at is null`,
    [fileId],
  );
  if (row === undefined)
    throw new ServiceError(404, 'not_found', 'There is no such document: it may have been deleted.');
  if (row.report === null)
    throw new ServiceError(409, 'not_read', 'This document has not been read yet: have it read first.');
  return { report: row.report, name: row.file_name };
}

const quotesOf = (cites: readonly Cite[]): { page: number | null; quote: string }[] =>
  cites.map(({ page, quote }) => ({ page: page ?? null, quote }));

/** The items of a bill as a table, and the other tables. */
function tablesOf({ items, tables = [] }: Report): NonNullable<DocumentTables['table']>[] {
  const printed = tables.map(({ page, header, rows }) => ({ page: page ?? null, header, rows }));
  if (items === undefined) return printed;
  const rows = items.rows.map(({ text, quantity = '', unit = '', price = '', taxRate = '', amount }) => [
    text,
    quantity,
    unit,
    price,
    taxRate,
    amount,
  ]);
  const header = ['Item', 'Quantity', 'Unit', 'Price', 'VAT %', 'Amount'];
  return [{ page: items.rows[0]?.cites[0]?.page ?? null, header, rows }, ...printed];
}
