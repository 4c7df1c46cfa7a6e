import type { DocumentGrid, GridCell } from '../layout/document-grid.ts';
import { findDate } from '../values/dates.ts';
import { folded } from '../values/folded-text.ts';
import { amountsIn } from './bill-amounts.ts';
import type { PartyName } from './party-finding.ts';
import { isName, isPaperTitle } from './party-words.ts';

/** Rows at the top of a till receipt that may hold the shop's name. */
const NAME_ROWS = 9;
/** Endings of company names, which say more than a word for the kind of shop. Text from pictures may lack spaces. */
const COMPANY =
  /(?:sdn\.?\s?b?[hn]?[dn]?|s ?\/ ?b|\bbhd|enterprise|trading(?: co)?|ltd|limited|llp|gmbh(?: ?& ?co\.? ?k?g?a?)?|\bohg|\bkg|b\.v\.|\bbv|\bn\.?v\.|sarl|\bsas|s\.?r\.?l\.?|s\.l\.u?\.?|s\.a\.|s\.p\.a\.|\bspa|\bsnc|\binc|\bllc|\bplc|genossenschaft)[\s.)]*$/i;
const COMPANY_FIRST = /^(?:sarl|eurl|sas|s\.a\.r\.l\.)\s/i;
const SHOP =
  /restaurant?e?|restoran|hardware|stationery|supermarket|supermarkt|supermerca|supermercati|hypermarket|\bmart\b|market|\bstore|\bshop|cafe|café|caffè|bistro|bakery|bakkerij|pharmac|apotheke|farmac|\bag$|hotel|marketing|electrical|\bbooks?\b|kitchen|\bhouse\b|centre|center|corporation|holdings|industries|\bgroup\b|\bfood|motor|services?\b|perniagaan|syarikat|kedai|pasar|bäckerei|boulangerie|panader|panificio|drogeri|tankstelle|winkel|bouwmarkt|boekhandel|buchhandlung|librairie|librer[ií]a|papeler|fruter|trattoria|ristorante|pizzeria|ferramenta|gasthaus|brasserie|diner|grocery|coffee|roasters/i;
const NO_SHOP =
  /^(?:(?:vat |tax |sales )?(?:invoice|receipt)|cash ?bill|cash ?sales?|cash$|sale$|order\b|guest|check\b|customer|tel|phone|fax|gst|vat|tva|btw|p\.? ?iva|partita|c\.?f\.|cif|nif|uid|ust|siret|co\.? ?reg|reg\.? ?no|company no|welcome|herzlich|willkommen|gr[üu]ezi|bienven|welkom|benvenut|no\.?\s?\d|lot\b|jalan|jln|date|copy|duplicate|table|original|simplified|kassen|quittung|rechnung|beleg|kunden|ticket|facture|note|addition|kassa|bon\b|klant|recibo|fra\.|factura|documento|di vendita|ricevuta|scontrino|store \d|store:|st#|mgr|page|www|http|bed\.|markt:|kasse|caisse|caja|cassa|\()|.*\b(?:au capital|cap\. ?soc|inh\.|inhaber|geschäftsführer)\b/i;
/** Hours, thanks and wishes, which tills print above the goods too. */
const SLOGAN =
  /(?:shopping|opening|business|trading|operating) (?:hours|time)|[öo]ffnungszeiten|horaires|openingstijden|horario|orari\b|\b(?:thank|thanks|tq\b|terima kasih|merci|danke|vielen dank|gracias|grazie|bedankt|dank u)|come again|visit us|see you|au revoir|tot ziens|hasta pronto|arrivederci|auf wiedersehen|have a (?:nice|good)|goods sold|everyday low|^(?:mon|tue|wed|thu|fri|sat|sun)(?:day)?\b\W*(?:-|to|~|:)|\d{3,4} ?hrs|\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)\b/i;
/** A company's number in its register, which tills print after or below the name. */
const REGISTERED =
  /^\W*(?:(?:co|roc|br|reg|company|ssm|business)\b.{0,14})?[A-Z]{0,3}\d{5,}\s?-\s?[A-Z]\W*$/i;
const REGISTERED_BEHIND =
  /\s*[(（]?\s*(?:co\.?\s*(?:reg\.?)?\s*(?:no\.?)?|reg\.?\s*no\.?)?\s*:?\s*(?:(?<![A-Z])[A-Z]{1,2}-)?\d{4,}\s*-?\s*[A-Z]?\s*[)）]?\s*$/i;
const GREETING =
  /^(?:welcome (?:to|at)|(?:herzlich )?willkommen (?:bei|im|in)|gr[üu]ezi (?:bei|im)|bienvenue (?:chez|[àa])|welkom bij|bienvenidos? a|benvenuti? (?:da|al?|in))\s+/i;
