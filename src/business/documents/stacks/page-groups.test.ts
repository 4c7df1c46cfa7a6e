import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupsOf, joinAt, moveBorder, movePage, splitAt } from './page-groups.web.ts';

test('pages and borders are moved: pages between follow, and a document that loses its last page is gone', () => {
  expect(groupsOf([1, 4, 5], 7)).toEqual([
    { from: 1, to: 3 },
    { from: 4, to: 4 },
    { from: 5, to: 7 },
  ]);
  expect(splitAt([1, 4], 3)).toEqual([1, 3, 4]);
  expect(joinAt([1, 3, 4], 3)).toEqual([1, 4]);
  expect(joinAt([1, 3], 1)).toEqual([1, 3]);
  expect(moveBorder([1, 4, 6], 4, 3, 8)).toEqual([1, 3, 6]);
  expect(moveBorder([1, 4, 6], 4, 8, 8)).toEqual([1, 5, 6]);
  expect(moveBorder([1, 4, 6], 6, 1, 8)).toEqual([1, 4, 5]);
  // The last page of the first document into the second, and back.
  expect(movePage([1, 4], 3, 4, 6)).toEqual([1, 3]);
  expect(movePage([1, 3], 3, 1, 6)).toEqual([1, 4]);
  // A document of one page joins another; pages between follow.
  expect(movePage([1, 4, 5], 4, 5, 7)).toEqual([1, 4]);
  expect(movePage([1, 4, 5], 4, 1, 7)).toEqual([1, 5]);
  expect(movePage([1, 4, 6], 7, 1, 8)).toEqual([1, 8]);
  expect(movePage([1, 4, 6], 2, 6, 8)).toEqual([1, 2]);
  expect(movePage([1, 4], 5, 4, 6)).toEqual([1, 4]);
});

test('after any moves every page is in exactly one document, in order', () => {
  const move = fc.record({
    kind: fc.constantFrom('split', 'join', 'border', 'page'),
    page: fc.integer({ min: 1, max: 12 }),
    to: fc.nat(),
  });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      let begins: readonly number[] = [1];
      for (const { kind, page, to } of moves) {
        const into = begins[to % begins.length] ?? 1;
        if (kind === 'split') begins = splitAt(begins, page);
        else if (kind === 'join') begins = joinAt(begins, page);
        else if (kind === 'border') begins = moveBorder(begins, into, page, 12);
        else {
          begins = movePage(begins, page, into, 12);
          const holder = groupsOf(begins, 12).find(({ from, to: last }) => from <= page && page <= last);
          expect(holder !== undefined && holder.from <= into && into <= holder.to).toBe(true);
        }
      }
      const pages = groupsOf(begins, 12).flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, index) => from + index),
      );
      expect(pages).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    }),
    { seed: 3, numRuns: 300 },
  );
});
