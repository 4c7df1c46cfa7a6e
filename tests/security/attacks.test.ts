import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ATTACKS } from './attacks.ts';

const CHECKOUT = path.join(import.meta.dirname, '..', '..');

const COUNT = 64;

test('every attack of the list fails in a test that exists', async () => {
  expect(ATTACKS.map(({ number }) => number)).toEqual(Array.from({ length: COUNT }, (_, at) => at + 1));
  expect(ATTACKS.filter(({ tests, notBuilt }) => tests.length === 0 && notBuilt === undefined)).toEqual([]);
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
    ({ number, attack, holds, tests, notBuilt }) =>
      `| <a id="attack-${number}"></a>${number} | ${attack} | ${holds} | ${[
        ...tests.map((one) => `\`${one.replace(' | ', '`: ').replace(/: $/, '')}`),
        ...(notBuilt === undefined ? [] : [`**Not built**: ${notBuilt}`]),
      ].join('<br>')} |`,
  );
  const head = `# Attacks and the tests that they fail

Written by \`tests/security/attacks.test.ts\` from the tables next to it; the test fails when a test named here is gone.
The code refers to an attack by its number. The rules behind the list are in [security-rules.md](security-rules.md).

| No. | Attack | What holds | Tests |
|---|---|---|---|`;
  return `${head}\n${rows.join('\n')}\n`;
}
