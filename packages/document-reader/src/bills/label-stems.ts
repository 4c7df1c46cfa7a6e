import { folded } from '../values/folded-text.ts';
import type { BillRole } from './bill-labels.ts';

/**
 * The role of a label by the stems of its words. Programs use countless labels ("Datum der Rechnungsstellung",
 * "Fra. nº", "Ons factuurnummer"), so no list is complete; the stems of six languages cover most of them.
 */
interface Stems {
  readonly role: BillRole;
  /** All of these patterns must be in the folded label. */
  readonly all: readonly RegExp[];
}

const DATE = /dat(?:e|um|a|\b)|fecha|\bdt\b|tag\b/;
const BILL =
  /rechn|faktur|invo|factu|fattur|beleg|docu|dokum|gutschr|credit n|credit m|\bavoir|quittung|recib|ricev|billing|\bbill|\bfra\b|\bfatt|\bfact|\bnota|\brgs?\b|\bft\b|abono|receipt|piece|\bserie|\binv\b|\bdoc\b/;
const ISSUED =
  /issue|ausst|ausgest|erstell|emis|emess|emitid|etabl|uitg|uitger|exped|creat|\bdated|rilasc|opgemaakt|fakturier/;
const MARKED =
  /n(?:r|o|um|umero|ummer|umber)?\b|\bn(?:um|umero|ummer|umber|o|r|\b)|\bref|refer|kenn|kenm|\bid\b|\bcode|codi|\bserie|\brif/;
const PAYING =
  /zahl|fallig|\bdue|pay|settl|echeanc|regl|exigib|venc|\bvto|pagar|pago|abon|\bscad|sald|beta[al]|vold|verval|valuta|incas|uberweis|pagam/;
const UNTIL =
  /\bbis\b|\bby\b|before|until|avant|tard|\ble$|voor|uiterlijk|\btot\b|\bop$|\bper$|antes|entro|\bzum$|\bam$|\bdate|dat(?:um|a)|fecha|term|frist|deadl|limite|\bdue\b|fallig|eche|venc|scad|verval|valuta|\bon$|\bday$|dag$|tag$/;

/** Words about something else: another paper, another day, a party's own number, a sum. */
const ELSEWHERE =
  /order|auftrag|bestell|\bbestel|command|pedido|\bordin|liefer|deliv|livr|\blever|gelever|entreg|consegn|albar|\bddt|packb|pakb|contr[ae]t|vertrag|contract|kund|client|klant|customer|account|debit|konto|cuent|compte|\biban|\bbic|\bvat\b|\btax (?!point|invoice)|steuer|\bust|mwst|\btva|\bbtw|\biva\b|\bnif|\bcif|print|druck|impr|stamp|afdruk|proje[ck]|dossier|exped?ient|commess|period|zeitr|leist|supply|service|prest|valid|gultig|geldig|geburt|birth|version|seite|\bpage|pagina|telef|phone|\bfax|skonto|discount|escompt|sconto|descuent|artic|artik|\bitem|\bart\b|\bpos\b|menge|\bqty|quant|anzahl|\blot\b|charge|serial|gerat|zahler|contador|polic|versicher|mandat|glaub|siret|siren|\bkvk|\bhrb|handels?reg|regist|company|urspr|origin|vorig|previous|\bihr|\byour|votre|vostr|\bvs\b|\buw\b|\bsu\b|\bgln|\bgtin|\bean\b|\bsku|amount|betrag|\btotal|summe|montant|bedrag|import|preis|price|\bprix|prijs|preci|prezz|bank|rekeningn/;

const ROLES: readonly Stems[] = [
  { role: 'due', all: [PAYING, UNTIL] },
  {
    role: 'date',
    all: [
      /(?:^|(?:rechnung|faktura|beleg|gutschrift)\S*(?: \S+)* ?)vom$|^(?:con )?fecha$|^(?:in )?data$|^dated?$|^datum$/,
    ],
  },
  { role: 'date', all: [ISSUED] },
  { role: 'date', all: [BILL, DATE] },
  { role: 'date', all: [BILL, /\b(?:d d|dd|du|le|vom|el|il)$/] },
  { role: 'number', all: [BILL, MARKED] },
  { role: 'number', all: [BILL, /^(?:our|unsere?|notre|ns|nuestra|nostra|ons|onze)\b/] },
];

/** Weight of a role found by stems: lower than that of a listed label. */
export const STEM_WEIGHT = 0.84;
const LONGEST = 44;
const MOST_WORDS = 7;

/** The label at the beginning of a text, up to its first figure, colon or bar, and what it means. */
export function stemLabel(text: string): { role: BillRole; end: number } | undefined {
  const label = wordsBefore(text).replace(/[\s.#°º-]+$/, '');
  const words = label.split(/[\s/.-]+/).filter(Boolean);
  if (label.length < 2 || label.length > LONGEST || words.length > MOST_WORDS) return undefined;
  const flat = words.map(folded).join(' ');
  if (ELSEWHERE.test(flat)) return undefined;
  const role = ROLES.find(({ all }) => all.every((pattern) => pattern.test(flat)))?.role;
  return role === undefined ? undefined : { role, end: label.length };
}

/** The words before the first figure, without letters and signs that belong to it ("RE-98739"). */
function wordsBefore(text: string): string {
  const end = /[\d:|;]|$/.exec(text)?.index ?? text.length;
  if (!/\d/.test(text[end] ?? '')) return text.slice(0, end);
  const token = /\S*$/.exec(text.slice(0, end))?.[0] ?? '';
  const mark = /^\p{L}+[.°º#]+/u.exec(token)?.[0] ?? '';
  return text.slice(0, end - token.length + mark.length);
}
