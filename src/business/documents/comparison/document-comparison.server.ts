import type { Block } from '@northline/document-reader/report.contract';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { type Fact, factsOf } from '../corrections/fact-correction.contract.ts';
import type { ChangedFact, DocumentComparison } from './document-comparison.contract.ts';
import { differText } from './text-difference.server.ts';

/**
 * The function `compare-documents`: the changes from the earlier of two documents to the later one, in facts (with their
 * corrections) and in text.
 *
 * Errors: 400 `validation_failed`, 404 `not_found` if one of them is not the user's or has no report, 422
 * `same_document`.
 */
export function declareCompareDocuments(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'compare-documents',
    callers: 'users',
    body: z.object({ file_id: z.uuid(), other_id: z.uuid() }),
    limit: { count: 30, seconds: 60, burst: 10 },
    heavyFor: 'customers',
    handle: async ({ caller, body }): Promise<DocumentComparison> => {
      const userId = requireUser(caller);
      const ids = [body.file_id, body.other_id];
      if (ids[0] === ids[1])
        throw new ServiceError(422, 'same_document', 'Choose two documents: these are one and the same.');
      const { rows, corrections } = await database.asCaller(caller, async (queries) => ({
        rows: await queries.many(
          `select r.file_id, f.file_name, r.report, r.blocks
             from northline_app.analysis_reports r
             join public.user_files f on f.id = r.file_id and f.deleted_at is null
            where r.user_id = $1 and r.file_id = any ($2::uuid[]) order by f.created_at, f.id`,
          [userId, ids],
        ),
        corrections: await queries.many(
          `select file_id, key, original, value, normalized, corrected_at from northline_app.analysis_corrections
            where file_id = any ($1::uuid[])`,
          [ids],
        ),
      }));
      const [earlier, later] = rows;
      if (earlier === undefined || later === undefined)
        throw new ServiceError(404, 'not_found', 'Both documents must be yours and have a report.');
      const facts = (row: typeof earlier): Fact[] =>
        factsOf(
          row.report.fields,
          corrections
            .filter(({ file_id: id }) => id === row.file_id)
            .map((each) => ({ ...each, corrected_at: each.corrected_at.toISOString() })),
        );
      const side = ({ file_id, file_name, report }: typeof earlier) => ({
        file_id,
        file_name,
        title: report.document.title,
      });
      return {
        earlier: side(earlier),
        later: side(later),
        facts: changedFacts(facts(earlier), facts(later)),
        ...(await differText(earlier.blocks as Block[], later.blocks as Block[])),
      };
    },
  });
}

/** Facts that differ. If one document has several values of a key, those that the other lacks. */
export function changedFacts(before: readonly Fact[], after: readonly Fact[]): ChangedFact[] {
  const keys = [...new Set([...before, ...after].map(({ key }) => key))];
  return keys.flatMap((key) => {
    const [old, now] = [before, after].map((facts) => facts.filter((fact) => fact.key === key));
    const gone = lacking(old ?? [], now ?? []);
    const come = lacking(now ?? [], old ?? []);
    return Array.from({ length: Math.max(gone.length, come.length) }, (_, index) => ({
      key,
      label: (gone[index] ?? come[index])?.label ?? key,
      before: gone[index]?.value,
      after: come[index]?.value,
    }));
  });
}

function lacking(facts: readonly Fact[], others: readonly Fact[]): Fact[] {
  const known = new Set(others.map(sign));
  return facts.filter((fact) => !known.has(sign(fact)));
}

const sign = ({ value, normalized }: Fact): string => normalized ?? value.replace(/\s+/g, ' ').toLowerCase();
