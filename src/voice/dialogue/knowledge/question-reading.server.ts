import { type Term, termsOf } from '../likeness/word-meanings.server.ts';

/** The kind of answer that a question wants. */
export type Wanted =
  | 'price'
  | 'hours'
  | 'place'
  | 'person'
  | 'duration'
  | 'number'
  | 'phone'
  | 'email'
  | 'year'
  | 'list'
  | 'any';

/** A caller's words, read as a question. */
export interface Question {
  readonly words: string;
  readonly wanted: Wanted;
  /** Whether yes or no answers it. */
  readonly yesNo: boolean;
  /** The telling words, without those that only say which kind of answer is wanted. */
  readonly terms: readonly Term[];
}

const KINDS: readonly (readonly [Wanted, RegExp])[] = [
  [
    'price',
    /\b(how (much(?! (notice|time|space|room|longer|earlier|luggage|weight|help|experience|practice)\b)|expensive|pricey|dear)|what (would|do|will|does|is|are) (i|you|it|that|a|an|the|your)?\b.*\b(pay|charge|cost|set me back|run me)|prices?|costs?|costing|pricing|(hourly|day) rate|fees?|(?<!in )charges?|set me back|expensive|tariff|run me|damage|ballpark)\b|\brate$|\bwhat (do|would|will) you (take|ask|want) (for|just for)\b|\bwhat are you asking\b|\b(shell|fork) out\b|\bcomes? to$|\bwhat (would|will) (that|it|this) be$|\bin for if\b/,
  ],
  ['phone', /\b(phone|telephone|your|contact) number\b|\bnumber (can|do|should) i (call|ring)\b/],
  ['email', /\b(email|mail address|write to you|send you a message)\b/],
  [
    'hours',
    /\b(open|opening (hours|times)|hours|close|closes|closing time|shut|what time do you|when (are|do) you (open|close|there|start|finish)|are you (there|in|closed)|(office|business|working) (hours|times))\b|\b(is|are) (anybody|anyone|someone|somebody|you|the office) (there|in|open|available|free) (at|on|in|during|after|before|over)\b|\bwhen can i (reach|come|visit|ring|call)\b|\buntil when\b|\bhow late\b|\b(latest|earliest) (that )?(you|i can|we can|anybody|anyone|somebody|someone)\b|\bare you (lot |guys |people |all )?(serving|about|around|working|on duty)\b/,
  ],
  [
    'place',
    /\b(where (is|are|can i find|do i find|s)|whereabouts|address|located|location|what street|which (street|city|town|road|floor)|how do i (get|find)|directions|based)\b/,
  ],
  [
    'year',
    /\bhow long (have|has|are|is) (you( lot| guys| people| folks| all)?|it|they|the \w+) (been|existed|around)|\b(what|which) year\b|\bhow old\b|\bwhen (was|were|did)\b.*\b(founded|open|opened|start|started|established|begin)\b/,
  ],
  [
    'duration',
    /\bhow (long|quick|quickly|fast|soon|much time)\b|\bwhen (would|will) (somebody|someone|it)\b/,
  ],
  [
    'person',
    /^(so |and |well )?(who|whose|which (doctor|dentist|person|engineer))\b|\bwho is\b|\bname of\b|\bcalled\?*$/,
  ],
  ['number', /\bhow (many|far|big|large|old)\b/],
  [
    'list',
    /\bwhat('s| is)? on (the|your) (menu|list)\b|\b(what|which) (\w+ ){0,3}(do|can|have|did) you (do|have|got|sell|offer|serve|make|provide|stock)\b|\b(what|which) (\w+ ){1,3}(have you|have you got|are there|are available|do you)\b|\bwhat (do|can) you (sell|offer|do|serve|make)\b|\blist (of|all|your)\b|\brun me through\b/,
  ],
];
const YES_NO =
  /^(?:(?:so|and|but|well|hello|hi|er|sorry|okay|excuse me|please tell me|tell me) )*(?:is|are|am|do|does|did|can|could|may|might|will|would|have|has|should|must|any chance|got)\b/;
/** Words that only say which kind of answer is wanted, and nothing about the subject. */
const OF_KIND: Readonly<Partial<Record<Wanted, RegExp>>> = {
  price:
    /\b(how much|how|expensive|pricey|dear|prices?|priced|costs?|costing|pricing|charges?|fees?|set|back|run|rates?|tariff|pay|paying|amount|money|set me back|damage|ballpark|shell|fork|asking|ask|these days|more than|less than|under|pounds?|euros?|dollars?|hundred|thousand)\b/g,
  phone: /\b(phone|telephone|contact|number|have)\b/g,
  email: /\b(email|mail|address|write)\b/g,
  hours:
    /\b(open|opening|hours?|times?|close|closes|closing|shut|until|late|when|reach|there|start|finish|come)\b/g,
  place: /\b(where|whereabouts|address|located|location|street|city|town|road|directions|based|find|get)\b/g,
  duration: /\b(long|quickly|fast|soon|time|quick|until|take|takes|last)\b/g,
  year: /\b(year|old|when|long|been|around|existed)\b/g,
  person: /\b(who|name|called)\b/g,
  number: /\b(how many|far|big|large|old)\b/g,
  list: /\b(menu|list|run|through|offer|offers|offering|offerings|sell|serve|provide|stock|make|available|options?)\b/g,
};

/**
 * Reads a question.
 *
 * @param words as `normaliseWords` leaves them
 */
export function readQuestion(words: string): Question {
  const plain = words.replace(/[?]/g, '');
  const wanted = KINDS.find(([, cue]) => cue.test(plain))?.[0] ?? 'any';
  const subject = plain.replace(OF_KIND[wanted] ?? /$^/g, ' ');
  return { words: plain, wanted, yesNo: YES_NO.test(plain), terms: termsOf(subject) };
}

const MONEY =
  /[£$€¥]\s?\d|\b\d+(\.\d+)? (pounds?|euros?|dollars?|pence)\b|\b(pounds?|euros?|dollars?|quid|free|half price|percent)\b/i;
const HAS: Readonly<Partial<Record<Wanted, RegExp>>> = {
  price: MONEY,
  hours: /\b(open|opening|closed|hours|daily)\b|\b\d{1,2}(:\d\d)? ?(am|pm)\b|\d:\d\d/i,
  place:
    /\b(street|road|lane|avenue|square|place|st|rd|hill|park|floor|corner|opposite|next to|behind|above|located|based|address|at \d+)\b/i,
  person: /\b(dr|mr|mrs|ms|chef|owner|owns|manager)\b|\b\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+\b/u,
  duration: /\b(minutes?|hours?|days?|weeks?|months?|years?)\b/i,
  number:
    /\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty)\b/i,
  phone: /\d[\d ]{5,}\d/,
  email: /@/,
  year: /\b(1[6-9]|20)\d\d\b/,
};

/** Facts that alone answer `where are you` and similar questions. */
const OWN: Readonly<Partial<Record<Wanted, RegExp>>> = {
  place:
    /^(our )?(address|location)\b|^(we|the \w+) (are|is) (at|in|on|located|based)\b|\b(is|are) (at|located|based) |\bis an? ([\w&'-]+ ){1,4}(at|in|on) /i,
  phone: /^(our )?(\w+ )?(phone|telephone|contact)\b|\b(call|ring|phone) us\b/i,
  email: /^(our )?e-?mail\b|\b(write|e-?mail) (to )?us\b/i,
  year: /\b(founded|opened|since|established|started|began)\b/i,
};

/** Whether a text is the plain answer to a question without a subject, such as our address or our number. */
export function isOwn(wanted: Wanted, text: string): boolean {
  return OWN[wanted]?.test(text) === true && HAS[wanted]?.test(text) === true;
}

/** Whether a text has the kind of answer that is wanted; undefined where no certain kind is wanted. */
export function hasWanted(wanted: Wanted, text: string): boolean | undefined {
  return HAS[wanted]?.test(text);
}
