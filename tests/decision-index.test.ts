import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const FOLDER = path.join(import.meta.dirname, '..', 'docs', 'decisions');
const FORM =
  /^# (\d{4}): (.+)\n\nDate: (\d{4}-\d\d-\d\d) · Status: (accepted|rejected|superseded by \d{4}|accepted, (?:amended|reversed in part) by \d{4}(?:(?:, | and )\d{4})*) · Area: (\S+)\n\n\*\*Context\.\*\* /;

interface Decision {
  readonly file: string;
  readonly number: string;
  readonly title: string;
  readonly date: string;
  readonly status: string;
  readonly area: string;
}

const pages = globSync('[0-9]*.md', { cwd: FOLDER }).sort();

test('every decision has the form of the template, and is in the index', async () => {
  const decisions = pages.map(read);
  expect(decisions.filter(({ file, number }) => !file.startsWith(`${number}-`))).toEqual([]);
  expect(new Set(decisions.map(({ number }) => number)).size).toBe(decisions.length);
  const unknown = decisions
    .flatMap(({ status }) => status.match(/\d{4}/g) ?? [])
    .filter((number) => !decisions.some((one) => one.number === number));
  expect(unknown).toEqual([]);
  await expect(index(decisions)).toMatchFileSnapshot('../docs/decisions/README.md');
});

function read(file: string): Decision {
  const found = FORM.exec(readFileSync(path.join(FOLDER, file), 'utf8'));
  if (found === null) throw new Error(`${file} does not begin as docs/decisions/template.md does.`);
  const [, number = '', title = '', date = '', status = '', area = ''] = found;
  return { file, number, title, date, status, area };
}

function index(decisions: readonly Decision[]): string {
  const link = (number: string): string => {
    const page = decisions.find((one) => one.number === number);
    return page === undefined ? number : `[${number}](${page.file})`;
  };
  const rows = decisions.map(
    ({ file, number, title, date, status, area }) =>
      `| [${number}](${file}) | ${title} | ${date} | ${status.replaceAll(/\d{4}/g, link)} | ${area} |`,
  );
  return `# Decisions

What was weighed, and why it is as it is. A new page is made from the [template](template.md) and takes the next free
number. A page that changes an older one is named in the older one's status: *amended* adds to it, *reversed in part*
says otherwise in one point, *superseded* replaces the whole. Written by \`tests/decision-index.test.ts\` from the pages.

| No. | Decision | Date | Status | Area |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
