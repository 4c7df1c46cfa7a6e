import type { Row } from '../contract/extracted-document.ts';
import type { DocumentKind } from '../contract/report.contract.ts';
import { gridOf } from '../layout/document-grid.ts';
import { folded } from '../values/folded-text.ts';
import type { BillRole } from './bill-labels.ts';
import { isNumberedTitle } from './bill-titles.ts';
import { type FoundLabel, findLabels } from './label-finding.ts';
import { STEM_WEIGHT } from './label-stems.ts';
import { isTillPrint } from './receipt-reading.ts';
import { findReceiptTotal } from './receipt-total.ts';
import { sumCandidates, sumColumns, sumRows } from './sum-candidates.ts';

/** What labels and title say about the kind of a document; `points` from 0 to about 12. */
export interface BillEvidence {
  readonly kind: DocumentKind;
  readonly points: number;
}

const ROLE_POINTS: Partial<Record<BillRole, number>> = {
  number: 2,
  date: 1,
  due: 1,
  supplier: 0.5,
  customer: 1,
};
const TITLED = 3;
/** Titles by kind, folded; the more exact ones first. */
const TITLES: readonly (readonly [DocumentKind, RegExp])[] = [
  [
    'credit_note',
    /^(?:.{0,12}(?:creditnote|creditmemo|avoir(?:(?!\w)|(?=n?(?:o|umero)?[a-z]{0,4}\d))|creditnota|creditfactuur|notadicredito|notacredito|facturarectificativa|rechnungskorrektur|korrekturrechnung|stornorechnung)|(?:kaufmannische|kaufmaennische)?gutschrift(?!s))/,
  ],
  [
    'invoice',
    /^(?:\w{0,24}rechnung(?:$|n|v|\d|s(?:nr|nummer|datum))|\w{0,24}(?:invoice|facture|factuur|factura|fattura|bolletta)(?:$|n|\d|date|datum|id|summary|du|ref)|\w{0,24}bill(?:$|n(?:o|r|umber)|date))/,
  ],
  [
    'quotation',
    /^(?:quotation|quote(?!d)|estimate|angebot|kostenvoranschlag|devis|offerte|presupuesto|preventivo|proforma)/,
  ],
  [
    'purchase_order',
    /^(?:purchaseorder|bestellung(?!vom)|bondecommande|inkooporder|ordendecompra|ordinediacquisto)/,
  ],
];
const TITLE_ROWS = 40;
const LONGEST_TITLE = 60;

/** The kind of bill that a document's labels and title suggest, and how strongly. */
export function billEvidence(rows: readonly Row[], text: string): BillEvidence {
  const grid = gridOf(rows);
  const labels = findLabels(grid);
  const sums = new Set(
    [...sumCandidates(grid, labels), ...sumRows(grid), ...sumColumns(grid)].map(({ role }) => role),
  );
  if (isTillPrint(grid, labels, text) && findReceiptTotal(grid) !== undefined)
    return { kind: 'receipt', points: 8 };
  const head = grid.slice(0, TITLE_ROWS).flatMap((cells) => cells.map((cell) => cell.text));
  const titled = titleKind(head);
  const points =
    rolePoints(labels, head.some(isNumberedTitle)) +
    (sums.has('gross') || sums.has('payable') ? 2 : 0) +
    (sums.has('net') ? 1 : 0) +
    (sums.has('tax') ? 1 : 0) +
    (titled === undefined ? 0 : TITLED);
  return { kind: titled ?? 'invoice', points: sums.size === 0 ? Math.min(points, 4) : points };
}

function rolePoints(labels: readonly FoundLabel[], isNumbered: boolean): number {
  const roles = new Set(
    labels.filter(({ opens, weight }) => opens && weight >= STEM_WEIGHT).map(({ role }) => role),
  );
  if (isNumbered) roles.add('number');
  return [...roles].reduce((sum, role) => sum + (ROLE_POINTS[role] ?? 0), 0);
}

function titleKind(texts: readonly string[]): DocumentKind | undefined {
  const titles = texts.filter((text) => text.length <= LONGEST_TITLE).map(folded);
  for (const [kind, pattern] of TITLES) if (titles.some((title) => pattern.test(title))) return kind;
  return texts.some((text) => text.length <= LONGEST_TITLE && isNumberedTitle(text)) ? 'invoice' : undefined;
}

/** The kind for the UNTDID 1001 type code of an e-invoice; codes that are not listed mean an invoice. */
export function kindOfTypeCode(code: string): DocumentKind {
  return ['81', '83', '261', '262', '296', '308', '381', '396', '420', '458', '532'].includes(code)
    ? 'credit_note'
    : 'invoice';
}
