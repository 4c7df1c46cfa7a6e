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
