import type { DocumentKind } from '../contract/report.contract.ts';
import { cellsBelow, cellsRight, type DocumentGrid, type GridCell } from '../layout/document-grid.ts';
import { findEmails } from '../values/contacts.ts';
import { findDate } from '../values/dates.ts';
import { folded } from '../values/folded-text.ts';
import { amountsIn } from './bill-amounts.ts';
import { columnsOf } from './item-columns.ts';
import { type FoundLabel, labelsIn } from './label-finding.ts';
import { COMPANY, FORMS, isName, isPaperTitle } from './party-words.ts';

/** A party's name, and the place where it is printed. */
export interface PartyName {
  readonly printed: string;
  readonly cell: GridCell;
  /** 0 to 1. */
  readonly score: number;
}

/** Separators between the parts of a letterhead's line. */
const PARTS =
  /\s+[-–—−|·•*●▪]\s+|\s*[|·•●▪]\s*|\s{3,}|,\s+(?=\d|[A-ZÄÖÜ]{1,2}-?\d)|,\s+(?=\p{L}+(?:str|weg|platz|straat|street|road|avenue|rue|via|calle)\b)/u;

/** The names of sender and receiver of a bill. The buyer sends an order. */
export function findParties(
  grid: DocumentGrid,
  labels: readonly FoundLabel[],
  { text, kind }: { text: string; kind: DocumentKind },
): { supplier?: PartyName; customer?: PartyName } {
  const of = (role: FoundLabel['role']): PartyName | undefined =>
    labels
      .filter((label) => label.role === role && label.opens)
      .map((label) => nameAt(grid, label))
      .find(Boolean);
  const isOrder = kind === 'purchase_order';
  const [sends, receives] = isOrder
    ? (['customer', 'supplier'] as const)
    : (['supplier', 'customer'] as const);
  const labelled = of(receives) ?? addressee(grid);
  const sender = of(sends) ?? letterhead(grid, labels, { text, receiver: labelled });
  const receiver = labelled ?? addressed(grid, sender);
  return {
    ...(sender === undefined || isSame(sender, receiver) ? {} : { [sends]: sender }),
    ...(receiver === undefined ? {} : { [receives]: receiver }),
  };
}

function isSame(a: PartyName, b: PartyName | undefined): boolean {
  return b !== undefined && folded(a.printed) === folded(b.printed);
}

const TO = /^(?:to|for|an|für|à|pour|aan|voor|para|per)\s*:$/i;

/** The name below "To:", which is a label only if it has a colon and stands alone. */
function addressee(grid: DocumentGrid): PartyName | undefined {
  const head = grid
    .slice(0, ADDRESS_ROWS)
    .flat()
    .find(({ text }) => TO.test(text));
  const below = head === undefined ? undefined : cellsBelow(grid, head, 2)[0];
  return below === undefined || !isName(below.text) || labelsIn(below).length > 0
    ? undefined
    : named(below.text, below, 0.8);
}

const NAME_KEY =
  /^(?:name|firma|nom|naam|nombre|nome|company|société|empresa|bedrijf|ragione sociale)\s*:?$/i;
