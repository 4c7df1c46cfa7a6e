import { readConsent } from './spoken/caller-consent.server.ts';

/** One thing that a form asks for. `read` makes the value from the caller's words. */
export interface FormField {
  readonly id: string;
  readonly ask: string;
  /** The value of what was said; null where it has none. `before` is what was heard the last time. */
  readonly read: (words: string, raw: string, before: string | null) => string | null;
  /** Repeats the value with a question, where mishearing would matter. Typed text is not confirmed. */
  readonly confirm?: (value: string) => string;
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
  | { readonly is: 'not-understood' }
  | { readonly is: 'given-up' };

const WITHOUT = /\b(no|not|none|without|skip|rather not|prefer not|do not have|have none|nothing)\b/;
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

  constructor(fields: readonly FormField[], known: ReadonlyMap<string, string> = new Map()) {
    this.#fields = fields;
    for (const [id, value] of known) this.#values.set(id, value);
  }

  /** The present question, asked first or repeated. */
  question(): FormStep {
    const field = this.#field();
    if (!field) return { is: 'complete', values: this.#values };
    if (this.#unconfirmed !== null)
      return { is: 'asking', sentence: field.confirm?.(this.#unconfirmed) ?? field.ask };
    return { is: 'asking', sentence: this.#tries > 0 ? (field.again ?? field.ask) : field.ask };
  }

  /** Whether the words answer the present question. */
  isAnswer(words: string, raw: string): boolean {
    const field = this.#field();
    if (!field || readConsent(words) !== null) return true;
    return field.read(words, raw, this.#refused) !== null || (field.optional === true && WITHOUT.test(words));
  }

  /** Takes an answer. */
  answer(words: string, raw: string, typed: boolean): FormStep {
    const field = this.#field();
    if (!field) return this.question();
    return this.#unconfirmed === null
      ? this.#take(field, words, raw, typed)
      : this.#confirm(field, words, raw, typed);
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

  #take(field: FormField, words: string, raw: string, typed: boolean): FormStep {
    const value = field.read(words, raw, this.#refused);
    if (value !== null) return this.#accept(field, value, typed);
    if (field.optional && (WITHOUT.test(words) || readConsent(words) === false))
      return this.#settle(field, '');
    this.#tries++;
    if (this.#tries < MOST_TRIES) return { is: 'not-understood' };
    return field.optional ? this.#settle(field, '') : { is: 'given-up' };
  }

  #confirm(field: FormField, words: string, raw: string, typed: boolean): FormStep {
    const agreed = readConsent(words);
    if (agreed === true) return this.#settle(field, this.#unconfirmed ?? '');
    // A refusal may contain the correction: 'No, it is Sarah'.
    const corrected = field.read(
      words.replace(
        /^((no|nope|wrong|sorry|actually|that is (wrong|not right|not correct)|not quite)\b\s*)+/,
        '',
      ),
      raw,
      this.#unconfirmed,
    );
    if (corrected !== null && corrected !== this.#unconfirmed) return this.#accept(field, corrected, typed);
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

const GIVEN_UP =
  /\b(never mind|forget it|forget that|cancel that|stop that|leave it|start over)\b|^(cancel|stop)$/;

/** Whether the words give up the present task. */
export function givesUp(words: string): boolean {
  return GIVEN_UP.test(words);
}
