import { describe, expect, test } from 'vitest';
import type { Report } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { HOUSEHOLD_BILLS } from '../samples/household-bills.fixture.ts';
import {
  INVOICE_LANGUAGES,
  INVOICE_LAYOUTS,
  type MadeInvoice,
  makeInvoice,
} from '../samples/make-invoices.fixture.ts';
import { makeOddInvoice, ODD_LAYOUTS } from '../samples/make-odd-invoices.fixture.ts';
import { makeStrangeInvoice, STRANGE_LAYOUTS } from '../samples/make-strange-invoices.fixture.ts';
import { OFFICE_PRINTS, type OfficePrint, officePdf } from '../samples/office-prints.fixture.ts';
import { stemLabel } from './label-stems.ts';

async function reportOf(content: Buffer, invoiceXml?: string): Promise<Report> {
  const document = await readFileContent(
    content,
    createOcrSession(0, () => {}),
  );
  return buildReport(
    { ...document, invoiceXml },
    { fileName: 'x', sha256: '0'.repeat(64), createdAt: '2026-03-10T09:00:00.000Z' },
  );
}

function valueOfField(report: Report, key: string): string | undefined {
  const field = report.fields.find((candidate) => candidate.key === key);
  return field?.normalized ?? field?.value;
}

const page = (...lines: string[]): Buffer => Buffer.from(lines.join('\n'));

/** Compares the fields read from made invoices with the true values. */
async function faultsOf(invoices: readonly MadeInvoice[]): Promise<{ fields: number; faults: string[] }> {
  const faults: string[] = [];
  let fields = 0;
  for (const { name, pdf, truth } of invoices) {
    const report = await reportOf(pdf);
    expect(report.document.kind, name).toBe('invoice');
    for (const [key, [wanted]] of Object.entries(truth)) {
      if (wanted === undefined) continue;
      fields += 1;
      const value = valueOfField(report, key);
      if (value?.toLowerCase() !== wanted.toLowerCase())
        faults.push(`${name}: ${key} is ${wanted}, read ${value ?? 'nothing'}`);
    }
  }
  return { fields, faults };
}

test('a number sign makes a label of a kind’s word, and a number that begins like a label is whole', async () => {
  const number = async (line: string): Promise<string | undefined> =>
    valueOfField(
      await reportOf(
        page('Harlow Ltd', line, 'Date: 3 May 2026', 'Net  £100.00', 'VAT 20%  £20.00', 'Total  £120.00'),
      ),
      'document_number',
    );
  expect(await number('Invoice # 4471')).toBe('4471');
  expect(await number('INV# RE-12006')).toBe('RE-12006');
  expect(await number('INV-4471')).not.toBe('4471');
  expect(await number('FACTURE N° Facture 2023-20534')).toBe('2023-20534');
  expect(await number('FACTURE N° de pièce A274934')).toBe('A274934');
});

