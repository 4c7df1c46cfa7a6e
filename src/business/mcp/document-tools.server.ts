import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import {
  type DocumentList,
  documentListSchema,
  documentReportSchema,
  documentTablesSchema,
  documentTextSchema,
} from '../documents/exports/document-reading.contract.ts';
import type { InvoiceList } from '../documents/invoices/invoice-list.contract.ts';
import type { DocumentAnswer } from '../documents/questions/document-question.contract.ts';
import type { SearchAnswer, SearchHit } from '../documents/search/document-search.contract.ts';
import { type McpTool, tool } from './mcp-tool.server.ts';
import { WRITTEN, written } from './write-answer.server.ts';

/** Bills on a page of `list_bills`. */
const BILLS_A_PAGE = 100;
/** How long `read_again` waits for the reader, and how often it looks, milliseconds. */
const LONGEST_READING_MS = 45_000;
const LOOK_MS = 1000;

const DOCUMENT = z.uuid().describe('The id of a document, from list_documents or search_documents');
const AFTER = z.string().default('').describe('Empty for the first page, then `next` of the page before');
const PLACE = z
  .number()
  .int()
  .min(0)
  .default(0)
  .describe('0 for the first page, then `next` of the page before');

const hitSchema = z.object({
  document_id: z.string(),
  name: z.string(),
  title: z.string(),
  page: z.number().int().nullable(),
  text: z.string(),
  quote: z.string(),
});
const hitOf = ({ file_id: id, file_name: name, title, page, snippet, cite }: SearchHit) => ({
  document_id: id,
  name,
  title,
  page,
  text: snippet.map(({ text }) => text).join(''),
  quote: cite.quote,
});

