import { detectAll } from 'tinyld';

/** How many characters of a text are examined. */
const SAMPLE = 20_000;
/** A shorter text, in characters, needs words that only one language has. */
const LEAST_CHARACTERS = 200;

/**
 * Words that are common in one language and rare in the others: from sentences, and from bills, which have few sentences.
 * A word in two of the lists counts for neither language.
 */
const LISTS: Readonly<Record<string, string>> = {
  en: `the of and to that is for with was were by this are be or at from not have has will your you which shall may
      invoice invoices number due amount payment terms please customer order description quantity quote receipt
      balance billed ship thank bill account unit subtotal payable remittance delivery`,
  de: `der die das und ist nicht von mit für auf ein eine einer eines einem sich wird werden bei oder nach
      wir ihre ihnen sie bitte zur zum im vom als auch rechnung rechnungsnummer rechnungsdatum betrag gesamtbetrag
      summe mwst ust datum kunde kundennummer menge einzelpreis gesamt zahlbar fällig umsatzsteuer bezeichnung
      leistung lieferung konto zuzüglich netto brutto nr str tagen`,
  fr: `le les et une des du est dans pour pas sur au aux par avec ce cette vous nous votre sont ou qui que
      facture montant échéance quantité désignation ttc ht tva prix règlement adresse référence paiement société
      numéro émission client jours`,
  nl: `het een van en voor met niet zijn wordt worden aan bij naar door dit deze ons onze uw wij u heeft
      factuur factuurnummer factuurdatum vervaldatum bedrag btw aantal omschrijving klant klantnummer prijs
      totaal betalen betaling rekening excl incl stuks dagen binnen`,
  es: `el los las una y con del que su sus es más muy esta factura fecha vencimiento importe
      cantidad precio descripción cliente número pago cuenta imponible cuota nif cif
      unidades concepto días pagar dirección`,
  it: `il lo gli di che è per con una del della dei delle nel nella sono non al alla questo fattura data scadenza
      importo quantità prezzo descrizione cliente numero pagamento conto imponibile aliquota partita totale
      codice fiscale giorni pagare indirizzo spettabile bonifico`,
};

/** Words from sentences in other languages with Latin letters. */
const MORE_LISTS: Readonly<Record<string, string>> = {
  pt: 'não uma dos das pelo pela você são também os ao fatura vencimento',
  sv: 'och att det som är på inte av har med för ett faktura',
  da: 'og at det er på ikke af til har som for en faktura',
  no: 'og at det er på ikke av til har som for en faktura',
  pl: 'nie się jest na do że oraz przez faktura kwota',
  cs: 'že se na je nebo není podle faktura částka',
  hu: 'az és hogy nem egy ez vagy számla összeg',
  ro: 'și în nu este pentru care sau din factura suma',
  fi: 'ja on ei että oli joka lasku summa',
  tr: 've bir bu için ile olarak fatura tutar',
  vi: 'và của là không cho các được một',
};

const wordsOf = (list: string): string[] => list.split(/\s+/);
const ALL = Object.values(LISTS).flatMap((list) => [...new Set(wordsOf(list))]);
const WORDS = asSets(LISTS, (word) => ALL.indexOf(word) === ALL.lastIndexOf(word));
const MORE_WORDS = asSets(MORE_LISTS, () => true);

function asSets(
  lists: Readonly<Record<string, string>>,
  tells: (word: string) => boolean,
): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    Object.entries(lists).map(([language, list]) => [language, new Set(wordsOf(list).filter(tells))]),
  );
}

/** Least number of different words of a language, and their least share of all words. */
const LEAST_WORDS = 3;
const LEAST_SHARE = 0.04;
/** Least certainty for a language without a list, and only in a text that is not a table. */
const SURE = 0.6;
const LONG_TEXT = 1000;

/**
 * The language of a text: by words that only it has, which short bills have too; else by letters (tinyld), if some of its
 * words confirm that. Undefined if nothing does, as names and figures look like any rare language.
 *
 * @returns ISO 639-1
 */
export function detectLanguage(text: string): string | undefined {
  const sample = text.slice(0, SAMPLE);
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const [first, second] = [...WORDS.keys()]
    .map((language) => ({ language, ...countOf(words, WORDS.get(language)) }))
    .sort((a, b) => b.hits - a.hits);
  if (first !== undefined && first.hits > 2 * (second?.hits ?? 0) && isBorneOut(first, words))
    return first.language;
  if (sample.replace(/\s+/g, ' ').length < LEAST_CHARACTERS) return undefined;
  const guess = detectAll(sample)[0];
  if (guess === undefined) return undefined;
  if (!isLatin(sample)) return guess.lang;
  const list = WORDS.get(guess.lang) ?? MORE_WORDS.get(guess.lang);
  if (list === undefined)
    return guess.accuracy >= SURE && sample.length >= LONG_TEXT ? guess.lang : undefined;
  return isBorneOut(countOf(words, list), words) ? guess.lang : undefined;
}

interface Count {
  readonly hits: number;
  readonly kinds: number;
}

function countOf(words: readonly string[], list: ReadonlySet<string> = new Set()): Count {
  const found = words.filter((word) => list.has(word));
  return { hits: found.length, kinds: new Set(found).size };
}

function isBorneOut({ hits, kinds }: Count, words: readonly string[]): boolean {
  return kinds >= LEAST_WORDS && hits / words.length >= LEAST_SHARE;
}

/** Whether most of a text's letters are Latin ones. */
function isLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (text.match(/\p{Script=Latin}/gu)?.length ?? 0) * 2 > letters;
}
