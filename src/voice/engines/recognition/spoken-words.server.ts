const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;

/** Words in the form of the language models: lower case, digits as they are read out, no punctuation. */
export function spokenWords(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/\d/g, (digit) => ` ${DIGITS[Number(digit)]} `)
    .replaceAll('@', ' at ')
    .replaceAll('+', ' plus ')
    .replace(/(?<=[a-z])\.(?=[a-z])/g, ' dot ');
  return (plain.match(/[a-z']+/g) ?? [])
    .map((word) =>
      word.replace(/^'+|'+$/g, '').replace(/^(anal|organ|real|recogn|customi?|apolog)ys/, '$1yz'),
    )
    .filter((word) => word !== '');
}

/** The signs between letters and words that were spelt or said one by one. */
const SPELT =
  /(?<=\b[a-z]|\b(?:dot|at|dash|double|underscore|hyphen))[-.](?=[a-z]\b|(?:dot|at|com|co|uk|dash)\b)|(?<=\b[a-z0-9]+)-(?=(?:dot|at|com|underscore)\b)|(?<=\b(?:dot|at|underscore))-(?=[a-z])/gi;

/**
 * A text in the form that the conversation gets: letters that were spelt stand apart, as they were said.
 *
 * @example separateSpelling('H-e-l-e-n dot-Carter') // 'H e l e n dot Carter'
 */
export function separateSpelling(text: string): string {
  return text.replace(/\b([ap])\.m\b\.?/gi, '$1m').replace(SPELT, ' ');
}

/** A text that may go on: without its final mark, and with its digits apart, for the turn rules. */
export function unfinishedText(text: string): string {
  return text
    .replace(/[.?!,;:…-]+\s*$/, '')
    .replace(/(?<=\d)(?=\d)/g, ' ')
    .trim();
}
