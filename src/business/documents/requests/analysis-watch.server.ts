import type { AnalysisContext } from './analysis-context.server.ts';
import { ACTIVE, failAnalysis } from './analysis-settlement.server.ts';
import { READ_JOB, removeStaleDocuments } from './stored-document-read.server.ts';

const EVERY_SECONDS = 20;
const FALLBACK_MINUTES = 10;

/**
 * Ends overdue analyses (docs/contracts/documents.md §7.2): the built-in analyser takes over once for an
 * automation that did not answer. After that the analysis fails, and another try is free.
 */
export function watchAnalyses(context: AnalysisContext): void {
  context.resources.jobs.every('analyses past their deadline', EVERY_SECONDS, async () => {
    await endLateAnalyses(context);
    await removeStaleDocuments(context);
  });
}

/** Ends all analyses that are overdue now. */
export async function endLateAnalyses({ resources }: Pick<AnalysisContext, 'resources'>): Promise<void> {
  await resources.database.transaction(async (queries) => {
    const late = await queries.many(
      `select id, target, state from private.analyses where state in ${ACTIVE} and deadline_at < now()
        order by deadline_at limit 100 for update skip locked`,
    );
    for (const { id, target, state } of late) {
      if (target === 'external' && ['queued', 'sent'].includes(state)) {
        await queries.run(
          `update private.analyses set state = 'fallback', updated_at = now(),
                  deadline_at = now() + $2 * interval '1 minute' where id = $1`,
          [id, FALLBACK_MINUTES],
        );
        await resources.jobs.add(queries, READ_JOB, { analysisId: id }, { key: id });
      } else {
        const sentence = 'The analysis took too long and was stopped. Please try again: it is free.';
        await failAnalysis(queries, id, { code: 'deadline', sentence });
      }
    }
  });
}