/** Words of streets and towns in the countries of our languages. */
const ADDRESS =
  /^\d{1,5}[a-z]?[-–/]?\d*[ ,]+\p{L}|\p{L}[\p{L}. ]*(?:stra(?:ss|ß)e|str\.|gasse|allee|platz|straat|gracht|plein|laan|weg|street|road|\brd|\bave(?:nue)?|lane|row|blvd|boulevard)\b.*\d|^(?:via|viale|corso|p\.?zza|piazza|calle|c\/|avda|plaza|rue|avenue|place|za |zi |unit|lot|lots|suite|level|lvl|block|blok|shop no|no\.? ?\d|\d+(?:st|nd|rd|th) fl(?:r|oor)|ground fl(?:r|oor)|taman|tmn|kampung|kg\.|bandar|lorong|persiaran|kawasan|jalan|jln)|\b\d{4,5} ?\p{L}{2,}|\b\d{4} ?[A-Z]{2}\b|,\s*[A-Z]{2}\.?\s+\d{5}|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b/iu;

/** Words that say nothing about the name beside another word for the kind of shop. */
const PLAIN = /\b(?:bar|grill|pub|inn|the|and|und|et|en|y|e)\b/gi;

const BRANCH = /#\s?\d+$/;

interface ShopLine extends PartyName {
  readonly points: number;
}

interface HeadLine {
  readonly text: string;
  readonly cell: GridCell | undefined;
}

/** The shop of a receipt: the line at the top that looks most like a company's name; among equals, the first. */
export function findShop(grid: DocumentGrid): PartyName | undefined {
  const lines = headOf(grid).map((cells) => ({
    text: cells
      .map(({ text }) => text)
      .join(' ')
      .replace(/^[\s*=~#_.-]+|[\s*=~_-]+$/g, '')
      .replace(GREETING, ''),
    cell: cells[0],
  }));
  const names = lines.flatMap((line, index) => {
    const name = nameIn(line, lines[index + 1]?.text ?? '');
    return name === undefined ? [] : [{ ...name, points: name.points - index * 0.5 }];
  });
  const chosen = names.reduce<ShopLine | undefined>(
    (best, name) => (best === undefined || name.points > best.points ? name : best),
    undefined,
  );
  if (chosen === undefined || folded(chosen.printed).length < 3) return undefined;
  return { printed: chosen.printed, cell: chosen.cell, score: chosen.score };
}

function nameIn({ text, cell }: HeadLine, next: string): ShopLine | undefined {
  if (
    cell === undefined ||
    NO_SHOP.test(text) ||
    SLOGAN.test(text) ||
    TITLES.has(folded(text)) ||
    isPaperTitle(text)
  )
    return undefined;
  // "#4471" is the number of a branch, and part of its name.
  const printed = BRANCH.test(text) ? text : text.replace(REGISTERED_BEHIND, '').trim();
  const isCompany = COMPANY.test(printed) || COMPANY_FIRST.test(printed);
  // The number in the register after a company's name may have more signs than the name.
  if (!isName(isCompany ? printed : text)) return undefined;
  if (ADDRESS.test(printed.replace(BRANCH, '')) && !isCompany) return undefined;
  const isRegistered = REGISTERED.test(next) || printed.length < text.length;
  const points = (isCompany ? 4 : 0) + (isNamedShop(printed) ? 2 : 0) + (isRegistered ? 2 : 0);
  return { printed, cell, score: points >= 1.5 ? 0.85 : 0.6, points };
}

/** Titles that tills spread over a line ("K-U-N-D-E-N-B-E-L-E-G"), folded. */
const TITLES: ReadonlySet<string> = new Set(['kundenbeleg', 'haendlerbeleg', 'handlerbeleg', 'kassenbon']);

/** The lines above the first goods: a line with a date or an amount is not part of the head. */
function headOf(grid: DocumentGrid): GridCell[][] {
  const end = grid.findIndex(
    (cells, row) =>
      row > 0 && cells.some((cell) => amountsIn(cell).length > 0 || findDate(cell.text) !== undefined),
  );
  return grid.slice(0, Math.min(NAME_ROWS, end < 0 ? NAME_ROWS : end)).map((cells) => [...cells]);
}

/** Whether a shop has a name beside the word for its kind: "Asia Mart", not "Bistro & Cafe". */
function isNamedShop(line: string): boolean {
  return (
    SHOP.test(line) && /\p{L}{2}/u.test(line.replace(new RegExp(SHOP.source, 'gi'), '').replace(PLAIN, ''))
  );
}
