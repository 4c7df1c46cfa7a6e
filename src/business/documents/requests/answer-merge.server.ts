import { createCiter } from '@northline/document-reader/citation';
import { checkCites } from '@northline/document-reader/cite-check';
import type { ReaderReply } from '@northline/document-reader/reader-messages';
import type { Block, Field, Report } from '@northline/document-reader/report.contract';
import type { CompletedAnswer } from './analysis-answer.server.ts';

const MAX_FIELDS = 200;
const EXTERNAL_ENGINE = { name: 'external', version: '1' } as const;

/**
 * Merges an automation's answer with our own reading (docs/contracts/documents.md §7.2). Its words and fields come first,
 * its quotes count only if they are in the document, and the viewer shows the text of our reading. Without our own
 * reading (of a scan, for example) the answer is used alone.
 */
export function mergeAnswer(
  answer: CompletedAnswer,
  reply: ReaderReply | undefined,
  file: { fileName: string; createdAt: string },
): { report: Report; blocks: readonly Block[] } {
  const read = reply?.outcome === 'read' ? reply : undefined;
  const blocks = read?.blocks ?? [];
  const local = read?.report ?? emptyReport(file, reply);
  const base = answer.report === undefined ? local : checkCites(answer.report, blocks);
  const words = answer.summary ?? plainText(answer.markdown);
  const given = asFields(answer.fields ?? {}, blocks);
  const { pii: _, ...rest } = base;
  return {
    blocks,
    report: {
      ...rest,
      // Sensitive data is marked in our text, which the viewer shows.
      ...(local.pii === undefined ? {} : { pii: local.pii }),
      engine: EXTERNAL_ENGINE,
      createdAt: file.createdAt,
      // We measure the file ourselves, so an automation cannot change these values.
      document: {
        ...base.document,
        sha256: local.document.sha256,
        pages: local.document.pages,
        words: local.document.words,
      },
      summary: words === undefined ? base.summary : { ...base.summary, short: words.slice(0, 20_000) },
      fields: [...given, ...base.fields].slice(0, MAX_FIELDS),
      warnings: [...base.warnings, ...(answer.report === undefined ? [] : local.warnings)].slice(0, 50),
      coverage: local.coverage,
      ...(answer.report_url === undefined ? {} : { reportUrl: answer.report_url }),
    },
  };
}

function asFields(
  fields: Readonly<Record<string, string | number | boolean>>,
  blocks: readonly Block[],
): Field[] {
  const citer = createCiter(blocks);
  return Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([name, given]) => {
      const value = String(given);
      const cite = citer.find(value, undefined);
      return {
        key: `extra:${name}`,
        label: name,
        value,
        type: 'text',
        confidence: 0.7,
        source: 'external',
        cites: cite === undefined ? [] : [cite],
      } as const;
    });
}

/** Markdown as plain text, without the most common marks. */
function plainText(markdown: string | undefined): string | undefined {
  return markdown
    ?.replace(/^#{1,6}\s+/gm, '')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|__|`/g, '');
}

function emptyReport(file: { fileName: string; createdAt: string }, reply: ReaderReply | undefined): Report {
  const why =
    reply?.outcome === 'unreadable' ? reply.sentence : 'The text of the file could not be read here.';
  return {
    schema: 'report/1',
    createdAt: file.createdAt,
    engine: EXTERNAL_ENGINE,
    status: 'partial',
    document: {
      title: file.fileName.slice(0, 300),
      kind: 'other',
      kindConfidence: 0,
      language: null,
      pages: null,
      words: 0,
      readingMinutes: 0,
      sha256: '',
    },
    summary: { short: '', points: [] },
    attention: [],
    fields: [],
    outline: [],
    phrases: [],
    coverage: { pagesRead: 0, pagesSkipped: [] },
    warnings: [{ code: 'not_read', text: why }],
    timings: {},
  };
}
