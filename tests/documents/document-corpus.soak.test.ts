import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReaderReply } from '../../packages/document-reader/src/reader/reader-messages.ts';
import {
  brokenCites,
  readDocument,
} from '../../packages/document-reader/src/samples/document-reader.fixture.ts';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';

const CORPUS = path.join(PROJECT_ROOT, '..', 'shared', 'corpus', 'documents');

interface CorpusEntry {
  readonly file: string;
  readonly expect: 'ok' | 'password' | 'corrupt' | 'no_text' | 'ocr' | 'unsupported';
  readonly must_contain?: readonly string[];
}

const entries: CorpusEntry[] = existsSync(CORPUS)
  ? JSON.parse(readFileSync(path.join(CORPUS, 'index.json'), 'utf8'))
  : [];

describe.skipIf(entries.length === 0)(
  `real documents (skipped where ${path.relative(PROJECT_ROOT, CORPUS)} is absent)`,
  () => {
    test.each(entries)('$file ends in a defined state: $expect', async (entry) => {
      const { file, expect: expected, must_contain: words = [] } = entry;
      const reply = await readDocument(file, readFileSync(path.join(CORPUS, file)));
      if (expected === 'password') expect(reply).toMatchObject({ code: 'password_required' });
      const isOlderWord = reply.outcome === 'unreadable' && /older than 97/.test(reply.sentence);
      if (expected === 'ok' && !isOlderWord) expect(faultsOfReadable(reply, words)).toEqual([]);
    });
  },
);

function faultsOfReadable(reply: ReaderReply, words: readonly string[]): string[] {
  if (reply.outcome !== 'read') return [reply.sentence];
  const text = flat(reply.blocks.map((block) => block.text).join(' '));
  const missing = words.filter((word) => !text.includes(flat(word)));
  return [
    ...(missing.length > 0 ? [`misses ${missing.join(', ')}`] : []),
    ...(brokenCites(reply) > 0 ? ['has quotes that are not in it'] : []),
  ];
}

function flat(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ');
}
