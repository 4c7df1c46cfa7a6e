/** Matches words that go back to an earlier answer: `the name is wrong`, `one step back`. */
const GOES_BACK =
  /\b(go back|(one )?step back|back one|(the )?(last|previous) (question|one|answer)|(change|correct) (my|the) (name|number|e?mail|phone|address|message)|(my|the) (name|number|email|address|phone number|message) (is|was|is still) (wrong|not right|not correct|incorrect)|i made a mistake)\b/;
/** Matches words that take back what was just agreed. */
const CORRECTS =
  /^(no|wait|actually|sorry|oh|hang on|make (it|that)|can we make (it|that))\b|\b(instead|rather|(another|a different) (day|time))\b/;
const DAY_OR_TIME =
  /\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|next week|morning|afternoon|at (\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|half|quarter)|another (day|time)|a different (day|time))\b/;
const NEXT_WISH =
  / (?:and|also|and also|plus|then|and then|and please) (?=(?:can|could|would|will|do|does|is|are|how|what|when|where|who|which|i (?:want|need|would like|have to)|please|book|tell me|send me|cancel|move)\b)/;
const MOST_WISHES = 3;
const LEAST_WORDS = 2;

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

/** What a caller wants done with an existing booking: `cancel` or `move` it; null for neither. */
export function changesBooking(words: string): 'cancel' | 'move' | null {
  if (!/\b(appointment|meeting|booking|call|it|that|time|slot)\b/.test(words)) return null;
  if (/\bcancel\b|\bcall it off\b/.test(words)) return 'cancel';
  return /\b(move|reschedule|postpone|change|put (it|that|my \w+) (back|off)|put (back|off))\b/.test(words)
    ? 'move'
    : null;
}
