/**
 * Makes invoices with tables of items as other programs lay them out: codes and positions, units, rates,
 * discounts, heads and names over two lines, amounts a little lower, tables without heads and over two pages;
 * with a fault in them if requested. Everything in them is invented.
 */
import {
  factsOf,
  type InvoiceFacts,
  type InvoiceLanguage,
  moneyText,
  type TrueItem,
} from './make-invoices.fixture.ts';
import { type PdfText, writePdf } from './write-pdf.fixture.ts';

/** Ways to lay out the items. */
export const TABLE_LAYOUTS = 10;

/** An invoice with its items, and the contradiction in it, if any. */
export interface TabledInvoice {
  readonly name: string;
  readonly pdf: Buffer;
  readonly items: readonly TrueItem[];
}

interface Heads {
  readonly position: string;
  readonly article: string;
  readonly text: readonly string[];
  readonly quantity: readonly string[];
  readonly unit: string;
  readonly price: readonly string[];
  readonly rate: string;
  readonly discount: string;
  readonly amount: readonly string[];
  readonly piece: string;
  readonly carried: string;
}

const HEADS: Readonly<Record<InvoiceLanguage, Heads>> = {
  en: {
    ...{
      position: 'No.',
      article: 'Code',
      text: ['Details', 'Service', 'Item description'],
      quantity: ['Hours', 'Qty'],
    },
    ...{ unit: 'Unit', price: ['Rate', 'Price each', 'Unit cost'], rate: 'VAT %', discount: 'Disc. %' },
    ...{ amount: ['Line total', 'Net amount', 'Total price'], piece: 'pcs', carried: 'Carried forward' },
  },
  de: {
    ...{ position: 'Pos.', article: 'Art.-Nr.', text: ['Leistung', 'Artikelbezeichnung', 'Beschreibung'] },
    ...{ quantity: ['Anzahl', 'Menge'], unit: 'Einheit', price: ['E-Preis', 'Preis/Einheit', 'Einzelpreis'] },
    ...{
      rate: 'MwSt.',
      discount: 'Rabatt %',
      amount: ['Gesamtpreis', 'G-Preis', 'Betrag'],
      piece: 'Stk.',
      carried: 'Übertrag',
    },
  },
  fr: {
    ...{
      position: 'N°',
      article: 'Réf.',
      text: ['Libellé', 'Prestation', 'Description'],
      quantity: ['Quantité', 'Nb'],
    },
    ...{ unit: 'Unité', price: ['P.U. HT', 'Prix unitaire', 'PU'], rate: 'TVA', discount: 'Remise %' },
    ...{ amount: ['Total HT', 'Montant HT', 'Prix total'], piece: 'u.', carried: 'Report' },
  },
  nl: {
    ...{
      position: 'Nr.',
      article: 'Artikelnr.',
      text: ['Artikel', 'Product', 'Werkzaamheden'],
      quantity: ['Uren', 'Aantal'],
    },
    ...{
      unit: 'Eenheid',
      price: ['Tarief', 'Stukprijs', 'Prijs per stuk'],
      rate: 'BTW',
      discount: 'Korting %',
    },
    ...{ amount: ['Totaal', 'Bedrag excl. BTW', 'Regeltotaal'], piece: 'st.', carried: 'Transport' },
  },
  es: {
    ...{
      position: 'Nº',
      article: 'Ref.',
      text: ['Concepto', 'Artículo', 'Detalle'],
      quantity: ['Uds.', 'Cant.'],
    },
    ...{ unit: 'Unidad', price: ['Precio ud.', 'P. unitario', 'Precio'], rate: 'IVA', discount: 'Dto. %' },
    ...{ amount: ['Total', 'Subtotal', 'Importe neto'], piece: 'ud.', carried: 'Suma y sigue' },
  },
  it: {
    ...{
      position: 'N.',
      article: 'Cod.',
      text: ['Prodotto', 'Prestazione', 'Descrizione articolo'],
      quantity: ['Q.tà', 'Ore'],
    },
    ...{
      unit: 'U.M.',
      price: ['Prezzo unit.', 'Prezzo unitario', 'Tariffa'],
      rate: 'IVA',
      discount: 'Sconto %',
    },
    ...{ amount: ['Totale', 'Importo netto', 'Prezzo totale'], piece: 'pz', carried: 'Riporto' },
  },
};

