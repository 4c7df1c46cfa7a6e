import type { Door } from '../../http/door.ts';
import type { Resources } from '../../resources/resources.ts';
import { type AnalysisContext, ownOrigin } from './analysis-context.server.ts';
import { defineAnalysisRequests } from './compose-request.server.ts';
import { mountEmbeddedAnalyser } from './embedded-analyser.server.ts';
import { defineReadJob } from './read-stored-document.server.ts';
import { mountAnalysisCallback } from './receive-callback.server.ts';
import { declareAnalyze } from './request-analysis.server.ts';
import { openStoredDocuments } from './stored-documents.server.ts';
import { watchAnalyses } from './watch-analyses.server.ts';

/**
 * Analysis of documents: the function `analyze`, the delivery of its requests, the built-in
 * analyser, the call-back and the watch over deadlines.
 */
export function mountAnalysis(door: Door, resources: Resources): void {
  const { outbound, outbox } = resources;
  const context: AnalysisContext = {
    resources,
    documents: openStoredDocuments(resources),
    outbound,
    outbox,
    ownOrigin: () => ownOrigin(door.server),
  };
  declareAnalyze(door, context);
  defineAnalysisRequests(context);
  mountEmbeddedAnalyser(door, context);
  mountAnalysisCallback(door, context);
  defineReadJob(context);
  watchAnalyses(context);
}
