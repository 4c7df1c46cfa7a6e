import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Block, Field } from '../../../../packages/document-reader/src/contract/report.contract.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { type Customer, newCustomer } from '../../../../tests/support/customers/analysis-customer.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { storeReport } from '../../../../tests/support/customers/stored-report.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import type { DocumentComparison } from './document-comparison.contract.ts';
import { differText, MOST_CHANGES } from './text-difference.server.ts';

let app: TestApp;
let owner: Customer;
let stranger: Customer;

beforeAll(async () => {
  app = await startTestApp();
  owner = await newCustomer(app, 'comparer');
  stranger = await newCustomer(app, 'other-comparer');
});
afterAll(() => app.close());

const money = (value: string, normalized: string): Field => ({
  ...{
    key: 'rent',
    label: 'Rent',
    value,
    normalized,
    type: 'money',
    confidence: 0.9,
    source: 'text',
    cites: [],
  },
});
const FIRST = [
  'Lease of unit 4 between Harlow Ltd and Penrose LLP.',
  'The tenant pays a rent of £1,125 on the first day of each month.',
  'The landlord keeps the roof and the walls in repair.',
  'Pets are not allowed.',
];
const SECOND = [
  'Lease of unit 4 between Harlow Ltd and Penrose LLP.',
  'The tenant pays a rent of £1,250 on the first day of each month.',
  'The landlord keeps the roof and the walls in repair.',
  'The tenant may sublet one room with written consent.',
];

test('two versions: changed facts, reworded, added and removed paragraphs with their places, earlier first', async () => {
  claims('From … to …: … paragraphs changed, … the same.', 'Their texts are the same.');
  const first = await storeReport(app, owner, {
    ...{ name: 'lease-1.txt', kind: 'lease', texts: FIRST, fields: [money('£1,125', '1125.00')] },
  });
  const second = await storeReport(app, owner, {
    ...{ name: 'lease-2.txt', kind: 'lease', texts: SECOND, fields: [money('£1,250', '1250.00')] },
  });
  const reply = await callFunction(app, 'compare-documents', owner.token, {
    file_id: second,
    other_id: first,
  });
  const { earlier, later, facts, changes, same, ordered, unlisted } =
    reply.body as unknown as DocumentComparison;
  expect([earlier.file_name, later.file_name]).toEqual(['lease-1.txt', 'lease-2.txt']);
  expect(facts).toEqual([{ key: 'rent', label: 'Rent', before: '£1,125', after: '£1,250' }]);
  expect({ same, ordered, unlisted }).toEqual({ same: 2, ordered: true, unlisted: 0 });
  expect(changes.map(({ kind, before, after }) => [kind, before?.block, after?.block])).toEqual([
    ['changed', 'b2', 'b2'],
    ['removed', 'b4', undefined],
    ['added', undefined, 'b4'],
  ]);
  const marked = (mark: string): string[] =>
    (changes[0]?.parts ?? []).filter((part) => part.mark === mark).map(({ text }) => text);
  expect([marked('removed'), marked('added')]).toEqual([['1,125'], ['1,250']]);
  for (const { before, after } of changes) {
    if (before !== undefined) expect(FIRST[Number(before.block.slice(1)) - 1]).toContain(before.quote);
    if (after !== undefined) expect(SECOND[Number(after.block.slice(1)) - 1]).toContain(after.quote);
  }

  const refused = async (who: Customer, body: Record<string, string>): Promise<unknown> => {
    const { status, body: answer } = await callFunction(app, 'compare-documents', who.token, body);
    return [
      status,
      (answer as { code?: string }).code ?? (answer as { error?: { code?: string } }).error?.code,
    ];
  };
  expect(await refused(stranger, { file_id: first, other_id: second })).toEqual([404, 'not_found']);
  const foreign = await storeReport(app, stranger, { name: 'theirs.txt', texts: FIRST });
  expect(await refused(stranger, { file_id: foreign, other_id: first })).toEqual([404, 'not_found']);
  expect(await refused(owner, { file_id: first, other_id: first })).toEqual([422, 'same_document']);
});

const blocksOf = (texts: readonly string[]): Block[] =>
  texts.map((text, index) => ({ id: `b${index + 1}`, type: 'para', text }));

test('the comparison of two long, different texts ends soon, counts unlisted changes, and says that it ignored the order', async () => {
  claims(
    'They differ so much that the order of their paragraphs was not compared.',
    '… further changes are not listed.',
  );
  const texts = (word: string): string[] =>
    Array.from({ length: 6000 }, (_, index) => `${word} ${index} ${index * 7}`);
  const shared = ['A paragraph that both have.'];
  const { changes, unlisted, same, ordered } = await differText(
    blocksOf([...texts('left'), ...shared]),
    blocksOf([...shared, ...texts('right')]),
  );
  expect(changes).toHaveLength(MOST_CHANGES);
  expect(changes.length + unlisted).toBeGreaterThan(5999);
  expect(same).toBe(1);
  expect(ordered).toBe(false);
});
