import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const STATEMENTS = '../../src/kernel/resources/database/statements.generated.ts';
/** Tables of decision 0850; rows of many others refer to theirs. */
const DOCUMENTS = /public\.user_files|private\.analyses|analysis_reports|own_fields/;

test('no statement of the product shuts out references to the rows of a document', () => {
  const text = readFileSync(path.join(import.meta.dirname, STATEMENTS), 'utf8');
  const locking = [...text.matchAll(/^ {2}("(?:[^"\\]|\\.)*"):/gm)]
    .map(([, statement = '']) => JSON.parse(statement) as string)
    .filter((statement) => DOCUMENTS.test(statement) && /\bfor (no key )?update\b/.test(statement));
  expect(locking.length).toBeGreaterThan(10);
  expect(locking.filter((statement) => /\bfor update\b/.test(statement))).toEqual([]);
});
