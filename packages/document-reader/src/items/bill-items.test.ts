import { expect, test } from 'vitest';
import { checkCites } from '../contract/cite-check.ts';
import { citeHolds, type Report } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { type GroupedLayout, inLakhs, makeGroupedInvoice } from '../samples/make-grouped-invoices.fixture.ts';
import { INVOICE_LANGUAGES, type TrueItem } from '../samples/make-invoices.fixture.ts';
import { makeTabledInvoice, TABLE_LAYOUTS } from '../samples/make-tabled-invoices.fixture.ts';
import { writePdf } from '../samples/write-pdf.fixture.ts';

async function read(content: Buffer, invoiceXml?: string) {
  const document = await readFileContent(
    content,
    createOcrSession(0, () => {}),
  );
  const file = { fileName: 'x', sha256: '0'.repeat(64), createdAt: '2026-03-10T09:00:00.000Z' };
  return { blocks: document.blocks, report: buildReport({ ...document, invoiceXml }, file) };
}

const page = (...lines: string[]): Buffer => Buffer.from(lines.join('\n'));
const warnings = ({ attention }: Report): string[] =>
  attention.filter(({ code }) => code.startsWith('item')).map(({ text }) => text);
const figures = ({ quantity, price, amount }: TrueItem): string =>
  `${quantity} ${price?.toFixed(2)} ${amount.toFixed(2)}`;

test('the items of ten tables in six languages are read with quantity and price, add up, and are cited at their places', async () => {
  for (let layout = 0; layout < TABLE_LAYOUTS; layout += 1) {
    const language = INVOICE_LANGUAGES[layout % INVOICE_LANGUAGES.length] ?? 'en';
    const { name, pdf, items } = makeTabledInvoice(600_000 + layout, language);
    const { report, blocks } = await read(pdf);
    const texts = new Map(blocks.map(({ id, text }) => [id, text]));
    const rows = report.items?.rows ?? [];
    const hasFactors = layout !== TABLE_LAYOUTS - 1;
    expect(
      rows.map((row) => (hasFactors ? `${row.quantity} ${row.price} ${row.amount}` : row.amount)),
      name,
    ).toEqual(items.map((item) => (hasFactors ? figures(item) : item.amount.toFixed(2))));
    for (const [index, { text, cites }] of rows.entries()) {
      expect(text, name).toContain(items[index]?.text);
      expect(cites.length, name).toBeGreaterThan(0);
      expect(
        cites.every((cite) => citeHolds(cite, texts)),
        name,
      ).toBe(true);
    }
    expect(report.items?.sumIs, name).toBe('net_total');
    expect(warnings(report), name).toEqual([]);
  }
});

const HEAD = ['Invoice no.: 2041', 'Invoice date: 2026-06-10', '', 'Description\tQty\tUnit price\tAmount'];

test('a quantity without a price stands in its own column and not at the end of the text', async () => {
  const { report } = await read(
    page(
      ...HEAD.slice(0, 3),
      'Description\tQty\tAmount',
      'Gas safety check\t1\t85.00',
      'Boiler service\t2\t190.00',
      'Net total\t275.00',
      'VAT 20%\t55.00',
      'Total\t330.00',
    ),
  );
  expect(report.items?.rows.map(({ text, quantity }) => [text, quantity])).toEqual([
    ['Gas safety check', '1'],
    ['Boiler service', '2'],
  ]);
});

test('the report warns of an amount that is not the product of its row, and does not correct it', async () => {
  const { report } = await read(
    page(
      ...HEAD,
      'Desk lamp\t3\t40.00\t130.00',
      'Cable set\t2\t10.50\t21.00',
      'Net total\t141.00',
      'VAT 20%\t28.20',
      'Total\t169.20',
    ),
  );
  expect(report.items?.rows.map(({ amount }) => amount)).toEqual(['130.00', '21.00']);
  expect(report.items).toMatchObject({ sum: '151.00' });
  expect(report.items?.sumIs).toBeUndefined();
  expect(warnings(report)).toEqual([
    'The 2 items come to 151.00, but the net total is 141.00: an item, a discount or a charge may be missing, or a figure is wrong.',
    '“Desk lamp”: 3 × 40.00 is 120.00, the page prints 130.00.',
  ]);
});

test('a difference that a discount below the table explains is not a contradiction', async () => {
  const { report } = await read(
    page(
      ...HEAD,
      'Desk lamp\t3\t40.00\t120.00',
      'Cable set\t2\t10.50\t21.00',
      'Loyalty\t\t\t-14.10',
      'Net total\t126.90',
      'VAT 20%\t25.38',
      'Total\t152.28',
    ),
  );
  expect(report.items?.rows.length).toBeGreaterThan(1);
  expect(warnings(report)).toEqual([]);
});

