/**
 * The purpose of a sentence in a prompt: the assistant may tell it to callers, must not speak about it, or
 * neither.
 */
export type Statement =
  | { readonly is: 'fact'; readonly text: string; readonly trigger: string }
  | { readonly is: 'forbidden'; readonly about: string }
  | { readonly is: 'message'; readonly trigger: string }
  | { readonly is: 'identity'; readonly name: string | null; readonly organisation: string | null }
  | { readonly is: 'manner' };

const MANNER: Statement = { is: 'manner' };
const CALLER =
  '(?:(?:a|an|any|the|some) )?(?:caller|customer|patient|guest|client|user|visitor|person|someone|somebody|anyone|anybody|people|they|callers|customers|patients|guests|clients|users|visitors)';
const CONDITION = new RegExp(
  `^(?:if|when|whenever|should|in case) ${CALLER} (.+?),? (?:then |please |just |always )*`,
  'i',
);
/** A condition about what has happened, with what to say then. */
const HAPPENED =
  /^(?:if|when|whenever|in case) [^,]+, (?:then |please |just |always )*(?:tell|say|advise|inform|remind|explain)\b/i;
const ASKED =
  /^(?:asks?|wants? to know|would like to know|enquires?|inquires?|wonders?|mentions?|wants?|needs?|reports?|says? (?:that )?(?:they|he or she)|has|have|is|are)\b(?: (?:you|us|me))?(?: (?:about|for|whether|if|after))?\s*/i;
const SAYING =
  /(?:^|,? )(?:then |please |just |always )*(say|tell|answer|reply|explain|let|inform|advise|mention|respond|state|point out|remind)(?: (?:to )?(?:them|him or her|the caller|callers|people|everyone|everybody|customers|patients|guests|him|her))?(?: know)?(?: (that|to|with)|:)? *(.*)$/i;
const MESSAGE =
  /\b(take (?:a |their |the )?(?:message|details|name)|ask for (?:a |their )?(?:name|number|phone|e-?mail|contact)|call(?:s|ed)? (?:them )?back|offer a call-?back)\b/i;
