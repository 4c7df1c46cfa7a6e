import { readConsent, saysYes } from './spoken/caller-consent.server.ts';

/** One thing that a form asks for. `read` makes the value from the caller's words. */
export interface FormField {
  readonly id: string;
  readonly ask: string;
  /** The value of what was said; null where it has none. `before` is what was heard the last time. */
  readonly read: (words: string, raw: string, before: string | null) => string | null;
  /**
   * Repeats the value with a question, where mishearing would matter. Typed text is not confirmed.
   * `confidence` is that of the turn, 0 to 1.
   */
  readonly confirm?: (value: string, confidence: number) => string;
  /** The beginning of a value that is not whole yet, such as a part of a number; the next turn may go on with it. */
  readonly begun?: (words: string) => string | null;
  /** Says why the words cannot be the value, e.g. that an address is no number; null where nothing is known. */
  readonly refuse?: (words: string) => string | null;
  /** Said when nothing was understood; `ask` where it is missing. */
  readonly again?: string;
  /** Matches the words by which a caller goes back to this field. */
  readonly named?: RegExp;
  /** Whether the caller may leave it out. */
  readonly optional?: boolean;
  /** Skips the field where this returns true for the values so far. */
  readonly skip?: (values: ReadonlyMap<string, string>) => boolean;
}

/** What the form does next: it says a sentence, is complete, or was given up. */
export type FormStep =
  | { readonly is: 'asking'; readonly sentence: string }
  | { readonly is: 'complete'; readonly values: ReadonlyMap<string, string> }
  /** `why` says what is wrong with the answer. */
  | { readonly is: 'not-understood'; readonly why?: string | null }
  | { readonly is: 'given-up' };

/** How an answer came. */
export interface Heard {
  readonly typed: boolean;
  /** 0 to 1. */
  readonly confidence: number;
}

/** A turn that leaves a field out; `no, it is Tim, not Tom` is none of these. */
const WITHOUT =
  /^(?:(?:no|nope|sorry|well|oh|i am afraid|actually|um|please|just) )*(?:no|nope|none|nothing|without(?: one)?|skip (?:it|that|this)|skip|rather not|i (?:would )?(?:rather not|prefer not|do not want|do not need)\b.*|(?:i|we) (?:do not have|have not got|have no|have none)\b.*|there is no\b.*|no (?:email|mail|address|need|confirmation)\b.*|not (?:needed|necessary)|do not bother)(?: (?:please|thanks|thank you))*$/;