test('sums prove themselves where a rate is printed, whatever their labels say, also for two rates; a chance one does not', async () => {
  const sums = async (...lines: string[]): Promise<unknown> => {
    const report = await reportOf(
      page('Harlow Ltd', 'Invoice no: 4471', 'Invoice date: 3 May 2026', ...lines),
    );
    return ['net_total', 'tax_total', 'total'].map((key) => valueOfField(report, key));
  };
  expect(await sums('Razem  1 240,00', 'Podatek 23 %  285,20', 'Do zap\u0142aty  1 525,20')).toEqual([
    ...['1240.00', '285.20', '1525.20'],
  ]);
  expect(await sums('Veroton  200,00', 'Vero 14 %  14,00', 'Vero 24 %  24,00', 'Maksettava  238,00')).toEqual(
    [...['200.00', '38.00', '238.00']],
  );
  expect(await sums('Razem  1 240,00', 'Rabat 10 %  17,00', 'Do zap\u0142aty  1 257,00')).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test('days and months are swapped if the term of payment is possible only then', async () => {
  const report = await reportOf(
    page(
      'Harlow Ltd',
      'Invoice no: 4471',
      'Invoice date: 03/08/2024',
      'Due date: 04/07/2024',
      'Total  £120.00',
    ),
  );
  expect(['issue_date', 'due_date'].map((key) => valueOfField(report, key))).toEqual([
    '2024-03-08',
    '2024-04-07',
  ]);
});

test.each([
  ['twenty layouts', INVOICE_LAYOUTS, makeInvoice],
  ["twelve odd layouts with other words and other papers' numbers", ODD_LAYOUTS, makeOddInvoice],
  ['twelve strange layouts with amounts and dates in other forms', STRANGE_LAYOUTS, makeStrangeInvoice],
])('invoices of %s: nine fields in ten are right, one in a hundred wrong', async (_, count, make) => {
  const invoices = Array.from({ length: count }, (__, index) =>
    make(500_000 + index, INVOICE_LANGUAGES[index % INVOICE_LANGUAGES.length] ?? 'en'),
  );
  const { fields, faults } = await faultsOf(invoices);
  expect(fields).toBeGreaterThan(count * 8);
  expect(faults.length, faults.join('\n')).toBeLessThan(fields / 10);
  expect(faults.filter((fault) => !fault.endsWith('nothing')).length, faults.join('\n')).toBeLessThan(
    fields / 100,
  );
});

/** Reads prints whose true values are known: the wrong values, and the missing ones. */
async function readPrints(prints: readonly OfficePrint[]): Promise<{ faults: string[]; missing: string[] }> {
  const [faults, missing]: [string[], string[]] = [[], []];
  for (const print of prints) {
    const report = await reportOf(officePdf(print));
    if (!['invoice', 'credit_note'].includes(report.document.kind))
      faults.push(`${print.name}: ${report.document.kind}`);
    if (print.truth.due_date === undefined && valueOfField(report, 'due_date') !== undefined)
      faults.push(`${print.name}: due on ${valueOfField(report, 'due_date')}`);
    for (const [key, wanted] of Object.entries(print.truth)) {
      const value = valueOfField(report, key);
      const fault = `${print.name}: ${key} is ${wanted}, read ${value ?? 'nothing'}`;
      if (value === undefined) missing.push(fault);
      else if (!isSaid(value, wanted)) faults.push(fault);
    }
  }
  return { faults, missing };
}

test('bills in the forms of forty programs and people: kind and fields are right, none is wrong or invented', async () => {
  const { faults, missing } = await readPrints(OFFICE_PRINTS);
  expect(faults).toEqual([]);
  expect(missing.length, missing.join('\n')).toBeLessThan(4);
});

test('bills for power, gas, water, telephone and insurance: balances, instalments and meter readings are not taken for sums or due dates', async () => {
  const { faults, missing } = await readPrints(HOUSEHOLD_BILLS);
  // Not recognised: a policy with its own word for the premium, and a bill that calls itself a statement.
  expect(faults).toEqual(['de-versicherung: other', 'us-electric: bank_statement']);
  expect(missing.length, missing.join('\n')).toBeLessThan(9);
});

test('an earlier balance is not part of the total: the report names the amount due separately', async () => {
  const sums = async (...lines: string[]): Promise<unknown> => {
    const report = await reportOf(
      page('Harlow Ltd', 'Invoice no: 4471', 'Invoice date: 3 May 2026', ...lines),
    );
    return ['total', 'amount_due'].map((key) => valueOfField(report, key));
  };
  expect(await sums('Previous balance  £80.00', 'Total  £120.00', 'Amount due  £200.00')).toEqual([
    ...['120.00', '200.00'],
  ]);
  expect(await sums('Previous balance  £80.00', 'Amount due  £200.00')).toEqual([undefined, '200.00']);
  expect(await sums('Previous balance  £80.00', 'Payment received  -£80.00', 'Amount due  £120.00')).toEqual([
    '120.00',
    undefined,
  ]);
});

test('the days of future instalments and the end of a contract are not due dates', async () => {
  const due = async (...lines: string[]): Promise<string | undefined> =>
    valueOfField(
      await reportOf(page('Invoice no: 4471', 'Invoice date: 3 May 2026', 'Total  £120.00', ...lines)),
      'due_date',
    );
  expect(await due('Your next payment is due on 1 June 2026.')).toBeUndefined();
  expect(
    await due('Ihr neuer Abschlag von 119,00 EUR ist fällig am:', '01.06.2026  01.07.2026'),
  ).toBeUndefined();
  expect(
    await due('We take the sum by debit on 28 May 2026.', 'If you leave before 3 May 2027 a fee applies.'),
  ).toBe('2026-05-28');
});

/** Whether two names mean the same party: a letterhead may print more or less of a name. */
function isSaid(value: string, wanted: string): boolean {
  const [said, meant] = [value, wanted].map((text) => text.toLowerCase().replace(/[^\p{L}\d]/gu, ''));
  return (
    said === meant ||
    (/\p{L}{5}/u.test(wanted) && (said?.includes(meant ?? '') || meant?.includes(said ?? '')) === true)
  );
}

test('the stems of a label say number, date or due date; labels about other papers say nothing', () => {
  const roles = (texts: string[]): (string | undefined)[] => texts.map((text) => stemLabel(text)?.role);
  expect(roles(['Ons factuurkenmerk', 'Código de factura', 'Ns. fattura', 'Rechnungskennung: 4'])).toEqual(
    Array(4).fill('number'),
  );
  expect(roles(['Datum der Rechnungsstellung', 'Facturé le', 'Uitgereikt op', 'Emessa il 3'])).toEqual(
    Array(4).fill('date'),
  );
  expect(roles(['Settlement due', 'Da saldare entro il', 'Fecha de vto.', 'Betaaltermijn tot'])).toEqual(
    Array(4).fill('due'),
  );
  expect(roles(['Order no.', 'Lieferdatum', 'Fecha del contrato', 'N° TVA client', 'Druckdatum'])).toEqual(
    Array(5).fill(undefined),
  );
  // Letters and signs that belong to the number are not part of the label.
  expect(stemLabel('Notre facture n° RE-98739')).toEqual({ role: 'number', end: 'Notre facture n'.length });
});

test('a title with words and codes before its number is read, over two lines too', async () => {
  const long = await reportOf(
    page(
      'Schlussrechnung Bau (877) Nr. 181301674 vom 25.04.2018',
      'Rapport-Nr.: 42389 vom 08.03.2018',
      'Bruttosumme\t300,00 EUR',
    ),
  );
  expect(valueOfField(long, 'document_number')).toBe('181301674');
  expect(valueOfField(long, 'issue_date')).toBe('2018-04-25');
  const order = await reportOf(
    page('Invoice no.: 2041', 'Date: 3 May 2026', 'Order no. 88-12 dated 14 April 2026', 'Total\t£12.00'),
  );
  expect(valueOfField(order, 'issue_date')).toBe('2026-05-03');
});

test.each([
  ['Please remit until 2026-07-01.', '2026-07-01'],
  ['Kindly transfer the sum by 3 July 2026 to the account below.', '2026-07-03'],
  ['Le rogamos abone el importe antes del 04/07/2026.', '2026-07-04'],
])('the due date is read from a sentence: %s', async (sentence, day) => {
  const report = await reportOf(
    page('Invoice no.: 2041', 'Invoice date: 2026-06-10', 'Total\t£12.00', '', sentence),
  );
  expect(valueOfField(report, 'due_date')).toBe(day);
});

test('a customer’s number is not the head of a name: the address names the customer', async () => {
  const report = await reportOf(
    page(
      ...['Bei Spiel GmbH', '', 'Theodor Est', 'Bahnstr. 42', '88802Spielkreis', ''],
      ...['Customer:2', 'Your order AB321', 'Invoice no.: 2041', 'Invoice date: 2026-06-10', 'Total\t£12.00'],
    ),
  );
  expect(valueOfField(report, 'customer')).toBe('Theodor Est');
});

test('the shop of a receipt is the line with a company form or a number in a register, not the person above', async () => {
  const till = (...head: string[]): Buffer =>
    page(
      ...head,
      'RECEIPT',
      '28/02/201814:23',
      '2 x Tea  4.00',
      'Total  RM 4.00',
      'CASH  10.00',
      'CHANGE DUE  6.00',
      'Thank you',
    );
  const shop = await reportOf(till('TAN AH KOW', 'BOOK TALK (TAMAN DAYA) SDN BND', '789417-W'));
  expect(shop.document.kind).toBe('receipt');
  expect(valueOfField(shop, 'supplier')).toBe('BOOK TALK (TAMAN DAYA) SDN BND');
  expect(valueOfField(shop, 'issue_date')).toBe('2018-02-28');
  const named = await reportOf(till('THREE ANCHORS', 'BISTRO & CAFE', '109, SS21/1A'));
  expect(valueOfField(named, 'supplier')).toBe('THREE ANCHORS');
});

describe('where labels stand apart from their values', () => {
  test('letters with gaps, a row of sums under their heads, and the base of a rate in the label', async () => {
    const report = await reportOf(
      page(
        'Rechnung Nr. 4711-02 vom 05.03.2018',
        '',
        'Br uttosumme\t529,87 EUR',
        'Umsatzsteuer 19 % auf 445,27\t84,60 EUR',
        'Rechnungssumme ohne USt.\t445,27 EUR',
        'Zahlbar innerhalb 30 Tagen netto bis 04.04.2018, 3% Skonto innerhalb 10 Tagen bis 15.03.2018',
      ),
    );
    const wanted = {
      total: '529.87',
      tax_total: '84.60',
      net_total: '445.27',
      document_number: '4711-02',
      due_date: '2018-04-04',
      issue_date: '2018-03-05',
    };
    for (const [key, value] of Object.entries(wanted)) expect(valueOfField(report, key), key).toBe(value);
  });

  test('the tax of several rates is their sum, with the place of each', async () => {
    const report = await reportOf(
      page(
        'Invoice number: 20-881',
        'Invoice date: 3 May 2026',
        'Net total\t£300.00',
        'VAT 5%\t£5.00',
        'VAT 20%\t£40.00',
        'Total\t£345.00',
      ),
    );
    const tax = report.fields.find(({ key }) => key === 'tax_total');
    expect(tax).toMatchObject({ normalized: '45.00', cites: [{ quote: '£5.00' }, { quote: '£40.00' }] });
  });

  test('a net sum that leaves no possible tax is not in the report', async () => {
    const report = await reportOf(
      page('Invoice number: 20-882', 'Invoice date: 3 May 2026', 'Subtotal\t£12.00', 'Total\t£345.00'),
    );
    expect(valueOfField(report, 'total')).toBe('345.00');
    expect(valueOfField(report, 'net_total')).toBeUndefined();
  });
});

test('a till receipt: shop, date without a label, and the total that cash and change prove', async () => {
  const report = await reportOf(
    page(
      'SOON LEE HARDWARE SDN BHD',
      '(789417-W)',
      'NO 53, JALAN SAGU 18, TAMAN DAYA',
      '25/12/2018 8:13:39 PM',
      'CASHIER: MANIS',
      'TAX INVOICE',
      'MODELLING CLAY  9.00',
      'GLUE  3.02',
      'SUBTOTAL  12.02',
      'ROUNDED TOTAL (RM):',
      '12.00',
      'CASH  20.00',
      'CHANGE  8.00',
      'GOODS SOLD ARE NOT RETURNABLE. THANK YOU',
    ),
  );
  expect(report.document.kind).toBe('receipt');
  expect(valueOfField(report, 'supplier')).toBe('SOON LEE HARDWARE SDN BHD');
  expect(valueOfField(report, 'issue_date')).toBe('2018-12-25');
  expect(valueOfField(report, 'total')).toBe('12.00');
});

test('a text that is not a bill gives no dates and sums: a manual has neither supplier nor due date', async () => {
  const report = await reportOf(
    page(
      'Release notes 3.87',
      '',
      'Support for the old format is due on 16 February 2011.',
      'Customer: request',
      'Supplier: function_usage',
      'Total: 3.87',
    ),
  );
  expect(report.fields.filter(({ type }) => type === 'money' || type === 'date' || type === 'party')).toEqual(
    [],
  );
  expect(report.attention).toEqual([]);
});

describe('e-invoice data against the page', () => {
  const xml = (total: string): string => `<Invoice><ID>20-881</ID><IssueDate>2026-05-03</IssueDate>
    <DocumentCurrencyCode>GBP</DocumentCurrencyCode><TaxTotal><TaxAmount>40.00</TaxAmount></TaxTotal>
    <LegalMonetaryTotal><TaxExclusiveAmount>200.00</TaxExclusiveAmount><TaxInclusiveAmount>${total}</TaxInclusiveAmount>
    <PayableAmount>140.00</PayableAmount></LegalMonetaryTotal></Invoice>`;
  const printed = page(
    'Invoice number: 20-881',
    'Invoice date: 3 May 2026',
    'Net total\t£200.00',
    'VAT 20%\t£40.00',
    'Total\t£240.00',
    'Left to pay after deposit\t£140.00',
  );

  test('a value that the data states anywhere is not a difference; its type code names the kind', async () => {
    const report = await reportOf(printed, xml('240.00'));
    expect(report.attention.filter(({ code }) => code === 'invoice_mismatch')).toEqual([]);
    const credit = await reportOf(printed, xml('240.00').replaceAll('Invoice>', 'CreditNote>'));
    expect(credit.document.kind).toBe('credit_note');
  });

  test('the report warns of a total that the page does not print', async () => {
    const { attention, fields } = await reportOf(printed, xml('250.00'));
    expect(attention.filter(({ code }) => code === 'invoice_mismatch').map(({ text }) => text)).toEqual([
      'Total: the page prints £240.00, the e-invoice data inside the file says 250.00 GBP.',
    ]);
    expect(fields.find(({ key }) => key === 'total')).toMatchObject({ normalized: '250.00', source: 'xml' });
  });
});

describe('a party is a name', () => {
  const partiesOf = async (...lines: string[]): Promise<(string | undefined)[]> => {
    const sums = [
      'Invoice number: 2041',
      'Date: 3 May 2026',
      'Net  £100.00',
      'VAT 20%  £20.00',
      'Total  £120.00',
    ];
    const report = await reportOf(page(...lines, ...sums));
    return [valueOfField(report, 'supplier'), valueOfField(report, 'customer')];
  };

  test.each([
    ['Customer:', 'Details'],
    ['Klant:', 'Dat betaal ik zelf wel.'],
    ['Facturer à :', 'Par courrier'],
    ['Facturé à :', 'par e-mail'],
    ['Invoice to', 'DELIVERTO'],
    ['Client', 'Prix'],
    ['Rechnung an', 'Herr'],
    ['Cliente', 'Importe'],
    ['Bill to:', 'YYYY-MM-DD'],
    ['Bill to:', '[Client name]'],
    ['Bill to:', 'please pay within thirty days'],
  ])('%s %s names nobody', async (label, words) => {
    expect(await partiesOf('Harlow Ltd', '', label, words, '')).toEqual(['Harlow Ltd', undefined]);
  });

  test.each([
    ['Invoice to:', 'Alliance des Artistes'],
    ['Rechnung an:', 'Verein der Freunde und Förderer e.V.'],
    ['Klant:', 'de Vries en van den Berg'],
    ['Bill to:', 'please hold music ltd. Ltd'],
    ['Rechnung an', 'Herr Max Muster'],
    ['Customer:', 'Detail Design'],
  ])('%s %s names a customer', async (label, name) => {
    expect((await partiesOf('Harlow Ltd', '', label, name, ''))[1]).toBe(name);
  });

  test('neither the title of a receipt nor a town is a supplier, and an example is no number', async () => {
    for (const line of ['PAYMENT RECEIPT', 'San Francisco, CA', 'Boston, MA.', 'LIEFERSCHEIN'])
      expect((await partiesOf(line, 'www.harlow.example', ''))[0], line).not.toBe(line);
    const report = await reportOf(
      page('Harlow Ltd', 'INVOICE', 'Invoice number: 00000-0000', 'Date: 3 May 2026', 'Total  £120.00'),
    );
    expect(valueOfField(report, 'document_number')).toBeUndefined();
  });
});
