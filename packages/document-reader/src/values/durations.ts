/** A duration as a document prints it, with its number and unit. */
export interface Duration {
  readonly printed: string;
  readonly count: number;
  readonly unit: 'day' | 'week' | 'month' | 'year';
  /** Whether it counts working days, which depend on public holidays. */
  readonly working: boolean;
}

/** Numbers written as words, in the six languages of the labels. */
const NUMBERS: readonly (readonly [number, string])[] = [
  [1, 'one|ein(?:e[mnrs]?)?|une?|een|un[oa]?'],
  [2, 'two|zwei|deux|twee|dos|due'],
  [3, 'three|drei|trois|drie|tres|tre'],
  [4, 'four|vier|quatre|cuatro|quattro'],
  [5, 'five|fünf|cinq|vijf|cinco|cinque'],
  [6, 'six|sechs|zes|seis|sei'],
  [7, 'seven|sieben|sept|zeven|siete|sette'],
  [8, 'eight|acht|huit|ocho|otto'],
  [9, 'nine|neun|neuf|negen|nueve|nove'],
  [10, 'ten|zehn|dix|tien|diez|dieci'],
  [12, 'twelve|zwölf|douze|twaalf|doce|dodici'],
  [14, 'fourteen|vierzehn|quatorze|veertien|catorce|quattordici'],
  [15, 'fifteen|fünfzehn|quinze|vijftien|quince|quindici'],
  [30, 'thirty|dreißig|trente|dertig|treinta|trenta'],
  [60, 'sixty|sechzig|soixante|zestig|sesenta|sessanta'],
  [90, 'ninety|neunzig|quatre-vingt-dix|negentig|noventa|novanta'],
];
const UNITS: readonly (readonly [Duration['unit'], string])[] = [
  ['day', 'days?|tage?n?|jours?|dag(?:en)?|d[ií]as?|giorn[oi]'],
  ['week', 'weeks?|wochen?|semaines?|we(?:ek|ken)|semanas?|settiman[ae]'],
  ['month', 'months?|monat(?:en?|s)?|mois|maand(?:en)?|mes(?:es|[ei])?'],
  ['year', 'years?|jahr(?:en?|s)?|ans?|années?|ja(?:ar|ren)|años?|ann[oi]'],
];
const WORKING = 'working |business |werk|arbeits';
const WORKING_BEHIND = / (?:ouvr(?:és|ables)|hábiles|laborables|lavorativi)(?!\p{L})/iu;

const DURATION = new RegExp(
  // "Due" means two only in Italian.
  `(?<![\\p{L}\\d.,])(?!due (?!giorn|settim|mes|ann))(\\d{1,3}|${NUMBERS.map(([, words]) => words).join('|')})(?: \\((?:\\d{1,3}|\\p{L}+)\\))? (?:(calendar |kalender|aufeinanderfolgende |full |volle |entiers? )|(${WORKING}))?(?:(${UNITS.map(([, words]) => words).join(')|(')}))(?!\\p{L})`,
  'iu',
);

/** The first duration in a text: `two months`, `90 days`, `drei Monaten`, `six (6) mois`. Undefined if there is none. */
export function findDuration(text: string): Duration | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [printed, number = '', , working, ...units] = match;
  const unit = UNITS[units.findIndex((word) => word !== undefined)]?.[0];
  const count = /^\d/.test(number) ? Number(number) : numberOf(number);
  if (unit === undefined || count === undefined || count < 1) return undefined;
  const behind = WORKING_BEHIND.exec(text.slice(match.index + printed.length));
  const isBehind = behind?.index === 0;
  return {
    printed: isBehind ? printed + behind[0] : printed,
    count,
    unit,
    working: working !== undefined || isBehind,
  };
}

function numberOf(word: string): number | undefined {
  return NUMBERS.find(([, words]) => new RegExp(`^(?:${words})$`, 'iu').test(word))?.[0];
}
