import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type {
  ReaderProgress,
  ReaderReply,
} from '../../src/business/analysis/reader/reader-messages.server.ts';
import { runReader } from '../../src/business/analysis/reader/reader-run.server.ts';
import type { Scan } from './make-scans.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-pictures-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Reads a file by the real child of the product. */
export async function readPicture(
  name: string,
  content: Buffer,
  { ocrPages = 30, onProgress = (_: ReaderProgress) => {} } = {},
): Promise<ReaderReply> {
  const file = path.join(folder, randomBytes(4).toString('hex'));
  writeFileSync(file, content);
  return runReader(
    { path: file, fileName: name, createdAt: '2026-03-10T09:00:00.000Z', ocrPages },
    new AbortController().signal,
    { onProgress },
  );
}

/** A reply that has a report. */
export type Read = Extract<ReaderReply, { outcome: 'read' }>;

/** @throws Error with the sentence for the user, where nothing was read */
export function expectRead(reply: ReaderReply): Read {
  if (reply.outcome !== 'read') throw new Error(`not read: ${reply.sentence}`);
  return reply;
}

/** The text of a reply, or of one page of it. */
export const textOf = ({ blocks }: Read, page?: number): string =>
  blocks
    .filter((block) => page === undefined || block.page === page)
    .map((block) => block.text)
    .join('\n');

/** Share of a scan's words that stand in a text. */
export function share({ words }: Scan, text: string): number {
  const read = new Set(text.split(/\s+/));
  return words.filter((word) => read.has(word)).length / words.length;
}
