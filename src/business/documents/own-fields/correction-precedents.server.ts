import { SURE_ENOUGH } from '@northline/document-reader/confidence-threshold.contract';
import {
  type LearnedField,
  learnField,
  placedRows,
  placesOfValue,
} from '@northline/document-reader/field-learning';
import { readField } from '@northline/document-reader/field-reading';
import type { Field, Report } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { applyCorrections } from '../corrections/correction-application.server.ts';
import type { NewCorrection } from '../corrections/fact-correction.server.ts';
import { lockFiles } from '../file-lock.server.ts';
import { rowsOfFile } from './document-rows.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'northline_app.correction_precedents.learned': LearnedField;
  }
}

/** The facts whose corrections hold for further documents of the same sender. */
const TAUGHT: ReadonlySet<string> = new Set(['supplier', 'document_number']);
/** Facts of which one, together with the name that was read, tells a sender from another one. */
const BESIDE_A_NAME: readonly string[] = ['vat_id', 'company_number', 'phone', 'email', 'url'];

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * What a document of the same sender has: its account, or the name that was read together with a number or address of it.
 * The name alone is not enough, as a wrongly read name may stand in the documents of several senders.
 */
export function sendersOf(fields: readonly Field[]): string[] {
  const of = (key: string): string[] =>
    fields.filter((field) => field.key === key).map(({ value, normalized }) => plain(normalized ?? value));
  const names = of('supplier');
  return [
    ...of('iban').map((account) => `iban ${account}`),
    ...BESIDE_A_NAME.flatMap((key) =>
      of(key).flatMap((value) => names.map((name) => `${name} ${key} ${value}`)),
    ),
  ].slice(0, 20);
}

/**
 * Notes what a correction teaches, in its transaction; a correction that is taken back teaches nothing any more. A number is
 * learned by its place and form, and teaches nothing if it does not stand in the document.
 */
export async function notePrecedent(
  queries: Queries,
  { fileId, userId, key, value }: NewCorrection,
): Promise<void> {
  if (!TAUGHT.has(key)) return;
  await forgetPrecedents(queries, { userId, fileId, key });
  if (value === null) return;
  const stored = await queries.maybe('select report from northline_app.analysis_reports where file_id = $1', [
    fileId,
  ]);
  const senders = stored === undefined ? [] : sendersOf(stored.report.fields);
  if (senders.length === 0) return;
  const rows = key === 'document_number' ? await rowsOfFile(queries, fileId) : undefined;
  const stands = rows !== undefined && placesOfValue(placedRows(rows), { value }).length > 0;
  const learned = stands ? learnField([{ rows, value }]) : undefined;
  if (key === 'document_number' && learned === undefined) return;
  await queries.run(
    `insert into northline_app.correction_precedents (user_id, file_id, key, senders, value, learned)
     values ($1, $2, $3, $4, $5, $6)`,
    [userId, fileId, key, senders, value, learned === undefined ? null : JSON.stringify(learned)],
  );
}

/**
 * Corrects a new report as earlier documents of the same sender were corrected, the latest correction first. Only for the
 * first report of a document: later ones keep what a person decided.
 */
export async function applyPrecedents(
  queries: Queries,
  { fileId, userId }: { fileId: string; userId: string },
  { fields }: Report,
): Promise<void> {
  const senders = sendersOf(fields);
  if (senders.length === 0) return;
  const precedents = await queries.many(
    `select distinct on (l.key) l.id, l.key, l.value, l.learned from northline_app.correction_precedents l
      where l.user_id = $1 and l.file_id <> $2 and l.senders && $3::text[]
      order by l.key, l.taught_at desc, l.id`,
    [userId, fileId, senders],
  );
  for (const { id, key, value, learned } of precedents) {
    const read = fields.find((field) => field.key === key);
    if (read === undefined) continue;
    const taught = learned === null ? value : await numberOf(queries, fileId, learned);
    if (taught === undefined || taught === read.value) continue;
    await queries.run(
      `insert into northline_app.analysis_corrections (file_id, key, original, value, user_id, precedent_id)
       values ($1, $2, $3, $4, $5, $6) on conflict (file_id, key, original) do nothing`,
      [fileId, key, read.value, taught, userId, id],
    );
  }
}

async function numberOf(
  queries: Queries,
  fileId: string,
  learned: LearnedField,
): Promise<string | undefined> {
  const rows = await rowsOfFile(queries, fileId);
  const read = rows && readField(learned, rows);
  return read !== undefined && read.confidence >= SURE_ENOUGH ? read.value : undefined;
}

/** Forgets precedents, and takes back what documents were read with them. @returns how many there were */
async function forgetPrecedents(
  queries: Queries,
  {
    userId,
    fileId = null,
    key = null,
    id = null,
  }: { userId: string; fileId?: string | null; key?: string | null; id?: string | null },
): Promise<number> {
  const changed = await queries.many(
    `select distinct c.file_id from northline_app.analysis_corrections c
       join northline_app.correction_precedents l on l.id = c.precedent_id
      where l.user_id = $1 and (l.id = $2::uuid or (l.file_id = $3::uuid and l.key = $4::text)) order by c.file_id`,
    [userId, id, fileId, key],
  );
  await lockFiles(
    queries,
    changed.map((each) => each.file_id),
  );
  const gone = await queries.run(
    `delete from northline_app.correction_precedents
      where user_id = $1 and (id = $2::uuid or (file_id = $3::uuid and key = $4::text))`,
    [userId, id, fileId, key],
  );
  for (const { file_id: changedId } of changed) await applyCorrections(queries, changedId);
  return gone;
}

/** `forget-correction`: forgets what a correction taught, with its effect on other documents. 404 for another user's. */
export function declareForgetCorrection(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  declareFunction(http, {
    name: 'forget-correction',
    callers: 'users',
    body: z.strictObject({ precedent_id: z.uuid() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body: { precedent_id: id } }) => {
      const userId = requireUser(caller);
      const gone = await database.transaction((queries) => forgetPrecedents(queries, { userId, id }));
      if (gone === 0) throw new ServiceError(404, 'not_found', 'This correction was forgotten before.');
      return { forgotten: true };
    },
  });
}
