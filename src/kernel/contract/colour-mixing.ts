import type { SiteColours } from './site-content.ts';

type Three = readonly [number, number, number];

/**
 * Minimum contrast of text and of other elements that people must see (WCAG 2.2, 1.4.3, 1.4.6 and 1.4.11).
 */
const WORDS = 4.5;
const MAIN_WORDS = 7;
const EDGES = 3;

/**
 * Colours of `src/ui/styles/tokens.css` that appear on top of the agency's colours, in the light scheme:
 * lightness, chroma, hue.
 */
export const FIXED_COLOURS = {
  call: [0.54, 0.15, 42],
  docs: [0.51, 0.115, 240],
  leads: [0.5, 0.11, 160],
  chat: [0.53, 0.11, 75],
  sites: [0.5, 0.15, 315],
  courses: [0.49, 0.08, 205],
  ok: [0.5, 0.12, 155],
  warn: [0.52, 0.11, 75],
  bad: [0.52, 0.2, 25],
  'board-ink': [0.96, 0.012, 230],
  'board-muted': [0.77, 0.03, 240],
} as const satisfies Record<string, Three>;

const ON_BOARD = ['board-ink', 'board-muted'] as const;

/** The share of ink in each shade between ink and paper. */
const SHADES = { muted: 0.74, edge: 0.56, line: 0.16, sunk: 0.04 } as const;

/** The share of the words' colour in a chosen row of a board, and in its lines. */
const ON_BOARDS = { row: 0.07, line: 0.2 } as const;
const onBoard = (board: string, share: number): string =>
  mix(hexOf(FIXED_COLOURS['board-ink']), board, share);

/** The default colours: those of `src/ui/styles/tokens.css` in hexadecimal. */
export const SPECIFIED_COLOURS: SiteColours = {
  accent: '#fd8537',
  accentDark: '#fa995a',
  ink: '#102034',
  paper: '#f2f7f9',
  board: '#102239',
};

const linear = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const encoded = (value: number): number =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;

/** Red, green and blue of `#rrggbb`, linear, 0 to 1. */
function readHex(hex: string): Three {
  const value = Number.parseInt(hex.slice(1), 16);
  return [
    linear(((value >> 16) & 255) / 255),
    linear(((value >> 8) & 255) / 255),
    linear((value & 255) / 255),
  ];
}

function writeHex(rgb: Three): string {
  const bytes = rgb.map((value) => Math.round(Math.min(1, Math.max(0, encoded(value))) * 255));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Oklab of linear sRGB (B. Ottosson). */
function oklab([r, g, b]: Three): Three {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Three): Three {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** A token's lightness, chroma and hue (degrees) as `#rrggbb`, clipped to what a screen can show. */
export function hexOf([lightness, chroma, hue]: Three): string {
  const angle = (hue * Math.PI) / 180;
  return writeHex(fromOklab([lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)]));
}

/** Mixes two colours as `color-mix(in oklab, …)` does; `share` is that of the first. */
function mix(first: string, second: string, share: number): string {
  const [one, two] = [oklab(readHex(first)), oklab(readHex(second))];
  const at = (index: 0 | 1 | 2): number => one[index] * share + two[index] * (1 - share);
  return writeHex(fromOklab([at(0), at(1), at(2)]));
}

function luminance(hex: string): number {
  const [r, g, b] = readHex(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, two: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(two)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The text colour, darkest or lightest, that is easier to read on `colour`. */
const wordsOn = (colour: string): string =>
  contrast(colour, '#0b1626') >= contrast(colour, '#ffffff') ? '#0b1626' : '#ffffff';

/** A pair of colours that cannot be told apart well enough. */
export interface WeakContrast {
  /** The agency's colour to change. */
  readonly colour: keyof SiteColours;
  readonly sentence: string;
}

/** The pairs of colours without enough contrast to read or see; empty when the colours can be published. */
export function weakContrasts({
  accent,
  accentDark,
  ink,
  paper,
  board,
}: SiteColours): readonly WeakContrast[] {
  const muted = mix(ink, paper, SHADES.muted);
  const edge = mix(ink, paper, SHADES.edge);
  const row = onBoard(board, ON_BOARDS.row);
  const lines = Object.entries(FIXED_COLOURS).filter(([name]) => !ON_BOARD.some((one) => one === name));
  const pairs: [colour: keyof SiteColours, what: string, one: string, two: string, least: number][] = [
    ['ink', 'Words on the paper', ink, paper, MAIN_WORDS],
    ['ink', 'Quiet words on the paper', muted, paper, WORDS],
    ['ink', 'Borders of fields on the paper', edge, paper, EDGES],
    ...lines.map(([name, value]): (typeof pairs)[number] => [
      'paper',
      `The colour “${name}” on the paper`,
      hexOf(value),
      paper,
      WORDS,
    ]),
    ['board', 'Words on the board', hexOf(FIXED_COLOURS['board-ink']), row, MAIN_WORDS],
    ['board', 'Quiet words on the board', hexOf(FIXED_COLOURS['board-muted']), row, WORDS],
    ['accent', 'Words on the accent', wordsOn(accent), accent, WORDS],
    ['accentDark', 'Words on the accent of the dark scheme', wordsOn(accentDark), accentDark, WORDS],
  ];
  return pairs.flatMap(([colour, what, one, two, least]) => {
    const found = contrast(one, two);
    if (found >= least) return [];
    return [
      { colour, sentence: `${what} have a contrast of ${found.toFixed(1)} to 1; it takes ${least} to 1.` },
    ];
  });
}

/**
 * The style sheet that replaces the colours of `tokens.css`, which has one name for each colour and scheme.
 */
export function coloursSheet({ accent, accentDark, ink, paper, board }: SiteColours): string {
  const light = {
    paper,
    ink,
    board,
    'board-2': onBoard(board, ON_BOARDS.row),
    'board-line': onBoard(board, ON_BOARDS.line),
    surface: mix(paper, '#ffffff', 0.3),
    muted: mix(ink, paper, SHADES.muted),
    edge: mix(ink, paper, SHADES.edge),
    line: mix(ink, paper, SHADES.line),
    sunk: mix(ink, paper, SHADES.sunk),
    signal: accent,
    'on-signal': wordsOn(accent),
  };
  const dark = { signal: accentDark, 'on-signal': wordsOn(accentDark) };
  // The first line of the map and of its log; boards are dark in both schemes.
  const first = contrast(accentDark, board) >= EDGES ? [`--b-call:${accentDark}`] : [];
  const rules = (scheme: string, values: Record<string, string>): string[] =>
    Object.entries(values).map(([name, value]) => `--${scheme}-${name}:${value}`);
  return `:root{${[...rules('light', light), ...rules('dark', dark), ...first].join(';')}}\n`;
}

/** The colours of mails: the default ones, or those mixed from the agency's colours as on its site. */
export function mailColours(own: SiteColours | undefined) {
  if (own === undefined)
    return {
      page: '#f1f5f8',
      card: '#fbfdfe',
      ink: '#13203a',
      muted: '#515d72',
      signal: '#f08a35',
      onSignal: '#13203a',
    };
  const { accent, ink, paper } = own;
  return {
    page: paper,
    card: mix(paper, '#ffffff', 0.3),
    ink,
    muted: mix(ink, paper, SHADES.muted),
    signal: accent,
    onSignal: wordsOn(accent),
  };
}
