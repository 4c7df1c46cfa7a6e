import { type AnalysisContext, OWN_ANSWER_WITHIN_MS } from './analysis-context.server.ts';
import { ACTIVE, failAnalysis } from './analysis-outcome.server.ts';
import { removeOldPages } from './read-pages.server.ts';
import { EMBEDDED_JOB } from './reading-turn.server.ts';
import { READ_JOB, removeStaleDocuments } from './stored-document-read.server.ts';

const EVERY_SECONDS = 20;
/** An analysis is sent and its job added in two steps, and a job that goes on later is added anew. */
const LOST_AFTER_SECONDS = 120;

/**
 * Ends overdue analyses (docs/contracts/documents.md §7.2): the built-in analyser takes over once for an
 * automation that did not answer. After that the analysis fails, and another try is free.
 */
export function watchAnalyses(context: AnalysisContext): void {
  context.resources.jobs.every('analyses past their deadline', EVERY_SECONDS, async () => {
    await endLateAnalyses(context);
    await endLostAnalyses(context);
    await removeStaleDocuments(context);
    await removeOldPages(context.resources.database);
  });
}

/**
 * Ends the analyses of our own analyser whose job is gone, since it failed too often or was deleted. Nothing else would
 * end them, as waiting has no deadline. The next round gets those whose file somebody else has locked.
 */
export async function endLostAnalyses({ resources }: Pick<AnalysisContext, 'resources'>): Promise<void> {
  await resources.database.transaction(async (queries) => {
    const lost = await queries.many(
      `select a.id from private.analyses a join public.user_files f on f.id = a.file_id
        where a.target = 'embedded' and a.state = 'sent' and a.updated_at < now() - $1 * interval '1 second'
          and not exists (select 1 from private.job j
                           where j.name = $2 and j.state in ('created', 'retry', 'active')
                             and j.data ->> 'analysisId' = a.id::text)
        limit 100 for no key update of f, a skip locked`,
      [LOST_AFTER_SECONDS, EMBEDDED_JOB],
    );
    const sentence = 'The analysis was interrupted too often and was stopped. Please try again: it is free.';
    for (const { id } of lost) await failAnalysis(queries, id, { code: 'internal', sentence });
  });
}

/** Ends all analyses that are overdue now. The next round gets those whose file somebody else has locked. */
export async function endLateAnalyses({ resources }: Pick<AnalysisContext, 'resources'>): Promise<void> {
  await resources.database.transaction(async (queries) => {
    const late = await queries.many(
      `select a.id, a.target, a.state from private.analyses a join public.user_files f on f.id = a.file_id
        where a.state in ${ACTIVE} and a.deadline_at < now()
        order by a.deadline_at limit 100 for no key update of f, a skip locked`,
    );
    for (const { id, target, state } of late) {
      if (target === 'external' && ['queued', 'sent'].includes(state)) {
        await queries.run(
          `update private.analyses set state = 'fallback', updated_at = now(),
                  deadline_at = now() + $2 * interval '1 millisecond' where id = $1`,
          [id, OWN_ANSWER_WITHIN_MS],
        );
        await resources.jobs.add(queries, READ_JOB, { analysisId: id }, { key: id });
      } else {
        const sentence = 'The analysis took too long and was stopped. Please try again: it is free.';
        await failAnalysis(queries, id, { code: 'deadline', sentence });
      }
    }
  });
}
