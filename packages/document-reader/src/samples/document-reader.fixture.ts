import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { citeHolds } from '../contract/report.contract.ts';
import type { KeptPage, ReaderProgress, ReaderReply, ReadingReply } from '../reader/reader-messages.ts';
import { type ReaderLimits, runReader } from '../reader/reader-run.ts';
import type { Scan } from './make-scans.fixture.ts';

/** How a test's reading differs from the product's. */
interface Reading {
  readonly ocrPages?: number;
  readonly onProgress?: (progress: ReaderProgress) => void;
  readonly limits?: ReaderLimits;
  readonly password?: string;
  /** Pages that an earlier reading read, and who gets those of this one. */
  readonly pages?: readonly KeptPage[];
  readonly onPage?: (page: KeptPage) => void;
}

/** Reads a file with the product's real child process. */
export async function readDocument(
  name: string,
  content: Buffer,
  { ocrPages = 30, onProgress = (_: ReaderProgress) => {}, onPage, limits, password, pages }: Reading = {},
): Promise<ReadingReply> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-documents-'));
  const file = path.join(folder, 'a name with spaces');
  writeFileSync(file, content);
  try {
    return await runReader(
      { path: file, fileName: name, createdAt: '2026-03-10T09:00:00.000Z', ocrPages, password, pages },
      new AbortController().signal,
      {
        onProgress,
        ...(limits === undefined ? {} : { limits }),
        ...(onPage === undefined ? {} : { onPage }),
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A reply that has a report. */
export type Read = Extract<ReaderReply, { outcome: 'read' }>;

/** @throws Error with the sentence for the user when nothing was read */
export function expectRead(reply: ReaderReply): Read {
  if (reply.outcome !== 'read') throw new Error(`not read: ${reply.sentence}`);
  return reply;
}

/** How many quotes of a report are missing from the text that was read. */
export function brokenCites({ report, blocks }: Read): number {
  const texts = new Map(blocks.map((block) => [block.id, block.text]));
  const parts = [...report.summary.points, ...report.fields, ...report.attention];
  const items = [...(report.items?.rows ?? []), ...(report.tables ?? [])];
  const cites = [
    ...[...parts, ...items, ...(report.obligations ?? []), ...(report.pii ?? [])].flatMap(
      ({ cites }) => cites,
    ),
    ...report.outline.map(({ cite }) => cite),
  ];
  return cites.filter((cite) => !citeHolds(cite, texts)).length;
}

/** The text of a reply, or of one page of it. */
export const textOf = ({ blocks }: Read, page?: number): string =>
  blocks
    .filter((block) => page === undefined || block.page === page)
    .map((block) => block.text)
    .join('\n');

/** Share of a scan's words that are in a text. */
export function share({ words }: Scan, text: string): number {
  const read = new Set(text.split(/\s+/));
  return words.filter((word) => read.has(word)).length / words.length;
}
