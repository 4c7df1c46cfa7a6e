const SHORT_FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b(what|that|it|who|where|how|here|there)'s\b/g, '$1 is'],
  [/\b(i)'m\b/g, '$1 am'],
  [/\b(\w+)'re\b/g, '$1 are'],
  [/\b(\w+)'ve\b/g, '$1 have'],
  [/\b(\w+)'ll\b/g, '$1 will'],
  [/\b(\w+)'d\b/g, '$1 would'],
  [/\bcan't\b/g, 'can not'],
  [/\bcannot\b/g, 'can not'],
  [/\bwon't\b/g, 'will not'],
  [/\b(\w+)n't\b/g, '$1 not'],
  [/\bok\b/g, 'okay'],
  [/\b(call ?back|callback)\b/g, 'call back'],
  [/\bweb ?sites?\b/g, 'website'],
  [/\bchat ?bots?\b/g, 'chat bot'],
  [/\be-?mail\b/g, 'email'],
  [/\banalys(e|ed|es|ing)\b/g, 'analyz$1'],
  [/\ball right\b/g, 'alright'],
  [/\b(\d{1,2})(am|pm)\b/g, '$1 $2'],
  [/\bset-?up\b/g, 'setup'],
  // Sounds that people make while thinking.
  [/\b(um+|uh|er+|erm|hm+)\b(?!-)(?! huh)/g, ' '],
];

/**
 * Brings what was said or typed into one form: lower case, no punctuation but that of numbers and addresses,
 * short forms written out.
 *
 * @example normaliseWords("What's the price, please?") // 'what is the price please'
 */
export function normaliseWords(text: string): string {
  let words = text.normalize('NFKC').toLowerCase().replace(/[‘’]/g, "'");
  for (const [short, long] of SHORT_FORMS) words = words.replace(short, long);
  return words
    .replace(/[^\p{L}\p{N}@.+'£€$¥:_-]+/gu, ' ')
    .replace(/[.:'-]+(?=\s|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The words of a text: lower case, without punctuation. */
export function plainWords(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[^\p{L}\p{N}']+/u)
    .map((word) => word.replaceAll(/^'+|'+$/g, ''))
    .filter((word) => word !== '');
}
