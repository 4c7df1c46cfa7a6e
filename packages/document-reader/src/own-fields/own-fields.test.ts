import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SURE_ENOUGH } from '../contract/confidence-threshold.contract.ts';
import type { Row } from '../contract/extracted-document.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { propertyRuns } from '../samples/property-runs.fixture.ts';
import { learnField, placedRows, placesOfValue } from './field-learning.ts';
import { readField } from './field-reading.ts';
import { labelLikeness } from './label-likeness.ts';
import { makeSenderPaper, SENDER_FIELDS, SENDERS } from './make-sender-papers.fixture.ts';
import { formOf, valuesIn } from './value-form.ts';

const row = (...texts: string[]): Row => ({
  page: 1,
  cells: texts.map((text, column) => ({ text, left: column * 200, right: column * 200 + 150 })),
});

async function rowsOf(sender: number, seed: number): Promise<readonly Row[]> {
  const ocr = createOcrSession(0, () => {});
  return (await readFileContent(makeSenderPaper(sender, seed).pdf, ocr)).rows;
}

test('three examples of a sender teach each field, and its other papers are read right in 85 of 100 values, wrong in 3', async () => {
  const count = { right: 0, wrong: 0, all: 0 };
  for (let sender = 0; sender < SENDERS; sender += 4) {
    const papers = [0, 1, 2].map((seed) => ({ seed, truth: makeSenderPaper(sender, seed).truth }));
    const rows = await Promise.all(papers.map(({ seed }) => rowsOf(sender, seed)));
    for (const key of SENDER_FIELDS) {
      const learned = learnField(
        papers.flatMap(({ truth }, index) => {
          const value = truth[key];
          return value === undefined ? [] : [{ rows: rows[index] ?? [], value }];
        }),
      );
      for (const seed of [900, 901, 902]) {
        const { truth } = makeSenderPaper(sender, seed);
        const read = learned === undefined ? undefined : readField(learned, await rowsOf(sender, seed));
        const isSure = read === undefined || read.confidence >= SURE_ENOUGH;
        count.all += 1;
        if (read?.value === truth[key] && isSure) count.right += 1;
        else if (read !== undefined && isSure) count.wrong += 1;
      }
    }
  }
  expect(count.right / count.all).toBeGreaterThanOrEqual(0.85);
  expect(count.wrong / count.all).toBeLessThanOrEqual(0.03);
});

test('a field is found before, beside and below its label, whatever stands around it', () => {
  const learned = learnField([
    { rows: [row('Invoice', '2026'), row('Cost centre: CC-1200')], value: 'CC-1200' },
    { rows: [row('Cost centre', 'CC-1300'), row('Total', '12.00')], value: 'CC-1300' },
  ]);
  expect(learned).toBeDefined();
  if (learned === undefined) return;
  expect(readField(learned, [row('Order CC-1'), row('Cost centre: CC-4711', 'x')])?.value).toBe('CC-4711');
  expect(readField(learned, [row('a', 'b'), row('Cost centre', 'CC-9000')])?.value).toBe('CC-9000');
  expect(readField(learned, [row('x', 'Cost centre'), row('y', 'CC-8000')])?.value).toBe('CC-8000');
});

test('a document without the field has no value, although it has a value of that form', () => {
  const learned = learnField([
    { rows: [row('Meter number', '1ESY1234'), row('Customer number', '2KAM9999')], value: '1ESY1234' },
  ]);
  expect(learned && readField(learned, [row('Customer number', '2KAM1111')])).toBeUndefined();
});

test('two values that fit alike are shown as not sure', () => {
  const learned = learnField([{ rows: [row('Due', '01.02.2026')], value: '01.02.2026' }]);
  const others = Array.from({ length: 8 }, () => row('x', 'y'));
  const read = learned && readField(learned, [...others, row('Due', '03.04.2026'), row('Due', '05.06.2026')]);
  expect(read?.confidence).toBeLessThan(SURE_ENOUGH);
});

test('an example is found in another print of the same day or amount, and at the place where it was drawn', () => {
  const rows = [row('Day', '31 May 2026'), row('Sum', '£1,240.00'), row('Again', '£1,240.00')];
  const find = (value: string, at?: { page: number; x: number; y: number }) =>
    placesOfValue(placedRows(rows), { value, ...(at === undefined ? {} : { at }) })[0];
  expect(find('2026-05-31')).toMatchObject({ printed: '31 May 2026', normalized: '2026-05-31' });
  expect(find('1240.00')).toMatchObject({ normalized: '1240.00', place: { row: 1 } });
  expect(find('£1,240.00', { page: 1, x: 0.5, y: 0.9 })?.place.row).toBe(2);
  expect(find('£1,241.00')).toBeUndefined();
  expect(find('   ')).toBeUndefined();
});

test('the form of values is learned: their class, and the shape of codes', () => {
  expect(formOf(['1 May 2026', '02.03.2026']).class).toBe('date');
  expect(formOf(['£12.00', '1.240,00 EUR']).class).toBe('money');
  expect(formOf(['Jane Whitcombe']).class).toBe('text');
  const code = formOf(['PO-1200', 'PO-77']);
  expect(valuesIn('Order PO-4711, and INV-1', code).map(({ printed, fit }) => [printed, fit === 1])).toEqual([
    ['PO-4711', true],
    ['INV-1', false],
  ]);
});

test('a label counts as another one only by whole words or for a slip of a letter', () => {
  expect(labelLikeness('total', 'total')).toBe(1);
  expect(labelLikeness('total', 'subtotal')).toBeLessThan(0.55);
  expect(labelLikeness('meter number', 'rneter number')).toBeGreaterThan(0.75);
  expect(labelLikeness('meter number', 'your meter number')).toBeGreaterThan(0.7);
});

test('any rows and any value are learned and read without an error, and what is learned can be stored', () => {
  const cell = fc.record({
    text: fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom('Total', 'A-12', '1.1.2026', '(+[', '12,00'),
    ),
    left: fc.double({ min: 0, max: 600, noNaN: true }),
    right: fc.double({ min: 0, max: 600, noNaN: true }),
  });
  const rows = fc.array(
    fc.record({
      page: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      cells: fc.array(cell, { maxLength: 5 }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(rows, rows, fc.nat(), (taught, read, pick) => {
      const texts = taught
        .flatMap(({ cells }) => cells.map(({ text }) => text.trim()))
        .filter((text) => text !== '');
      const value = texts[pick % Math.max(1, texts.length)] ?? 'x';
      const learned = learnField([{ rows: taught, value }]);
      if (learned === undefined) return;
      const stored = JSON.parse(JSON.stringify(learned)) as typeof learned;
      expect(stored).toEqual(learned);
      const found = readField(stored, read);
      if (found === undefined) return;
      expect(found.confidence).toBeGreaterThan(0);
      expect(found.confidence).toBeLessThan(1);
      expect(read.some(({ cells }) => cells.some(({ text }) => text.includes(found.value)))).toBe(true);
    }),
    { numRuns: propertyRuns(200) },
  );
});
