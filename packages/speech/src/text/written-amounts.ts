import {
  cardinal,
  digitWords,
  fractionWords,
  NUMBER,
  ordinal,
  pluralNumber,
  quantity,
} from './number-words.ts';
import { type ReadingRule, rule } from './reading-rule.ts';

/** Units as they are written after a number, and how one and many of them are said. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  km: ['kilometre', 'kilometres'],
  m: ['metre', 'metres'],
  cm: ['centimetre', 'centimetres'],
  mm: ['millimetre', 'millimetres'],
  mi: ['mile', 'miles'],
  ft: ['foot', 'feet'],
  yd: ['yard', 'yards'],
  yds: ['yard', 'yards'],
  '"': ['inch', 'inches'],
  km2: ['square kilometre', 'square kilometres'],
  m2: ['square metre', 'square metres'],
  cm2: ['square centimetre', 'square centimetres'],
  m3: ['cubic metre', 'cubic metres'],
  sqm: ['square metre', 'square metres'],
  'sq m': ['square metre', 'square metres'],
  sqft: ['square foot', 'square feet'],
  'sq ft': ['square foot', 'square feet'],
  'sq. ft': ['square foot', 'square feet'],
  ha: ['hectare', 'hectares'],
  kg: ['kilogram', 'kilograms'],
  g: ['gram', 'grams'],
  mg: ['milligram', 'milligrams'],
  t: ['tonne', 'tonnes'],
  lb: ['pound', 'pounds'],
  lbs: ['pound', 'pounds'],
  oz: ['ounce', 'ounces'],
  l: ['litre', 'litres'],
  L: ['litre', 'litres'],
  ml: ['millilitre', 'millilitres'],
  cl: ['centilitre', 'centilitres'],
  W: ['watt', 'watts'],
  kW: ['kilowatt', 'kilowatts'],
  MW: ['megawatt', 'megawatts'],
  kWh: ['kilowatt hour', 'kilowatt hours'],
  kwh: ['kilowatt hour', 'kilowatt hours'],
  V: ['volt', 'volts'],
  A: ['amp', 'amps'],
  mAh: ['milliamp hour', 'milliamp hours'],
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  KB: ['kilobyte', 'kilobytes'],
  kB: ['kilobyte', 'kilobytes'],
  MB: ['megabyte', 'megabytes'],
  GB: ['gigabyte', 'gigabytes'],
  TB: ['terabyte', 'terabytes'],
  Mbps: ['megabit per second', 'megabits per second'],
  'Mbit/s': ['megabit per second', 'megabits per second'],
  Gbps: ['gigabit per second', 'gigabits per second'],
  mph: ['mile an hour', 'miles an hour'],
  kph: ['kilometre an hour', 'kilometres an hour'],
  'km/h': ['kilometre an hour', 'kilometres an hour'],
  kmh: ['kilometre an hour', 'kilometres an hour'],
  'm/s': ['metre a second', 'metres a second'],
  mpg: ['mile per gallon', 'miles per gallon'],
  '°C': ['degree Celsius', 'degrees Celsius'],
  '° C': ['degree Celsius', 'degrees Celsius'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  '°': ['degree', 'degrees'],
  ms: ['millisecond', 'milliseconds'],
  s: ['second', 'seconds'],
  sec: ['second', 'seconds'],
  secs: ['second', 'seconds'],
  min: ['minute', 'minutes'],
  mins: ['minute', 'minutes'],
  h: ['hour', 'hours'],
  hr: ['hour', 'hours'],
  hrs: ['hour', 'hours'],
  wk: ['week', 'weeks'],
  wks: ['week', 'weeks'],
  mths: ['month', 'months'],
  yr: ['year', 'years'],
  yrs: ['year', 'years'],
  kcal: ['kilocalorie', 'kilocalories'],
  cal: ['calorie', 'calories'],
  kJ: ['kilojoule', 'kilojoules'],
  dB: ['decibel', 'decibels'],
  px: ['pixel', 'pixels'],
  psi: ['pound per square inch', 'pounds per square inch'],
  bar: ['bar', 'bars'],
  bps: ['basis point', 'basis points'],
  '%': ['percent', 'percent'],
  '‰': ['per mille', 'per mille'],
};
const escaped = (text: string): string => text.replace(/[.^$*+?()[\]{}|\\/]/g, String.raw`\$&`);
const byLength = (one: string, other: string): number => other.length - one.length;
const UNIT = `(${Object.keys(UNITS).sort(byLength).map(escaped).join('|')})(?![A-Za-z\\d])`;
/** Units that are no other word where no number stands before them. */
const ALONE = 'km/h|kWh|mph|kg|km|cm|mm|lbs?|ml|MB|GB|mins|hrs|yrs|sq ft|sqm';
const RANGE = String.raw`\s?[-–—]\s?`;
const MINUS = String.raw`((?<!\w)[-−])?`;
const SCALES: Readonly<Record<string, string>> = {
  k: 'thousand',
  K: 'thousand',
  bn: 'billion',
  mn: 'million',
  M: 'million',
};
const VULGAR: Readonly<Record<string, string>> = {
  '½': 'half',
  '¼': 'a quarter',
  '¾': 'three quarters',
  '⅓': 'a third',
  '⅔': 'two thirds',
  '⅕': 'a fifth',
  '⅛': 'an eighth',
  '⅜': 'three eighths',
  '⅝': 'five eighths',
  '⅞': 'seven eighths',
};

