/**
 * Makes bills as shops, carriers and offices abroad print them: amounts and dates in other forms, sums on a
 * second page, several rates, earlier payments, other currencies beside. Everything in them is invented.
 */
import {
  factsOf,
  type InvoiceFacts,
  type InvoiceLanguage,
  type MadeInvoice,
  madeInvoice,
} from './make-invoices.fixture.ts';
import type { PdfText } from './write-pdf.fixture.ts';

/** Number of layouts. */
export const STRANGE_LAYOUTS = 12;

/** The words of these bills. */
interface Words {
  readonly number: readonly string[];
  readonly date: readonly string[];
  readonly due: readonly string[];
  readonly net: readonly string[];
  readonly tax: readonly string[];
  readonly total: readonly string[];
  readonly paid: string;
  readonly left: string;
  readonly shipping: string;
  readonly page: string;
  readonly carry: string;
  readonly days: string;
  readonly bill: string;
  readonly to: string;
}

const STRANGE: Readonly<Record<InvoiceLanguage, Words>> = {
  en: {
    number: ['INV#', 'Invoice #', 'Inv. No', 'Invoice ID', 'Bill Number', 'Document'],
    date: ['Date issued', 'Inv. date', 'Date Raised', 'Invoice Dt.', 'Date'],
    due: ['Pay by', 'Due by', 'Payment Due Date', 'Please pay by', 'Date due'],
    net: ['Sub-total', 'SUBTOTAL', 'Net Amt', 'Total (excl. VAT)', 'Amount before tax'],
    tax: ['Tax', 'VAT', 'Sales Tax', 'VAT Amt', 'Total Tax'],
    total: ['Grand Total', 'Total Due', 'Invoice Amount', 'TOTAL AMOUNT', 'Total (incl. VAT)'],
    ...{ paid: 'Deposit received', left: 'Balance to pay', shipping: 'Postage & packing', page: 'Page' },
    ...{ carry: 'Carried forward', days: 'Terms: 30 days net', bill: 'Tax Invoice', to: 'Attention' },
  },
  de: {
    number: ['Rechnungs-Nr', 'Re.-Nr.', 'Rechnung-Nr.:', 'Rechn.Nr.', 'Belegnr.', 'Vorgangsnummer'],
    date: ['Rechn.-Datum', 'Datum der Rechnung', 'Belegdat.', 'Ausstellungsdatum', 'Datum'],
    due: ['Fällig', 'Zahlungsziel', 'Bitte zahlen bis', 'Fälligkeit', 'Zahlbar bis'],
    net: ['Zwischensumme', 'Netto', 'Nettowert', 'Summe netto', 'Betrag ohne USt.'],
    tax: ['MwSt.', 'USt', 'Mehrwertsteuer', 'Umsatzsteuer', 'MwSt.-Betrag'],
    total: ['Endsumme', 'Gesamtpreis', 'Rechnungssumme', 'Endbetrag', 'Brutto'],
    ...{ paid: 'Anzahlung', left: 'Restbetrag', shipping: 'Versandkosten', page: 'Seite' },
    ...{ carry: 'Übertrag', days: 'Zahlbar innerhalb 14 Tagen ohne Abzug', bill: 'RECHNUNG', to: 'z. Hd.' },
  },
  fr: {
    number: ['Facture N°', 'N° Facture', 'N° de pièce', 'Réf. facture', 'Numéro', 'FACTURE No'],
    date: ['Date', 'Date fact.', 'Fait le', 'Le', 'Date de la facture'],
    due: ['Échéance', "Date d'échéance", 'À payer avant le', 'Règlement le', 'Échéance au'],
    net: ['Sous-total', 'Total HT', 'Montant hors taxes', 'Total net HT', 'HT'],
    tax: ['TVA', 'Montant TVA', 'Total TVA', 'T.V.A.', 'Taxe'],
    total: ['Total TTC', 'TOTAL', 'Montant total', 'À payer TTC', 'Total général'],
    ...{ paid: 'Acompte versé', left: 'Reste à payer', shipping: 'Frais de port', page: 'Page' },
    ...{ carry: 'Report', days: 'Paiement à 30 jours', bill: 'FACTURE', to: "À l'attention de" },
  },
  nl: {
    number: ['Factuurnr.', 'Factuur nr.', 'Factuur', 'Nummer', 'Documentnr.', 'Fact. nr'],
    date: ['Datum', 'Factuurdat.', 'Datum van factuur', 'd.d.', 'Uitgiftedatum'],
    due: ['Vervaldag', 'Uiterste betaaldag', 'Te betalen voor', 'Vervaldatum', 'Betalen vóór'],
    net: ['Subtotaal', 'Totaal ex. BTW', 'Netto bedrag', 'Totaal excl. btw', 'Bedrag excl.'],
    tax: ['BTW', 'Btw-bedrag', 'Totaal BTW', 'B.T.W.', 'btw'],
    total: ['Totaal', 'Totaal incl. BTW', 'Totaalbedrag', 'Te betalen', 'Factuurtotaal'],
    ...{ paid: 'Aanbetaling', left: 'Nog te betalen', shipping: 'Verzendkosten', page: 'Pagina' },
    ...{ carry: 'Transport', days: 'Betaling binnen 14 dagen', bill: 'FACTUUR', to: 't.a.v.' },
  },
  es: {
    number: ['Nº Factura', 'Factura Nº', 'Núm. factura', 'N.º', 'Factura', 'No. de factura'],
    date: ['Fecha', 'Fecha factura', 'Fecha de factura', 'Fecha emisión', 'Emisión'],
    due: ['Vencimiento', 'Fecha de pago', 'Fecha vencimiento', 'Vto.', 'Pagar antes de'],
    net: ['Subtotal', 'Base imponible', 'Total neto', 'Importe bruto', 'Suma parcial'],
    tax: ['IVA', 'I.V.A.', 'Total IVA', 'Cuota', 'Impuestos'],
    total: ['Total', 'TOTAL A PAGAR', 'Total factura', 'Importe total', 'Total general'],
    ...{ paid: 'Anticipo', left: 'Pendiente de pago', shipping: 'Gastos de envío', page: 'Página' },
    ...{ carry: 'Suma y sigue', days: 'Pago a 30 días', bill: 'FACTURA', to: 'A la atención de' },
  },
  it: {
    number: ['Fattura N.', 'N. fattura', 'Numero', 'Fatt. n°', 'Documento n.', 'Nr. fattura'],
    date: ['Data', 'Data fattura', 'Data doc.', 'Del', 'Data emissione'],
    due: ['Scadenza', 'Data scadenza', 'Da pagare entro', 'Scade il', 'Pagamento entro'],
    net: ['Subtotale', 'Imponibile', 'Totale imponibile', 'Importo netto', 'Totale merce'],
    tax: ['IVA', 'I.V.A.', 'Imposta', 'Totale IVA', 'Importo IVA'],
    total: ['Totale', 'Totale fattura', 'TOTALE DOCUMENTO', 'Totale da pagare', 'Totale generale'],
    ...{ paid: 'Acconto', left: 'Residuo da pagare', shipping: 'Spese di trasporto', page: 'Pagina' },
    ...{ carry: 'Riporto', days: 'Pagamento a 30 giorni', bill: 'FATTURA', to: 'Alla c.a. di' },
  },
};

