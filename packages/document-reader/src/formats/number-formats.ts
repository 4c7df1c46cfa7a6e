/** Built-in formats, which a workbook uses by number (ECMA-376 part 1, §18.8.30), without those of times. */
const BUILT_IN: Readonly<Record<number, string>> = {
  ...{ 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%' },
  ...{ 14: 'yyyy-mm-dd', 15: 'd-mmm-yy', 22: 'yyyy-mm-dd hh:mm' },
  ...{ 37: '#,##0', 38: '#,##0', 39: '#,##0.00', 40: '#,##0.00', 41: '#,##0', 43: '#,##0.00' },
};
const DAY = 86_400_000;
/** Day 0 of a sheet: 30 December 1899, or four years later in workbooks from old Apple machines. */
const EPOCH = { since1900: Date.UTC(1899, 11, 30), since1904: Date.UTC(1904, 0, 1) } as const;
/** 31 December 9999. */
const LAST_DAY = 2_958_465;
const FIGURE = /^-?\d+(?:\.\d+)?(?:E[+-]?\d+)?$/i;
/** Significant digits that survive a binary fraction. */
const TRUE_DIGITS = 12;

/** The number formats of a workbook. */
export interface NumberFormats {
  /** The format of a style; undefined if its numbers are shown as stored. */
  readonly ofStyle: (style: number) => string | undefined;
  readonly epoch: keyof typeof EPOCH;
}

/** Reads the number formats from a workbook's styles part, and its date system. */
export function readNumberFormats(styles: string, workbook: string): NumberFormats {
  const custom = new Map(
    [...styles.matchAll(/<(?:\w+:)?numFmt\s[^>]{0,2000}>/g)].map(([tag]) => [
      Number(/\snumFmtId="(\d+)"/.exec(tag)?.[1]),
      unescaped(/\sformatCode="([^"]*)"/.exec(tag)?.[1] ?? ''),
    ]),
  );
  const list =
    (styles.split(/<(?:\w+:)?cellXfs(?=[\s>])/, 2)[1] ?? '').split(/<\/(?:\w+:)?cellXfs>/, 1)[0] ?? '';
  // All attributes of a style are optional: `<xf/>` is one too.
  const ids = [...list.matchAll(/<(?:\w+:)?xf(?=[\s/>])[^>]{0,1000}>/g)].map(([tag]) =>
    Number(/\snumFmtId="(\d+)"/.exec(tag)?.[1] ?? 0),
  );
  return {
    ofStyle: (style) => {
      const id = ids[style] ?? 0;
      return custom.get(id) ?? BUILT_IN[id];
    },
    epoch: /<workbookPr\s[^>]{0,500}?date1904="(?:1|true)"/.test(workbook) ? 'since1904' : 'since1900',
  };
}

/**
 * A number as the sheet shows it, with its decimals and its currency. Days become `2026-05-03`, as the order of day and
 * month in the sheet may be that of any country.
 *
 * @param figure as stored in the file
 * @param format undefined if the cell has none
 */
export function shownNumber(
  figure: string,
  format: string | undefined,
  epoch: NumberFormats['epoch'],
): string {
  if (!FIGURE.test(figure)) return figure;
  const value = Number(figure);
  const code = format?.split(';')[0] ?? '';
  const bare = code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '');
  if (/[dy]/i.test(bare)) return shownDay(value, { epoch, hasTime: /h/i.test(bare) }) ?? figure;
  const places = /[#0?][#0?,]*(?:\.([#0?]+))?/.exec(bare);
  if (places === null || /[e@/hs]/i.test(bare)) return plain(value, figure);
  const isShare = bare.includes('%');
  const decimals = places[1]?.length ?? 0;
  const shown = new Intl.NumberFormat('en-GB', {
    ...{ minimumFractionDigits: Math.min(decimals, 15), maximumFractionDigits: Math.min(decimals, 15) },
    useGrouping: places[0].includes(','),
  }).format(Math.abs(isShare ? value * 100 : value));
  return `${value < 0 ? '-' : ''}${withCurrency(shown, code)}${isShare ? '%' : ''}`;
}

function shownDay(
  serial: number,
  { epoch, hasTime }: { epoch: NumberFormats['epoch']; hasTime: boolean },
): string | undefined {
  if (serial < 1 || serial > LAST_DAY) return undefined;
  const [day, time] = new Date(EPOCH[epoch] + Math.round(serial * 1440) * 60_000).toISOString().split('T');
  return hasTime && (serial % 1) * DAY >= 1 ? `${day} ${time?.slice(0, 5)}` : day;
}

/** Adds the sign or code of the currency if the format has one. */
function withCurrency(shown: string, code: string): string {
  const match = /\[\$([^\]-]+)(?:-[^\]]*)?\]|"\s*([A-Z]{3}|[£€$¥]|kr|Fr\.?)\s*"|([£€$¥])/.exec(code);
  const sign = (match?.[1] ?? match?.[2] ?? match?.[3])?.trim();
  if (match === null || sign === undefined) return shown;
  const isBefore = match.index < code.search(/[#0]/);
  if (!isBefore) return `${shown} ${sign}`;
  return /\p{L}$/u.test(sign) ? `${sign} ${shown}` : `${sign}${shown}`;
}

/** The number without the error of a binary fraction: 0.3 for 0.1 + 0.2. */
function plain(value: number, figure: string): string {
  return figure.replace(/\D/g, '').length > TRUE_DIGITS
    ? String(Number(value.toPrecision(TRUE_DIGITS)))
    : figure;
}

function unescaped(text: string): string {
  return text
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/&amp;/g, '&');
}
