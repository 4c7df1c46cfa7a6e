/** What is said before the actual words: greetings, politeness, and introductions to a question. */
const BEFORE =
  /^(?:(?:(?:hello|hiya|hi|hey)(?: there)?|good (?:morning|afternoon|evening|day)|so|well|right|okay|alright|now|and|but|oh|ah|look(?! (?:at|over|through|into|for)\b)|listen|sorry|excuse me|pardon me|actually|basically|also|then|please|quick question|(?:one|another) (?:other |more |last )?(?:thing|question)|i have (?:got )?(?:a|another|one) (?:quick |more )?question|(?:i was|i am)(?: just)? (?:wondering|asking|calling|ringing|phoning)(?: up)?(?: to (?:ask|find out|see|check|enquire))?(?: (?:if|whether|about))?|(?:can|could|may) i(?: just)? ask(?: you)?(?: (?:if|whether))?|(?:could|can|would|will) you(?: (?:just|please|possibly|maybe))* tell me|do you happen to know|do you know|(?:i|we) (?:just )?(?:would like|want|wanted|need) to (?:know|ask|find out)(?: (?:if|whether|about))?|tell me|any idea|(?:the )?thing is|you see|my question is|what i (?:want|wanted|need) to know is) )+/;
/** What is said after them. */
const BEHIND =
  /(?: (?:please|thanks|thank you|many thanks|thanks very much|cheers|ta|love|mate|then|though|or not|or what|or something|or anything|if you do not mind|if i may ask|if that is (?:okay|alright)|if possible|by any chance|at all|you see|to be honest|i mean|i guess|i suppose|i think)|(?<!\b(?:do|what)) you know)+$/;
/** What is said in the middle while thinking. */
const BETWEEN =
  /\b(?:(?<!do |what )you know|i mean|sort of|kind of|to be honest|if you see what i mean|as i say|like i said|basically|actually|literally|honestly|obviously|just)\b/g;
const TWICE = /\b([\p{L}']+)(?: \1\b)+/gu;
const LEAST_WORDS = 2;

/**
 * The words that carry the meaning: without greetings, politeness, fillers and repetitions. Only these are
 * compared by meaning, since `hello good morning i was just wondering` would make any two callers similar.
 *
 * @param words as `normaliseWords` leaves them
 * @returns the words unchanged where next to nothing would be left
 * @example coreOf('hello i was wondering if you know you take cheques please') // 'you take cheques'
 */
export function coreOf(words: string): string {
  const core = squeezed(words.replace(TWICE, '$1').replace(BETWEEN, ' '))
    .replace(BEFORE, '')
    .replace(BEHIND, '');
  return core.split(' ').length < LEAST_WORDS ? words : core;
}

const squeezed = (words: string): string => words.replace(/ +/g, ' ').trim();
