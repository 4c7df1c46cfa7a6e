import anyAscii from 'any-ascii';

/** Signs between words, and what they are read as. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[™®©†‡•·▪◦●]/gu, ' '],
  [/[‘’ʼ´`′]/gu, "'"],
  [/[“”„«»″]/gu, '"'],
  [/…/gu, '...'],
  // Money as `Intl.NumberFormat` writes it: no word with a number behind it has this blank.
  [/\b([A-Z]{3})\u{a0}(?=\d)/gu, '$1¤'],
  [/\u{a0}|\u{202f}|\u{2009}/gu, ' '],
  [/[\u{ad}\u{200b}-\u{200f}\u{2060}\u{feff}]/gu, ''],
  [/[㎡]|m²/gu, 'm2'],
  [/m³/gu, 'm3'],
  [/℃/gu, '°C'],
  [/[→⇒]/gu, ' to '],
  [/÷/gu, ' divided by '],
  [/±/gu, ' plus or minus '],
  [/²/gu, ' squared '],
  [/³/gu, ' cubed '],
];
/** Pictures and the signs that join them; digits and # stay, though they may begin a picture. */
const PICTURES =
  /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u{1f1e6}-\u{1f1ff}]|\u{200d}|\u{fe0f}|\u{20e3})+/gu;
const FOREIGN = /[^\p{ASCII}\p{P}\p{S}\p{Z}\ue000-\uf8ff½¼¾⅓⅔⅕⅛⅜⅝⅞]+/gu;
/** Lines that are no sentence: fences, rules, table rules. */
const EMPTY_LINE = /^\s*(?:`{3}.*|~{3}.*|[-*_=]{3,}|\|?[\s:|-]*-{2,}[\s:|-]*\|?)\s*$/;

/**
 * Brings a text to one line of plain signs: lists, headings, emphasis, links and tables of Markdown become
 * sentences with pauses, pictures go, and letters of other scripts become Latin ones.
 */
export function plainLine(text: string): string {
  let plain = text.normalize('NFC');
  for (const [sign, words] of SIGNS) plain = plain.replace(sign, words);
  plain = plain.replace(PICTURES, (_, at: number) => pictureGap(plain, at));
  plain = joinLines(plain.replace(FOREIGN, (letters) => anyAscii(letters)));
  return plain
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, ' ')
    .replace(/(^|[\s("'])(?!\*[\d*]+#)(\*{1,3}|_{1,3}|~~)(?=\S)/g, '$1')
    .replace(/(\S)(?:\*{1,3}|_{1,3}|~~)(?=$|[\s.,;:!?)"'])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A picture between two words leaves a pause. */
const pictureGap = (text: string, at: number): string =>
  /[\p{L}\p{N}]\s*$/u.test(text.slice(0, at)) ? ', ' : ' ';

/** Lines as sentences; items of a list get a comma between them, and a full stop after the last. */
function joinLines(text: string): string {
  const lines = inlineItems(text)
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '' && !EMPTY_LINE.test(line))
    .map(readLine);
  return lines
    .map(({ words, item }, at) => {
      const last = lines[at + 1];
      if (last === undefined || /[.!?,;:]["')*_]*$/.test(words)) return words;
      return `${words}${item && last.item ? ',' : '.'}`;
    })
    .join(' ');
}

/** `- tea - coffee` and `1. Name 2. Date` on one line are lists too. */
function inlineItems(text: string): string {
  if (/^\s*[-*+] \S[^\n]* [-*+] \S/.test(text)) return text.replace(/(^|\s)[-*+] (?=\S)/g, '\n- ');
  if (/^\s*1[.)] \S[^\n]* 2[.)] \S/.test(text)) return text.replace(/(^|\s)(\d{1,2}[.)]) (?=\S)/g, '\n$2 ');
  return text;
}

function readLine(line: string): { readonly words: string; readonly item: boolean } {
  const heading = /^\s*#{1,6}\s+(.*?)\s*#*\s*$/.exec(line);
  if (heading) return { words: heading[1] ?? '', item: false };
  const bullet = /^\s*(?:>\s*)*[-*+]\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line);
  if (bullet) return { words: (bullet[1] ?? '').trim(), item: true };
  const numbered = /^\s*(\d{1,2})[.)]\s+(\D.*)$/.exec(line);
  if (numbered)
    return {
      words: `${numbered[1]}, ${(numbered[2] ?? '').trim()}.`.replace(/([.!?])\.$/, '$1'),
      item: false,
    };
  const row = /^\s*\|(.*)\|\s*$/.exec(line);
  if (row) return { words: (row[1] ?? '').trim().replace(/\s*\|\s*/g, ', '), item: false };
  return { words: line.replace(/^\s*(?:>\s*)+/, '').trim(), item: false };
}
