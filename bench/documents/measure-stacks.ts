import { readFileContent } from '../../packages/document-reader/src/formats/file-content.ts';
import { createOcrSession } from '../../packages/document-reader/src/ocr/ocr-session.ts';
import {
  makePost,
  makeStack,
  type Stack,
} from '../../packages/document-reader/src/report/make-stack.fixture.ts';
import { postPapers } from '../../packages/document-reader/src/report/post-papers.fixture.ts';
import { findStack } from '../../packages/document-reader/src/report/stack-borders.ts';
import { CUSTOMER_PRINTS } from '../../packages/document-reader/src/samples/customer-prints.fixture.ts';
import { HOUSEHOLD_BILLS } from '../../packages/document-reader/src/samples/household-bills.fixture.ts';
import { makeInvoice } from '../../packages/document-reader/src/samples/make-invoices.fixture.ts';
import { seeded } from '../../packages/document-reader/src/samples/make-scans.fixture.ts';
import {
  OFFICE_PRINTS,
  officePdf,
} from '../../packages/document-reader/src/samples/office-prints.fixture.ts';

const STACKS = 60;

/** Borders of stacks: right and found, missed with and without a word, and false ones. */
interface Borders {
  right: number;
  found: number;
  unsure: number;
  told: number;
  silent: number;
  false: number;
}

/** Makes stacks from a seed on, splits them, and prints how many of their borders are found. `named` prints the faults. */
export async function measureStacks(seed: number, named: boolean): Promise<void> {
  const bills = [
    ...(['en', 'de', 'fr'] as const).flatMap((language) =>
      Array.from({ length: 20 }, (_, number) => makeInvoice(number, language).pdf),
    ),
    ...[...OFFICE_PRINTS, ...HOUSEHOLD_BILLS, ...CUSTOMER_PRINTS].map((print) => officePdf(print)),
  ];
  await measure('The post of a day', [await makePost()], named);
  for (const [name, papers] of [
    ['Stacks of bills', bills],
    ['Stacks of letters, statements and bills of several pages', postPapers()],
  ] as const) {
    const random = seeded(seed);
    const stacks: Stack[] = [];
    for (let number = 0; number < STACKS; number += 1) {
      const left = [...papers];
      const count = 2 + Math.floor(random() * 5);
      stacks.push(
        await makeStack(
          Array.from(
            { length: count },
            () => left.splice(Math.floor(random() * left.length), 1)[0] as Buffer,
          ),
        ),
      );
    }
    await measure(name, stacks, named);
  }
}

async function measure(name: string, stacks: readonly Stack[], named: boolean): Promise<void> {
  const sum: Borders = { right: 0, found: 0, unsure: 0, told: 0, silent: 0, false: 0 };
  for (const [number, { file, begins }] of stacks.entries()) {
    const session = createOcrSession(0, () => {});
    const { rows } = await readFileContent(file, session);
    const parts = findStack(rows, []);
    const doubtful = parts.flatMap((part) => part.doubtful);
    const firstLine = (page: number) =>
      rows
        .find((row) => row.page === page)
        ?.cells.map(({ text }) => text)
        .join(' ');
    for (const page of begins.slice(1)) {
      const part = parts.find(({ from }) => from === page);
      sum.right += 1;
      if (part !== undefined) sum.found += 1;
      if (part?.isSure === false) sum.unsure += 1;
      if (part !== undefined) continue;
      if (doubtful.includes(page)) sum.told += 1;
      else sum.silent += 1;
      if (named)
        console.log(
          `    ${doubtful.includes(page) ? 'told' : 'SILENT'}: stack ${number}, page ${page}: ${firstLine(page)}`,
        );
    }
    for (const { from } of parts.filter((part) => !begins.includes(part.from))) {
      sum.false += 1;
      if (named) console.log(`    false: stack ${number}, page ${from}: ${firstLine(from)}`);
    }
  }
  console.log(
    `${name}, ${stacks.length}: ${sum.found} of ${sum.right} borders (${((100 * sum.found) / sum.right).toFixed(1)} %), ${sum.unsure} of them called uncertain; missed and said ${sum.told}, mixed without a word ${sum.silent}; false ${sum.false}`,
  );
}