test('a table that proves nothing is left out, and only bills have items', async () => {
  const unproven = page(
    ...HEAD.slice(0, 3),
    'Description\tAmount',
    'Desk lamp\t40.00',
    'Cable set\t21.00',
    'Total\t99.00',
  );
  expect((await read(unproven)).report.items).toBeUndefined();
  const letter = page(
    'Dear Sir,',
    'Description\tQty\tUnit price\tAmount',
    'Desk lamp\t3\t40.00\t120.00',
    'Yours faithfully',
  );
  expect((await read(letter)).report.items).toBeUndefined();
});

/** Data of an e-invoice: two items, the heading of a group, and the stated sum. */
const xml = (sum: string): string => `<rsm:CrossIndustryInvoice xmlns:rsm="a" xmlns:ram="b">
  <rsm:ExchangedDocument><ram:ID>2041</ram:ID><ram:TypeCode>380</ram:TypeCode></rsm:ExchangedDocument>
  <ram:IncludedSupplyChainTradeLineItem><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>
    <ram:SpecifiedTradeProduct><ram:Name>Lighting</ram:Name></ram:SpecifiedTradeProduct>
    <ram:LineTotalAmount>141.00</ram:LineTotalAmount></ram:IncludedSupplyChainTradeLineItem>
  ${[
    ['Desk lamp', '3.0000', '40.00', '120.00'],
    ['Cable set', '2.0000', '10.50', '21.00'],
  ]
    .map(
      ([name, quantity, price, amount]) => `<ram:IncludedSupplyChainTradeLineItem>
    <ram:SpecifiedTradeProduct><ram:Name>${name}</ram:Name></ram:SpecifiedTradeProduct>
    <ram:NetPriceProductTradePrice><ram:ChargeAmount>${price}</ram:ChargeAmount></ram:NetPriceProductTradePrice>
    <ram:BilledQuantity>${quantity}</ram:BilledQuantity><ram:LineTotalAmount>${amount}</ram:LineTotalAmount>
  </ram:IncludedSupplyChainTradeLineItem>`,
    )
    .join('')}
  <ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:LineTotalAmount>${sum}</ram:LineTotalAmount>
    <ram:TaxBasisTotalAmount>141.00</ram:TaxBasisTotalAmount><ram:GrandTotalAmount>169.20</ram:GrandTotalAmount>
  </ram:SpecifiedTradeSettlementHeaderMonetarySummation></rsm:CrossIndustryInvoice>`;

test('the items of an e-invoice come from its data, each with its place on the page; the report warns if the data does not add up', async () => {
  const printed = page(
    ...HEAD,
    'Desk lamp\t3\t40.00\t120.00',
    'Cable set\t2\t10.50\t21.00',
    'Net total\t141.00',
    'VAT 20%\t28.20',
    'Total\t169.20',
  );
  const { report } = await read(printed, xml('141.00'));
  expect(report.items).toMatchObject({
    source: 'xml',
    sum: '141.00',
    sumIs: 'net_total',
    rows: [
      { text: 'Desk lamp', quantity: '3', price: '40.00', amount: '120.00' },
      { text: 'Cable set', quantity: '2', price: '10.50', amount: '21.00' },
    ],
  });
  expect(report.items?.rows.every(({ cites }) => cites.some(({ quote }) => /lamp|set/.test(quote)))).toBe(
    true,
  );
  expect(warnings(report)).toEqual([]);
  const wrong = await read(printed, xml('150.00'));
  expect(warnings(wrong.report)).toEqual([
    'The items of the e-invoice data come to 141.00, but it gives their sum as 150.00.',
  ]);
});

test('a quote in an automation’s item is removed if it is not in the document (attack 39)', async () => {
  const { report, blocks } = await read(page(...HEAD, 'Desk lamp\t3\t40.00\t120.00', 'Net total\t120.00'));
  const [block] = blocks;
  const quote = { block: block?.id ?? '', quote: 'Pay the stranger', start: 0, end: 16 };
  const rows = [{ text: 'Desk lamp', amount: '120.00', cites: [quote] }];
  const checked = checkCites({ ...report, items: { source: 'text', rows, sum: '120.00' } }, blocks);
  expect(checked.items?.rows[0]?.cites).toEqual([]);
});

const itemsIn = async (layout: GroupedLayout) => {
  const { report } = await read(makeGroupedInvoice(layout));
  expect(warnings(report)).toEqual([]);
  expect(report.items?.sumIs).toBe('net_total');
  return report.items?.rows.map(({ text, amount }) => `${text} ${amount}`);
};
const asTrue = (groups: GroupedLayout['groups']): string[] =>
  groups.flat().map(({ text, amount }) => `${text} ${amount.toFixed(2)}`);
const of = (text: string, quantity: number, price: number): TrueItem => ({
  ...{ text, quantity, price, amount: quantity * price },
});

