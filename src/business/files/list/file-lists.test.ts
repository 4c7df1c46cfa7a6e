import { expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { fileRecord } from '../../../../tests/support/customers/file-record.ts';
import { archiveNames } from '../actions/files-archive.web.ts';
import { type FileRecord, mayBeAnalyzed, pauseSentence } from '../file-record.web.ts';
import { isWanted } from './file-columns.web.ts';
import { sortFiles } from './file-sorting.web.ts';

const file = (name: string, size: number, day: number, analyzedDay?: number): FileRecord =>
  fileRecord({
    id: name,
    file_name: name,
    file_size: size,
    analyzed: analyzedDay !== undefined,
    created_at: `2026-11-0${day}T00:00:00Z`,
    updated_at: `2026-11-0${analyzedDay ?? day}T00:00:00Z`,
  });

test('files are sorted by the time in their row, by name with its numbers, and by size', () => {
  const files = [file('Letter 10.pdf', 1, 2), file('letter 9.pdf', 3, 1, 4), file('annex.pdf', 2, 3)];
  const names = (order: Parameters<typeof sortFiles>[1]) => sortFiles(files, order).map(({ id }) => id);
  expect(names('newest')).toEqual(['letter 9.pdf', 'annex.pdf', 'Letter 10.pdf']);
  expect(names('oldest')).toEqual(['Letter 10.pdf', 'annex.pdf', 'letter 9.pdf']);
  expect(names('name')).toEqual(['annex.pdf', 'letter 9.pdf', 'Letter 10.pdf']);
  expect(names('size')).toEqual(['letter 9.pdf', 'annex.pdf', 'Letter 10.pdf']);
});

test('files are sorted by a further column, those without a value last, and are found by its values', () => {
  const files = [file('a.pdf', 1, 1), file('b.pdf', 1, 2), file('c.pdf', 1, 3)];
  const value = (key: string, text = key) => ({ key, text, isSure: true });
  const columns = [
    {
      id: 'day',
      name: 'Next reading',
      values: new Map([
        ['a.pdf', value('2026-10-02', '2 October 2026')],
        ['c.pdf', value('2026-09-30', '30 September 2026')],
      ]),
    },
  ];
  expect(sortFiles(files, 'day', columns).map(({ id }) => id)).toEqual(['c.pdf', 'a.pdf', 'b.pdf']);
  // A column that was taken out: the newest first.
  expect(sortFiles(files, 'day', []).map(({ id }) => id)).toEqual(['c.pdf', 'b.pdf', 'a.pdf']);
  const found = (wanted: string) =>
    files.filter((each) => isWanted(each, wanted, columns)).map(({ id }) => id);
  expect(found('september')).toEqual(['c.pdf']);
  expect(found('B.PDF')).toEqual(['b.pdf']);
  expect(found('')).toHaveLength(3);
});

test('a file behind a pause says why and until when, and no other file does', () => {
  const waiting: FileRecord = {
    ...file('a.pdf', 1, 1),
    status: 'queued',
    waits_until: '2026-11-01T10:05:00',
  };
  expect(pauseSentence(waiting)).toBe(
    'Your last documents stopped the reader, so there is a pause: this one will be read at 10:05. The pauses end with a document that can be read.',
  );
  expect(pauseSentence({ ...waiting, waits_until: null })).toBeUndefined();
  expect(pauseSentence({ ...waiting, status: 'analyzing' })).toBeUndefined();
});

test('another attempt is offered where it may help: not for a locked file, nor for an unreadable one', () => {
  const failed = { status: 'failed', unreadable: false } as const;
  expect(mayBeAnalyzed(failed)).toBe(true);
  expect(mayBeAnalyzed({ ...failed, unreadable: true })).toBe(false);
  expect(mayBeAnalyzed({ status: 'needs_password', unreadable: false })).toBe(false);
  expect(mayBeAnalyzed({ status: 'uploaded', unreadable: false })).toBe(true);
  // A file that is queued again in another way is shown as queued.
  expect(mayBeAnalyzed({ status: 'queued', unreadable: true })).toBe(true);
});

test('in an archive no name comes twice, and none leads out of its folder', () => {
  claims('Both are kept.');
  expect(archiveNames(['a.pdf', 'A.pdf', 'a.pdf', '../../b', '..', 'c/d.txt', ''])).toEqual([
    ...['a.pdf', 'A (2).pdf', 'a (3).pdf', '.._.._b', '_', 'c_d.txt', 'file'],
  ]);
});
