import type { Block } from '../contract/report.contract.ts';

/** Words without a topic: English ones first, then the most common German, French and Dutch ones. */
const STOP_WORDS = new Set(
  `a about above after again against all also although am among an and any are as at be because been before being
  below between both but by can cannot could did do does doing down during each either else etc even ever every few for
  from further had has have having he her here hers him his how however i if in into is it its itself just may me might
  more most must my nor not of off on once one only or other our out over own per same shall she should since so some
  such than that the their them then there therefore these they this those through thus to too two under until up upon
  us use used using very via was we well were what when where whether which while who whom whose why will with within
  without would yet you your new see first second three many much like make made way page figure table section
  der die das und oder ist im den dem des ein eine einer eines mit von zu auf bei nach aus wird werden sind nicht auch
  als an bis durch wenn sie wir ihre ihr es hat haben für über le la les un une des du de et ou est dans pour par sur
  au aux avec ce cette ces que qui ne pas sont son sa ses il elle nous vous het een en van te dat op voor zijn`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

const WORD = /\p{L}[\p{L}\p{M}\d'’-]*\p{L}|\p{L}/gu;

/** Stems of the words with a meaning, in order, lower case; pairs of characters for scripts without spaces. */
export function contentWords(text: string): string[] {
  if (UNSPACED.test(text)) return pairsOf(text);
  const words: string[] = [];
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (word.length > 2 && !STOP_WORDS.has(word)) words.push(stem(word));
  }
  return words;
}

/** Pairs of characters, which are nearly words; the segmenter takes a second for a few hundred thousand characters. */
function pairsOf(text: string): string[] {
  const signs = [...text.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')];
  return signs.slice(1).flatMap((sign, index) => {
    const pair = `${signs[index]}${sign}`;
    return pair.includes(' ') ? [] : [pair];
  });
}

/** Number of words, as a person counts them. */
export function countWords(text: string): number {
  return UNSPACED.test(text) ? countSegments(text) : countSpaced(text);
}

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });
/** Characters that are segmented, as the segmenter takes a second for a few hundred thousand; the rest is estimated. */
const SEGMENTED = 200_000;

function countSegments(text: string): number {
  const sample = text.slice(0, SEGMENTED);
  let words = 0;
  for (const { isWordLike } of WORDS.segment(sample)) if (isWordLike === true) words += 1;
  return Math.round((words * text.length) / sample.length);
}

function countSpaced(text: string): number {
  return text.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’.,-]*/gu)?.length ?? 0;
}

/** A light stem, the same for singular and plural. */
function stem(word: string): string {
  const bare = word.replace(/['’]s$/, '');
  if (bare.length > 5 && bare.endsWith('ies')) return `${bare.slice(0, -3)}y`;
  if (bare.length > 4 && /[^su]s$/.test(bare)) return bare.slice(0, -1);
  return bare;
}

const MAX_PHRASES = 12;
const LONGEST_PHRASE = 3;
/** Longest word, in letters; a longer run is data, or text that lost its spaces. */
const LONGEST_WORD = 45;

/** Repeated phrases of two or three words, or single words if there are none; the most significant first. */
export function keyPhrases(blocks: readonly Block[]): { text: string; count: number }[] {
  const phrases = new Map<string, { text: string; count: number; words: number }>();
  const note = (words: readonly string[]): void => {
    const text = words.join(' ');
    const key = words.map((word) => stem(word.toLowerCase())).join(' ');
    const known = phrases.get(key);
    if (known === undefined) phrases.set(key, { text, count: 1, words: words.length });
    else known.count += 1;
  };
  let segmented = 0;
  const runsOf = (block: Block): string[][] => {
    if (!UNSPACED.test(block.text)) return wordRuns(block);
    if (segmented > SEGMENTED) return [];
    segmented += block.text.length;
    return segmentRuns(block);
  };
  for (const run of blocks.filter(({ type }) => type !== 'header' && type !== 'footer').flatMap(runsOf)) {
    for (let end = 1; end <= run.length; end += 1) {
      for (let length = 1; length <= Math.min(end, LONGEST_PHRASE); length += 1) {
        note(run.slice(end - length, end));
      }
    }
  }
  return choosePhrases([...phrases.values()]);
}

/** Runs of words without a stop word or a punctuation mark between them. */
function wordRuns(block: Block): string[][] {
  const runs: string[][] = [];
  for (const chunk of block.text.split(/[^\p{L}\p{M}\d'’\- ]+|\n/u)) {
    let run: string[] = [];
    for (const word of chunk.split(/\s+/)) {
      if (isTopicWord(word)) run.push(word);
      else {
        runs.push(run);
        run = [];
      }
    }
    runs.push(run);
  }
  return runs;
}

/** The words of a script without spaces, one by one, without those of one character, nearly all of which are grammar. */
function segmentRuns({ text }: Block): string[][] {
  const runs: string[][] = [];
  for (const { segment, isWordLike } of WORDS.segment(text.slice(0, SEGMENTED)))
    if (isWordLike === true && (UNSPACED.test(segment) ? segment.length > 1 : isTopicWord(segment)))
      runs.push([segment.slice(0, LONGEST_WORD)]);
  return runs;
}

function isTopicWord(word: string): boolean {
  return (
    word.length > 2 &&
    word.length <= LONGEST_WORD &&
    /^\p{L}[\p{L}\p{M}'’-]*$/u.test(word) &&
    !STOP_WORDS.has(word.toLowerCase())
  );
}

function choosePhrases(
  all: { text: string; count: number; words: number }[],
): { text: string; count: number }[] {
  const ranked = all
    .filter(({ count, words, text }) => (words === 1 ? count >= 3 && isTelling(text) : count >= 2))
    .sort((a, b) => b.count * weight(b.words) - a.count * weight(a.words) || a.text.localeCompare(b.text));
  const chosen: { text: string; count: number }[] = [];
  for (const { text, count } of ranked) {
    if (chosen.length >= MAX_PHRASES) break;
    const lower = text.toLowerCase();
    const covered = chosen.some((other) => {
      const known = other.text.toLowerCase();
      return known.includes(lower) || lower.includes(known);
    });
    if (!covered) chosen.push({ text, count });
  }
  return chosen;
}

/** Stems of words that say nothing by themselves: words for numbers, for the document, for what documents do. */
const EMPTY_ALONE = new Set(
  `agree agreed agreement apply applied begin bring clause come contain contract day date document end ending follow
  following give given hold hour include included including keep letter mean minute month need note number paid part
  pay payable provide provided say section send set show state take taken term time week work year
  tag tage monat monate woche wochen jahr jahre vertrag jour mois année contrat dag maand week jaar`.split(
    /\s+/,
  ),
);

/** Whether a word says something by itself: not one of the above, and not short, unless its script has short words. */
function isTelling(word: string): boolean {
  return UNSPACED.test(word) || (word.length > 4 && !EMPTY_ALONE.has(stem(word.toLowerCase())));
}

function weight(words: number): number {
  return words === 1 ? 0.45 : words === 2 ? 1.6 : 1.9;
}
