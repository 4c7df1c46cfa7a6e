import type { Citer } from '../contract/quote-finding.ts';
import type { Attention, Field } from '../contract/report.contract.ts';
import { type InvoiceFact, type InvoiceXml, readInvoiceXml } from '../formats/invoice-xml.ts';
import { findAmounts } from '../values/amounts.ts';
import { findDate } from '../values/dates.ts';

/**
 * Replaces the fields of a page by an e-invoice's data, which is exact (docs/contracts/documents.md §3.3). The report
 * warns of a difference only if the page nowhere prints the data's value and the data nowhere states the printed one,
 * as both hold many amounts and dates.
 *
 * @param text the whole text of the pages
 */
export function withInvoiceXml(
  fields: readonly Field[],
  xml: string,
  { citer, text }: { citer: Citer; text: string },
): { fields: Field[]; attention: Attention[] } {
  const data = readInvoiceXml(xml);
  if (data === undefined) {
    const damaged: Attention = {
      code: 'invoice_data_damaged',
      severity: 'info',
      text: 'The e-invoice data inside this file is damaged, so only the printed page was read.',
      cites: [],
    };
    return { fields: [...fields], attention: [damaged] };
  }
  const attention: Attention[] = [];
  const stated = data.facts.map((fact) => {
    const printed = fields.find(({ key }) => key === fact.key);
    if (printed !== undefined && isSame(printed, fact)) return xmlField(fact, printed.value, printed.cites);
    if (printed !== undefined && differs(printed, fact, { data, text })) {
      attention.push({
        code: 'invoice_mismatch',
        severity: 'warn',
        text: `${fact.label}: the page prints ${printed.value}, the e-invoice data inside the file says ${fact.value}.`,
        cites: printed.cites,
      });
    }
    // A day that the calendar does not have is no better than the one on the page.
    const isNoDay = fact.type === 'date' && fact.normalized === undefined;
    if (isNoDay && printed !== undefined) return printed;
    return xmlField(fact, fact.value, placesOf(fact, citer));
  });
  const keys = new Set(stated.map(({ key }) => key));
  return { fields: [...stated, ...fields.filter(({ key }) => !keys.has(key))], attention };
}

function isSame(printed: Field, fact: InvoiceFact): boolean {
  return (printed.normalized ?? printed.value) === (fact.normalized ?? fact.value);
}

const SURE = 0.8;

function differs(
  printed: Field,
  fact: InvoiceFact,
  { data, text }: { data: InvoiceXml; text: string },
): boolean {
  if (printed.confidence < SURE) return false;
  if (fact.type === 'money') {
    const bare = (value: string): string => value.replace('-', '');
    const [read, stated] = [bare(printed.normalized ?? ''), bare(fact.normalized ?? '')];
    return !data.amounts.has(read) && !findAmounts(text).some(({ value }) => bare(value) === stated);
  }
  if (fact.type !== 'date') return false;
  return !data.dates.has(printed.normalized ?? '') && !datesIn(text).has(fact.normalized ?? '');
}

/** Every date in a text, read with the day first and with the month first. */
function datesIn(text: string): Set<string> {
  const dates = new Set<string>();
  for (const line of text.split('\n')) {
    for (let at = 0; at < line.length; ) {
      const rest = line.slice(at);
      const [one, other] = [findDate(rest, true), findDate(rest, false)];
      const found = one ?? other;
      if (found === undefined) break;
      for (const date of [one, other]) if (date !== undefined) dates.add(date.iso);
      at += rest.indexOf(found.printed) + found.printed.length;
    }
  }
  return dates;
}

function xmlField(fact: InvoiceFact, value: string, cites: Field['cites']): Field {
  return { ...fact, value, confidence: 0.99, source: 'xml', cites };
}

function placesOf({ value }: InvoiceFact, citer: Citer): Field['cites'] {
  const found = citer.find(value, undefined);
  return found === undefined ? [] : [found];
}
