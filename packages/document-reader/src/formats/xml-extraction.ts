import {
  BlockList,
  cleanText,
  type ExtractedDocument,
  type Row,
  UnreadableDocument,
} from '../contract/extracted-document.ts';
import { type InvoiceXmlLine, readInvoiceXml } from './invoice-xml.ts';
import { unpagedDocument } from './office-extraction.ts';
import { decodeText } from './text-extraction.ts';

/**
 * Reads an invoice that is only XML (CII, UBL, XRechnung). Its text gets a line for each fact and a line for each item.
 *
 * @throws UnreadableDocument `unsupported` for XML that is not an invoice
 */
export function extractXml(bytes: Buffer): ExtractedDocument {
  const xml = decodeText(bytes).text;
  const invoice = readInvoiceXml(xml);
  if (invoice === undefined) {
    throw new UnreadableDocument(
      'unsupported',
      'This XML file is not an invoice that can be read (CII, UBL or XRechnung). Save it as PDF and upload that.',
    );
  }
  const list = new BlockList();
  const rows: Row[] = [];
  const add = (type: 'heading' | 'para' | 'table', cells: readonly string[]): void => {
    const texts = cells.map((cell) => cleanText(cell).trim()).filter((cell) => cell !== '');
    list.add({ type, text: texts.join('  '), ...(type === 'heading' ? { level: 1 } : {}) });
    rows.push({
      page: undefined,
      cells: texts.map((text, column) => ({ text, left: column * 100, right: column * 100 + 90 })),
    });
  };
  add('heading', ['E-invoice']);
  for (const { label, value } of invoice.facts) add('para', [`${label}: ${value}`]);
  for (const line of invoice.lines) add('table', cellsOf(line));
  return { ...unpagedDocument(list, { title: undefined, rows, warnings: [] }), invoiceXml: xml };
}

function cellsOf({ description, quantity, price, amount, taxRate }: InvoiceXmlLine): string[] {
  return [
    description,
    quantity === undefined ? '' : `Quantity ${quantity}`,
    price === undefined ? '' : `Price ${price}`,
    taxRate === undefined ? '' : `VAT ${taxRate} %`,
    amount ?? '',
  ];
}
