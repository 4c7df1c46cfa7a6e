import { z } from 'zod';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { SimilarDocument } from './document-search.contract.ts';

const MOST_COMPARED = 2000;
const MOST_SHOWN = 6;
const LEAST_SCORE = 0.12;
const SHARED_WORDS = 4;

interface TermRow {
  readonly terms: readonly string[];
  readonly counts: readonly number[];
}

/**
 * The function `similar-documents`: the user's other documents that use the same words, most similar first. Answers
 * `{documents}`, which is empty for a document without an index.
 */
export function declareSimilarDocuments(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'similar-documents',
    callers: 'users',
    body: z.object({ file_id: z.uuid() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: ({ caller, body }) => {
      const userId = requireUser(caller);
      return database.asCaller(caller, async (queries) => {
        const rows = await queries.many(
          `select i.file_id, f.file_name, i.title, i.kind, i.terms, i.counts
             from northline_app.analysis_index i join public.user_files f on f.id = i.file_id and f.deleted_at is null
            where i.user_id = $1 order by (i.file_id = $2) desc, i.indexed_at desc limit $3`,
          [userId, body.file_id, MOST_COMPARED],
        );
        const own = rows.find(({ file_id: id }) => id === body.file_id);
        return { documents: own === undefined ? [] : rankSimilar(own, rows) };
      });
    },
  });
}

/** Words of every contract and letter: that two documents use them says nothing about what they share. */
const FORMAL_WORDS: ReadonlySet<string> = new Set(
  'agree agreed agreement any apply clause condition date day days document each either following four from give given herein hereby if may month months must name notice number other page parties party period person provide provided section shall subject such terms that these thirty this three time two under upon will with within without writing written year years abs absatz anderen angabe bestimmungen datum frist gemäß jahr jahre jeweils jeweiligen monat monate nummer partei parteien person personen schriftlich seite seiten sofern sowie tag tage tagen vereinbarung vertrag vertrags'.split(
    ' ',
  ),
);

/** Ranks by the cosine of the terms' weights; a term that few documents use weighs more, a formal word nothing. */
function rankSimilar<Row extends TermRow & Omit<SimilarDocument, 'score' | 'shared'>>(
  own: Row,
  rows: readonly Row[],
): SimilarDocument[] {
  const used = new Map<string, number>();
  for (const { terms } of rows) for (const term of terms) used.set(term, (used.get(term) ?? 0) + 1);
  const weightOf = (term: string, count = 1): number =>
    FORMAL_WORDS.has(term) ? 0 : (1 + Math.log(count)) * Math.log(1 + rows.length / (used.get(term) ?? 1));
  const weigh = ({ terms, counts }: TermRow): Map<string, number> =>
    new Map(terms.map((term, index) => [term, weightOf(term, counts[index])]));
  const mine = weigh(own);
  const length = (weights: ReadonlyMap<string, number>): number =>
    Math.sqrt([...weights.values()].reduce((sum, weight) => sum + weight * weight, 0));
  return rows
    .filter((row) => row.file_id !== own.file_id)
    .map((row): SimilarDocument => {
      const theirs = weigh(row);
      const shared = [...mine]
        .map(([term, weight]): [string, number] => [term, weight * (theirs.get(term) ?? 0)])
        .filter(([, product]) => product > 0)
        .sort((a, b) => b[1] - a[1]);
      const sum = shared.reduce((total, [, product]) => total + product, 0);
      const { file_id, file_name, title, kind } = row;
      return {
        ...{ file_id, file_name, title, kind },
        score: Number((sum / (length(mine) * length(theirs) || 1)).toFixed(3)),
        shared: shared.slice(0, SHARED_WORDS).map(([term]) => term),
      };
    })
    .filter(({ score }) => score >= LEAST_SCORE)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_SHOWN);
}
