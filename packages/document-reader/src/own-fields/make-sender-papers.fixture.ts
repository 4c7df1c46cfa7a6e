/**
 * Makes papers of invented senders for fields of one's own: each sender prints its labels in its own words and places, and
 * every paper of it has other values, other neighbours and another length. Labels, places and neighbours are in five
 * languages; values are days, amounts, codes, measures and names.
 */
import { type PdfText, writePdf } from '../samples/write-pdf.fixture.ts';

/** Ways in which a sender prints a field. */
export const FIELD_PLACES = ['colon', 'columns', 'head', 'row', 'sentence', 'boxes'] as const;
export type FieldPlace = (typeof FIELD_PLACES)[number];

/** A paper with the values of its fields by key; a field that the paper does not have is absent. */
export interface SenderPaper {
  readonly name: string;
  readonly pdf: Buffer;
  readonly truth: Readonly<Record<string, string>>;
}

/** Fields that no report knows, each with its label in several languages and a neighbour that looks alike. */
const FIELDS: readonly {
  readonly key: string;
  readonly labels: readonly string[];
  readonly others: readonly string[];
  readonly value: (random: () => number) => string;
}[] = [
  {
    key: 'meter',
    labels: ['Meter number', 'Zählernummer', 'N° de compteur', 'Numero contatore', 'Meternummer'],
    others: ['Customer number', 'Kundennummer', 'N° client', 'Codice cliente', 'Klantnummer'],
    value: (random) => `${pick(random, ['1ESY', '2KAM', '1LGZ'])}${digits(random, 8)}`,
  },
  {
    key: 'reading_day',
    labels: ['Next reading', 'Nächste Ablesung', 'Prochain relevé', 'Prossima lettura', 'Volgende opname'],
    others: ['Last reading', 'Letzte Ablesung', 'Dernier relevé', 'Ultima lettura', 'Vorige opname'],
    value: day,
  },
  {
    key: 'usage',
    labels: ['Consumption', 'Verbrauch', 'Consommation', 'Consumo', 'Verbruik'],
    others: [
      'Consumption last year',
      'Verbrauch im Vorjahr',
      'Consommation précédente',
      'Consumo precedente',
      'Verbruik vorig jaar',
    ],
    value: (random) => `${1000 + Math.floor(random() * 8000)} kWh`,
  },
  {
    key: 'instalment',
    labels: [
      'Monthly instalment',
      'Monatlicher Abschlag',
      'Mensualité',
      'Rata mensile',
      'Maandelijks voorschot',
    ],
    others: [
      'Instalment so far',
      'Bisheriger Abschlag',
      'Ancienne mensualité',
      'Rata precedente',
      'Vorig voorschot',
    ],
    value: (random) => `${40 + Math.floor(random() * 300)}.${digits(random, 2)} EUR`,
  },
  {
    key: 'contact',
    labels: ['Your contact', 'Ansprechpartner', 'Votre conseiller', 'Referente', 'Contactpersoon'],
    others: ['Technician', 'Techniker', 'Technicien', 'Tecnico', 'Monteur'],
    value: name,
  },
  {
    key: 'order',
    labels: ['Cost centre', 'Kostenstelle', 'Centre de coût', 'Centro di costo', 'Kostenplaats'],
    others: ['Profit centre', 'Profitcenter', 'Centre de profit', 'Centro di profitto', 'Winstplaats'],
    value: (random) => `CC-${digits(random, 4)}-${pick(random, ['A', 'B', 'K', 'T'])}`,
  },
];

/** Keys of the fields. */
export const SENDER_FIELDS: readonly string[] = FIELDS.map(({ key }) => key);
const LANGUAGES = 5;

/** Number of senders: each place in each language. */
export const SENDERS: number = FIELD_PLACES.length * LANGUAGES;

/**
 * A paper of a sender.
 *
 * @param sender 0 to `SENDERS` - 1
 * @param seed chooses the values, the neighbours and the length
 */