/** Reading, searching and asking documents, and what an owner may change in their reports. */
export const DOCUMENT_TOOLS: readonly McpTool[] = [
  tool({
    name: 'list_documents',
    title: 'List documents',
    description: 'Lists your documents and those of your team, newest first, 50 at a time.',
    right: 'documents:read',
    input: z.object({
      words: z.string().max(200).default('').describe('Only documents with this in their name or title'),
      after: AFTER,
    }),
    output: documentListSchema,
    run: ({ words, after }, { ask }) => ask('list-documents', { q: words, after }),
  }),
  tool({
    name: 'read_report',
    title: 'Read a report',
    description:
      'What a document says: summary, facts, points to note and obligations, each with the exact quotes that prove it.',
    right: 'documents:read',
    input: z.object({ document_id: DOCUMENT }),
    output: documentReportSchema,
    run: ({ document_id: id }, { ask }) => ask('read-document', { file_id: id }),
  }),
  tool({
    name: 'read_text',
    title: 'Read the text of a document',
    description: 'The whole text of a document in reading order, about 20,000 characters at a time.',
    right: 'documents:read',
    input: z.object({ document_id: DOCUMENT, after: PLACE }),
    output: documentTextSchema,
    run: ({ document_id: id, after }, { ask }) => ask('read-document', { file_id: id, part: 'text', after }),
  }),
  tool({
    name: 'read_table',
    title: 'Read a table of a document',
    description: 'The items of a bill and the other tables of a document, one table at a time.',
    right: 'documents:read',
    input: z.object({ document_id: DOCUMENT, after: PLACE }),
    output: documentTablesSchema,
    run: ({ document_id: id, after }, { ask }) =>
      ask('read-document', { file_id: id, part: 'tables', after }),
  }),
  tool({
    name: 'search_documents',
    title: 'Search documents',
    description: 'Searches the text of your documents. Each hit has the words around it and the exact quote.',
    right: 'documents:read',
    input: z.object({
      words: z.string().min(1).max(300),
      document_id: DOCUMENT.nullish().describe('Only in this document'),
    }),
    output: z.object({
      /** Whether all words were found, some of them, similar ones, or only the letters. */
      how: z.enum(['words', 'some', 'similar', 'letters', 'nothing']),
      hits: z.array(hitSchema),
      /** Reports that are not searchable yet. */
      waiting: z.number().int(),
    }),
    async run({ words, document_id: id }, { ask }) {
      const { how, hits, waiting } = await ask<SearchAnswer>('search-documents', {
        query: words,
        file_id: id,
      });
      return { how, hits: hits.map(hitOf), waiting };
    },
  }),
  tool({
    name: 'ask_documents',
    title: 'Ask documents',
    description:
      'Answers a question from your documents. Every sentence has its quote; without a language model the passages that fit best are the answer.',
    right: 'documents:read',
    input: z.object({
      question: z.string().min(2).max(300),
      document_id: DOCUMENT.nullish().describe('Only from this document'),
    }),
    output: z.object({
      how: z.enum(['answer', 'passages']),
      sentences: z.array(
        z.object({
          text: z.string(),
          document_id: z.string(),
          name: z.string(),
          page: z.number().int().nullable(),
          quote: z.string(),
        }),
      ),
      passages: z.array(hitSchema),
    }),
    async run({ question, document_id: id }, { ask }) {
      const answer = await ask<DocumentAnswer>('ask-documents', { question, file_id: id });
      return {
        how: answer.how,
        sentences: answer.sentences.map(({ text, file_id: file, file_name: name, cite }) => ({
          text,
          document_id: file,
          name,
          page: cite.page ?? null,
          quote: cite.quote,
        })),
        passages: answer.passages.map(hitOf),
      };
    },
  }),
  tool({
    name: 'list_bills',
    title: 'List bills',
    description: 'Your invoices, credit notes and receipts with supplier, dates and totals, 100 at a time.',
    right: 'documents:read',
    input: z.object({ after: PLACE }),
    output: z.object({
      bills: z.array(
        z.object({
          document_id: z.string(),
          name: z.string(),
          kind: z.enum(['invoice', 'credit_note', 'receipt']),
          supplier: z.string().nullable(),
          number: z.string().nullable(),
          issued: z.string().nullable(),
          due: z.string().nullable(),
          currency: z.string().nullable(),
          net: z.number().nullable(),
          vat: z.number().nullable(),
          total: z.number().nullable(),
          paid: z.string().nullable(),
        }),
      ),
      next: z.number().int().nullable(),
    }),
    async run({ after }, { ask }) {
      const { invoices } = await ask<InvoiceList>('list-invoices', {});
      const next = after + BILLS_A_PAGE;
      return {
        bills: invoices
          .slice(after, next)
          .map(({ file_id: id, file_name: name, duplicates: _, ...bill }) => ({
            document_id: id,
            name,
            ...bill,
          })),
        next: next < invoices.length ? next : null,
      };
    },
  }),
  tool({
    name: 'correct_field',
    title: 'Correct a field of a report',
    description:
      'Replaces a value of a report by the right one. The value that was read first stays beside it.',
    right: 'documents:write',
    input: z.object({
      document_id: DOCUMENT,
      key: z.string().min(1).max(100).describe('`key` of the fact in read_report'),
      original: z.string().max(2000).describe('`original` of the fact in read_report'),
      value: z.string().min(1).max(2000).nullable().describe('The right value; null takes a correction back'),
    }),
    output: WRITTEN,
    question: async ({ document_id: id, key, original, value }) =>
      value === null
        ? `Take back the correction of ${key} in document ${id}, so that “${original}” counts again?`
        : `Correct ${key} in document ${id} from “${original}” to “${value}”?`,
    async run({ document_id: id, ...fact }, { ask }) {
      await ask('correct-fact', { file_id: id, ...fact });
      return written(fact.value === null ? 'The correction was taken back.' : 'The field was corrected.');
    },
  }),
  tool({
    name: 'mark_bill_paid',
    title: 'Mark a bill as paid',
    description: 'Notes on which day a bill was paid, or that it was not.',
    right: 'documents:write',
    input: z.object({
      document_id: DOCUMENT,
      paid_on: z.iso.date().nullable().describe('The day, as 2026-05-31; null for a bill that is not paid'),
    }),
    output: WRITTEN,
    question: async ({ document_id: id, paid_on: day }) =>
      day === null ? `Mark the bill ${id} as not paid?` : `Mark the bill ${id} as paid on ${day}?`,
    async run({ document_id: id, paid_on: day }, { ask }) {
      await ask('mark-invoice', { file_id: id, paid_on: day });
      return written(day === null ? 'The bill counts as not paid.' : `The bill counts as paid on ${day}.`);
    },
  }),
  tool({
    name: 'read_again',
    title: 'Have a document read again',
    description: 'Has a document analysed again, and waits up to 45 seconds for it.',
    right: 'documents:write',
    input: z.object({ document_id: DOCUMENT }),
    output: WRITTEN,
    question: async ({ document_id: id }) => `Have document ${id} read again? Its report will be replaced.`,
    async run({ document_id: id }, { ask, signal, progress, rights }) {
      await ask('analyze', { file_id: id });
      // Whether it is finished is for keys that may read.
      if (!rights.includes('documents:read')) return written('The document is being read.');
      const until = Date.now() + LONGEST_READING_MS;
      for (let looks = 1; Date.now() < until; looks += 1) {
        const { documents } = await ask<DocumentList>('list-documents', { file_id: id });
        const { status, progress: percent } = documents[0] ?? { status: 'failed', progress: null };
        if (status === 'analyzed') return written('The document was read: see read_report.');
        if (status !== 'queued' && status !== 'analyzing')
          return written(`The document was not read: it is ${status.replace('_', ' ')}.`);
        await progress(looks, percent === null ? 'It waits.' : `${percent} % is read.`);
        await setTimeout(LOOK_MS, undefined, { signal });
      }
      return written('The document is still being read: see list_documents in a while.');
    },
  }),
];
