import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ReaderReply } from '../../packages/document-reader/src/reader/reader-messages.ts';
import { runReader } from '../../packages/document-reader/src/reader/reader-run.ts';

/** The reader's result for one file, and its cost. */
export interface Reading {
  readonly reply: ReaderReply;
  /** All its text, with line breaks between lines and blocks; empty when it was not read. */
  readonly text: string;
  /** Processor time of the whole process in seconds, including start and loading of the engines. */
  readonly cpuSeconds: number;
}

/** Reads a file in the reader's process, as the product does. */
export async function readPicture(folder: string, name: string, content: Buffer): Promise<Reading> {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  const before = childrenSeconds();
  const reply = await runReader(
    { path: file, fileName: name, createdAt: '2026-03-10T09:00:00.000Z', ocrPages: 30 },
    new AbortController().signal,
  );
  const text = reply.outcome === 'read' ? reply.blocks.map((block) => block.text).join('\n') : '';
  return { reply, text, cpuSeconds: childrenSeconds() - before };
}

const TICKS = 100;

/** Processor time of every child process that has ended, seconds (Linux). */
function childrenSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  // cutime is the 16th of all fields, cstime the 17th.
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}
