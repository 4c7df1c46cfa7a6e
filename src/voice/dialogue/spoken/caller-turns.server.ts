/** Matches words that go back to an earlier answer: `the name is wrong`, `one step back`. */
const GOES_BACK =
  /\b(go back|(one )?step back|back one|(the )?(last|previous) (question|one|answer)|(change|correct) (my|the) (name|number|e?mail|phone|address|message)|(my|the) (name|number|email|address|phone number|message) (is|was|is still) (wrong|not right|not correct|incorrect)|i made a mistake)\b/;
/** Matches words that take back what was just agreed. */
const CORRECTS =
  /^(no|wait|actually|sorry|oh|hang on|make (it|that)|can we make (it|that))\b|\b(instead|rather|(another|a different) (day|time))\b/;
const DAY_OR_TIME =
  /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|next week|morning|afternoon|at (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|half|quarter)|another (day|time)|a different (day|time))\b/;
const NEXT_WISH =
  / (?:and also|and then) (?=\w+ \w)| (?:and|also|plus|then|and please) (?=(?:can|could|would|will|do|does|is|are|how|what|when|where|who|which|i (?:want|need|would like|have to)|please|book|tell me|send me|cancel|move)\b)/;
const MOST_WISHES = 3;
const LEAST_WORDS = 2;

/** A wish for a moment's patience is the whole turn. */
const WAITS =
  /^(?:(?:okay|yes|sorry|please|oh|can you|could you|just) )*(?:wait|hold on|hang on|(?:one|a|just a|just one) (?:moment|second|minute|sec)|let me (?:think|see|check|look)|bear with me|give me a (?:moment|second|minute|sec))(?: (?:please|then|on|for me|a (?:moment|second|minute|sec)|(?:while|until) i .*|i .*))*$/;

/** Whether a caller asks for a moment's patience. */
export const asksToWait = (words: string): boolean => WAITS.test(words);

/** Whether a caller wants to change an answer of a form. */
export const goesBack = (words: string): boolean => GOES_BACK.test(words);

/** Whether a caller wants another time than the one that was agreed: `no, Thursday`. */
export const correctsTime = (words: string): boolean => CORRECTS.test(words) && DAY_OR_TIME.test(words);

/**
 * The wishes of one turn: `what does it cost and can i book a call` are two.
 *
 * @param words as `normaliseWords` leaves them
 */
export function wishesIn(words: string): string[] {
  const parts = words.split(NEXT_WISH);
  const whole = parts.length > 1 && parts.length <= MOST_WISHES;
  return whole && parts.every((part) => part.split(' ').length >= LEAST_WORDS) ? parts : [words];
}

const BOOKED = '(?:(?:appointment|meeting|booking|call|consultation|it|that|time|slot)\\b)';
const CANCELS = new RegExp(`\\bcancel\\b(?=.*\\b${BOOKED})|\\bcall it off\\b|\\b${BOOKED}.*\\bcancelled\\b`);
const MOVES = new RegExp(
  `\\b(?:move|reschedule|postpone|change|rearrange|push|put|bring|shift)\\b(?=.*\\b${BOOKED})(?! (?:me|you|a|an)\\b)`,
);
/** Verbs that move a booking only with the word behind it: `push it back`, `bring it forward`. */
const WITH_WAY = /\b(?:push|put|bring)\b(?!.*\b(?:back|off|forward|earlier|later)\b)/;
const CANNOT_COME =
  /\b(?:can not|will not|unable to|not able to) (?:make|keep|come to|attend|do) (?:it|that|our|my|the)\b.*/;

/** What a caller wants done with an existing booking: `cancel` or `move` it; null for neither. */
export function changesBooking(words: string): 'cancel' | 'move' | null {
  if (CANCELS.test(words)) return 'cancel';
  if (MOVES.test(words) && !WITH_WAY.test(words)) return 'move';
  return CANNOT_COME.test(words) && new RegExp(BOOKED).test(words) ? 'move' : null;
}

/** The part of a wish to move a call that names the new time: `to Friday at nine`; the rest names the old one. */
export const newTimeIn = (words: string): string =>
  /\b(?:to|until|till|for) (?!(?:move|change|cancel|reschedule|push|put|bring|postpone|rearrange|shift)\b)(.*)$/.exec(
    words,
  )?.[1] ?? '';
