import { takenBack } from './caller-corrections.server.ts';
import { joinLetters } from './spoken-letters.server.ts';

/** Words before a name that are not part of it. */
const BEFORE =
  /^.*?\b(?:my (?:full |first |last )?name is|name is|this is|i am called|i am|i said|i say|i meant|it is|it should be|that is|call me|speaking with|the name is|make it|change it to|sorry|under)\b\s*/;
const LEADING = /^(?:no|nope|yes|hi|hello|okay|well|sure|so|oh|sorry|actually|not \w+ but)\s+/;
const AFTER = /\s*\b(?:speaking|here|please|thanks|thank you|not \w+|and (?:i|my|we)\b.*)$/;
const SPELLING = /\b(?:spelled|spelt|spell|spelling|that is spelled|last name|surname)\b/;
const NO_NAMES = new Set(
  [
    'yes no okay hello hi what why who how the my name is not sure thanks i you we it a an to please want need',
    'would can do about sorry uh um right correct wrong fine all that this great good nothing something nobody',
    'never mind again back stop wait of for and or with from have has had your our their are was were be been',
    'repeat later maybe perhaps none any some more could should will when where which tell know just really',
  ].flatMap((words) => words.split(' ')),
);
const MOST_WORDS = 4;

/**
 * A person's name: what follows `my name is`, or the whole answer when it is a few words, or spelt letters
 * (`s m i t h`), which replace the last part of the name that was heard before.
 *
 * @param words as `normaliseWords` leaves them
 * @param before what was heard the last time, if anything
 * @returns with capital letters; null where nothing like a name was said
 */
export function readSpokenName(words: string, before: string | null = null): string | null {
  const corrected = takenBack(words);
  if (corrected !== null) return readSpokenName(corrected.meant, before);
  const { words: joined, spelt } = joinLetters(words.replace(LEADING, ''));
  const last = spelt.at(-1);
  if (last !== undefined && last.length > 2) return withSpelling(joined, last, before);
  let name = joined;
  for (let rest = ''; rest !== name; ) {
    rest = name;
    name = name.replace(BEFORE, '').replace(LEADING, '').replace(AFTER, '').trim();
  }
  const parts = name.split(' ').filter(Boolean);
  if (parts.length === 0 || parts.length > MOST_WORDS) return null;
  if (parts.some((part) => NO_NAMES.has(part) || !/^[\p{L}][\p{L}'.-]*$/u.test(part))) return null;
  return parts.map(capitalise).join(' ');
}

/** The name with its spelt last part: for `anna smith s m i t h` and for `smith is spelled s m i t h`. */
function withSpelling(joined: string, last: string, before: string | null): string | null {
  const around = joined
    .slice(0, joined.lastIndexOf(last))
    .replace(SPELLING, ' ')
    .replace(/\bis\b\s*$/, '')
    .trim();
  const said = around === '' ? null : readSpokenName(around);
  const first = (said ?? before)?.split(' ') ?? [];
  const kept = first.length > 1 ? first.slice(0, -1) : said === null && first.length === 1 ? first : [];
  return [...kept, capitalise(last)].filter((part, at, all) => part !== all[at - 1]).join(' ');
}

function capitalise(word: string): string {
  return word.replace(
    /(^|[-'])(\p{L})/gu,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}
