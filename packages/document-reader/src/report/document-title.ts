import type { ExtractedDocument } from '../contract/extracted-document.ts';
import { KIND_NAMES } from '../contract/kind-names.contract.ts';
import type { DocumentKind, Field } from '../contract/report.contract.ts';
import { findDate } from '../values/dates.ts';
import { foldedWords } from './kind-classification.ts';
import { after, BILL_NAMES, joinWords, valueFor } from './short-summary.ts';

/** Texts that programs and templates write in place of a title, and texts on the cover of any book. */
const NO_TITLE =
  /^(microsoft (?:word|powerpoint|excel)|powerpoint presentation|\(?(?:anonymous|untitled|unnamed|unknown|no ?title|none|null)\)?$|title(?: ?\d+)?$|document\d*$|(?:front|back) cover$|slide \d+$|sheet ?\d+$|tabelle ?\d+$|feuil(?:le)? ?\d+$|blad ?\d+$|hoja ?\d+$|foglio ?\d+$|file:.*|https?:.*|.*\(use style:.*|(?:adobe|acrobat|photoshop|indesign|illustrator|quarkxpress|canva|scan(?:ned)?|screenshot|bildschirmfoto|capture d|img|image|dsc|whatsapp image|print ?job)\b.*|(?:to the|to|from|date|datum|name|page|seite|contents|table of contents|index|inhalt\p{L}*|sommaire|indice|inhoud|confidential|draft|copy|original|.{0,20}header|.{0,20}footer)$|.*\.(?:docx?|pdf|tex|dvi|indd|odt|html?|qxd|pptx?|xlsx?|rtf|exe|png|jpe?g|tiff?|txt|csv|ps|cdr|ai|psd)$)/iu;

/** Heads of the parts of a bill, which are printed large too. */
export const LABEL_ALONE =
  /^(?:iban|bic|seller|buyer|supplier|customer|verk[äa]ufer|k[äa]ufer|lieferant|kunde|vendeur|acheteur|fournisseur|client|verkoper|koper|vendedor|comprador|venditore|acquirente|bill to|ship to)\W*$/i;

/** "4 Quarry Bank", "Lindenweg 3", "M. Luc Perrin": lines of an address. */
const ADDRESS_LINE =
  /^\d{1,4}[a-z]? \p{Lu}\p{L}+(?: \p{Lu}\p{L}+){0,2}$|^\p{Lu}\p{L}+(?: \p{L}+){0,2} \d{1,4} ?[a-z]?$|^(?:mr|mrs|ms|m|mme|dr|herrn?|frau|monsieur|madame|sr|sra|sig|dhr|mevr)\.? \p{Lu}/iu;

/** Whether a large line is a title, not a date, a number or an account. */
function isTitle(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (
    text.length >= 4 &&
    letters / text.length > 0.6 &&
    findDate(text) === undefined &&
    !NO_TITLE.test(text) &&
    !LABEL_ALONE.test(text) &&
    !ADDRESS_LINE.test(text)
  );
}

/** How many blocks at the beginning may hold the title, and how many characters of text have to name it. */
const TITLE_BLOCKS = 14;
const NAMED_IN = 4000;
/** Share of the words of a title in a file's data that the beginning of its text has to print. */
const PRINTED = 0.6;

/**
 * The title of a document: the one in the file's data if the text prints it too, else the first large heading, the line that
 * names the kind, the data's title, the name of the kind, or the name of the file. Programs write their own name, or that of
 * another file, into the data.
 *
 * @param named the line that names the kind of the document
 */
export function titleOf(
  { title, blocks }: ExtractedDocument,
  fileName: string,
  kind: DocumentKind,
  named?: string,
): string {
  const stated = title !== undefined && title.length > 3 && !NO_TITLE.test(title) ? title : undefined;
  const line = named !== undefined && !NO_TITLE.test(named) ? named : undefined;
  const kindName = kind === 'other' ? undefined : KIND_NAMES[kind];
  const chosen =
    (stated !== undefined && isPrinted(stated, blocks) ? stated : undefined) ??
    headingOf(blocks) ??
    line ??
    stated ??
    (NUMBERED_FILE.test(fileName) ? kindName : undefined) ??
    nameOf(fileName);
  return chosen.replace(/\s+/g, ' ').slice(0, 300);
}

/** "scan0001.pdf", "IMG_2231.jpg": a name that a device gave. */
const NUMBERED_FILE =
  /^(?:scan|img|image|dsc|doc(?:ument)?|photo|foto|screenshot|whatsapp|file|\d)[\p{L} ._-]*\d*[\d ._-]*\.\p{L}{1,5}$/iu;

function nameOf(fileName: string): string {
  const name = fileName
    .replace(/\.[^.]{1,5}$/, '')
    .replace(/[_]+/g, ' ')
    .trim();
  return name || 'Document';
}

/** The first large heading of the document, if it looks like a title. */
function headingOf(blocks: ExtractedDocument['blocks']): string | undefined {
  const headings = blocks
    .slice(0, TITLE_BLOCKS)
    .filter((block) => block.type === 'heading' && isTitle(block.text));
  return (headings.find((block) => block.level === 1) ?? headings[0])?.text;
}

function isPrinted(title: string, blocks: ExtractedDocument['blocks']): boolean {
  const words = foldedWords(title);
  const text = blocks
    .slice(0, TITLE_BLOCKS * 3)
    .map((block) => block.text)
    .join(' ')
    .slice(0, NAMED_IN);
  const printed = new Set(foldedWords(text));
  return words.filter((word) => printed.has(word)).length >= words.length * PRINTED;
}

/** "Invoice 2041 from Harlow Ltd", as a bill's own title names only the kind of paper. */
export function titleOfBill(kind: DocumentKind, fields: readonly Field[]): string | undefined {
  const name = BILL_NAMES[kind];
  const number = valueFor(fields, 'document_number');
  const supplier = valueFor(fields, 'supplier');
  if (name === undefined || (number === undefined && supplier === undefined)) return undefined;
  return joinWords(name, number, after(kind === 'purchase_order' ? 'to' : 'from', supplier)).slice(0, 300);
}
