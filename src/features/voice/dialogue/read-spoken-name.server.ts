/** What stands before a name and is none of it. */
const BEFORE =
  /^.*?\b(?:my (?:full |first |last )?name is|name is|this is|i am called|i am|it is|call me|speaking with|the name is|under)\b\s*/;
const AFTER = /\s*\b(?:speaking|here|please|thanks|thank you|and (?:i|my|we)\b.*)$/;
const NO_NAMES = new Set([
  ...[
    'yes',
    'no',
    'okay',
    'hello',
    'hi',
    'what',
    'why',
    'who',
    'how',
    'the',
    'my',
    'name',
    'is',
    'not',
    'sure',
    'thanks',
  ],
  ...[
    'i',
    'you',
    'we',
    'it',
    'a',
    'an',
    'to',
    'please',
    'want',
    'need',
    'would',
    'can',
    'do',
    'about',
    'sorry',
    'uh',
    'um',
  ],
]);
const MOST_WORDS = 4;

/**
 * A person's name: after `my name is`, or the whole answer when it is a few words, or letters that
 * were spelt (`s m i t h`).
 *
 * @param words as `normaliseWords` leaves them
 * @returns with capital letters; null when nothing like a name was said
 */
export function readSpokenName(words: string): string | null {
  const spelt = /^(?:.*\b(?:spelled|spelt|spell|it is|that is)\b\s+)?((?:[a-z] ){2,}[a-z])$/.exec(words);
  if (spelt?.[1]) return capitalise(spelt[1].replaceAll(' ', ''));
  const name = words.replace(BEFORE, '').replace(AFTER, '').trim();
  const parts = name.split(' ').filter(Boolean);
  if (parts.length === 0 || parts.length > MOST_WORDS) return null;
  if (parts.some((part) => NO_NAMES.has(part) || !/^[\p{L}][\p{L}'.-]*$/u.test(part))) return null;
  return parts.map(capitalise).join(' ');
}

function capitalise(word: string): string {
  return word.replace(
    /(^|[-'])(\p{L})/gu,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
}