export function makeSenderPaper(sender: number, seed: number): SenderPaper {
  const random = seeded(sender * 7919 + seed * 104_729 + 13);
  const place = FIELD_PLACES[sender % FIELD_PLACES.length] ?? 'colon';
  const language = Math.floor(sender / FIELD_PLACES.length) % LANGUAGES;
  const runs: PdfText[] = [];
  const put = (x: number, y: number, text: string, size = 10): void => {
    runs.push({ x, y, size, text });
  };
  put(60, 790, `Sender ${sender} GmbH`, 14);
  put(60, 775, `${name(random)} Street ${1 + Math.floor(random() * 90)}`);
  put(380, 760, day(random));
  let y = 720 - Math.floor(random() * 5) * 14;
  for (let line = Math.floor(random() * 4); line >= 0; line -= 1, y -= 16)
    put(60, y, `${name(random)} ${digits(random, 3)} ${name(random).toLowerCase()} ${day(random)}`);
  const truth: Record<string, string> = {};
  for (const field of FIELDS) {
    const label = field.labels[language] ?? '';
    const other = field.others[language] ?? '';
    const [value, decoy] = [field.value(random), field.value(random)];
    // One paper in eight does not have the field, only its neighbour.
    const has = random() > 0.125;
    if (has) truth[field.key] = value;
    y = PLACES[place]({ put, y: y - 8, label, other, value: has ? value : undefined, decoy });
  }
  for (let line = Math.floor(random() * 6); line >= 0; line -= 1, y -= 16) {
    put(60, y, `${name(random)} ${name(random).toLowerCase()}`);
    put(430, y, `${digits(random, 3)}.${digits(random, 2)} EUR`);
  }
  put(60, 60, `Sender ${sender} GmbH, HRB ${digits(random, 5)}, ${day(random)}`, 7);
  return { name: `sender-${sender}-${place}-seed-${seed}.pdf`, pdf: writePdf([runs]), truth };
}

interface Drawing {
  readonly put: (x: number, y: number, text: string, size?: number) => void;
  readonly y: number;
  readonly label: string;
  readonly other: string;
  readonly value: string | undefined;
  readonly decoy: string;
}

/** Each draws a field and its neighbour, and returns the height below them. */
const PLACES: Readonly<Record<FieldPlace, (drawing: Drawing) => number>> = {
  colon({ put, y, label, other, value, decoy }) {
    put(60, y, `${other}: ${decoy}`);
    if (value !== undefined) put(60, y - 15, `${label}: ${value}`);
    return y - 32;
  },
  columns({ put, y, label, other, value, decoy }) {
    put(60, y, other);
    put(300, y, decoy);
    if (value !== undefined) {
      put(60, y - 15, label);
      put(300, y - 15, value);
    }
    return y - 32;
  },
  head({ put, y, label, other, value, decoy }) {
    put(60, y, other, 8);
    put(60, y - 12, decoy);
    if (value !== undefined) {
      put(300, y, label, 8);
      put(300, y - 12, value);
    }
    return y - 34;
  },
  row({ put, y, label, other, value, decoy }) {
    put(60, y, 'A');
    put(120, y, other);
    put(320, y, decoy);
    put(470, y, '0.19');
    if (value !== undefined) {
      put(60, y - 15, 'B');
      put(120, y - 15, label);
      put(320, y - 15, value);
      put(470, y - 15, '0.20');
    }
    return y - 32;
  },
  sentence({ put, y, label, other, value, decoy }) {
    put(60, y, `${other} ${decoy}.`);
    if (value !== undefined) put(60, y - 15, `${label} ${value}.`);
    return y - 32;
  },
  boxes({ put, y, label, other, value, decoy }) {
    put(60, y, `${other}:`);
    put(170, y, decoy);
    if (value !== undefined) {
      put(320, y, `${label}:`);
      put(450, y, value);
    }
    return y - 24;
  },
};

/** A generator of numbers from 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const pick = (random: () => number, from: readonly string[]): string =>
  from[Math.floor(random() * from.length)] ?? '';
const digits = (random: () => number, count: number): string =>
  Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
function day(random: () => number): string {
  const part = (most: number): string => String(1 + Math.floor(random() * most)).padStart(2, '0');
  return `${part(28)}.${part(12)}.${2024 + Math.floor(random() * 3)}`;
}
function name(random: () => number): string {
  const first = pick(random, ['Anna', 'Piet', 'Lucia', 'Marc', 'Jane', 'Otto', 'Nora', 'Emil']);
  return `${first} ${pick(random, ['Keller', 'Vermeer', 'Rossi', 'Dubois', 'Whitcombe', 'Brandt', 'Olsen'])}`;
}
