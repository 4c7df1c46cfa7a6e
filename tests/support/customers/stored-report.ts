import type { Block, Field, Report } from '../../../packages/document-reader/src/contract/report.contract.ts';
import { completeAnalysis } from '../../../src/business/documents/requests/analysis-outcome.server.ts';
import type { TestApp } from '../test-app.ts';
import { type Customer, upload } from './analysis-customer.ts';

/** What a test says about a report; the rest is the same for all. */
export interface ReportParts {
  /** Name of a text file. */
  readonly name: string;
  /** One block each, on its own page. */
  readonly texts: readonly string[];
  readonly fields?: readonly Field[];
  readonly items?: Report['items'];
  readonly tables?: Report['tables'];
  readonly tablesLeftOut?: number;
  readonly obligations?: Report['obligations'];
  readonly pii?: Report['pii'];
  readonly kind?: Report['document']['kind'];
  readonly title?: string;
  readonly language?: string;
}

/**
 * Uploads a text and stores its report without reading it, for tests of what is done with reports. Returns
 * the file's id.
 */
export async function storeReport(app: TestApp, owner: Customer, parts: ReportParts): Promise<string> {
  const fileId = await upload(owner, parts.name, Buffer.from(parts.texts.join('\n')));
  const blocks = parts.texts.map(
    (text, index): Block => ({ id: `b${index + 1}`, type: 'para', page: index + 1, text }),
  );
  const { database } = app.resources;
  await database.transaction(async (queries) => {
    const { id } = await queries.one(
      `insert into private.analyses (file_id, user_id, target, deadline_at, state)
       values ($1, $2, 'embedded', now() + interval '1 hour', 'sent') returning id`,
      [fileId, owner.id],
    );
    await completeAnalysis(queries, id, reportOfParts(parts, blocks), blocks);
  });
  return fileId;
}

function reportOfParts(
  { name, title, kind, language, fields, items, tables, tablesLeftOut, obligations, pii }: ReportParts,
  blocks: readonly Block[],
): Report {
  return {
    schema: 'report/1',
    createdAt: '2026-03-03T10:00:00.000Z',
    engine: { name: 'local', version: '1' },
    status: 'complete',
    document: {
      title: title ?? name,
      kind: kind ?? 'invoice',
      kindConfidence: 0.9,
      language: language ?? 'en',
      pages: blocks.length,
      words: 100,
      readingMinutes: 1,
      sha256: '',
    },
    summary: { short: blocks[0]?.text.slice(0, 200) ?? '', points: [] },
    attention: [],
    fields: [...(fields ?? [])],
    ...(items === undefined ? {} : { items }),
    ...(tables === undefined ? {} : { tables }),
    ...(tablesLeftOut === undefined ? {} : { tablesLeftOut }),
    ...(obligations === undefined ? {} : { obligations }),
    ...(pii === undefined ? {} : { pii }),
    outline: [],
    phrases: [],
    coverage: { pagesRead: blocks.length, pagesSkipped: [] },
    warnings: [],
    timings: { read: 5 },
  };
}
