import type { HttpContext } from '../../kernel/http/http-context.ts';
import { ownOrigin } from '../../kernel/http/own-origin.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { declareCompareDocuments } from './comparison/document-comparison.server.ts';
import { declareCorrectFact } from './corrections/fact-correction.server.ts';
import { declareDocumentReading } from './exports/document-reading.server.ts';
import { mountExportReport } from './exports/report-export.server.ts';
import { mountReportSchema } from './exports/report-schema.server.ts';
import { mountSearchablePdf } from './exports/searchable-export.server.ts';
import { declareInvoices } from './invoices/invoice-list.server.ts';
import { declareForgetCorrection, notePrecedent } from './own-fields/correction-precedents.server.ts';
import { declareDefineOwnField, declareRemoveOwnField } from './own-fields/own-field-definition.server.ts';
import { mountOwnFieldTable } from './own-fields/own-field-table.server.ts';
import { declareTeachOwnField } from './own-fields/own-field-teaching.server.ts';
import { declareAskDocuments } from './questions/document-question.server.ts';
import type { AnalysisContext } from './requests/analysis-context.server.ts';
import { declareDeleteAnalysis } from './requests/analysis-deletion.server.ts';
import { declareAnalysisQueue } from './requests/analysis-queue.server.ts';
import { declareAnalyze, startAnalysis } from './requests/analysis-request.server.ts';
import { watchAnalyses } from './requests/analysis-watch.server.ts';
import { mountAnalysisCallback } from './requests/callback-receipt.server.ts';
import { createDocumentPasswords } from './requests/document-passwords.server.ts';
import { mountEmbeddedAnalyser } from './requests/embedded-analyser.server.ts';
import { defineFinishedNotice } from './requests/finished-notice.server.ts';
import { defineAnalysisRequests } from './requests/request-composition.server.ts';
import { defineRowsReading } from './requests/rows-reading.server.ts';
import { defineReadJob } from './requests/stored-document-read.server.ts';
import { openStoredDocuments } from './requests/stored-documents.server.ts';
import { defineArrivals } from './rules/arrived-documents.server.ts';
import { declareRules } from './rules/rule-functions.server.ts';
import { defineReminders } from './rules/rule-reminders.server.ts';
import { defineRuleWebhooks } from './rules/rule-webhook.server.ts';
import { defineDocumentIndex } from './search/document-index.server.ts';
import { declareSearchDocuments } from './search/document-search.server.ts';
import { declareSimilarDocuments } from './search/similar-documents.server.ts';
import { declareReportShares } from './sharing/report-share.server.ts';
import { declareSplitDocument } from './stacks/stack-split.server.ts';

/**
 * Mounts the analysis of documents: the function `analyze`, the delivery of its requests, the built-in
 * analyser, the call-back and the check of deadlines.
 *
 * @returns starts the analysis of a user's document, for features that store documents
 */
export function mountAnalysis(
  http: HttpContext,
  resources: Resources,
): (document: { userId: string; fileId: string }) => Promise<void> {
  const { outbound, outbox } = resources;
  const context: AnalysisContext = {
    resources,
    documents: openStoredDocuments(resources),
    outbound,
    outbox,
    passwords: createDocumentPasswords(),
    ownOrigin: () => ownOrigin(http),
  };
  declareAnalyze(http, context);
  declareSplitDocument(http, context);
  declareAnalysisQueue(http, resources);
  declareCorrectFact(http, resources, notePrecedent);
  declareForgetCorrection(http, resources);
  declareSearchDocuments(http, resources);
  declareSimilarDocuments(http, resources);
  defineDocumentIndex(resources);
  declareDocumentReading(http, resources);
  mountExportReport(http, resources);
  mountReportSchema(http);
  const served = { signedPath: context.documents.signedPath, ownOrigin: context.ownOrigin };
  mountSearchablePdf(http, resources, served);
  declareCompareDocuments(http, resources);
  declareReportShares(http, resources, served);
  declareDeleteAnalysis(http, resources);
  declareAskDocuments(http, resources);
  declareInvoices(http, resources);
  declareDefineOwnField(http, resources);
  declareRemoveOwnField(http, resources);
  declareTeachOwnField(http, resources);
  mountOwnFieldTable(http, resources);
  declareRules(http, resources);
  defineRuleWebhooks(resources);
  defineReminders(resources);
  defineArrivals(resources);
  defineAnalysisRequests(context);
  mountEmbeddedAnalyser(http, context);
  mountAnalysisCallback(http, context);
  defineReadJob(context);
  defineRowsReading(context);
  defineFinishedNotice(resources);
  watchAnalyses(context);
  return (document) => startAnalysis(context, document);
}
