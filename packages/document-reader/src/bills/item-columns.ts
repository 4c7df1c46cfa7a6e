import type { DocumentGrid, GridCell } from '../layout/document-grid.ts';
import { folded } from '../values/folded-text.ts';

/** What a column of a table of items holds. */
export type ColumnRole =
  | 'position'
  | 'article'
  | 'text'
  | 'quantity'
  | 'unit'
  | 'price'
  | 'discount'
  | 'rate'
  | 'amount';

/** The head of a column, and the place where it is printed. */
export interface ItemColumn {
  readonly role: ColumnRole;
  /** The head's own extent: one cell may hold several heads. */
  readonly box: Pick<GridCell, 'left' | 'right'>;
}

/** Heads of columns in English, German, French, Dutch, Spanish and Italian. */
const HEADS: Readonly<Record<ColumnRole, string>> = {
  position: 'pos|position|#|lfd nr|line|line no|ligne|regel|linea|riga|nr|no|n|p',
  article: `art nr|artikelnr|artikelnummer|article no|item no|item number|item code|product code|code|sku|gtin|ean|part no|
    reference|ref|code article|codice|cod|codigo|artikelcode|art nr kunde|art nr lieferant|art nr lief|material`,
  text: `description|item|items|item description|product|products|service|services|details|goods|particulars|description of goods|
    work|activity|bezeichnung|beschreibung|artikel|artikelbezeichnung|produkt|leistung|leistungen|ware|positionsbeschreibung|
    leistungsbeschreibung|artikelbeschreibung|designation|libelle|article|prestation|produit|description des prestations|
    nature|omschrijving|dienst|artikelomschrijving|werkzaamheden|descripcion|concepto|articulo|producto|servicio|detalle|
    descrizione|prodotto|articolo|voce|prestazione|servizio|descrizione articolo|oggetto|beschrijving`,
  quantity: `qty|quantity|quantities|hours|units|days|pcs|no of units|billed quantity|quant|menge|anzahl|stuck|stuckzahl|stunden|
    tage|mng|qte|quantite|nombre|heures|jours|nb|aantal|hoeveelheid|uren|stuks|cantidad|cant|uds|unidades|horas|ud|
    quantita|qta|q ta|ore|n pezzi|pezzi|hrs`,
  unit: 'unit|einheit|einh|me|unite|eenheid|unidad|unita|um|u m|vke|vke geb|uom|u',
  price: `unit price|price|rate|unit cost|price per unit|price each|each|cost|hourly rate|unit rate|net price|unit net price|
    vk preis|stuckpreis netto|einzelpreis netto|preis netto|einzelpreis|e preis|ep|preis|stuckpreis|nettopreis|preis pro einheit|preis je einheit|einzel|einzelbetrag|satz|
    stundensatz|einheitspreis|prix unitaire|p u|pu|prix|pu ht|prix unitaire ht|prix u|tarif|
    prijs|stukprijs|eenheidsprijs|tarief|prijs per stuk|stukprijs excl|precio|precio unitario|p unitario|precio ud|tarifa|
    prezzo|prezzo unitario|pr unitario|costo unitario|prezzo unit|tariffa|importo unitario`,
  discount: 'discount|disc|rabatt|nachlass|remise|rem|korting|dto|descuento|sconto|sc',
  rate: `vat|vat %|vat rate|tax|tax rate|mwst|mwst %|mwst satz|ust|ust %|ust satz|steuersatz|steuer|tva|tva %|taux|taux tva|
    btw|btw %|btw tarief|iva|iva %|aliquota|aliq|tipo|gst|tax %`,
  amount: `amount|total|line total|net amount|total price|line amount|sum|extended price|ext price|subtotal|net value|
    total net|total excl vat|amount excl vat|value|net total|
    price incl vat|price incl|total incl vat|amount incl vat|preis inkl mwst|zeilenbetrag|zeilensumme|prijs incl btw|prijs incl|
    total ttc|montant ttc|prix ttc|
    betrag|gesamt|gesamtpreis|summe|g preis|gp|gesamtbetrag|nettobetrag|nettowert|positionsbetrag|positions|positionssumme|
    wert|netto|entgelt|gesamt netto|nettosumme|
    montant|montant ht|total ht|prix total|total ligne|montant net|sous total|prix ht|prix total ht|
    bedrag|totaal|totaalbedrag|subtotaal|regeltotaal|totaalprijs|bedrag excl btw|totaal excl btw|
    importe|total linea|importe neto|precio total|subtotal linea|valor|
    importo|totale|totale riga|prezzo totale|imponibile|importo netto|totale netto|tot`,
};