/**
 * The invoice for a seed; the seed also chooses the layout, in turn. `fault` makes its last amount 10.00 too
 * high.
 */
export function makeTabledInvoice(seed: number, language: InvoiceLanguage, fault = false): TabledInvoice {
  const facts = factsOf(seed * 17 + 3, language);
  const layout = seed % TABLE_LAYOUTS;
  const pages: PdfText[][] = [[]];
  const pen: Pen = {
    put: (x, y, text, size = 9) => pages.at(-1)?.push({ x, y, size, text }),
    right: (x, y, text, size = 9) => pages.at(-1)?.push({ x: x - text.length * size * 0.5, y, size, text }),
    turn: () => pages.push([]),
  };
  drawHead(facts, pen);
  const items = itemsOf(facts, layout);
  const y = (LAYOUTS[layout] as Layout)(facts, fault ? withFault(items) : items, pen);
  drawSums(facts, items, { pen, y });
  return {
    name: `table-${language}-layout-${layout}-seed-${seed}.pdf`,
    pdf: writePdf(
      pages.map((page) => page.map((run) => ({ ...run, text: run.text.replaceAll('€', '\u0080') }))),
    ),
    items,
  };
}

interface Pen {
  readonly put: (x: number, y: number, text: string, size?: number) => void;
  readonly right: (x: number, y: number, text: string, size?: number) => void;
  readonly turn: () => void;
}

type Layout = (facts: InvoiceFacts, items: readonly TrueItem[], pen: Pen) => number;

/** Discount in per cent, in the layout that has discounts. */
const OFF = 10;
const DISCOUNTED = 4;

function itemsOf({ lines }: InvoiceFacts, layout: number): TrueItem[] {
  return lines.map(({ text, quantity, price }, index) => {
    const share = layout === DISCOUNTED && index === 0 ? 1 - OFF / 100 : 1;
    return { text, quantity, price: price / 100, amount: Math.round(price * quantity * share) / 100 };
  });
}

function withFault(items: readonly TrueItem[]): TrueItem[] {
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, amount: item.amount + 10 } : item,
  );
}

function drawHead(
  { words, number, supplier, customer, street, town, issued }: InvoiceFacts,
  { put }: Pen,
): void {
  put(50, 800, supplier, 14);
  put(50, 786, `${street}, ${town}`);
  put(50, 750, customer);
  put(50, 737, words.otherStreet);
  put(50, 724, words.otherTown);
  put(50, 680, `${words.title} ${number}`, 15);
  put(330, 680, `${words.date[0]}: ${issued.toISOString().slice(0, 10)}`);
}

const money = (facts: InvoiceFacts, value: number | undefined, how = 0): string =>
  moneyText(facts, Math.round((value ?? 0) * 100), how);

/** A table by its columns: heads at their edges, then each item's cells; returns the height below it. */
function table(
  pen: Pen,
  columns: readonly {
    at: number;
    side?: 'right';
    head: string;
    cell: (item: TrueItem, index: number) => string;
  }[],
  items: readonly TrueItem[],
): number {
  const place = ({ at, side }: (typeof columns)[number], y: number, text: string): void =>
    side === 'right' ? pen.right(at, y, text) : pen.put(at, y, text);
  for (const column of columns) place(column, 620, column.head);
  for (const [index, item] of items.entries())
    for (const column of columns) place(column, 602 - index * 16, column.cell(item, index));
  return 602 - items.length * 16;
}

