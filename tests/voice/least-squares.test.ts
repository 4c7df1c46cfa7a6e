import { expect, test } from 'vitest';
import { fitChoices, momentsOf, solve } from '../../scripts/voice/least-squares.ts';
import { learnLabels } from '../../scripts/voice/train-labels.ts';
import { chancesOf } from '../../src/voice/dialogue/likeness/trained-weights.server.ts';

test('equations are solved, and those without a solution are refused', () => {
  const square = { side: 2, cells: Float64Array.from([4, 1, 1, 3]) };
  const [found = []] = solve(square, 0, [Float64Array.from([1, 2])]);
  expect(found[0]).toBeCloseTo(1 / 11, 9);
  expect(found[1]).toBeCloseTo(7 / 11, 9);
  const none = { side: 2, cells: Float64Array.from([1, 1, 1, 1]) };
  expect(() => solve(none, 0, [])).toThrow('not positive definite');
});

test('each label has the same weight, however many examples it has', () => {
  const vectors = [[1], [1], [1], [-1]];
  const { square, rights } = momentsOf({ vectors, labels: [0, 0, 0, 1], count: 2 }, () => false);
  expect([...square.cells]).toEqual([2, 0, 0, 2]);
  expect(rights.map((right) => [...right])).toEqual([
    [1, 1],
    [-1, 1],
  ]);
});

test('labels are distinguished also for vectors that were not learned from', () => {
  // Three directions, each with a little of the next.
  const labels = Array.from({ length: 30 }, (_, at) => Math.floor(at / 10));
  const vectors = labels.map((label, at) =>
    [0, 1, 2].map((place) => (place === label ? 1 : place === (label + 1) % 3 ? (at % 10) / 20 : 0)),
  );
  const { rows, right, unseen } = learnLabels({ vectors, labels, count: 3 });
  expect(right).toBe(1);
  expect(rows).toHaveLength(3);
  expect(unseen).toHaveLength(30);
});

test('the fitted weights make the observed choices likely, and no more than they were', () => {
  // In three of four choices the first feature was right.
  const choices = [0, 0, 0, 1].map((right) => ({ features: [[1], [0]], right }));
  const weights = fitChoices(choices);
  const [chance = 0] = chancesOf([[1], [0]], weights);
  expect(chance).toBeGreaterThan(0.73);
  expect(chance).toBeLessThan(0.76);
});