const two = (value: number): string => String(value).padStart(2, '0');
const SHORT = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** 03-May-2026, 3.5.26, 3rd May 2026, 2026/05/03 or 03.05.2026; `way` chooses. */
function dayText({ words, language, currency }: InvoiceFacts, date: Date, way: number): string {
  const [d, m, y] = [date.getUTCDate(), date.getUTCMonth(), date.getUTCFullYear()];
  if (way === 0 && language === 'en') return `${two(d)}-${SHORT[m]}-${y}`;
  if (way === 1 && language === 'en') {
    const end =
      d % 10 === 1 && d !== 11
        ? 'st'
        : d % 10 === 2 && d !== 12
          ? 'nd'
          : d % 10 === 3 && d !== 13
            ? 'rd'
            : 'th';
    return currency === 'USD' ? `${words.months[m]} ${d}${end}, ${y}` : `${d}${end} ${words.months[m]} ${y}`;
  }
  if (way === 2) return `${y}/${two(m + 1)}/${two(d)}`;
  if (language === 'en' && currency === 'USD') return `${two(m + 1)}/${two(d)}/${y}`;
  if (way === 3) return `${d}.${m + 1}.${language === 'de' ? y : y}`;
  return [two(d), two(m + 1), y].join(language === 'nl' ? '-' : language === 'de' ? '.' : '/');
}

