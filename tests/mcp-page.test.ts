import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { AGENCY_TOOLS } from '../src/business/mcp/agency-tools.server.ts';
import { DOCUMENT_TOOLS } from '../src/business/mcp/document-tools.server.ts';
import { API_RIGHTS } from '../src/kernel/contract/api-rights.ts';
import { newCustomer } from './support/customers/analysis-customer.ts';
import { newApiKey } from './support/customers/api-keys.ts';
import { storeReport } from './support/customers/stored-report.ts';
import { startTestApp } from './support/test-app.ts';

const ROOT = path.join(import.meta.dirname, '..');
const PAGE = readFileSync(path.join(ROOT, 'docs', 'mcp.md'), 'utf8');

test('the example of docs/mcp.md lists the documents of the key’s owner', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const customer = await newCustomer(app, 'example');
  await storeReport(app, customer, {
    name: 'lease.txt',
    title: 'Lease of Harbour House',
    texts: ['A lease.'],
  });
  const { key } = await newApiKey(customer, ['documents:read']);
  const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: ROOT,
    env: { ...process.env, SITE: app.url, KEY: key },
  });
  expect(stdout).toBe('lease.txt: Lease of Harbour House\n');
});

test('docs/mcp.md names every right and every tool', () => {
  for (const right of API_RIGHTS) expect(PAGE).toContain(`\`${right}\``);
  for (const { name, right } of [...DOCUMENT_TOOLS, ...AGENCY_TOOLS]) {
    const row = PAGE.split('\n').find((line) => line.startsWith(`| \`${right}\` | \``));
    expect(row, name).toContain(`\`${name}\``);
  }
});