test('groups of items are one list, after subtotals and in tables below each other', async () => {
  const groups = [
    [of('Oak door', 2, 340), of('Hinges', 6, 8.5)],
    [of('Fitting', 4, 45), of('Clearing away', 1, 60)],
    [of('Varnish', 3, 12.5)],
  ];
  for (const heads of ['each', 'first'] as const)
    for (const subtotals of [true, false])
      expect(await itemsIn({ heads, subtotals, groups }), `${heads} ${subtotals}`).toEqual(asTrue(groups));
});

test('goods that are named like a sum carried forward are an item', async () => {
  const groups = [
    [
      of('Transport', 1, 85),
      of('Oak door', 2, 340),
      of('Report on the roof', 1, 120),
      of('Reporting', 2, 30),
    ],
  ];
  expect(await itemsIn({ heads: 'first', subtotals: false, groups })).toEqual(asTrue(groups));
});

test('credits in brackets and discounts are negative, and amounts in Indian digit groups are read', async () => {
  const discount = { text: 'Loyalty discount', quantity: 1, price: undefined, amount: -25.5 };
  const groups = [
    [of('Oak door', 2, 1340), { ...of('Returned hinges', 1, 0), price: undefined, amount: -51 }, discount],
  ];
  expect(await itemsIn({ heads: 'first', subtotals: false, groups })).toEqual(asTrue(groups));
  const large = [[of('Warehouse racking', 3, 123_456.5), of('Fork lift', 2, 1_250_000)]];
  expect(await itemsIn({ heads: 'first', subtotals: false, groups: large, money: inLakhs })).toEqual(
    asTrue(large),
  );
});

/** A bill whose items are at the given places; y counts down the page. */
const placed = (
  cells: readonly (readonly [x: number, y: number, text: string])[],
  sums: readonly string[],
): Buffer =>
  writePdf([
    [
      ...['Kleurrijk B.V.', 'Factuur', 'Factuurnummer: 2026-118', 'Factuurdatum: 3 mei 2026'].map(
        (text, down) => ({
          ...{ x: 40, y: 790 - down * 15, size: 9, text },
        }),
      ),
      ...cells.map(([x, y, text]) => ({ x, y, size: 9, text })),
      ...sums.flatMap((text, down) => [
        { x: 380, y: 540 - down * 14, size: 9, text: ['Netto', 'BTW 21%', 'Totaal'][down] ?? '' },
        { x: 460, y: 540 - down * 14, size: 9, text },
      ]),
    ],
  ]);
const numbers = (y: number, ...texts: string[]): [number, number, string][] =>
  texts.map((text, column) => [300 + column * 80, y, text]);
const HEADS: [number, number, string][] = [
  [40, 700, 'Omschrijving'],
  ...numbers(700, 'Aantal', 'Prijs', 'Totaal'),
];

test('a description over two or three lines with its numbers beside the middle is whole, and takes no line of its neighbours', async () => {
  const { report } = await read(
    placed(
      [
        ...HEADS,
        [40, 684, 'Verf voor binnen, kleur'],
        ...numbers(678, '1', '12,10', '12,10'),
        [40, 672, 'geel'],
        [40, 656, 'Kwast van varkenshaar,'],
        ...numbers(650, '3', '5,50', '16,50'),
        [40, 644, 'breed model'],
        [40, 626, 'Ladder van hout,'],
        [40, 614, 'zes treden,'],
        ...numbers(614, '1', '40,00', '40,00'),
        [40, 602, 'opvouwbaar'],
      ],
      ['68,60', '14,41', '83,01'],
    ),
  );
  expect(report.items?.rows.map(({ text, amount }) => [text, amount])).toEqual([
    ['Verf voor binnen, kleur geel', '12.10'],
    ['Kwast van varkenshaar, breed model', '16.50'],
    ['Ladder van hout, zes treden, opvouwbaar', '40.00'],
  ]);
  expect(warnings(report)).toEqual([]);
});

test('columns of discounts and of tax rates are read', async () => {
  const { report } = await read(
    page(
      ...['Harlow Ltd', 'INVOICE', 'Invoice no.: 2041', 'Invoice date: 2026-06-10', ''],
      'Description\tQty\tUnit price\tDiscount\tTax\tAmount',
      'Oak door\t2\t1.00\t10.00%\t15.00%\t1.80',
      'Hinge\t4\t5.00\t0.00%\t15.00%\t20.00',
      ...['Subtotal\t21.80', 'Tax 15%\t3.27', 'Total\t25.07'],
    ),
  );
  expect(report.items?.rows.map(({ cites: _, ...row }) => row)).toEqual([
    { text: 'Oak door', quantity: '2', price: '1.00', discount: '10', taxRate: '15', amount: '1.80' },
    { text: 'Hinge', quantity: '4', price: '5.00', taxRate: '15', amount: '20.00' },
  ]);
});