/** €1,234.00; EUR 1.234,00; 1'234.00; 1 234,00 €; 1234.00; `way` chooses. */
function amountText({ language, currency }: InvoiceFacts, cents: number, way: number): string {
  const [whole, part] = (Math.abs(cents) / 100).toFixed(2).split('.');
  const group = (sign: string): string => (whole ?? '').replace(/\B(?=(\d{3})+$)/g, sign);
  const minus = cents < 0 ? '-' : '';
  const sign = { GBP: '£', USD: '$', EUR: '€' }[currency] ?? currency;
  const english = language === 'en';
  if (way === 0) return `${currency} ${minus}${group(english ? ',' : '.')}${english ? '.' : ','}${part}`;
  if (way === 1)
    return english ? `${minus}${sign}${group(',')}.${part}` : `${minus}${sign} ${group('.')},${part}`;
  if (way === 2) return english ? `${minus}${sign}${whole}.${part}` : `${minus}${whole},${part} ${sign}`;
  if (way === 3)
    return english ? `${minus}${group(',')}.${part} ${currency}` : `${minus}${group(' ')},${part} ${sign}`;
  return `${minus}${english ? group(',') : group('.')}${english ? '.' : ','}${part}`;
}

interface Pen {
  readonly put: (x: number, y: number, text: string, size?: number) => void;
  readonly right: (x: number, y: number, text: string, size?: number) => void;
}

/** The strange invoice for a seed; the seed also chooses the layout, in turn. */
export function makeStrangeInvoice(seed: number, language: InvoiceLanguage): MadeInvoice {
  const facts = factsOf(seed * 17 + 3, language);
  const words = STRANGE[language];
  const layout = seed % STRANGE_LAYOUTS;
  const page: PdfText[] = [];
  const pen: Pen = {
    put: (x, y, text, size = 10) => page.push({ x, y, size, text }),
    right: (x, y, text, size = 10) => page.push({ x: x - text.length * size * 0.57, y, size, text }),
  };
  drawHead(facts, words, pen, layout);
  const y = drawLines(facts, pen, layout);
  drawSums(facts, words, { ...pen, y, layout });
  drawFoot(facts, words, pen, layout);
  return madeInvoice(`strange-${language}-layout-${layout}-seed-${seed}.pdf`, facts, page);
}

