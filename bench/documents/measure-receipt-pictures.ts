import {
  type MadeReceipt,
  makeReceipt,
  RECEIPT_TILLS,
  type ReceiptHalf,
} from '../../packages/document-reader/src/samples/make-receipts.fixture.ts';
import {
  asJpeg,
  type Damage,
  damage,
  drawReceipt,
} from '../../packages/document-reader/src/samples/make-scans.fixture.ts';
import { findDate } from '../../packages/document-reader/src/values/dates.ts';
import { printScores, type Scores, score } from './measure-fields.ts';
import { mean } from './measure-receipts.ts';
import { type Reading, readPicture } from './read-picture.ts';

const DAMAGES: readonly Damage[] = ['clean', 'skew', 'noise', 'faded', 'shadow'];
const HALVES: readonly ReceiptHalf[] = ['tuned', 'unseen'];

/** The share of receipts whose text must contain each value. */
const BARS: Readonly<Record<keyof MadeReceipt['truth'], number>> = {
  total: 0.95,
  issue_date: 0.95,
  supplier: 0.8,
};

/**
 * Draws generated receipts, adds the damage of phone cameras and of heat, and prints which correct values are
 * in the text, and which fields are read.
 */
export async function measureReceiptPictures(folder: string, rounds = 1): Promise<void> {
  for (const half of HALVES) {
    const [scores, seconds, faults]: [Scores, number[], string[]] = [new Map(), [], []];
    const present = { total: 0, issue_date: 0, supplier: 0 };
    let number = 0;
    for (let till = 0; till < RECEIPT_TILLS * rounds; till += 1) {
      const how = DAMAGES[till % DAMAGES.length] as Damage;
      const receipt = makeReceipt(31_000 + till * 3, till % RECEIPT_TILLS, half);
      const { canvas } = damage(drawReceipt(receipt.lines), how, till);
      const reading = await readPicture(folder, `${receipt.name}-${how}.jpg`, asJpeg(canvas));
      number += 1;
      seconds.push(reading.cpuSeconds);
      for (const key of Object.keys(present) as (keyof typeof present)[]) {
        if (isPresent(receipt, key, reading)) present[key] += 1;
        else faults.push(`${receipt.name} ${how}: ${key} ${receipt.truth[key].join(' or ')}`);
      }
      if (reading.reply.outcome === 'read') score(scores, reading.reply.report, receipt);
      else faults.push(`${receipt.name} ${how}: not read`);
    }
    const shares = Object.entries(BARS).map(([key, bar]) => {
      const share = present[key as keyof typeof present] / number;
      return `${key} ${(100 * share).toFixed(0)} % (bar ${100 * bar})${share < bar ? ' MISSED' : ''}`;
    });
    console.log(`Pictures of receipts made here, ${half}, ${number}: in the text ${shares.join(', ')}`);
    console.log(
      `  processor time a file: mean ${mean(seconds).toFixed(1)} s, most ${Math.max(...seconds).toFixed(1)} s`,
    );
    printScores(`Fields of pictures of receipts made here, ${half}`, scores);
    for (const fault of faults) console.log(`    not in the text: ${fault}`);
  }
}

const bare = (text: string): string =>
  text
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

function isPresent({ truth }: MadeReceipt, key: keyof MadeReceipt['truth'], { text }: Reading): boolean {
  if (key === 'supplier') return truth.supplier.some((name) => bare(text).includes(bare(name)));
  if (key === 'total') {
    const joined = text.replace(/(\d)\s*([.,])\s*(\d\d)(?!\d)/g, '$1.$3');
    return truth.total.some((sum) => new RegExp(`(?<!\\d)${sum.replace('.', '\\.')}(?!\\d)`).test(joined));
  }
  return text
    .split('\n')
    .flatMap((line) =>
      [...line.matchAll(/(?<![\d\p{L}])[\d\p{L}]/gu)].map(({ index }) => line.slice(index, index + 40)),
    )
    .some((piece) =>
      [true, false].some((dayFirst) => truth.issue_date.includes(findDate(piece, dayFirst)?.iso ?? '')),
    );
}
