import { findAmounts } from '@northline/document-reader/amounts';
import { findDate } from '@northline/document-reader/dates';
import { findIbans } from '@northline/document-reader/ibans';
import type { Field } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { lockFilesOfCorrection } from '../file-lock.server.ts';
import { applyCorrections } from './correction-application.server.ts';
import type { Correction } from './fact-correction.contract.ts';

const bodySchema = z.object({
  file_id: z.uuid(),
  key: z.string().min(1).max(100),
  /** The analyser's value, as the report has it. */
  original: z.string().max(2000),
  /** Null: the analyser's value counts again. */
  value: z.string().trim().min(1).max(2000).nullable(),
});

/** A correction that was stored, or with null taken back. */
export interface NewCorrection {
  readonly fileId: string;
  readonly userId: string;
  readonly key: string;
  readonly original: string;
  readonly value: string | null;
}

/**
 * The function `correct-fact`: corrects a value in a report on the user's own document, or removes the correction. The
 * report keeps the analyser's value; the correction is stored beside it, with its author and time. Answers `{correction}`,
 * which is null after a removal.
 *
 * Errors: 404 `not_found` for a report or field that is not the user's; 400 `wrong_value` for a text that is not a date,
 * amount or IBAN, if the field is one.
 *
 * @param onCorrected called in the transaction of the correction
 */
export function declareCorrectFact(
  http: HttpContext,
  { database }: Pick<Resources, 'database'>,
  onCorrected: (queries: Queries, correction: NewCorrection) => Promise<void>,
): void {
  declareFunction(http, {
    name: 'correct-fact',
    callers: 'users',
    body: bodySchema,
    limit: { count: 120, seconds: 60, burst: 60 },
    handle: async ({ caller, body }) => {
      const userId = requireUser(caller);
      const seen = await database.asCaller(caller, (queries) =>
        queries.maybe(
          'select file_id from northline_app.analysis_reports where file_id = $1 and user_id = $2',
          [body.file_id, userId],
        ),
      );
      if (seen === undefined) throw noSuchFact();
      return {
        correction: await database.transaction(async (queries) => {
          await lockFilesOfCorrection(queries, body.file_id, body.key);
          const correction = await correctFact(queries, { ...body, userId });
          await onCorrected(queries, {
            ...{ fileId: body.file_id, userId, key: body.key, original: body.original },
            value: correction?.value ?? null,
          });
          return correction;
        }),
      };
    },
  });
}

/**
 * The correction as it is stored; null after a removal. Corrections and a new report of one file wait for each other,
 * since the line for the list of files depends on all of them.
 */
async function correctFact(
  queries: Queries,
  {
    file_id: fileId,
    key,
    original,
    value,
    userId,
  }: z.output<typeof bodySchema> & { readonly userId: string },
): Promise<Correction | null> {
  await queries.maybe(
    'select file_id from northline_app.analysis_reports where file_id = $1 and user_id = $2 for no key update',
    [fileId, userId],
  );
  const field = await queries.maybe(
    `select f.field ->> 'type' as type
       from northline_app.analysis_reports r, jsonb_array_elements(r.report -> 'fields') as f (field)
      where r.file_id = $1 and r.user_id = $2 and f.field ->> 'key' = $3 and f.field ->> 'value' = $4 limit 1`,
    [fileId, userId, key, original],
  );
  if (field === undefined) throw noSuchFact();
  if (value === null || value === original) {
    await queries.run(
      'delete from northline_app.analysis_corrections where file_id = $1 and key = $2 and original = $3',
      [fileId, key, original],
    );
    await applyCorrections(queries, fileId);
    return null;
  }
  const normalized = normalize(field.type as Field['type'], value) ?? null;
  const { corrected_at: at } = await queries.one(
    `insert into northline_app.analysis_corrections (file_id, key, original, value, normalized, user_id, corrected_by)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (file_id, key, original) do update set value = excluded.value, normalized = excluded.normalized,
       corrected_by = excluded.corrected_by, corrected_at = now(), precedent_id = null
     returning corrected_at`,
    [fileId, key, original, value, normalized, userId],
  );
  await applyCorrections(queries, fileId);
  return { key, original, value, normalized, corrected_at: at.toISOString() };
}

const noSuchFact = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is no such fact in the report.');

/**
 * The normal form of a corrected value, for comparisons and exports.
 *
 * @throws ServiceError 400 `wrong_value`
 */
function normalize(type: Field['type'], value: string): string | undefined {
  if (type === 'date') {
    return findDate(value)?.iso ?? refuse('is not a date: write it as 2026-05-31 or 31 May 2026');
  }
  if (type === 'money') {
    const plain = /^-?\d+(?:\.\d+)?$/.test(value) ? Number(value).toFixed(2) : undefined;
    return (
      plain ?? findAmounts(value)[0]?.value ?? refuse('is not an amount: write it as 1240.00 or £1,240.00')
    );
  }
  if (type === 'iban') {
    return (
      findIbans(value.toUpperCase())[0]?.compact ?? refuse('is not an IBAN: its check digits do not hold')
    );
  }
  return undefined;
}

function refuse(why: string): never {
  throw new ServiceError(400, 'wrong_value', `This value ${why}.`);
}