function drawHead(facts: InvoiceFacts, words: Words, { put, right }: Pen, layout: number): void {
  const { supplier, street, town, customer, number, pick } = facts;
  const own = facts.words;
  const way = layout % 5;
  const [issued, due] = [dayText(facts, facts.issued, way), dayText(facts, facts.due, way)];
  const [numberWord, dateWord, dueWord] = [pick(words.number), pick(words.date), pick(words.due)];
  if (layout % 3 === 0) {
    // The customer first, the supplier at the right.
    for (const [index, text] of [customer, own.otherStreet, own.otherTown].entries())
      put(50, 780 - index * 13, text);
    for (const [index, text] of [supplier, street, town, `${own.vatNumber}`].entries())
      right(550, 800 - index * 12, text, 9);
  } else if (layout % 3 === 1) {
    put(50, 805, supplier.toUpperCase(), 15);
    put(50, 790, `${street} | ${town} | Tel. 030 555 01 20`, 8);
    put(50, 750, own.buyer);
    for (const [index, text] of [customer, own.otherStreet, own.otherTown].entries())
      put(50, 737 - index * 13, text);
  } else {
    put(50, 800, words.bill, 20);
    for (const [index, text] of [own.seller, supplier, street, town].entries())
      put(50, 770 - index * 13, text, 9);
    for (const [index, text] of [own.buyer, customer, own.otherStreet, own.otherTown].entries())
      put(300, 770 - index * 13, text, 9);
  }
  if (layout % 4 === 0) {
    // A box of small heads with values below them, at the right.
    for (const [index, [label, value]] of [
      [numberWord, number],
      [dateWord, issued],
      [dueWord, due],
    ].entries()) {
      put(330 + index * 80, 690, label ?? '', 7);
      put(330 + index * 80, 679, value ?? '', 8);
    }
  } else if (layout % 4 === 1) {
    put(50, 690, `${words.bill}  ${numberWord} ${number}`, 13);
    put(50, 674, `${dateWord} ${issued}    ${dueWord} ${due}`, 9);
  } else if (layout % 4 === 2) {
    for (const [index, [label, value]] of [
      [dateWord, issued],
      ['Ref.', 'PO-55120'],
      [numberWord, number],
      [dueWord, due],
      [words.page, '1 / 1'],
    ].entries()) {
      put(50, 695 - index * 12, `${label}`, 9);
      put(150, 695 - index * 12, `${value}`, 9);
    }
  } else {
    for (const [index, [label, value]] of [
      [numberWord, number],
      [own.customerNumber, '88123'],
      [dateWord, issued],
      [dueWord, due],
    ].entries()) {
      right(450, 700 - index * 13, `${label}`, 9);
      put(460, 700 - index * 13, `${value}`, 9);
    }
  }
}

function drawLines(facts: InvoiceFacts, { put, right }: Pen, layout: number): number {
  let y = 590;
  const way = (layout + 4) % 5;
  put(50, y, facts.words.columns[0] ?? '', 9);
  for (const [index, column] of facts.words.columns.slice(1).entries())
    right(340 + index * 105, y, column, 9);
  for (const { text, quantity, price } of facts.lines) {
    y -= 15;
    put(50, y, text);
    right(340, y, String(quantity));
    right(445, y, amountText(facts, price, way === 0 ? 4 : way));
    right(550, y, amountText(facts, price * quantity, way === 0 ? 4 : way));
  }
  return y - 28;
}

function drawSums(facts: InvoiceFacts, words: Words, pen: Pen & { y: number; layout: number }): void {
  const { put, right, y, layout } = pen;
  const { net, tax, rate, pick } = facts;
  const way = (layout + 4) % 5;
  const money = (cents: number): string => amountText(facts, cents, way);
  const [netWord, taxWord, totalWord] = [pick(words.net), pick(words.tax), pick(words.total)];
  const gross = net + tax;
  const half = Math.round(net / 2);
  const halfTax = Math.round(tax / 2);
  const rows: [string, number][] = [
    [netWord, net],
    // Two rates, each with its tax and without a sum of them; or one rate.
    ...(layout % 6 === 1
      ? ([
          [`${taxWord} ${rate}% (${amountText(facts, half, 4)})`, halfTax],
          [`${taxWord} 5% (${amountText(facts, net - half, 4)})`, tax - halfTax],
        ] as [string, number][])
      : ([[layout % 2 === 0 ? `${taxWord} (${rate}%)` : `${rate}% ${taxWord}`, tax]] as [string, number][])),
    [totalWord, gross],
    ...(layout % 6 === 4
      ? ([
          [words.paid, -Math.round(gross / 4)],
          [words.left, gross - Math.round(gross / 4)],
        ] as [string, number][])
      : []),
  ];
  for (const [index, [label, cents]] of rows.entries()) {
    if (layout % 3 === 2) put(60, y - index * 14, `${label}: ${money(cents)}`, 9);
    else {
      right(430, y - index * 14, label, 9);
      right(550, y - index * 14, money(cents), 9);
    }
  }
}

function drawFoot(
  { supplier, words: own, street, town }: InvoiceFacts,
  words: Words,
  { put }: Pen,
  layout: number,
): void {
  put(50, 110, words.days === '' ? '' : `${own.bank}: DE89 3704 0044 0532 0130 00`, 8);
  if (layout % 2 === 1) put(50, 50, `${supplier}, ${street}, ${town}, ${own.vatNumber}`, 7);
}
