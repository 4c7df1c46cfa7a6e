import { findDate } from '../values/dates.ts';
import { folded } from '../values/folded-text.ts';
import { isItemHead } from './item-columns.ts';

/** Forms of companies in the countries of our six languages, and in the countries that our sample receipts come from. */
export const FORMS =
  'Ltd|LTD|Limited|LIMITED|LLP|PLC|plc|Inc|INC|LLC|Corp|Corporation|GmbH|GMBH|gGmbH|AG|KG|OHG|UG|GbR|e\\.K\\.|e\\. ?V\\.|a\\.G\\.|SE|B\\.V\\.|BV|N\\.V\\.|NV|V\\.O\\.F\\.|VOF|S\\.?A\\.?S\\.?U?|SARL|S\\.A\\.R\\.L\\.|EURL|SNC|S\\.A\\.U\\.?|SAU|S\\.?L\\.?P\\.?|S\\.C\\.?P?\\.?|SPRL|BVBA|SELARL|EIRL|PartG(?: ?mbB)?|mbH|S\\.A\\.|SA|S\\.L\\.U?\\.?|SL|SLU|S\\.r\\.l\\.|S\\.R\\.L\\.|SRL|Srl|S\\.[pP]\\.A\\.|S\\.N\\.C\\.|S\\.A\\.S\\.|SpA|SPA|s\\.n\\.c\\.|S\\.n\\.c\\.|s\\.a\\.s\\.|Sdn\\.? ?Bhd|SDN\\.? ?BHD|BHD|S/B|Pte|PTE|Pvt|Pty|ApS|A/S|AB|Oy|Genossenschaft|eG|Stichting|Coop';
/** A name with the form of its company at its end. */
export const COMPANY = new RegExp(
  `^[\\p{L}\\d&"'“„(][\\p{L}\\d&.,'’"“”()/+ -]{1,70}?[ ,]\\(?(?:${FORMS})(?![\\p{L}\\d])\\.?(?:\\s*&\\s*Co\\.?(?:\\s*KG\\b)?)?`,
  'u',
);

/** Whether a line can be the name of a person or a company. */
export function isName(line: string): boolean {
  const letters = line.match(/\p{L}/gu)?.length ?? 0;
  const digits = line.match(/\d/g)?.length ?? 0;
  return (
    letters >= 3 &&
    digits <= letters / 2 &&
    line.length <= 90 &&
    !/@|www\.|https?:/.test(line) &&
    findDate(line) === undefined &&
    !isOtherWords(line)
  );
}

/** Titles of people that stand alone, ways of sending, and marks of an empty field. */
const ALONE =
  /^(?:herrn?|frau|familie|firma|monsieur|madame|messieurs|m(?:me|lle|r|rs|s|iss)\.?|dr\.?|sir|dhr\.?|mevr\.?|de heer|mevrouw|se[ñn]or(?:a|es)?|sr(?:a|es)?\.?|signor[ae]?|sig(?:\.ra)?\.?|spett(?:\.le|abile)|details?|n ?\/? ?a\.?|none|keine?|x+|to|from|name|address|anschrift|adresse|adres|direcci[oó]n|indirizzo|page \d.*|seite \d.*)\W*$/i;
const SENT =
  /^(?:(?:par|per|by|via|por|tramite|mit der|door|met de)\s+(?:e-?mail|post|mail|courri\p{L}+|fax|correo|posta|lettre|brief|hand|telefon|t[ée]l\p{L}+)|deliver\p{L}* ?(?:to|address)?|ship\p{L}* ?to|livr\p{L}+ ?[àa]|lief\p{L}+ ?an)\W*$/iu;
/** "YYYY-MM-DD", "TT.MM.JJJJ", "_____". */
const PLACEHOLDER = /^[YMDTJA]{2,4}([-./ ])[YMDTJA]{2}\1[YMDTJA]{2,4}\b|_{3,}|\.{5,}|<[^>]*>|\[[^\]]*\]/i;
/** "San Francisco, CA". */
const AMERICAN_TOWN =
  /^[\p{L} .'-]+, ?(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])\.?$/u;
/** Words inside a name that begin with a small letter. */
const PARTICLES =
  /^(?:de|du|des|d['’]|la|le|les|l['’]|van|von|vom|zu|zum|zur|der|den|het|of|the|and|und|et|en|y|e|i|di|da|del|della|dei|do|dos|for|für|pour|voor|per|für|t['’]?|aan|am|im|in|bei|sur|c\/o|mbh)$/iu;
const MOST_SMALL = 0.5;

/** Whether words are a sentence, a title of a person, a town, a column's head or an empty field, not a name. */
function isOtherWords(line: string): boolean {
  const text = line.trim();
  if (COMPANY.test(text)) return false;
  return (
    ALONE.test(text) ||
    SENT.test(text) ||
    PLACEHOLDER.test(text) ||
    AMERICAN_TOWN.test(text) ||
    isItemHead(text) ||
    isSentence(text)
  );
}

/** Whether most words begin with a small letter, particles aside: "Dat betaal ik zelf wel.", not "Ma jolie boutique". */
function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /^\p{L}/u.test(word) && !PARTICLES.test(word));
  const small = words.filter((word) => /^\p{Ll}/u.test(word)).length;
  return words.length >= (/[.!?]$/.test(text) ? 3 : 5) && small / words.length > MOST_SMALL;
}

/** Whether a paper's own title stands for a name: "PAYMENT RECEIPT". */
export function isPaperTitle(text: string): boolean {
  return PAPER_TITLE.test(folded(text));
}

const PAPER_TITLE =
  /^(?:payment|tax|vat|sales|cash|official|commercial|proforma|delivery|order|original|copy|final|monthly|purchase|store)?(?:invoice|bill|receipt|statement|creditnote|creditmemo|note|order|rechnung|gutschrift|quittung|beleg|lieferschein|angebot|bestellung|mahnung|facture|avoir|devis|recu|bondelivraison|bondecommande|factuur|creditnota|pakbon|offerte|factura|recibo|albaran|presupuesto|fattura|bolletta|ricevuta|preventivo|notadicredito|paid|bezahlt)(?:copy|confirmation|no|nr|number|\d.*)?$/;