const LAYOUTS: readonly Layout[] = [
  // Position, text, quantity with its unit, price, amount.
  (facts, items, pen) => {
    const heads = HEADS[facts.language];
    return table(
      pen,
      [
        { at: 50, head: heads.position, cell: (_, index) => String(index + 1) },
        { at: 85, head: facts.pick(heads.text), cell: ({ text }) => text },
        {
          at: 350,
          side: 'right',
          head: facts.pick(heads.quantity),
          cell: ({ quantity }) => `${quantity} ${heads.piece}`,
        },
        { at: 450, side: 'right', head: facts.pick(heads.price), cell: ({ price }) => money(facts, price) },
        {
          at: 550,
          side: 'right',
          head: facts.pick(heads.amount),
          cell: ({ amount }) => money(facts, amount, 1),
        },
      ],
      items,
    );
  },
  // Quantity first.
  (facts, items, pen) => {
    const heads = HEADS[facts.language];
    return table(
      pen,
      [
        { at: 50, head: facts.pick(heads.quantity), cell: ({ quantity }) => String(quantity) },
        { at: 110, head: facts.pick(heads.text), cell: ({ text }) => text },
        { at: 450, side: 'right', head: facts.pick(heads.price), cell: ({ price }) => money(facts, price) },
        {
          at: 550,
          side: 'right',
          head: facts.pick(heads.amount),
          cell: ({ amount }) => money(facts, amount),
        },
      ],
      items,
    );
  },
  // Code, text, quantity, unit, price, rate, amount.
  (facts, items, pen) => {
    const heads = HEADS[facts.language];
    return table(
      pen,
      [
        { at: 50, head: heads.article, cell: (_, index) => `KX-${4021 + index * 7}` },
        { at: 110, head: facts.pick(heads.text), cell: ({ text }) => text },
        {
          at: 320,
          side: 'right',
          head: facts.pick(heads.quantity),
          cell: ({ quantity }) => String(quantity),
        },
        { at: 335, head: heads.unit, cell: () => heads.piece },
        { at: 430, side: 'right', head: facts.pick(heads.price), cell: ({ price }) => money(facts, price) },
        { at: 475, side: 'right', head: heads.rate, cell: () => `${facts.rate} %` },
        {
          at: 550,
          side: 'right',
          head: facts.pick(heads.amount),
          cell: ({ amount }) => money(facts, amount),
        },
      ],
      items,
    );
  },
  // The name continues in a second line.
  (facts, items, { put, right }) => {
    const heads = HEADS[facts.language];
    put(50, 620, facts.pick(heads.text));
    right(340, 620, facts.pick(heads.quantity));
    right(445, 620, facts.pick(heads.price));
    right(550, 620, facts.pick(heads.amount));
    for (const [index, { text, quantity, price, amount }] of items.entries()) {
      const y = 602 - index * 30;
      put(50, y, text);
      put(50, y - 11, `${facts.words.of} ${facts.words.otherTown}`, 8);
      right(340, y, `${quantity},00`.replace(',', facts.language === 'en' ? '.' : ','));
      right(445, y, money(facts, price));
      right(550, y, money(facts, amount));
    }
    return 602 - items.length * 30;
  },
  // A discount on the first item.
  (facts, items, pen) => {
    const heads = HEADS[facts.language];
    return table(
      pen,
      [
        { at: 50, head: facts.pick(heads.text), cell: ({ text }) => text },
        {
          at: 320,
          side: 'right',
          head: facts.pick(heads.quantity),
          cell: ({ quantity }) => String(quantity),
        },
        { at: 400, side: 'right', head: facts.pick(heads.price), cell: ({ price }) => money(facts, price) },
        { at: 470, side: 'right', head: heads.discount, cell: (_, index) => (index === 0 ? `${OFF} %` : '') },
        {
          at: 550,
          side: 'right',
          head: facts.pick(heads.amount),
          cell: ({ amount }) => money(facts, amount),
        },
      ],
      items,
    );
  },
  // The head is on two lines, and price and quantity have changed places.
  (facts, items, { put, right }) => {
    const heads = HEADS[facts.language];
    const [first = '', ...more] = facts.pick(heads.amount).split(' ');
    put(50, 620, facts.pick(heads.text));
    right(350, 620, facts.pick(heads.price));
    right(430, 620, facts.pick(heads.quantity));
    right(550, 625, first);
    right(550, 615, more.join(' '));
    for (const [index, { text, quantity, price, amount }] of items.entries()) {
      const y = 598 - index * 16;
      put(50, y, text);
      right(350, y, money(facts, price));
      right(430, y, String(quantity));
      right(550, y, money(facts, amount));
    }
    return 598 - items.length * 16;
  },
  // The amount is a little lower than the rest of its line.
  (facts, items, { put, right }) => {
    const heads = HEADS[facts.language];
    put(50, 620, heads.position);
    put(90, 620, facts.pick(heads.text));
    right(340, 620, facts.pick(heads.quantity));
    right(445, 620, facts.pick(heads.price));
    right(550, 620, facts.pick(heads.amount));
    for (const [index, { text, quantity, price, amount }] of items.entries()) {
      const y = 600 - index * 26;
      put(50, y, String(index + 1));
      put(90, y, text);
      right(340, y, String(quantity));
      right(445, y, money(facts, price));
      right(550, y - 8, money(facts, amount));
    }
    return 600 - items.length * 26;
  },
  // No heads: "3 x 12.50".
  (facts, items, { put, right }) => {
    for (const [index, { text, quantity, price, amount }] of items.entries()) {
      const y = 610 - index * 16;
      put(50, y, text);
      put(340, y, `${quantity} x ${money(facts, price)}`);
      right(550, y, money(facts, amount));
    }
    return 610 - items.length * 16;
  },
  // Over two pages, with the sum carried forward at both ends.
  (facts, items, { put, right, turn }) => {
    const heads = HEADS[facts.language];
    const named = [
      facts.pick(heads.text),
      facts.pick(heads.quantity),
      facts.pick(heads.price),
      facts.pick(heads.amount),
    ];
    const head = (y: number): void => {
      put(50, y, named[0] ?? '');
      for (const [index, name] of named.slice(1).entries()) right(340 + index * 105, y, name);
    };
    const row = ({ text, quantity, price, amount }: TrueItem, y: number): void => {
      put(50, y, text);
      right(340, y, String(quantity));
      right(445, y, money(facts, price));
      right(550, y, money(facts, amount));
    };
    head(120);
    row(items[0] as TrueItem, 104);
    put(50, 80, heads.carried);
    right(550, 80, money(facts, items[0]?.amount));
    put(50, 40, `${facts.supplier} - ${facts.street}`, 7);
    turn();
    head(780);
    put(50, 764, heads.carried);
    right(550, 764, money(facts, items[0]?.amount));
    for (const [index, item] of items.slice(1).entries()) row(item, 748 - index * 16);
    return 748 - items.length * 16;
  },
  // Only the name and the amount.
  (facts, items, pen) => {
    const heads = HEADS[facts.language];
    return table(
      pen,
      [
        {
          at: 50,
          head: facts.pick(heads.text),
          cell: ({ text, quantity }) => (quantity > 1 ? `${text} (${quantity})` : text),
        },
        {
          at: 550,
          side: 'right',
          head: facts.pick(heads.amount),
          cell: ({ amount }) => money(facts, amount, 1),
        },
      ],
      items,
    );
  },
];

function drawSums(
  facts: InvoiceFacts,
  items: readonly TrueItem[],
  { pen, y }: { pen: Pen; y: number },
): void {
  const { words, rate } = facts;
  const net = items.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
  const tax = Math.round((net * rate) / 100);
  for (const [index, [label, cents]] of (
    [
      [facts.pick(words.net), net],
      [`${facts.pick(words.tax)} ${rate} %`, tax],
      [facts.pick(words.total), net + tax],
    ] as const
  ).entries()) {
    pen.put(330, y - 24 - index * 15, label);
    pen.right(550, y - 24 - index * 15, moneyText(facts, cents, 1));
  }
}