const FORBIDS =
  /^(?:please )?(?:you (?:must|should|may|can|shall|will) (?:never|not)|you are not (?:allowed|permitted) to|never|do not|don't|under no circumstances|refuse to|avoid)\b(?: ever)? *(.*)$/i;
/** Bans on a way of speaking; they are not subjects that a caller could ask about. */
const WAYS =
  /^(?:argue|be|use|interrupt|repeat|make (?:things )?up|invent|hang up|speak|sound|ramble|rush|ask|apologi[sz]e|talk (?:too|over|for)|lie|guess|say you|forget|pretend|claim|answer in|swear|end|start|begin|assume|respond|follow|break|leave|read)/i;
const ORDER =
  /^(?:be|keep|speak|answer|respond|reply|act|ask|always|stay|use|greet|introduce|try|make sure|remember|ensure|offer to|collect|confirm|repeat|listen|end|start|begin|transfer|help|assist|follow|provide|respect|write|talk|only|focus|limit|wait|remain|thank|apologi[sz]e|treat the|pretend|stick|sound|let|first|then|finally|step \d)\b/i;
/** Words that begin an order but may also begin the name of a thing: `Repeat prescriptions take two days`. */
const NAMES_A_THING = new RegExp(
  '^(?:repeat|first|start|end|help|answer|offer|sound|follow|follow-up|transfer|limit)' +
    "(?: (?!(?:that|which|who|if|when|what|how|to|the|an?|their|your|every|each|them|him|her|it|callers?|customers?|and|or)\\b)[\\p{L}'-]+){1,3}? " +
    '(?:is|are|takes?|costs?|lasts?|needs?|has|have|can|must|will|may|comes?|includes?|begins?|starts?|runs?)\\b',
  'iu',
);
const ROLE =
  /^your (?:task|job|role|goal|tone|style|personality|purpose|objective|responsibilit\w+|duty|duties|main|primary|manner|answers?|replies|responses|voice|instructions?|aim|persona)\b/i;
const DUTY =
  /^you (?:should|must|will|need|are to|are expected|answer|help|speak|handle|take calls|assist|respond|talk|always|only|never|work (?:as|in)|sound|have to|(?:can|may) (?:only |also )*(?:answer|help|tell|speak|transfer|use|say|assist|talk|discuss|offer|refer))\b/i;
const ROLES =
  'assistant|receptionist|agent|bot|helper|representative|operator|secretary|concierge|waiter|waitress|host|hostess|advis[eo]r|clerk|chat ?bot|voice|ai|employee|member|manager|expert|specialist|coordinator|attendant';
const NAME = "\\p{Lu}[\\p{L}\\p{N}'’.&-]*";
const ORGANISATION = new RegExp(
  `\\b(?:of|for|at|from|with|called|named|to|by) (?:the )?(${NAME}(?: (?:${NAME}|&|and(?= ${NAME})|of(?= ${NAME})))*)`,
  'u',
);

/** Whether a prompt calls the business `we`, so that its `you` is the caller: `You bring your own padlock.` */
export const saysWe = (prompt: string): boolean => /\b(we|our|us)\b/i.test(prompt);

/** Rewrites `you` and `your` of a sentence about the business to `we` and `our`. */
export function asWe(text: string): string {
  return text
    .replace(/^you are\b/i, 'We are')
    .replace(/^you're\b/i, 'We are')
    .replace(/^you\b(?! (?:can|may|need|should|must|will|could|might|have to|pay|get)\b)/i, 'We')
    .replace(/^your\b/i, 'Our');
}

/** Rewrites what the assistant should tell somebody so that it addresses that person. */
function asYou(text: string): string {
  const said = text
    .replace(/\bthey are\b/gi, 'you are')
    .replace(/\b(?:they|them|the caller|callers)\b/gi, 'you')
    .replace(/\btheir\b/gi, 'your')
    .trim();
  return sentence(said);
}

/** Makes a sentence of a text: a capital letter at its beginning and a mark at its end. */
export function sentence(text: string): string {
  const plain = text
    .trim()
    .replace(/^["'“]|["'”]$/g, '')
    .replace(/[,;:\s]+$/, '');
  if (plain === '') return '';
  const whole = plain.charAt(0).toUpperCase() + plain.slice(1);
  return /[.!?…]["”)]?$/.test(whole) ? whole : `${whole}.`;
}

/**
 * Reads one sentence of a prompt.
 *
 * @param text without a bullet or number before it
 * @param underManners whether it is under a heading like `Style` or `Rules`
 * @param ofWe whether the prompt calls the business `we`
 */
export function readStatement(text: string, underManners: boolean, ofWe: boolean): Statement {
  const condition = CONDITION.exec(text);
  if (condition || HAPPENED.test(text)) return conditional(text);
  const forbids = FORBIDS.exec(text);
  if (forbids) {
    const about = forbids[1] ?? '';
    return WAYS.test(about) || about === '' ? MANNER : { is: 'forbidden', about };
  }
  const told = /^(?:always )?(?:say|tell|mention|inform|remind)\b/i.test(text) ? SAYING.exec(text) : null;
  if (told?.[3]) return { is: 'fact', text: saidBy(told), trigger: '' };
  return identityIn(text) ?? (isManner(text, underManners) ? MANNER : plainFact(ofWe ? text : asWe(text)));
}

function isManner(text: string, underManners: boolean): boolean {
  if ((ORDER.test(text) && !NAMES_A_THING.test(text)) || ROLE.test(text) || DUTY.test(text)) return true;
  return underManners && !/\b(we|our|us)\b|[£$€¥\d]/i.test(text);
}

const plainFact = (text: string): Statement => ({ is: 'fact', text: sentence(text), trigger: '' });

function conditional(text: string): Statement {
  const said = SAYING.exec(text);
  const trigger = text
    .slice(0, said ? said.index : text.length)
    .replace(new RegExp(`^(?:if|when|whenever|should|in case) ${CALLER} `, 'i'), '')
    .replace(ASKED, '')
    .replace(/^(?:if|when|whenever|in case) /i, '');
  if (said?.[3]) return { is: 'fact', text: saidBy(said), trigger };
  return MESSAGE.test(text) ? { is: 'message', trigger } : MANNER;
}

/** `tell them to ring` becomes `Please ring`, `say that we open` becomes `We open`. */
function saidBy([, , link = '', rest = '']: RegExpExecArray): string {
  const told = asYou(rest.replace(/\band that\b/g, 'and'));
  return link.toLowerCase() === 'to' ? `Please ${told.charAt(0).toLowerCase()}${told.slice(1)}` : told;
}

function identityIn(text: string): Statement | null {
  const named = new RegExp(
    `^(?:[Yy]our name is|[Yy]ou are called|[Yy]ou're called) (${NAME}(?: ${NAME})*)`,
    'u',
  ).exec(text);
  const being = /^(?:you are|you're|act as|this is)\b/i.test(text);
  const works =
    /^you (?:work|answer (?:the )?(?:phone|calls)|take calls|speak)\b.*\b(?:for|at|of|in)\b/i.test(text);
  const proper = new RegExp(
    `^(?:You are|You're|This is) (?!(?:A|An|The|AI)\\b)(${NAME}(?: ${NAME})*)`,
    'u',
  ).exec(text);
  if (!named && !works && !(being && (proper || new RegExp(`\\b(?:${ROLES})\\b`, 'i').test(text))))
    return null;
  const rest = named ? text.slice(named[0].length) : text;
  return {
    is: 'identity',
    name: (named ?? proper)?.[1]?.replace(/[.,]+$/, '') ?? null,
    organisation: ORGANISATION.exec(rest)?.[1]?.replace(/[.,]+$/, '') ?? null,
  };
}
