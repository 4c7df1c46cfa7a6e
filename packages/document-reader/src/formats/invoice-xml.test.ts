import { expect, test } from 'vitest';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { readFileContent } from './file-content.ts';
import { readInvoiceXml } from './invoice-xml.ts';

const invoice = (prefix: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<${prefix}:CrossIndustryInvoice xmlns:${prefix}="urn:rsm" xmlns:ram="urn:ram" xmlns:udt="urn:udt">
<${prefix}:ExchangedDocument><ram:ID>471102</ram:ID>
<ram:IssueDateTime><udt:DateTimeString format="102">20180305</udt:DateTimeString></ram:IssueDateTime>
</${prefix}:ExchangedDocument>
<${prefix}:SupplyChainTradeTransaction>
<ram:SellerTradeParty><ram:GlobalID>4000001</ram:GlobalID><ram:Name>Kr&#xFC;ger &amp; Sons</ram:Name></ram:SellerTradeParty>
<ram:BuyerTradeParty><ram:Name><![CDATA[Kunden <AG>]]></ram:Name></ram:BuyerTradeParty>
<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
<ram:SpecifiedTradeSettlementHeaderMonetarySummation>
<ram:TaxBasisTotalAmount>473</ram:TaxBasisTotalAmount><ram:TaxTotalAmount currencyID="EUR">56.87</ram:TaxTotalAmount>
<ram:GrandTotalAmount>529.87</ram:GrandTotalAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>
</${prefix}:SupplyChainTradeTransaction></${prefix}:CrossIndustryInvoice>`;

test.each(['rsm', 'a'])('the facts of an e-invoice are read with any prefixes (%s)', (prefix) => {
  const facts = readInvoiceXml(invoice(prefix))?.facts ?? [];
  expect(Object.fromEntries(facts.map(({ key, value }) => [key, value]))).toEqual({
    document_number: '471102',
    issue_date: '2018-03-05',
    currency: 'EUR',
    total: '529.87 EUR',
    net_total: '473.00 EUR',
    tax_total: '56.87 EUR',
    supplier: 'Krüger & Sons',
    customer: 'Kunden <AG>',
  });
});

test('the tax is in the invoice’s own currency, and the due date comes from any of its terms', () => {
  const value = (xml: string, key: string): string | undefined =>
    readInvoiceXml(xml)?.facts.find((fact) => fact.key === key)?.normalized;
  const two = invoice('rsm')
    .replace(
      '<ram:TaxTotalAmount',
      '<ram:TaxTotalAmount currencyID="CHF">52.10</ram:TaxTotalAmount><ram:TaxTotalAmount',
    )
    .replace(
      '<ram:SpecifiedTradeSettlementHeader',
      '<ram:SpecifiedTradePaymentTerms><ram:Description>2 %</ram:Description></ram:SpecifiedTradePaymentTerms><ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime><udt:DateTimeString format="102">20180404</udt:DateTimeString></ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms><ram:SpecifiedTradeSettlementHeader',
    );
  expect(value(two, 'tax_total')).toBe('56.87');
  expect(value(two, 'due_date')).toBe('2018-04-04');
  const ubl = `<Invoice xmlns:cbc="urn:cbc" xmlns:cac="urn:cac"><cbc:ID>P-3</cbc:ID><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
    <cac:TaxTotal><cbc:TaxAmount currencyID="SEK">280.00</cbc:TaxAmount></cac:TaxTotal><cac:TaxTotal><cbc:TaxAmount currencyID="EUR">25.00</cbc:TaxAmount></cac:TaxTotal></Invoice>`;
  expect(value(ubl, 'tax_total')).toBe('25.00');
});

test('a day that the calendar does not have is shown as printed, and is not a date', () => {
  for (const odd of ['20180231', '20181305', '20180000', '201803', 'March 2018']) {
    const data = readInvoiceXml(invoice('rsm').replace('20180305', odd));
    const stated = data?.facts.find(({ key }) => key === 'issue_date');
    expect(stated).toEqual({ key: 'issue_date', label: 'Issue date', type: 'date', value: odd });
    expect([...(data?.dates ?? [])]).toEqual([]);
  }
});

test('damaged XML, or XML that declares entities, gives no facts', () => {
  expect(readInvoiceXml(invoice('rsm').slice(0, 300))).toBeUndefined();
  const hostile = invoice('rsm').replace('?>', '?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>');
  expect(readInvoiceXml(hostile.replace('471102', '&e;'))).toBeUndefined();
});

test('an e-invoice needs no XML declaration: comments or nothing may stand before its root', async () => {
  const bare = invoice('rsm').replace(/^<\?xml.*\?>\n/, '');
  const forms = [
    bare,
    `\n  ${bare}`,
    `\ufeff<!-- made -- by <hand> -->\n${bare}`.replace(' -- ', ' - '),
    invoice('a'),
  ];
  for (const xml of forms) {
    const document = await readFileContent(
      Buffer.from(xml),
      createOcrSession(0, () => {}),
    );
    expect(readInvoiceXml(document.invoiceXml ?? '')?.facts[0]?.value, xml.slice(0, 40)).toBe('471102');
  }
  const ubl = `<u:CreditNote xmlns:u="urn:u"><u:ID>G-7</u:ID><u:Note>Rechnung 24/99 Brutto-Betrag 119.000,00</u:Note></u:CreditNote>`;
  const credit = await readFileContent(
    Buffer.from(ubl),
    createOcrSession(0, () => {}),
  );
  expect(readInvoiceXml(credit.invoiceXml ?? '')).toMatchObject({
    typeCode: '381',
    facts: [{ value: 'G-7' }],
  });
  const prose = await readFileContent(
    Buffer.from('<Invoices> are sent on Monday.'),
    createOcrSession(0, () => {}),
  );
  expect(prose.invoiceXml).toBeUndefined();
});