/** Lines of an address block that are not a name. */
const NO_NAME =
  /^(?:gln|attn|z\.? ?h(?:d|\.)|herrn?|frau|monsieur|madame|mr|mrs|ms|nummer|number|lief-?\.?nr|kunden-?\.?n|globale|anschrift|address|adresse|tel|phone|fax|e-?mail|vat|ust|tva|btw|iva|p\.?iva|nif|cif|siret|iban|www|http|not to be)\b|^\(/i;

/** A part of a cell's text, up to the end of its line. */
function firstLine(text: string, { text: whole, breaks = [] }: GridCell): string {
  const start = breaks.length === 0 ? -1 : whole.indexOf(text);
  const end = start < 0 ? undefined : breaks.find((at) => at > start);
  return end === undefined ? text : text.slice(0, end - start).trim();
}

/** "Spett.le Tecnomeccanica S.p.A.": the name follows without a colon. */
const SALUTE = /^\W*spett/i;

function nameAt(grid: DocumentGrid, label: FoundLabel): PartyName | undefined {
  const own = firstLine(label.rest.replace(/^[\s:./&-]+/, ''), label.cell);
  const isTold = /:/.test(label.rest.slice(0, 3)) || SALUTE.test(label.cell.text);
  if (own !== '' && isTold && isName(own)) return named(own, label.cell, 0.9);
  // "Customer: 2" is a number, not the head of a name.
  if (/\d/.test(label.rest)) return undefined;
  // "Customer VAT Number" is a label of its own.
  if (/\p{L}/u.test(label.cell.text.slice(label.end))) return undefined;
  const beside = isInList(grid, label) ? nameBeside(grid, label) : undefined;
  return beside ?? nameBelow(grid, label) ?? nameBeside(grid, label);
}

/** Whether the label is one of a list of labels with their values beside them. */
function isInList(grid: DocumentGrid, { cell }: FoundLabel): boolean {
  const right = cellsRight(grid, cell)[0];
  return (
    right !== undefined &&
    [cell.row - 1, cell.row + 1].some((row) => {
      const [label, value, ...others] = grid[row] ?? [];
      if (label === undefined || value === undefined || others.length > 0) return false;
      const isInLine = Math.abs(label.left - cell.left) < 6 && Math.abs(value.left - right.left) < 12;
      return isInLine && opensLabel(label) && !opensLabel(value);
    })
  );
}

const opensLabel = (cell: GridCell): boolean => labelsIn(cell).some(({ opens }) => opens);

/** A person's name with a title; if a company follows, the company is the customer. */
const PERSON =
  /^(?:herrn?|frau|familie|fam\.|monsieur|madame|mme|mr|mrs|ms|miss|dr|dhr|mevr|mevrouw|sr|sra|sig|sig\.ra)\.? (?:\p{Lu}|[a-z]{2,3} \p{Lu})/iu;

function nameBelow(grid: DocumentGrid, label: FoundLabel): PartyName | undefined {
  let person: PartyName | undefined;
  for (const below of cellsBelow(grid, label.box, 9)) {
    const right = cellsRight(grid, below)[0];
    if (NAME_KEY.test(below.text)) return right === undefined ? undefined : named(right.text, right, 0.93);
    if (opensOther(grid, below)) break;
    if (!isName(below.text) || isLabelAndFigures(below)) continue;
    if (PERSON.test(below.text)) person ??= named(below.text, below, 0.9);
    else if (isNameOfBlock(below, right, person)) return named(below.text, below, 0.9);
  }
  return person;
}

/** "Invoice number: 2041", "Total". */
function isLabelAndFigures(cell: GridCell): boolean {
  return labelsIn(cell).some(({ opens, rest }) => opens && !/\p{L}/u.test(rest));
}

/** Whether another party or a table begins with a cell. */
function opensOther(grid: DocumentGrid, cell: GridCell): boolean {
  return labelsIn(cell).some(isPartyLabel) || columnsOf(grid[cell.row] ?? []) !== undefined;
}

/** Whether a line of an address is a name: after a person's name only a company's counts, and a street never does. */
function isNameOfBlock(cell: GridCell, right: GridCell | undefined, person: PartyName | undefined): boolean {
  if (isKeyAndValue(cell, right) || NO_NAME.test(cell.text)) return false;
  return COMPANY.test(cell.text) || (person === undefined && !/^\d{1,4}[a-z]?[ ,]+\p{L}/iu.test(cell.text));
}

function nameBeside(grid: DocumentGrid, label: FoundLabel): PartyName | undefined {
  const right = cellsRight(grid, label.cell)[0];
  if (right === undefined || labelsIn(right).some(({ opens }) => opens) || !isName(right.text))
    return undefined;
  return named(right.text.replace(/^:\s*/, ''), right, 0.85);
}

/** Whether it is the label of a party, not a name that begins with one ("Kunden AG"). */
function isPartyLabel({ role, opens, rest }: FoundLabel): boolean {
  return opens && (role === 'customer' || role === 'supplier') && !/\p{L}/u.test(rest);
}

/** "Nummer: | 549910", "E-Mail | : a@b.de". */
function isKeyAndValue(cell: GridCell, right: GridCell | undefined): boolean {
  return /:\s*$/.test(cell.text) || (right !== undefined && /^:/.test(right.text));
}

/** "Gartenbau Hollerbach, Inh. K. Hollerbach". */
const OWNER = /,?\s+(?:inh(?:aber(?:in)?)?\b\.?|prop\.|t\/a\b|trading as\b)\s.*$/iu;

function named(text: string, cell: GridCell, score: number): PartyName {
  const own = firstLine(text, cell).replace(OWNER, '');
  const printed = (COMPANY.exec(own)?.[0] ?? own.split(PARTS)[0] ?? own).replace(/[\s,;:]+$/, '').trim();
  return { printed, cell, score };
}

/** "28195 Bremen", "3511 AB Utrecht", "Leeds LS1 4AB". */
const TOWN =
  /^(?:(?:[A-Z]{1,2}[- ])?(?:\d{5}\s*|\d{4}(?: [A-Z]{2})?\s+)\p{Lu}\p{L}+|(?:\p{L}[\p{L} .-]+,?\s+)?[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$)/u;
const ADDRESS_ROWS = 45;
/** Rows of an address; text beside the address has rows between them. */
const ADDRESS_DEPTH = 9;

/** The customer without a label: the first address in lines of their own that is not the sender's. */
function addressed(grid: DocumentGrid, supplier: PartyName | undefined): PartyName | undefined {
  const sender = folded(supplier?.printed ?? '');
  // Lines below the sender's name belong to the sender: "Solicitors", "Klavierlehrerin".
  const own = new Set(supplier === undefined ? [] : ownBlock(grid, supplier.cell));
  for (const cell of grid.slice(0, ADDRESS_ROWS).flat()) {
    if (
      own.has(cell) ||
      !isName(cell.text) ||
      isStreet(cell.text) ||
      TOWN.test(cell.text) ||
      PARTS.test(cell.text) ||
      labelsIn(cell).some(({ opens, weight }) => opens || weight > LABEL_WITHIN)
    )
      continue;
    const lines = blockBelow(grid, cell);
    const town = lines.slice(1, 4).find(({ text }) => TOWN.test(text));
    if (town === undefined || lines.slice(0, 2).some(({ text }) => amountsOrLabels(text))) continue;
    const name = folded(cell.text);
    if (sender !== '' && (name.includes(sender) || sender.includes(name))) continue;
    return { ...named(cell.text, cell, 0.7) };
  }
  return undefined;
}

/** A name may contain a word that is a weak label: "SARL Le Fournil". */
const LABEL_WITHIN = 0.75;

/** The lines of the sender's block, up to its town; in an address window, a sender's line stands apart above it. */
function ownBlock(grid: DocumentGrid, cell: GridCell): readonly GridCell[] {
  const lines = blockBelow(grid, cell);
  const [first, second] = lines;
  // Without heights the end of a block cannot be found.
  if (cell.y === undefined || first?.y === undefined || second?.y === undefined) return [];
  if (PARTS.test(cell.text)) return [];
  const [gap, next] = [cell.y - first.y, first.y - second.y];
  if (gap > LEAST_GAP && gap > next * WIDER) return [];
  return lines.slice(0, lines.findIndex(({ text }) => holdsTown(text)) + 1);
}

const holdsTown = (text: string): boolean => text.split(ADDRESS_PARTS).some((part) => TOWN.test(part.trim()));

/** The lines of a block below its first one. */
function blockBelow(grid: DocumentGrid, cell: GridCell): readonly GridCell[] {
  const aligned = cellsBelow(grid, cell, ADDRESS_DEPTH).filter(
    (below) => Math.abs(below.left - cell.left) < 6,
  );
  return untilGap(cell, aligned);
}

/** A gap ends a block if it is wider than this, in points, and than the block's other gaps by the factor below. */
const LEAST_GAP = 16;
const WIDER = 1.7;

/** The lines of a block, up to the first wide gap. */
function untilGap(first: GridCell, lines: readonly GridCell[]): readonly GridCell[] {
  let [last, line] = [first, Number.POSITIVE_INFINITY];
  const end = lines.findIndex((below) => {
    const gap = last.y === undefined || below.y === undefined ? 0 : last.y - below.y;
    const isApart = gap > LEAST_GAP && gap > line * WIDER;
    line = Math.min(line, gap);
    last = below;
    return isApart;
  });
  return end < 0 ? lines : lines.slice(0, end);
}

/** "12 Quay Street", "Your order AB321", "Hafenstraße 12, 20457 Hamburg". */
function isStreet(text: string): boolean {
  return /^\d{1,4}[a-z]?[ ,]+\p{L}/iu.test(text) || /\p{L}\.? \d{1,4} ?[a-z]?(?:,|$)|\d{3}/iu.test(text);
}

function amountsOrLabels(text: string): boolean {
  return /:\s*$|:\s+\S/.test(text) || findDate(text) !== undefined;
}

interface Known {
  readonly text: string;
  readonly receiver: PartyName | undefined;
}

const HEAD_ROWS = 9;
const FOOT_ROWS = 8;
const LEAST_POINTS = 2.5;

/** The sender without a label: the company of the letterhead, of the line over the address, of the foot or the domain. */
function letterhead(grid: DocumentGrid, labels: readonly FoundLabel[], known: Known): PartyName | undefined {
  const lastOfFirst = grid.findLastIndex((cells) => cells[0]?.page === grid[0]?.[0]?.page);
  const domains = domainsOf(known.text);
  const flat = folded(known.text);
  const receiver = known.receiver === undefined ? undefined : folded(known.receiver.printed);
  const inBlock = (cell: GridCell): boolean =>
    labels.some(
      ({ role, opens, cell: head }) =>
        opens &&
        (role === 'customer' ||
          (role === 'other' && /addr|adress|empf|livr|deliver|ship/i.test(head.text))) &&
        cell.page === head.page &&
        cell.row > head.row &&
        cell.row <= head.row + 5 &&
        Math.abs(cell.left - head.left) < 12,
    );
  const best = grid
    .flatMap((cells) => cells.flatMap((cell) => namesIn(cell)))
    .filter(({ printed, cell }) => {
      const name = folded(printed);
      return name.length > 2 && !inBlock(cell) && (receiver === undefined || !name.includes(receiver));
    })
    .map((name) => ({
      ...name,
      points:
        points(name, { lastOfFirst, domains, flat }) +
        (opensOwnBlock(grid, name) || opensOwnAddress(grid, name) ? OWN_BLOCK : 0),
    }))
    .reduce<(PartyName & { points: number }) | undefined>(
      (chosen, name) => (chosen === undefined || name.points > chosen.points ? name : chosen),
      undefined,
    );
  if (best === undefined || best.points < LEAST_POINTS) return undefined;
  const printed = best.printed.replace(OWNER, '');
  return { printed, cell: best.cell, score: Math.min(0.85, 0.45 + best.points / 12) };
}

/** Numbers that only a sender prints under the name at the top: its tax or register number, telephone or mail. */
const OWN_NUMBER =
  /\b(?:p\.? ?iva|partita iva|c\.?f\.?|nif|cif|siret|siren|kvk|btw|vat(?: no| reg| id)?|ust-?id\S*|uid|steuer-?n\S*|st\.?-?nr|abn|ein|org\.? ?n\S*|tel|t[ée]l|phone|telefon|mob(?:ile)?|e-?mail)\b|@/i;
/** Words for the kind of paper, which are not names. */
const TITLE_WORD =
  /^(?:(?:tax|vat|sales|commercial|proforma) )?(?:invoice|bill|receipt|statement|credit note|rechnung|gutschrift|beleg|facture|avoir|factuur|factura|fattura|bolletta|ricevuta|recibo|nota di credito|creditnota|paid|bezahlt)(?:\W|$)/i;
const OWN_ROWS = 6;
const OWN_BLOCK = 1.4;

/** Whether a name is the first line of a page and of a block that has a sender's number. */
function opensOwnBlock(grid: DocumentGrid, { cell }: Candidate): boolean {
  if (cell.row !== 0) return false;
  // Address, telephone and numbers may stand in cells beside each other.
  const beside = cell.column === 0 ? [...(grid[1] ?? []), ...(grid[2] ?? [])] : [];
  const near = [...cellsBelow(grid, cell, OWN_ROWS), ...beside];
  return near.some(({ text }) => OWN_NUMBER.test(text));
}

const ADDRESS_PARTS = /,\s+|\s+[-–·•|]\s+/;

/** Whether an address in one line stands below a name at the top; a receiver's address has a line for each part. */
function opensOwnAddress(grid: DocumentGrid, { cell }: Candidate): boolean {
  if (cell.row > 1) return false;
  return cellsBelow(grid, cell, 3).some(({ text, left }) => {
    const [, ...parts] = text.split(ADDRESS_PARTS);
    return Math.abs(left - cell.left) < 12 && parts.some((part) => TOWN.test(part.trim()));
  });
}

type Candidate = PartyName & { readonly isCompany: boolean };

/** Names in a cell: its parts with a company form and, at the head of the page, a line that can be a name. */
function namesIn(cell: GridCell): Candidate[] {
  if (cell.text.length > 240) return [];
  const parts = cell.text.split(PARTS).map((part) => part.trim());
  return parts.flatMap((part, index): Candidate[] => {
    const company = COMPANY.exec(part)?.[0];
    if (company !== undefined && !/[:;]/.test(company) && /\p{L}{2}.* /u.test(company))
      return [{ printed: company.trim(), cell, score: 0, isCompany: true }];
    const isLine = index === 0 && cell.row < HEAD_ROWS && isName(part) && part.length < 50;
    const isPlain =
      isLine &&
      !TITLE_WORD.test(part) &&
      !isPaperTitle(part) &&
      !isStreet(part) &&
      !labelsIn(cell).some(({ opens }) => opens) &&
      amountsIn(cell).length === 0 &&
      findDate(cell.text) === undefined &&
      !/[:;!?]|\d{3}/.test(part);
    return isPlain ? [{ printed: part, cell, score: 0, isCompany: false }] : [];
  });
}

/** Words that companies print after their own name. */
const REGISTERED =
  /\bHRB?\b|handelsregister|amtsgericht|gesch[äa]ftsf[üu]hr|au capital|\bRCS\b|\bsiret|\bkvk\b|registered in|company (?:no|reg)|reg\.? ?no|ust-?id|vat (?:no|reg|id)|p\.? ?iva|partita iva|\b[cn]if\b|registro mercantil|cap\. soc|capitale sociale/i;

interface Page {
  readonly lastOfFirst: number;
  readonly domains: readonly string[];
  readonly flat: string;
}

function points({ printed, cell, isCompany }: Candidate, { lastOfFirst, domains, flat }: Page): number {
  const name = folded(printed);
  const core = folded(
    printed
      .split(/\s+/)
      .filter((word) => !new RegExp(`^(?:${FORMS})\\.?$`, 'u').test(word))
      .join(''),
  );
  let sum = isCompany ? 1.5 : 0;
  if (cell.row < HEAD_ROWS) sum += 1.3 - cell.row * 0.08;
  const isFoot = cell.row >= HEAD_ROWS && cell.row > lastOfFirst - FOOT_ROWS && cell.row <= lastOfFirst;
  if (isFoot) sum += 0.7;
  if (name.length > 5 && flat.split(name).length > 2) sum += 1;
  if (PARTS.test(cell.text)) sum += 0.6;
  if (REGISTERED.test(cell.text)) sum += 1.2;
  const isDomain = domains.some(
    (domain) =>
      domain.length > 3 && (core.includes(domain) || (domain.includes(core.slice(0, 12)) && core.length > 3)),
  );
  return sum + (isDomain ? 1.8 : 0);
}

/** Second-level domains of the addresses in a text, folded, without those of mail providers. */
function domainsOf(text: string): string[] {
  const sites = [...text.matchAll(/(?:https?:\/\/|www\.)(?:www\.)?([\p{L}\d-]+)\.[\p{L}.]{2,12}/gu)].map(
    ([, name]) => name ?? '',
  );
  const mails = findEmails(text).map((mail) => mail.split('@')[1]?.split('.').at(-2) ?? '');
  return [...new Set([...sites, ...mails].map(folded))].filter(
    (name) =>
      !/^(?:gmail|googlemail|hotmail|outlook|yahoo|gmx|web|tonline|orange|free|icloud|co|com)$/.test(name),
  );
}
