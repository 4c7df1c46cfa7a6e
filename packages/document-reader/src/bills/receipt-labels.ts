import type { GridCell } from '../layout/document-grid.ts';
import { folded } from '../values/folded-text.ts';

/** Whether a line prints by how much a sum was rounded; `label` is folded, and pictures lose letters of it. */
export function isRounding(label: string): boolean {
  return ROUNDING.test(label) && !ROUNDED_TOTAL.test(label);
}

const ROUNDING =
  /^\w{0,8}r?o[unr]{1,3}d(?:ing|ng|adj|off|amt|amount|$)|arrond|afrond|rundung|redonde|arroton/;

/** The meaning of the amount on a line of a till receipt. */
export type ReceiptLine = 'total' | 'plain total' | 'rounded total' | 'card' | 'given' | 'back';

/** The letters of a line without its amounts and signs, folded: "TOTAL (5 items)  € 12.34" is `totalitems`. */
export function labelOf(cells: readonly GridCell[]): string {
  const text = cells.map((cell) => cell.text).join(' ');
  return folded(text.replace(CURRENCY, ' ')).replace(/\d+/g, '');
}

const CURRENCY = /(?<!\p{L})(?:EUR|EURO|GBP|USD|CHF|RM|MYR|SGD|AUD|CAD)(?!\p{L})|[€£$]/gu;

/** Words for the tax. A total "including tax" is still a total, not the tax. */
const TAX = '(?:mwst|ust|mehrwertsteuer|vat|gst|sst|tax|taxes|tva|btw|iva|taxe)';
const INSIDE = new RegExp(
  `(?:incl\\w{0,9}?|inkl\\w{0,6}?|included?|inclusive|toutestaxes|ttc|mit|with|con)(?:of|de|der|del|l)?${TAX}|${TAX}(?:incl\\w{0,6}|inkl\\w{0,6})|inclusiveof${TAX}|\\w{0,3}r?ounding(?=$)`,
  'g',
);
/** Labels of other sums, of parts of the total, and of amounts that are not sums. */
const OTHER_SUM = new RegExp(
  [
    ...[
      'subt',
      'sub_?total',
      'soustotal',
      'stotal',
      'zwischen',
      'zwsumme',
      'zwtotal',
      'tussent',
      'parziale',
      'sommapar',
      'sumaparcial',
    ],
    ...[
      'warenwert',
      'goodstotal',
      'totalarticles',
      'summeartikel',
      'importearticulos',
      'foodsub',
      'excl',
      'exkl',
      'exclu',
      'horstax',
      'totalht',
      'netto$',
      'sinimp',
    ],
    ...[
      'discount',
      'disc$',
      'saving',
      'saved',
      'rabatt',
      'gespart',
      'sparen',
      'remise',
      'economie',
      'korting',
      'voordeel',
      'descuento',
      'ahorr',
      'sconto',
      'risparmi',
    ],
    ...[
      'qty',
      'quantity',
      'menge',
      'point',
      'punkt',
      'punti',
      'puntos',
      'fidel',
      'saldo$',
      'tip',
      'gratuity',
      'trinkgeld',
      'pourboire',
      'propina',
      'mancia',
      'guide',
    ],
    ...[
      'arrond',
      'afrond',
      'redonde',
      'arroton',
      'rundung',
      'roundingadj',
      '^rounding',
      'summary',
      'before',
      'deposit',
      'pfand',
      'statiegeld',
    ],
    TAX,
  ].join('|'),
);

/** Labels that only the paid sum has, in six languages and as tills abbreviate them. */
const SURE_TOTAL = new RegExp(
  `^(?:${[
    ...[
      'grandtotal',
      'nett?total',
      'totaldue',
      'amountdue',
      'balancedue',
      'balancetopay',
      'topay',
      'totaltopay',
      'amounttopay',
      'due$',
      'payable',
      'amountpayable',
      'totalpayable',
      'total(?:amount|amt|sales?|incl|inkl|ttc|eur|euro|chf|rm)',
      'invoicetotal',
      'salestotal',
      'saletotal',
    ],
    ...[
      'zuzahlen',
      'zubezahlen',
      'zahlbetrag',
      'endbetrag',
      'endsumme',
      'gesamtbetrag',
      'gesamtsumme',
      'gesamttotal',
      'rechnungsbetrag',
      'bruttobetrag',
      'gesamt',
    ],
    ...[
      'netapayer',
      'apayer',
      'totalapayer',
      'totaldu',
      'montantdu',
      'montanttotal',
      'resteapayer',
      'montantttc',
      'ttc$',
    ],
    ...[
      'tebetalen',
      'tevoldoen',
      'totaalbedrag',
      'totaaltebetalen',
      'eindtotaal',
      'eindbedrag',
      'totaal(?:incl|inkl|eur)',
    ],
    ...[
      'apagar',
      'totalapagar',
      'importetotal',
      'totalacobrar',
      'importeapagar',
      'totalimporte',
      'totalfactura',
      'totaliva',
    ],
    ...[
      'totalecomplessivo',
      'totaleeuro',
      'importototale',
      'dapagare',
      'totaledapagare',
      'importodovuto',
      'importopagato',
      'totaledocumento',
      'totalegenerale',
    ],
  ].join('|')})`,
);
const ROUNDED_TOTAL =
  /^(?:rounded|totalrounded|totalafter(?:round|adj)|totalgerundet|afgerond|total\w{0,8}arrondi|nett?totalround)|roundedtotal|afterrounding/;