const ROLE_OF = new Map<string, ColumnRole>();
for (const [role, list] of Object.entries(HEADS) as [ColumnRole, string][])
  for (const words of list.split('|')) {
    const phrase = words.trim() === '#' ? '#' : folded(words);
    if (!ROLE_OF.has(phrase)) ROLE_OF.set(phrase, role);
  }

const MOST_WORDS = 4;

/**
 * The columns that a row of heads names, left to right. Undefined if the row is not the head of a table of items: that
 * needs a column for quantities or names, and one for amounts or prices.
 */
export function columnsOf(cells: DocumentGrid[number]): ItemColumn[] | undefined {
  const columns = cells.flatMap(headsIn);
  const roles = new Set(columns.map(({ role }) => role));
  const isHead =
    (roles.has('amount') || roles.has('price')) &&
    (roles.has('quantity') || (roles.has('text') && (roles.has('amount') || roles.has('rate'))));
  // A row of heads has hardly any other words, and no sums.
  const words = cells.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
  const figures = cells.some(({ text }) => /\d[.,]\d\d\b/.test(text));
  return isHead && !figures && words <= columns.length * 3 + 3 ? columns : undefined;
}

/** Whether a text is the head of a column and nothing else: "Prix", "Details". */
export function isItemHead(text: string): boolean {
  return roleOf([text]) !== undefined;
}

/** How far above or below a row of heads its other lines may stand, points. */
const HEAD_HEIGHT = 20;

/** The columns of a row of heads with the lines directly above and below it: long heads are broken over lines. */
export function columnsAround(grid: DocumentGrid, row: number): ItemColumn[] | undefined {
  const cells = grid[row] ?? [];
  const own = columnsOf(cells);
  const y = cells[0]?.y;
  if (own === undefined || y === undefined) return own;
  const near = [row - 2, row - 1, row + 1, row + 2]
    .map((other) => grid[other] ?? [])
    .filter(([first]) => first?.page === cells[0]?.page && Math.abs((first?.y ?? 0) - y) <= HEAD_HEIGHT)
    .filter((other) => other.every(({ text }) => !/\d/.test(text)));
  const columns = [...own];
  for (const column of near.flatMap((other) => other.flatMap(headsIn))) {
    const under = columns.findIndex(({ box }) => box.left < column.box.right && column.box.left < box.right);
    if (under < 0) columns.push(column);
    // The name of an item stands below its code, in one column.
    else if (column.role === 'text' && columns[under]?.role === 'article')
      columns[under] = { ...column, box: columns[under].box };
  }
  return withAmount(columns.sort((a, b) => a.box.left - b.box.left));
}

/** If there are two columns of prices and none of amounts, the right one holds the amounts. */
function withAmount(columns: ItemColumn[]): ItemColumn[] {
  const prices = columns.filter(({ role }) => role === 'price');
  const last = prices.at(-1);
  if (prices.length < 2 || last === undefined || columns.some(({ role }) => role === 'amount'))
    return columns;
  return columns.map((column) => (column === last ? { ...column, role: 'amount' } : column));
}

function headsIn({ text, left, right }: GridCell): ItemColumn[] {
  const words = [...text.matchAll(/[^\s|/]+/g)].map(({ 0: word, index }) => ({ word, index }));
  const at = (index: number): number => left + ((right - left) * index) / Math.max(1, text.length);
  const found: ItemColumn[] = [];
  for (let first = 0; first < words.length; ) {
    const size = sizeOfHead(words.slice(first).map(({ word }) => word));
    const [start, end] = [words[first], words[first + size - 1]];
    if (size > 0 && start !== undefined && end !== undefined) {
      const role = roleOf(words.slice(first, first + size).map(({ word }) => word));
      const box = { left: at(start.index), right: at(end.index + end.word.length) };
      if (role !== undefined) found.push({ role, box });
    }
    first += Math.max(1, size);
  }
  return found;
}

/** Number of words in the longest head with which these words begin. */
function sizeOfHead(words: readonly string[]): number {
  for (let size = Math.min(MOST_WORDS, words.length); size > 0; size -= 1)
    if (roleOf(words.slice(0, size)) !== undefined) return size;
  return 0;
}

function roleOf(words: readonly string[]): ColumnRole | undefined {
  const text = words.join(' ');
  return ROLE_OF.get(/^#$|^%$/.test(text) ? text : folded(text));
}
