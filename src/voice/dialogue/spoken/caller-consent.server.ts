const YES =
  /^(yes|yeah|yep|yup|yea|aye|sure|correct|right|exactly|of course|absolutely|definitely|certainly|okay|alright|perfect|great|fine|good|lovely|brilliant|go ahead|go for it|please do|please (send|book|go)|send it|book it|do it|do that|(that|this|it) is (right|correct|fine|good|great|perfect|it|okay|alright|me|all right)|that would be|that will do|it is|sounds (good|great|fine|right|perfect)|i agree|i confirm|(that|it) works|you (can|may)|very good|spot on|indeed|i do|uh huh)\b/;
const NO =
  /^(no|nope|nah|not|wrong|incorrect|that is (wrong|not|incorrect)|i (do|did|would|will) not|(please )?do not|nothing|never)\b|\b(is wrong|not right|not correct|incorrect)\b/;
/** Words that may stand beside a yes without saying anything else. */
const BESIDE_YES = new Set(
  [
    'yes yeah yep yup yea aye sure correct right exactly of course absolutely definitely certainly okay alright perfect',
    'great fine good lovely brilliant go ahead for it please do that is this would be will works i agree confirm you can may',
    'very spot on indeed uh huh mhm thanks thank much so a lot cheers all me suits the one sounds like well then and just',
    'excellent wonderful ideal super cool no problem',
  ].flatMap((line) => line.split(' ')),
);
/** Words that, beside a yes, say that more is meant: `yes but wait`. */
const MEANS_MORE =
  /\b(no|not|never|but|wait|hold|stop|cancel|except|only|what|when|where|which|who|why|how|is|are|does|do|can|could|change|wrong|actually|instead|later|first)\b/;

/**
 * Whether the words agree or refuse; null for neither. A yes may have other words behind it, so it does not
 * release an action: that takes `saysYes`.
 */
export function readConsent(words: string): boolean | null {
  if (NO.test(words)) return false;
  return YES.test(words) ? true : null;
}

/**
 * Whether the whole turn is a yes, so that it may release the action that a question named. One word beside
 * `yes` may be misheard: `yes, Lee` for `yes, please`.
 *
 * @param words as `normaliseWords` leaves them
 * @param act matches the words of the action, which a caller may add, as in `yes, cancel it`
 */
export function saysYes(words: string, act: RegExp = /$^/): boolean {
  const said = words.replace(act, ' ').trim();
  if (!(readConsent(words) ?? said !== words)) return false;
  const tokens = said.split(/\s+/).filter(Boolean);
  const strange = tokens.filter((token) => !BESIDE_YES.has(token));
  return strange.length === 0 || (tokens.length === 2 && strange.length === 1 && !MEANS_MORE.test(said));
}

const GOODBYE =
  /\b(?:good ?bye|bye(?: bye)*|good night|cheerio|see you(?: (?:later|soon|then))?|(?:talk|speak) to you (?:later|soon|then)|take care|have a (?:nice|good|great|lovely) (?:day|one|evening|afternoon|weekend|rest of the day)|hang up|(?:end|finish) (?:the|this|our) (?:call|conversation)|(?:i |we )?(?:have (?:got )?to|got to|gotta|must|should) (?:go|run))\b/;
const DONE =
  /\b(?:(?:that|this) (?:is|was|will be|would be) (?:all|everything|it|me(?: done)?)|that will do|nothing (?:else|more)|(?:i am|we are) (?:done|finished|all set)|no (?:further|other|more) questions|(?:all|everything) (?:that )?(?:i|we) (?:needed|wanted|need)(?: to know)?)\b/;
/** `Is that everything I need?` is a question. */
const ASKS_WHETHER = /\b(?:is|was) (?:that|this|it)\b/;
const CIVIL =
  /\b(?:thank you|thanks|cheers|very much|so much|a lot|okay|alright|right|well|so|no|nope|nah|ta|yes|yeah|yep|great|perfect|lovely|wonderful|brilliant|excellent|fine|good|then|now|for (?:today|now|the moment|(?:all )?(?:your|the) (?:help|time|information|info))|really|i think|i believe|just|please|and|oh|actually|too|from me|(?:can|could|would) you|you can|you|i|we|me|it|that|is|all|will|want to|would like to|like to|let us|have (?:a )?(?:nice|good) (?:day|one)|mate|love|dear|sorry|off|again)\b/g;
/** A turn with one of these wants something else than an end. */
const WANTS =
  /\b(what|when|where|which|who|why|how|want|need|like|book|cancel|move|send|tell|ask|question|before|but|if|do not|not|never|does|did|is there)\b/;
const ENDS_WITH_BYE = /\b(?:good ?bye|bye)(?: (?:now|then|for now|thank you|thanks|bye))*$/;

/**
 * Whether a caller plainly ends the call: the whole turn is a goodbye, or that there is nothing else, with
 * civil words around it. Only such words end a call without a question (decision 0580).
 *
 * @param words as `normaliseWords` leaves them
 */
export function saysGoodbye(words: string): boolean {
  const bye = GOODBYE.test(words);
  if (!bye && (!DONE.test(words) || ASKS_WHETHER.test(words))) return false;
  const rest = words.replace(new RegExp(GOODBYE, 'g'), ' ').replace(new RegExp(DONE, 'g'), ' ');
  if (rest.replace(CIVIL, ' ').trim() === '') return true;
  return ENDS_WITH_BYE.test(words) && !WANTS.test(rest);
}
