import { expect, test } from 'vitest';
import { createCiter } from '../contract/quote-finding.ts';
import type { Block, Field, Report } from '../contract/report.contract.ts';
import { findAttention } from '../facts/attention-finding.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { CUSTOMER_PRINTS, type CustomerPrint } from '../samples/customer-prints.fixture.ts';
import { officePdf } from '../samples/office-prints.fixture.ts';
import { type PdfText, writePdf } from '../samples/write-pdf.fixture.ts';
import { writeDocx } from '../samples/write-zip.fixture.ts';
import { paymentDay } from './payment-day.ts';

async function reportOf(content: Buffer | string): Promise<Report> {
  const document = await readFileContent(
    Buffer.from(content),
    createOcrSession(0, () => {}),
  );
  return buildReport(document, { fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' });
}

const readValue = ({ fields }: Report, key: string): string | undefined => {
  const field = fields.find((one) => one.key === key);
  return field?.normalized ?? field?.value;
};

const printOf = (name: string): CustomerPrint => {
  const print = CUSTOMER_PRINTS.find((one) => one.name === name);
  if (print === undefined) throw new Error(`No print is called ${name}.`);
  return print;
};

/** Lines of words with wide gaps as pages of a PDF. */
const pagesOf = (...pages: readonly string[]): Buffer =>
  writePdf(
    pages.map((page) =>
      page.split('\n').flatMap((line, down): PdfText[] =>
        [...line.matchAll(/\S+(?: \S+)*/g)].map(({ index, 0: text }) => ({
          ...{ x: 40 + index * 5, y: 780 - down * 13, size: 8, text },
        })),
      ),
    ),
  );

test.each(CUSTOMER_PRINTS.map((print) => [print.name, print] as const))(
  'a customer’s bill is read correctly: %s',
  async (_, print) => {
    const report = await reportOf(officePdf(print));
    expect(report.document.kind).toBe(print.kind);
    const read = Object.fromEntries(Object.keys(print.truth).map((key) => [key, readValue(report, key)]));
    expect(read).toEqual(print.truth);
  },
);

test('the amount due is the rest that is left to pay; a paid bill has none', async () => {
  const left = await reportOf(officePdf(printOf('deposit')));
  expect(left.attention).toContainEqual(expect.objectContaining({ text: '£900.00 is due on 3 May 2026.' }));
  expect(left.summary.short).toBe(
    'Invoice KB-3312 from Kestrel Blinds Ltd to Mrs A. Okafor of 3 April 2026: £1,200.00; £900.00 is left to pay by 3 May 2026.',
  );
  const print = printOf('deposit');
  const text = print.text.replace('-£300.00', '-£1,200.00').replace(/£900\.00$/, '£0.00');
  const paid = await reportOf(officePdf({ ...print, text }));
  expect(paid.attention.filter(({ code }) => code === 'payment_due')).toEqual([]);
});

test('the buyer sends an order, and its title and summary say so', async () => {
  const { document, summary } = await reportOf(officePdf(printOf('order')));
  expect(document.title).toBe('Purchase order PO-00917 to Rope & Rigging Co');
  expect(summary.short).toBe(
    'Purchase order PO-00917 from Lyme Regis Marine Ltd to Rope & Rigging Co of 29 April 2026: £1,536.00.',
  );
});

test('a withheld tax explains the total, and the sums of a bill are not a table', async () => {
  const report = await reportOf(officePdf(printOf('translator')));
  expect(report.attention.filter(({ code }) => code === 'sum_mismatch')).toEqual([]);
  const money = (key: string, value: string): Field => ({
    ...{
      key,
      label: key,
      value,
      normalized: value,
      type: 'money',
      confidence: 0.9,
      source: 'text',
      cites: [],
    },
  });
  const fields = [money('net_total', '100.00'), money('tax_total', '20.00'), money('total', '130.00')];
  const codes = (text: string): string[] => {
    const blocks: Block[] = [{ id: 'b1', type: 'para', text }];
    return findAttention(blocks, fields, [], createCiter(blocks)).map(({ code }) => code);
  };
  expect(codes('Carriage 9.00')).toEqual(['sum_mismatch']);
  expect(codes('Carriage 10.00')).toEqual([]);
  expect((await reportOf(officePdf(printOf('gardener')))).tables).toBeUndefined();
});

test('the tax behind a shop’s total is the tax, and the charge for delivery is not', async () => {
  const shop = (
    total: string,
  ): string => `<!doctype html><html><body><h1>Paper &amp; Pine Ltd</h1><p>Invoice W-100482<br>8 May 2026</p>
    <table><tr><th>Product<th>Quantity<th>Price<tr><td>Notebook<td>3<td>£44.85<tr><td>Lamp<td>1<td>£25.00
    <tr><th colspan="2">Subtotal:<td>£69.85<tr><th colspan="2">Shipping:<td>£5.00 via Royal Mail<tr><th colspan="2">Total:<td>${total}</table></body></html>`;
  const included = await reportOf(shop('£74.85 (includes £12.48 VAT)'));
  expect([readValue(included, 'total'), readValue(included, 'tax_total')]).toEqual(['74.85', '12.48']);
  const plain = await reportOf(shop('£74.85'));
  expect([readValue(plain, 'total'), readValue(plain, 'tax_total')]).toEqual(['74.85', undefined]);
});

test.each([
  ['Summe netto: 496,00 €', 'Zuzügl. USt: 75,04 €', 'Summe inkl. USt: 571,04 €'],
  ['Summe ohne MwSt: 496,00 €', 'zzgl. MwSt: 75,04 €', 'Summe mit MwSt: 571,04 €'],
  ['Total hors TVA : 496,00 €', 'Plus TVA : 75,04 €', 'Total avec TVA : 571,04 €'],
  ['Total excluding VAT: €496.00', 'plus VAT: €75.04', 'Total including VAT: €571.04'],
  ['Totale senza IVA: 496,00 €', 'più IVA: 75,04 €', 'Totale con IVA: 571,04 €'],
])('a label of a sum may name the tax that it holds or lacks: %s', async (net, tax, total) => {
  const report = await reportOf(
    pagesOf(`Bei Spiel GmbH, Ecke 12, 12345 Stadthausen
Rechnung # RE-20140519/499 vom 19.05.2014

#         Produkt                       USt     Einzelpreis      Summe
1,00      Gestaltung                    0%      160,00 €         160,00 €
400,00    Luftballon                    19%     0,79 €           316,00 €
200,00    Luft pro Liter                19%     0,10 €           20,00 €
${net}
${tax}
Bitte überweisen Sie bis zum 09.06.2014:
${total}`),
  );
  const sums = ['net_total', 'tax_total', 'total'].map((key) => readValue(report, key));
  expect(sums).toEqual(['496.00', '75.04', '571.04']);
});

test('in a list of labels, values stand beside, not below; the heads of a table are not a name', async () => {
  const report = await reportOf(
    writeDocx([
      'Brightwell Events Ltd',
      'Unit 2, Cirencester GL7 1AA',
      'INVOICE',
      {
        rows: [
          ['Invoice number', '2026-88'],
          ['Invoice date', '4 May 2026'],
          ['Bill to', 'Cotswold Wildlife Trust'],
        ],
      },
      {
        rows: [
          ['Description', 'Days', 'Rate', 'Amount'],
          ['Stage', '2', '£300.00', '£600.00'],
          ['', '', 'Total', '£600.00'],
        ],
      },
    ]),
  );
  expect([readValue(report, 'supplier'), readValue(report, 'customer')]).toEqual([
    ...['Brightwell Events Ltd', 'Cotswold Wildlife Trust'],
  ]);
});

test('the first line of an address in one cell is the name', async () => {
  const report =
    await reportOf(`<!doctype html><html><body><table><tr><td>Harbour IT Ltd, 2 Quay St, Poole BH15 1AA
    <tr><td>Invoice to:<br>Gull Café<br>1 Pier<br>Poole<td>Invoice number<td>4410<tr><td><td>Invoice date<td>03/03/2026</table>
    <table><tr><th>Item<th>Qty<th>Price<th>Amount<tr><td>Router<td>2<td>£100.00<td>£200.00
    <tr><td colspan="3">Total<td>£200.00</table></body></html>`);
  expect(['supplier', 'customer', 'total'].map((key) => readValue(report, key))).toEqual([
    ...['Harbour IT Ltd', 'Gull Café', '200.00'],
  ]);
});

const bill = (number: string, day: string, sum: string): string => `Marlow Cleaning Ltd

Invoice ${number}
Invoice date: ${day}

Office cleaning            £${sum}.00
Total                      £${sum}.00`;

test('of several invoices on one page the first is read and all are named; on pages of their own each is a part', async () => {
  const two = [bill('A-101', '1 April 2026', '120'), bill('A-102', '1 May 2026', '360')] as const;
  const report = await reportOf(two.join('\n\n\n'));
  expect(['document_number', 'issue_date', 'total'].map((key) => readValue(report, key))).toEqual([
    ...['A-101', '2026-04-01', '120.00'],
  ]);
  expect(report.attention[0]).toMatchObject({
    code: 'several_bills',
    text: 'This file holds 2 invoices (A-101, A-102). This report is about the first one: upload the others as files of their own.',
  });
  expect(report.attention[0]?.cites).toHaveLength(2);
  // On pages of their own, each has a part of the report.
  const { parts = [], fields } = await reportOf(pagesOf(...two));
  expect(fields).toEqual([]);
  expect(parts.map((part) => part.fields.find(({ key }) => key === 'total')?.normalized)).toEqual([
    ...['120.00', '360.00'],
  ]);
  for (const content of [
    two[0],
    pagesOf(two[0], two[0]),
    `${two[0]}\n\nReplaces invoice no. A-088 of 3 March 2026.`,
  ]) {
    const one = await reportOf(content);
    expect(one.attention.map(({ code }) => code)).not.toContain('several_bills');
  }
});

test('terms of payment give the due date only if they count from the date of the bill', () => {
  const day = (text: string): string | undefined => paymentDay(text, '2026-01-31')?.iso;
  for (const text of [
    'Payment terms: 30 days net.',
    'Terms: Net 30',
    'Payment is due within 30 days of the invoice date.',
    'Zahlbar innerhalb von 30 Tagen ohne Abzug.',
    'Zahlungsziel: 30 Tage netto',
    'Zahlbar innert 30 Tagen',
    '2 % Skonto bei Zahlung in 10 Tagen, 30 Tage netto',
    'Paiement à 30 jours',
    'Wij verzoeken u te betalen binnen 30 dagen.',
    'Vencimiento a 30 días.',
    'Pagamento a 30 giorni',
  ])
    expect([text, day(text)]).toEqual([text, '2026-03-02']);
  for (const text of [
    'Paiement à 30 jours fin de mois.',
    'Payment within 30 days of receipt of the goods.',
    'Zahlbar innerhalb von 14 Tagen nach Erhalt der Ware.',
    'Pagamento a 30 giorni fine mese',
    'Late payment: interest is charged after 30 days.',
    '2 % Skonto innerhalb von 10 Tagen',
    'You may return goods within 14 days.',
    'Work is done within 30 days.',
    'Payment within 365 days',
    'Payment within 30 working days',
  ])
    expect([text, day(text)]).toEqual([text, undefined]);
});