/** `not Tom` at the end of a correction names what is wrong. */
const NOT = / (?:and )?not (?:with )?(?:an? )?([\p{L}\p{N}'@.+ -]+)$/u;
/** A turn that states a value: `my name is Tim`, `the number should be …`. */
const STATES =
  /^(?:(?:no|sorry|wait|actually|oh|well|and|by the way) )*(?:my|the|our) (?:\w+ )?(?:name|number|email|address|phone) (?:is|should be|was)\b/;
/** A field that was misheard this often has to be typed or is left out. */
const MOST_TRIES = 3;

/** Asks for fields one after another, repeats values for confirmation, and takes corrections. */
export class SpokenForm {
  readonly #fields: readonly FormField[];
  readonly #values = new Map<string, string>();
  #at = 0;
  /** A value that was repeated to the caller and waits for a yes. */
  #unconfirmed: string | null = null;
  /** The value that the caller said was wrong: a spelling may correct a part of it. */
  #refused: string | null = null;
  #tries = 0;
  #begun = '';
  #confidence = 1;
  /** What an earlier answer was corrected to, said before the next question. */
  #corrected = '';

  constructor(fields: readonly FormField[], known: ReadonlyMap<string, string> = new Map()) {
    this.#fields = fields;
    for (const [id, value] of known) this.#values.set(id, value);
  }

  /** The present question, asked first or repeated. */
  question(): FormStep {
    const field = this.#field();
    if (!field) return { is: 'complete', values: this.#values };
    const confirm =
      this.#unconfirmed === null ? undefined : field.confirm?.(this.#unconfirmed, this.#confidence);
    const asked = confirm ?? (this.#tries > 0 ? (field.again ?? field.ask) : field.ask);
    return { is: 'asking', sentence: `${this.#corrected}${asked}` };
  }

  /** Whether the words answer the present question. */
  isAnswer(words: string, raw: string): boolean {
    const field = this.#field();
    if (!field || readConsent(words) !== null) return true;
    return this.#read(field, words, raw) !== null || (field.optional === true && WITHOUT.test(words));
  }

  /** Takes an answer, or a correction of an earlier one. */
  answer(words: string, raw: string, heard: Heard): FormStep {
    this.#corrected = '';
    this.#confidence = heard.confidence;
    const field = this.#field();
    if (!field) return this.question();
    const corrected = this.correct(words, raw);
    if (corrected !== null) {
      this.#corrected = `All right, ${corrected}. `;
      return this.question();
    }
    return this.#unconfirmed === null
      ? this.#take(field, words, raw, heard.typed)
      : this.#confirm(field, words, raw, heard.typed);
  }

  /**
   * Corrects an answer that was settled before: `No, it's Tim, not Tom`, `my name is Tim`.
   *
   * @returns the corrected value; null where the words correct nothing
   */
  correct(words: string, raw: string): string | null {
    const present = this.#field();
    for (const field of this.#fields) {
      const value = this.#values.get(field.id) ?? '';
      if (field === present || field.confirm === undefined || value === '') continue;
      const meant = correctedValue(field, value, words, raw);
      if (meant === null || meant === value) continue;
      this.#values.set(field.id, meant);
      return meant;
    }
    return null;
  }

  /**
   * Asks again for the field that the words name, or else for the last one that was answered.
   *
   * @returns false where nothing was answered yet
   */
  goBack(words: string): boolean {
    const answered = this.#fields.filter(({ id }) => this.#values.has(id));
    const field = answered.find(({ named }) => named?.test(words)) ?? answered.at(-1);
    if (field === undefined) return false;
    this.#values.delete(field.id);
    this.#at = 0;
    this.#unconfirmed = null;
    this.#refused = null;
    this.#tries = 0;
    return true;
  }

  /** Whether the words name a field that has a value. */
  names(words: string): boolean {
    return this.#fields.some(({ id, named }) => this.#values.has(id) && named?.test(words));
  }

  /** The value of the words, or of the words as the rest of what the turn before began. */
  #read(field: FormField, words: string, raw: string): string | null {
    const whole = field.read(words, raw, this.#refused);
    if (whole !== null || this.#begun === '') return whole;
    return field.begun?.(words) == null ? null : field.read(`${this.#begun} ${words}`, raw, null);
  }

  #take(field: FormField, words: string, raw: string, typed: boolean): FormStep {
    const value = this.#read(field, words, raw);
    if (value !== null) return this.#accept(field, value, typed);
    if (field.optional && WITHOUT.test(words)) return this.#settle(field, '');
    this.#begun = field.begun?.(words) ?? '';
    this.#tries++;
    if (this.#tries < MOST_TRIES) return { is: 'not-understood', why: field.refuse?.(words) ?? null };
    return field.optional ? this.#settle(field, '') : { is: 'given-up' };
  }

  #confirm(field: FormField, words: string, raw: string, typed: boolean): FormStep {
    const agreed = readConsent(words);
    if (saysYes(words)) return this.#settle(field, this.#unconfirmed ?? '');
    // A refusal may contain the correction: 'No, it is Sarah'; 'Tim, not Tom' changes one part of what was heard.
    const part = NOT.test(words) ? correctedValue(field, this.#unconfirmed ?? '', words, raw) : null;
    const refusal =
      /^((no|nope|yes|wrong|sorry|actually|that is (wrong|not right|not correct)|not quite)\b\s*)+/;
    const corrected = part ?? field.read(words.replace(refusal, ''), raw, this.#unconfirmed);
    if (corrected !== null && corrected !== this.#unconfirmed) return this.#accept(field, corrected, typed);
    if (corrected !== null || agreed === true) return this.#settle(field, this.#unconfirmed ?? '');
    if (agreed === null) return { is: 'not-understood' };
    this.#refused = this.#unconfirmed;
    this.#unconfirmed = null;
    this.#tries++;
    if (this.#tries < MOST_TRIES) return this.question();
    return field.optional ? this.#settle(field, '') : { is: 'given-up' };
  }

  #accept(field: FormField, value: string, typed: boolean): FormStep {
    if (typed || !field.confirm) return this.#settle(field, value);
    this.#unconfirmed = value;
    return this.question();
  }

  #settle(field: FormField, value: string): FormStep {
    this.#values.set(field.id, value);
    this.#unconfirmed = null;
    this.#refused = null;
    this.#begun = '';
    this.#tries = 0;
    return this.question();
  }

  /** The next field without a value. */
  #field(): FormField | undefined {
    for (; this.#at < this.#fields.length; this.#at++) {
      const field = this.#fields[this.#at];
      if (field && !this.#values.has(field.id) && !field.skip?.(this.#values)) return field;
    }
    return undefined;
  }
}

/** What words change a value to; null where they say nothing about it. */
function correctedValue(field: FormField, value: string, words: string, raw: string): string | null {
  const wrong = NOT.exec(words)?.[1]?.trim();
  const contradicts =
    wrong !== undefined &&
    value
      .toLowerCase()
      .split(/[\s@.]+/)
      .includes(wrong);
  if (!contradicts && !(STATES.test(words) && field.named?.test(words))) return null;
  const read = field.read(words.replace(NOT, ''), raw, value);
  if (read === null || !contradicts || read.includes(' ')) return read;
  // 'Tim, not Tom' changes the first name of Tom Carter alone.
  return value
    .split(' ')
    .map((part) => (part.toLowerCase() === wrong ? read : part))
    .join(' ');
}

const GIVEN_UP =
  /\b(never mind|forget (it|that|about it)|(cancel|stop|leave|drop) (that|it|this|the (booking|message|enquiry|form))|leave it|start over)\b|^(please )?(cancel|stop|quit)( please)?$/;

/** Whether the words give up the present task. */
export function givesUp(words: string): boolean {
  return GIVEN_UP.test(words);
}