/** Words that begin a line with the total, or with a part of it. */
const PLAIN_TOTAL =
  /^(?:total|totaal|totale|totals|summe|suma$|somme|gesamt|bill(?:amount|total)|amount|betrag|montant|importe|importo|bedrag|ammontare|sum$|price$|fare$|preis$|prix$|precio$|prezzo$|prijs$)|^[a-z]{3,9}total$/;
const CARD =
  /visa|master|maestro|amex|americanexpress|discover|debit|credit|kreditkarte|karte|giro|ecca|carte|^cb|pinn?en|^pin|vpay|tarj|tarjeta|carta|bancomat|bancontact|elettronico|twint|postfinance|contactless|sanscontact|contacto|kontaktlos|card|ewallet|applepay|googlepay|paypal|^pos$|^eft/;
const GIVEN =
  /^(?:cash(?!ier|i?te)|paid|payment|tender|bar(?!c)|bargeld|geg|contan|kontan|betaaldcon|espece|recu|especes|efectivo|entreg|pagamentocont|versato|amountpaid|amounttend)/;
const BACK =
  /change|^ruck(?:geld)?|^rueckgeld|ruckgeld|^zuruck|^retour$|^retourbar|rendu|arendre|monnaie|wisselgeld|^terug|^cambio|^sucambio|devolucion|^resto|^balancereturn|^backchange/;

/** The meaning of a line by its label; undefined for all other lines. */
export function receiptLineOf(label: string): ReceiptLine | undefined {
  if (label === '') return undefined;
  if (BACK.test(label)) return 'back';
  const bare = label.replace(INSIDE, '');
  const isOther = OTHER_SUM.test(bare);
  if (ROUNDED_TOTAL.test(label)) return 'rounded total';
  if (!isOther && SURE_TOTAL.test(label)) return 'total';
  if (GIVEN.test(label)) return 'given';
  if (CARD.test(label)) return 'card';
  if (!isOther && PLAIN_TOTAL.test(bare)) return 'plain total';
  return undefined;
}

/** Words before a date with another meaning: the end of the time for returns, or of an offer. */
export const UNTIL =
  /(?:until|till|\bto|\bby|before|expir\w*|ends|valid(?: thru| on)?|through|thru|\bbis(?: zum)?|g[üu]ltig|jusqu['’]?\s?au|valable au|\btot(?: en met)?|t\/m|hasta(?: el)?|fino al|entro(?: il)?|since|seit|depuis|sinds|desde)\W*$/i;

/** Words that tills print beside goods and sums. Each list is one mark. */
export const TILL_MARKS: readonly RegExp[] = [
  /\b(?:cash(?! ?flow)|change|tend(?:ered?)?|r[üu]ckgeld|geg\.|gegeben|bargeld|rendu|esp[eè]ces|cb|wisselgeld|contante?|kontant|pinnen|efectivo|cambio|tarjeta|contanti|resto|bancomat|girocard|ec-?karte|kartenzahlung|carte bancaire|visa|master ?card|maestro|amex|(?<!direct )debit|contactless|kontaktlos|twint|pagamento elettronico|e-?wallet)\b/i,
  /\bthank ?you|come again|goods sold|have a (?:nice|great) day|vielen dank|besten dank|danke\b|auf wiedersehen|merci|[àa] bient[ôo]t|bedankt|tot ziens|fijne dag|gracias|vuelva pronto|grazie|arrivederci|terima kasih|keep (?:this|your) receipt/i,
  /\b(?:receipt|kassenbon|kassenbeleg|quittung|beleg|bon|ticket|cash ?bill|cash ?sales?|tax invoice|guest check|scontrino|documento commerciale|ricevuta|kassabon|kassaticket|klantticket|factura simplificada|fra\. simplificada|recibo|customer copy|kundenbeleg)\b/i,
  /\b(?:cashier|counter|till(?= ?(?:no\.?|#|:)? ?\d)|pos|server|table(?= ?(?:no\.?|#|:)? ?\d)|op(?:erator)?[ .:#]|st#|te#|kasse|kassierer|bediente|bed\.|filiale|caisse|caissi[eè]re?|h[ôo]tesse|serveur|kassa|medewerker|bediend|caja|cajer[oa]|le atendi[óo]|cassa|operatore|cassiere|bon-?nr|terminal|term\.?-?id|tid|member|rounding)\b/i,
  /(?<![\d:])(?:[01]?\d|2[0-3])(?:[:h][0-5]\d(?::[0-5]\d)?(?!\d|[.,/-]\d)|\.[0-5]\d ?(?:am|pm|uhr|h)\b)/i,
];
