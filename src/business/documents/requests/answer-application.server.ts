import { createHash } from 'node:crypto';
import { checkCites } from '@northline/document-reader/cite-check';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { lockFileFirst } from '../file-lock.server.ts';
import { type Answer, answerSchema, type CompletedAnswer } from './analysis-answer.server.ts';
import { type AnalysisContext, OWN_ANSWER_WITHIN_MS } from './analysis-context.server.ts';
import { ACTIVE, completeAnalysis, failAnalysis, showProgress } from './analysis-outcome.server.ts';
import { READ_JOB } from './stored-document-read.server.ts';

/** A call-back's body: an answer, or what is wrong with it, by path. */
export type ParsedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly isJson: boolean; readonly fields: Record<string, string> };

/** Parses a body as an answer. */
export function parseAnswer(body: Buffer): ParsedAnswer {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    return { ok: false, isJson: false, fields: { body: 'is not JSON' } };
  }
  const outcome = answerSchema.safeParse(json);
  if (outcome.success) return { ok: true, answer: outcome.data };
  const issues = outcome.error.issues.slice(0, 20);
  return {
    ok: false,
    isJson: true,
    fields: Object.fromEntries(issues.map((issue) => [issue.path.join('.') || 'body', issue.message])),
  };
}

/** The result of an answer. `repeated`: the same body closed the analysis before. */
export type AnswerOutcome = 'applied' | 'repeated' | 'closed' | 'unknown' | 'incomplete';

/** Applies an answer in the transaction of `queries`; an answer that comes several times has one effect. */
export async function applyAnswer(
  { resources }: AnalysisContext,
  queries: Queries,
  analysisId: string,
  { answer, body }: { answer: Answer; body: Buffer },
): Promise<AnswerOutcome> {
  const hash = createHash('sha256').update(body).digest('hex');
  await lockFileFirst(queries, analysisId);
  const analysis = await queries.maybe(
    'select state, target, file_id, answer_hash, deadline_at < now() as late from private.analyses where id = $1 for no key update',
    [analysisId],
  );
  if (analysis === undefined) return 'unknown';
  if (analysis.answer_hash === hash) return 'repeated';
  const waits = ['queued', 'sent'].includes(analysis.state) && !analysis.late;
  if (!waits) return 'closed';
  if (answer.status === 'progress') {
    await showProgress(queries, analysisId, answer.progress);
    return 'applied';
  }
  await queries.run('update private.analyses set answer_hash = $2 where id = $1', [analysisId, hash]);
  if (answer.status === 'failed') {
    const sentence = answer.error?.message || 'The analyser could not read this document.';
    await failAnalysis(queries, analysisId, { code: answer.error?.code ?? 'analyser_failed', sentence });
    return 'applied';
  }
  if (analysis.target === 'embedded') return completeEmbedded(queries, analysisId, answer);
  // An automation's answer is merged with our own reading, so that the viewer has the text.
  const { blocks: _, ...kept } = answer;
  await queries.run(
    `update private.analyses set state = 'merging', answer = $2, updated_at = now(),
            deadline_at = now() + $3 * interval '1 millisecond'
      where id = $1 and state in ${ACTIVE}`,
    [analysisId, JSON.stringify(kept).toWellFormed(), OWN_ANSWER_WITHIN_MS],
  );
  await resources.jobs.add(queries, READ_JOB, { analysisId }, { key: analysisId });
  return 'applied';
}

async function completeEmbedded(
  queries: Queries,
  analysisId: string,
  { report, blocks }: CompletedAnswer,
): Promise<AnswerOutcome> {
  if (report === undefined || blocks === undefined) return 'incomplete';
  await completeAnalysis(queries, analysisId, checkCites(report, blocks), blocks);
  return 'applied';
}
