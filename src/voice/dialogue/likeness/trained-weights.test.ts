import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ExampleLikeness } from './example-likeness.server.ts';
import { ofLengthOne, packNumbers, product, readPacked, unpacked } from './packed-vectors.server.ts';
import { chancesOf, readTrained, scoresOf, trainedText } from './trained-weights.server.ts';

test('numbers lose next to nothing when they are packed', () => {
  const vector = ofLengthOne(Float32Array.from({ length: 512 }, (_, at) => Math.sin(at)));
  expect(product(vector, unpacked(readPacked(packNumbers(vector))))).toBeCloseTo(1, 3);
  expect([...unpacked(readPacked(packNumbers(new Float32Array(3))))]).toEqual([0, 0, 0]);
});

test('what was learned is read as it was written, and refused where the examples are others', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'weights-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'a.weights');
  const rows = [Float32Array.from([1, 0, -0.5]), Float32Array.from([0, 1, 0.25])];
  writeFileSync(file, trainedText('digest', { rows, weights: [2, -1.5], told: 0.6 }));
  const read = readTrained(file, 'digest');
  expect(read).toMatchObject({ weights: [2, -1.5], told: 0.6 });
  const [first = 0, second = 0] = scoresOf(read.rows, [1, 0]);
  expect(first).toBeCloseTo(0.5, 1);
  expect(second).toBeCloseTo(0.25, 1);
  expect(() => readTrained(file, 'another')).toThrow('is of other examples');
  writeFileSync(file, 'digest\n1 x\n0.5\n');
  expect(() => readTrained(file, 'digest')).toThrow('values that are not numbers');
});

test('chances are one together, and the greater sum has the greater one', () => {
  const chances = chancesOf(
    [
      [1, 0],
      [2, 0],
      [500, 1],
    ],
    [1, -499],
  );
  expect(chances.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 6);
  expect(chances[1]).toBeGreaterThan(chances[0] ?? 1);
});

test('examples are compared in meaning by the nearest four, in words by the nearest, and those left out do not count', () => {
  const examples = ['red apples', 'green apples', 'a bus home', 'the last bus'].map((words, at) => ({
    words,
    label: at < 2 ? 'fruit' : null,
  }));
  const vectors = [
    [1, 0],
    [0.8, 0.6],
    [0, 1],
    [-1, 0],
  ].map((one) => readPacked(packNumbers(Float32Array.from(one))));
  const likeness = new ExampleLikeness(examples, () => vectors);
  const [fruit, none] = likeness.compare('red apples please', [1, 0]);
  expect(fruit?.label).toBe('fruit');
  expect(fruit?.nearest).toBeCloseTo(1, 5);
  expect(fruit?.near).toBeCloseTo(0.9, 5);
  expect(fruit?.words).toBeGreaterThan(0.7);
  expect(none).toMatchObject({ label: null, nearest: 0, words: 0 });
  const [left] = likeness.compare('red apples', [1, 0], (at) => at === 0);
  expect(left?.nearest).toBeCloseTo(0.8, 5);
  expect(likeness.compare('red apples', null)[0]).toMatchObject({ nearest: 0, near: 0 });
});
