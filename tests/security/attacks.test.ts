import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ATTACKS } from './attacks.ts';

const CHECKOUT = path.join(import.meta.dirname, '..', '..');

const NUMBERS = [
  ...Array.from({ length: 35 }, (_, at) => at + 1),
  ...Array.from({ length: 9 }, (_, at) => at + 40),
];

test('every attack of the list is failed by a test that exists', async () => {
  expect(ATTACKS.map(({ number }) => number)).toEqual(NUMBERS);
  const missing = ATTACKS.flatMap(({ number, tests }) =>
    tests.filter((one) => !exists(one)).map((one) => `${number}: ${one}`),
  );
  expect(missing).toEqual([]);
  await expect(page()).toMatchFileSnapshot('../../docs/security-attacks.md');
});

function exists(one: string): boolean {
  const [file = '', name = ''] = one.split(' | ');
  const place = path.join(CHECKOUT, file);
  if (!existsSync(place)) return false;
  const text = readFileSync(place, 'utf8');
  return text.includes(name);
}

function page(): string {
  const rows = ATTACKS.map(
    ({ number, attack, tests }) =>
      `| ${number} | ${attack} | ${tests.map((one) => `\`${one.replace(' | ', '`: ').replace(/: $/, '')}`).join('<br>')} |`,
  );
  const head = `# Attacks and the tests that they fail

Written by \`tests/attacks/attacks.test.ts\` from the table beside it; the test fails when a test named here is gone.
Attacks on outbound requests are listed with those features.

| Attack | | Tests |
|---|---|---|`;
  return `${head}\n${rows.join('\n')}\n`;
}
