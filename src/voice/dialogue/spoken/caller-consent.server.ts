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