/** Quantities: units, percentages, ranges, fractions, ordinals, versions, and all other numbers. */
export const AMOUNT_RULES: readonly ReadingRule[] = [
  rule(String.raw`24\/7(?:\/365)?`, ([found]) =>
    found.length > 4 ? 'twenty four seven, three six five' : 'twenty four seven',
  ),
  rule(String.raw`50\/50|50-50`, () => 'fifty fifty'),
  rule(String.raw`(\d+)?([½¼¾⅓⅔⅕⅛⅜⅝⅞])`, ([, whole, part = '']) => {
    const words = VULGAR[part] ?? '';
    if (whole === undefined) return words;
    return `${cardinal(whole)} and ${part === '½' ? 'a half' : words}`;
  }),
  rule(
    String.raw`(?:(\d+) )?(\d{1,2})\/(\d{1,2})(?![\d/])(?:\s?${UNIT})?`,
    ([, whole, over = '', under = '', unit = ''], { after }) => {
      const part = fractionWords(Number(over), Number(under));
      if (part === undefined || (under === '10' && !/^ of\b/.test(after)))
        return whole === undefined ? `${cardinal(over)} out of ${cardinal(under)}` : undefined;
      return whole === undefined ? partOf(part, unit) : mixed(whole, part, unit);
    },
  ),
  rule(String.raw`(\d+)(?:\.\d+){2,}`, ([found]) => found.split('.').map(quantityOrDigits).join(' point ')),
  rule(
    String.raw`(\d{1,3}(?:,\d{3})*|\d+)(st|nd|rd|th)\b`,
    ([, digits = '']) => ordinal(digits.replaceAll(',', '')),
    'i',
  ),
  rule(String.raw`(\d)['′](?:\s?(\d{1,2})["″])?`, ([, feet = '', inches]) =>
    inches === undefined
      ? `${cardinal(feet)} ${feet === '1' ? 'foot' : 'feet'}`
      : `${cardinal(feet)} foot ${cardinal(inches)}`,
  ),
  rule(
    String.raw`(${NUMBER})(?:${UNIT})?\s?(?:x|×|by)\s?(${NUMBER})(?:\s?(?:x|×|by)\s?(${NUMBER}))?(?:\s?${UNIT})?`,
    ([, one, , ...found]) => {
      const [unit, ...sizes] = [found.pop(), one ?? '', ...found.filter((size) => size !== undefined)];
      return `${sizes.map(quantity).join(' by ')}${unit === undefined ? '' : ` ${UNITS[unit]?.[1]}`}`;
    },
  ),
  rule(
    String.raw`${MINUS}(${NUMBER})(?:\s?(?:${UNIT}))?${RANGE}(${NUMBER})(?:\s?(k|K|bn|mn|M)\b|\s?${UNIT})?(?![-–]\d)`,
    ([, minus, from = '', , to = '', scale, unit]) => {
      const words = `${minus ? 'minus ' : ''}${quantity(from)} to ${quantity(to)}`;
      if (scale !== undefined) return `${words} ${SCALES[scale]}`;
      return unit === undefined ? words : `${words} ${UNITS[unit]?.[1]}`;
    },
  ),
  rule(String.raw`${MINUS}(${NUMBER})-?\s?${UNIT}`, ([found, minus, amount = '', unit = ''], { after }) => {
    // A single letter with a blank before it is a unit only where no further word hangs on it.
    if (/ [a-zA-Z]$/.test(found) && /^['’]/.test(after)) return undefined;
    return `${minus ? 'minus ' : ''}${quantity(amount)} ${UNITS[unit]?.[amount === '1' ? 0 : 1]}`;
  }),
  rule(
    String.raw`(${NUMBER})in\b`,
    ([, amount = '']) => `${quantity(amount)} ${amount === '1' ? 'inch' : 'inches'}`,
  ),
  rule(
    `(${ALONE})\\b(?![/\\d])`,
    ([, unit = ''], { before }) => UNITS[unit]?.[/\b(?:per|a|an|each|one) $|\/$/.test(before) ? 0 : 1],
  ),
  rule(
    String.raw`(${NUMBER})(k|K|bn|mn|M)\b`,
    ([, amount = '', scale = '']) => `${quantity(amount)} ${SCALES[scale]}`,
  ),
  rule(String.raw`(${NUMBER})[x×](?![A-Za-z\d])`, ([, amount = '']) =>
    amount === '1' ? 'once' : `${quantity(amount)} times`,
  ),
  rule(String.raw`(\d+)s\b`, ([, digits = '']) => pluralNumber(cardinal(digits))),
  rule(
    String.raw`(\d{1,2}):(\d{1,2})(?![\d:])`,
    ([, one = '', other = '']) => `${cardinal(one)} to ${cardinal(other)}`,
  ),
  rule(String.raw`(\d{1,3}(?: \d{3})+)(?![\d])`, ([found]) =>
    found.startsWith('0') ? undefined : cardinal(found.replaceAll(' ', '')),
  ),
  rule(`[-−](${NUMBER})`, ([, amount = ''], { before }) =>
    /(?:^|[\s(,:])$/.test(before) ? `minus ${quantity(amount)}` : undefined,
  ),
  rule(String.raw`\+(${NUMBER})`, ([, amount = '']) => `plus ${quantity(amount)}`),
  rule(String.raw`\.(\d+)`, ([, digits = ''], { before }) =>
    /(?:^|\s)$/.test(before) ? `point ${digitWords(digits)}` : undefined,
  ),
  rule(NUMBER, ([found]) => quantity(found)),
  rule(String.raw`\d+`, ([found]) => quantity(found)),
];

/** Half a pound, three quarters of an hour. */
function partOf(part: string, unit: string): string {
  const [one] = UNITS[unit] ?? [];
  if (one === undefined) return part;
  return `${part}${part === 'half' ? '' : ' of'} ${/^[aeio]|^hour/.test(one) ? 'an' : 'a'} ${one}`;
}

const mixed = (whole: string, part: string, unit: string): string =>
  `${cardinal(whole)} and ${part === 'half' ? 'a half' : part} ${UNITS[unit]?.[1] ?? ''}`;

const quantityOrDigits = (part: string): string =>
  part.length > 2 || /^0\d/.test(part) ? digitWords(part) : cardinal(part);
