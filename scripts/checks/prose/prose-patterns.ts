/** A way of writing that a stranger has to read twice (docs/style.md), with what finds it in a sentence. */
export interface Pattern {
  readonly name: string;
  readonly finds: (sentence: string) => boolean;
}

const BE = '(?:is|are|was|were|be|been|being)';
/** Words after which somebody, not something, is told. */
const PEOPLE =
  'you|they|we|he|she|people|person|nobody|everybody|somebody|others?|both|all|callers?|customers?|clients?|servers?|operators?|owners?|users?|members?|visitors?|colleagues?|agency|browsers?|pages?|listeners?|model|assistants?|it';
const FINITE =
  'is|are|was|were|has|have|had|will|would|may|can|cannot|must|does|did|goes|comes|stays|stands|remains|ends|counts|costs|fails|follows|lapses|becomes|takes|gets|hears|sees|knows|keeps|gives|learns|waits|needs|wants|leaves|stops|lasts|reads|tells|belongs';
const AUXILIARIES = new RegExp(`^(?:\\s+(?:not|never|still|also|only|then|now|${FINITE})\\b)+`);
/** Words that open another clause, so that its verb is none of the first one's. */
const OPENS_CLAUSE =
  /\b(?:who|what|which|that|whose|when|where|while|if|as|because|how|whether|until|after|before|since|than|unless|without|so|once)\b/i;

const matching = (name: string, pattern: RegExp): Pattern => ({
  name,
  finds: (sentence) => pattern.test(sentence),
});

/**
 * A sentence that opens with a subject such as 'What was found stays': the opening word has a verb, and a second
 * verb follows before any comma or other clause. Questions are left alone, and so are headings such as
 * 'What the server sends', which have one verb.
 */
function opensWithClause(sentence: string, word: 'Who' | 'What'): boolean {
  if (!sentence.startsWith(`${word} `) || sentence.endsWith('?')) return false;
  const head = sentence.slice(word.length + 1).split(/[,:;?(–—]/)[0] ?? '';
  if (
    /^(?:the|an?|it|they|he|she|you|we|one|this|that|else|somebody|everybody)\b/.test(head) &&
    word === 'Who'
  )
    return false;
  const first = word === 'Who' ? /^\w+/.exec(head) : new RegExp(`\\b(?:${FINITE})\\b`).exec(head);
  if (first === null || OPENS_CLAUSE.test(head.slice(0, first.index))) return false;
  // 'must have been' is one verb.
  const rest = head.slice(first.index + first[0].length).replace(AUXILIARIES, '');
  const second = new RegExp(`\\b(?:${FINITE})\\b`).exec(rest);
  if (second === null) return false;
  const between = rest.slice(0, second.index);
  // 'What you need is a key' is good English.
  if (/^(?:is|are|was|were) (?:an?|the|to|that|what|why|how)\b/.test(rest.slice(second.index))) return false;
  return !OPENS_CLAUSE.test(between) && !/\b(?:and|or|to|not)\s*$/.test(between);
}

/** The patterns, each held by a test with a sentence that it refuses. */
export const PATTERNS: readonly Pattern[] = [
  matching(
    'is none',
    new RegExp(
      `(?<!\\bthere )(?<!\\bthere (?:may|can|must|will|should|might|would|has|have) )(?<!\\bthere (?:has|have|had) been )\\b${BE} none\\b(?! of (?:these|those|them|the|its|your|our|their|it|this|that|us)\\b)(?! too\\b)`,
      'i',
    ),
  ),
  matching(
    'for who',
    /\b(?:for|by|from|with|to|than|at|until|beside) who\b(?<!\b(?:as|attention|belong|comes down) to who)/i,
  ),
  matching(
    'of who',
    /(?<!\b(?:list|log|record|proof|evidence|idea|question|note|history|sense|account|knowledge|regardless|matter|independent|independently|irrespective|view) )\bof who\b/i,
  ),
  matching(
    'so many',
    /(?<!\b(?:not|how|why|are there|is there) )(?<!\bwithout )\bso (?:many|much)\b(?! (?:that|as|for|the better|more|less|better|worse|else|to)\b)(?! \w+er\b)(?![^.;:]*\bthat\b)/i,
  ),
  matching(
    'what … is ours',
    new RegExp(
      `\\bwhat\\b[^,.;:]{0,60}\\b${BE} (?:ours|theirs|its own)\\b|\\bours to (?:say|judge|keep|look|decide|give|tell|do)\\b`,
      'i',
    ),
  ),
  matching(
    'is told',
    new RegExp(
      `(?<!\\b(?:${PEOPLE}) )(?<!\\b(?:${PEOPLE}) (?:has|have|had) )\\b${BE} (?:never |not |only )?told(?:[.,;:]|$| (?:by|in|with|as|inline|wrong\\w*|beside|once|here|there|only)\\b)(?![^.;:]*\\btold? (?:that|to)\\b)`,
      'i',
    ),
  ),
  matching('whoever', /\bwho(?:m|so)?ever\b/i),
  { name: 'Who … is', finds: (sentence) => opensWithClause(sentence, 'Who') },
  { name: 'What … is', finds: (sentence) => opensWithClause(sentence, 'What') },
  matching(
    'Of a … is',
    /^Of (?!course\b)(?!the (?:two|three|four|five|six|seven|\d))[^,.;:]{1,60} (?:is|are|was|were|so) /,
  ),
  matching(
    'Told is',
    /^(?:Told|Kept|Given|Read|Held|Asked|Sent|Found|Taken|Counted|Meant|Said|Shown|Left) (?:is|are|was|were)\b/,
  ),
  matching('an own', /\b(?:an|the|of|with|no) own\b(?! propert)/i),
  matching('for as long', /\bfor as long\b(?! as\b)/i),
  matching('the yes', /\b(?:the yes|yes back)\b/i),
];

/** The sentences of a passage; a semicolon ends one too, as what follows stands alone. */
export function sentencesIn(text: string): string[] {
  return text
    .split(/(?<=[.?!;])(?<!\b(?:e\.g|i\.e|vs|etc|No|p)\.) +(?=\S)/)
    .map((sentence) => {
      const begun = sentence.replace(/^[\s#>*_•(–—-]+/, '');
      return begun.charAt(0).toUpperCase() + begun.slice(1);
    })
    .filter((sentence) => /\w/.test(sentence));
}

/** Names of the patterns that a passage has, one for each sentence that has it. */
export function patternsIn(text: string): { pattern: string; sentence: string }[] {
  return sentencesIn(text).flatMap((sentence) =>
    PATTERNS.filter(({ finds }) => finds(sentence)).map(({ name }) => ({ pattern: name, sentence })),
  );
}
