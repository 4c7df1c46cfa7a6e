import { randomUUID } from 'node:crypto';
import { writePdf } from '../packages/document-reader/src/samples/write-pdf.fixture.ts';
import { giveCredits } from './support/credit-grant.ts';
import { storeDocument } from './support/document-upload.ts';
import { type Figure, median, shown } from './support/figure.ts';
import { newPerson, type Person } from './support/people.ts';
import type { Product } from './support/product.ts';

const HEAVY = 4;
const ROUNDS = 3;
const MOST_DELAY_MS = 3000;
const MOST_WAIT_MS = 120_000;

/**
 * How much later one customer's one-page document is read while another customer's four documents use the
 * reader's full minute.
 */
export async function measureSlowFiles(product: Product): Promise<Figure> {
  const [busy, other] = [await newPerson(product), await newPerson(product)];
  await giveCredits(product.dataDir, busy.id, HEAVY, 100);
  await giveCredits(product.dataDir, other.id, 2 * ROUNDS, 100);
  const page = writePdf([[{ x: 60, y: 700, size: 12, text: 'Invoice 4711, total 12.00' }]]);
  const read = async (): Promise<number> => {
    const file = await uploaded(other, page);
    const started = performance.now();
    await analyze(product, other, file);
    await until(other, file, 'analyzed');
    return performance.now() - started;
  };
  const timed = async (): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await read());
    return median(times);
  };
  const alone = await timed();
  const files: string[] = [];
  for (let number = 0; number < HEAVY; number += 1) files.push(await uploaded(busy, endlessPdf(number)));
  for (const file of files) await analyze(product, busy, file);
  await until(busy, files[0] ?? '', 'analyzing');
  const beside = await timed();
  const left = await stateOf(busy, files.at(-1) ?? '');
  if (left === 'failed')
    throw new Error('The heavy documents ended too soon: nothing was measured beside them.');
  return {
    name: 'A page beside four',
    measured: shown(beside / 1000, 's'),
    against: `${shown(alone / 1000, 's')} without them`,
    ratio: beside / alone,
    aim: 'at most 3 s later',
    met: beside - alone <= MOST_DELAY_MS,
  };
}

/** A PDF whose forms each contain the previous one twice, so that it is never read to its end. */
function endlessPdf(number: number): Buffer {
  const depth = 40;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /F ${4 + depth} 0 R >> /Font << /T 4 0 R >> >> /Contents ${5 + depth} 0 R >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...Array.from({ length: depth }, (_, level) => formOf(level, number)),
    '<< /Length 5 >>\nstream\n/F Do\nendstream',
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`);
}

function formOf(level: number, number: number): string {
  const head = '/Type /XObject /Subtype /Form /BBox [0 0 595 842]';
  const [resources, content] =
    level === 0
      ? ['<< /Font << /T 4 0 R >> >>', `BT /T 12 Tf 60 700 Td (${number}) Tj ET`]
      : [`<< /XObject << /F ${4 + level} 0 R >> >>`, '/F Do /F Do'];
  return `<< ${head} /Resources ${resources} /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** Stores it as the dashboard does; returns the id of the record. */
async function uploaded(person: Person, content: Buffer): Promise<string> {
  const path = await storeDocument(person, `${randomUUID()}_bench.pdf`, content, 'application/pdf');
  const { data, error } = await person.client.from('user_files').select('id').eq('file_path', path).single();
  if (error !== null) throw error;
  return data.id as string;
}

async function analyze({ url, anonKey }: Product, { accessToken }: Person, file: string): Promise<void> {
  const reply = await fetch(`${url}/functions/v1/analyze`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, apikey: anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ file_id: file }),
  });
  if (!reply.ok) throw new Error(`analyze: ${reply.status} ${await reply.text()}`);
}

async function stateOf({ client }: Person, file: string): Promise<string> {
  const { data, error } = await client.from('user_files').select('status').eq('id', file).single();
  if (error !== null) throw error;
  return data.status as string;
}

async function until(person: Person, file: string, state: string): Promise<void> {
  const started = performance.now();
  for (;;) {
    const now = await stateOf(person, file);
    if (now === state) return;
    if (now === 'failed') throw new Error('a document could not be read');
    if (performance.now() - started > MOST_WAIT_MS) throw new Error(`still ${now}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
