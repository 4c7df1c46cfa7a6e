import { randomUUID } from 'node:crypto';
import { sayTime } from '../../business/bookings/zoned-time.server.ts';
import type { PublishedSite } from '../../kernel/contract/site-content.ts';
import type { CallerTurn, DialogueManager, DialogueStep } from '../engines/engines.server.ts';
import { type BookedCall, type DialogueTools, failed } from './dialogue-tools.server.ts';
import {
  BOOKED_NAME_FIELD,
  CONFIRMATION_FIELD,
  enquiryFields,
  enquiryOf,
  NAME_FIELD,
  PHONE_FIELD,
  summariseEnquiry,
} from './enquiry-form.server.ts';
import { SlotChoice } from './slot-choice.server.ts';
import { readConsent, saysYes } from './spoken/caller-consent.server.ts';
import { takenBack } from './spoken/caller-corrections.server.ts';
import { saysGoodbye } from './spoken/caller-goodbye.server.ts';
import {
  asksToWait,
  changesBooking,
  correctsTime,
  goesBack,
  newTimeIn,
  wishesIn,
} from './spoken/caller-turns.server.ts';
import { normaliseWords } from './spoken/word-normalisation.server.ts';
import { givesUp, SpokenForm } from './spoken-form.server.ts';
import {
  type Earlier,
  isQuestion,
  serviceIn,
  type TopicAction,
  type TopicAnswer,
} from './topics/topic-answer.server.ts';

/**
 * What distinguishes one assistant from another: what it knows, and what it says when it does not know. The
 * tasks are the same for all. There is one for each call.
 */
export interface AssistantAnswers {
  /** The name for the call's log. */
  readonly name: string;
  readonly greeting: readonly string[];
  /** Said when nothing was understood; the next one each time. */
  readonly misses: readonly [first: string, ...more: string[]];
  /** Said when a message was stored, and when storing failed. */
  readonly sent: string;
  readonly notSent: string;
  /** Whose message it is, put before its words; empty for the agency's own. */
  readonly messageFor: string;
  /** @returns null where nothing fits */
  answer(words: string, before: Earlier | null): Promise<TopicAnswer | null>;
  /** Whether the words are a question that has an answer and does not ask for an action. */
  asksQuestion(words: string, before: Earlier | null): Promise<boolean>;
}

/** What a dialogue is made of. */
export interface CallDialogueOptions {
  /** The agency, whose services an enquiry may be about. */
  readonly site: PublishedSite;
  readonly answers: AssistantAnswers;
  readonly tools: DialogueTools;
  /** IANA name of the agency's time zone. */
  readonly zone: string;
  readonly now?: (() => Date) | undefined;
}

/** The task that the caller and the dialogue are working on. */
type Task =
  | { readonly is: 'enquiry'; readonly form: SpokenForm; confirmed: ReadonlyMap<string, string> | null }
  | { readonly is: 'slot'; readonly choice: SlotChoice; readonly moves: BookedCall | null }
  | { readonly is: 'cancel'; readonly booked: BookedCall }
  | { readonly is: 'booking'; readonly start: Date; readonly form: SpokenForm }
  | { readonly is: 'confirmation'; readonly booked: BookedCall; readonly form: SpokenForm }
  | {
      readonly is: 'identity';
      readonly wish: Change;
      readonly words: string;
      readonly form: SpokenForm;
      /**
       * Whether the number is the caller's own telephone's, which may not be the one that the call was booked
       * with.
       */
      readonly ofLine: boolean;
    }
  | null;

type Change = 'cancel' | 'move';
/** What the last question offered; only a plain yes to it does it. */
type Offer = 'enquiry' | 'hang-up' | 'forget' | null;
type Steps = AsyncGenerator<DialogueStep, void>;

/** A turn with less confidence than this is asked for again, not guessed at. */
const LEAST_CONFIDENCE = 0.3;
/**
 * For a plain yes or no to a question this much is enough: one word has little sound, which lowers its
 * confidence.
 */
const LEAST_OF_CONSENT = 0.2;
const CONSENT_WORDS = 2;
/** The words of an action that may stand beside a yes to the question for it. */
const CANCELS = /\b(please )?(cancel|drop) (it|that|the call|my call)\b/;
const SENDS = /\b(please )?(send|pass) (it|that)( on)?( then)?\b/;
const ENDS = /\b(please )?(end|finish) (it|the call|this call)\b|\bhang up\b/;
const FORGETS = /\b(delete|erase|remove|forget|wipe)\b/;

/** A plain wish for a person comes before any answer. */
const WANTS_PERSON =
  /^(?:(?:no|please|sorry|i|we|would|like|want|need|can|could|may|just|rather|to|let me|you) )*(?:(?:speak|talk) (?:to|with) (?:a|an|the|some|your|somebody|someone|anyone|anybody)\b|(?:put|pass) me (?:through|on)\b|(?:a |an )?(?:real |human )?(?:person|human|operator|agent)(?: please)?$)/;
/** Words with one of these may want something else than the form asks for. */
const MAY_ASK =
  /\b(what|how|when|where|which|who|why|can|could|is|are|do|does|tell|say|want|need|like|speak|talk|person|human|somebody|someone|repeat|again|pardon|sorry|excuse|price|cost|operator|agent|about)\b/;
const mayAsk = (words: string): boolean => MAY_ASK.test(words);

/** Whether a turn agrees to or refuses an action that was asked for by name; null for neither. */
const agreedTo = (words: string, act: RegExp): boolean | null =>
  saysYes(words, act) ? true : readConsent(words) === false ? false : null;

/** Topics of answers after which it is still open what was meant. */
const UNSURE: ReadonlySet<string> = new Set(['unknown', 'asks-back', 'told']);
/** Said of one of two questions that has no answer. */
const NOT_KNOWN: TopicAnswer = {
  topic: 'unknown',
  sentence: 'The other question I cannot answer.',
  action: null,
};
/** Questions of one turn that are answered one after another. */
const MOST_QUESTIONS = 3;
const ASKED_FOR_MORE = /anything else( that I can do for you)?\?$/;
const NOTHING_MORE =
  /^(no|nope|nah|not really|nothing)( (no|thanks|thank you|that is all|at the moment|for now|today))*$/;
const UNFINISHED = {
  enquiry: 'Your message is not sent',
  slot: 'Nothing is booked',
  booking: 'Nothing is booked',
  cancel: 'Your call is not cancelled',
  confirmation: 'Your call is booked, but its confirmation is not sent',
  identity: 'I have not found your booking',
} as const;
const FORGOTTEN =
  'The words of this call will be deleted as soon as it ends. Only an enquiry or an appointment that you have confirmed is kept.';
/** An opening of at least this many words says what the enquiry is about. */
const WORDS_OF_NOTES = 12;
/**
 * The dialogue that needs no language model. It answers from what its assistant knows, takes enquiries, books
 * calls, repeats what it heard, and says so when it did not understand.
 */
export function createCallDialogue(options: CallDialogueOptions): DialogueManager {
  const dialogue = new CallDialogue(options);
  return {
    name: options.answers.name,
    awaitsAnswer: () => dialogue.awaitsAnswer(),
    greet: (signal) => dialogue.greet(signal),
    reply: (turn, _history, signal) => dialogue.reply(turn, signal),
    usage: () => ({ promptTokens: 0, completionTokens: 0 }),
    close() {},
  };
}

class CallDialogue {
  readonly #site: PublishedSite;
  readonly #answers: AssistantAnswers;
  readonly #tools: DialogueTools;
  readonly #zone: string;
  readonly #now: () => Date;
  #task: Task = null;
  /** Turns in a row that were not understood. */
  #misses = 0;
  #earlier: Earlier | null = null;
  #offered: Offer = null;
  /**
   * The last call that was booked or found in this call; only this one can be moved or cancelled without
   * asking who calls.
   */
  #booked: BookedCall | null = null;
  /** The second wish of a sentence, for when the first is done. */
  #waiting: { readonly answer: TopicAnswer; readonly words: string } | null = null;
  #said: string[] = [];
  #lastSaid: readonly string[] = [];

  constructor({ site, answers, tools, zone, now }: CallDialogueOptions) {
    this.#site = site;
    this.#answers = answers;
    this.#tools = tools;
    this.#zone = zone;
    this.#now = now ?? (() => new Date());
  }

  awaitsAnswer(): boolean {
    return this.#task !== null;
  }

  greet(signal: AbortSignal): Steps {
    return this.#until(signal, this.#greeting());
  }

  reply(turn: CallerTurn, signal: AbortSignal): Steps {
    return this.#until(signal, this.#answerTurn(turn));
  }

  #sentence(text: string): DialogueStep {
    this.#said.push(text);
    return { kind: 'sentence', text };
  }

  async *#call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    work: () => Promise<unknown>,
  ): AsyncGenerator<DialogueStep, unknown> {
    const id = randomUUID();
    yield { kind: 'tool-call', id, name, arguments: given };
    // The caller is told that a tool failed and can do something else; the call goes on.
    const result = await work().catch((error: unknown) => ({
      error: error instanceof Error ? error.message : String(error),
    }));
    yield { kind: 'tool-result', id, name, result };
    return result;
  }

  async *#beginEnquiry(words: string, raw: string): Steps {
    // The opening often says what the enquiry is about: 'I need a website for my shop'.
    const about = words.split(' ').length >= WORDS_OF_NOTES ? new Map([['notes', raw]]) : undefined;
    this.#task = { is: 'enquiry', form: new SpokenForm(enquiryFields(this.#site), about), confirmed: null };
    yield* this.#ask();
  }

  async *#ask(): Steps {
    if (this.#task?.is === 'enquiry' && this.#task.confirmed)
      yield this.#sentence(summariseEnquiry(this.#task.confirmed));
    else if (this.#task?.is === 'slot') {
      const step = this.#task.choice.question();
      if (step.is === 'asking') yield this.#sentence(step.sentence);
    } else if (this.#task?.is === 'cancel')
      yield this.#sentence(`Shall I cancel your call on ${sayTime(this.#task.booked.start, this.#zone)}?`);
    else if (this.#task) {
      const step = this.#task.form.question();
      if (step.is === 'asking') yield this.#sentence(step.sentence);
    }
  }

  async *#goOn(words: string, turn: CallerTurn): Steps {
    const task = this.#task;
    const cancels = task?.is === 'cancel' && saysYes(words, CANCELS);
    if (givesUp(words) && !cancels) {
      if (task?.is === 'booking') await this.#tools.holdSlots([]).catch(() => []);
      this.#task = null;
      yield this.#sentence('All right, I leave that. What else can I do for you?');
    } else if (task?.is === 'slot') yield* this.#goOnWithSlot(task, words);
    else if (task?.is === 'cancel') yield* this.#goOnWithCancelling(task.booked, words);
    else if (task !== null && 'form' in task) yield* this.#goOnWithForm(task, words, turn);
    if (this.#task === null && this.#waiting !== null) yield* this.#takeWaiting(this.#waiting);
  }

  /** Commands come before answers: one step back, or a person. */
  async *#goOnWithForm(task: Extract<Task, { form: SpokenForm }>, words: string, turn: CallerTurn): Steps {
    if (this.#steppedBack(task, words)) {
      yield this.#sentence('All right.');
      yield* this.#ask();
    } else if (WANTS_PERSON.test(words)) yield* this.#aside(words, true);
    else if (task.is === 'enquiry') yield* this.#goOnWithEnquiry(task, words, turn);
    else if (task.is === 'booking') yield* this.#goOnWithBooking(task, words, turn);
    else if (task.is === 'confirmation') yield* this.#goOnWithConfirmation(task, words, turn);
    else yield* this.#goOnWithIdentity(task, words, turn);
  }

  async *#takeWaiting({ answer, words }: { answer: TopicAnswer; words: string }): Steps {
    this.#waiting = null;
    yield* this.#act(answer, words, words);
  }

  /** `My name is wrong` asks for the name again, also after everything was summed up. */
  #steppedBack(task: Extract<Task, { form: SpokenForm }>, words: string): boolean {
    const summedUp = task.is === 'enquiry' && task.confirmed !== null;
    const refuses = summedUp && readConsent(words) === false && task.form.names(words);
    if (!(goesBack(words) || refuses) || !task.form.goBack(words)) return false;
    if (task.is === 'enquiry') task.confirmed = null;
    return true;
  }

  async *#goOnWithEnquiry(open: Extract<Task, { is: 'enquiry' }>, words: string, turn: CallerTurn): Steps {
    if (open.confirmed) {
      const agreed = agreedTo(words, SENDS);
      if (open.form.correct(words, turn.text) !== null) return yield* this.#ask();
      if (agreed === null) return yield* this.#aside(words, false);
      yield { kind: 'consent', to: 'send-enquiry', given: agreed };
      this.#task = null;
      if (!agreed) return yield this.#sentence('All right, nothing was sent. What else can I do for you?');
      const enquiry = enquiryOf(this.#site, open.confirmed, this.#answers.messageFor);
      const result = yield* this.#call('take_enquiry', { ...enquiry }, () =>
        this.#tools.takeEnquiry(enquiry),
      );
      return yield this.#sentence(failed(result) ? this.#answers.notSent : this.#answers.sent);
    }
    if (await this.#asksSomethingElse(open.form, words, turn)) return yield* this.#aside(words, true);
    const step = open.form.answer(words, turn.text, turn);
    if (step.is === 'complete') open.confirmed = step.values;
    if (step.is === 'given-up') {
      this.#task = null;
      return yield this.#sentence(
        'I am sorry, I cannot understand it well enough. Please use the enquiry form on this page; it takes a minute.',
      );
    }
    if (step.is === 'not-understood') return yield* this.#refused(step.why, words);
    this.#misses = 0;
    yield* this.#ask();
  }

  async *#goOnWithSlot({ choice, moves }: Extract<Task, { is: 'slot' }>, words: string): Steps {
    const step = await choice.answer(words);
    if (step.is === 'none') {
      this.#task = null;
      this.#offered = 'enquiry';
      return yield this.#sentence(
        'I am afraid there is no free time in the next weeks. Shall I take a message instead?',
      );
    }
    if (step.is === 'not-understood') return yield* this.#aside(words, false);
    this.#misses = 0;
    if (step.is === 'asking') return yield this.#sentence(step.sentence);
    if (moves !== null) return yield* this.#move(moves, step.start);
    this.#task = { is: 'booking', start: step.start, form: new SpokenForm([NAME_FIELD, PHONE_FIELD]) };
    yield* this.#ask();
  }

  async *#goOnWithBooking(open: Extract<Task, { is: 'booking' }>, words: string, turn: CallerTurn): Steps {
    // The caller chooses another time after one was agreed: 'No, Thursday'.
    if (correctsTime(words)) return yield* this.#beginSlot(words);
    // The time stays held while the caller spells a name. A failure shows when the time is booked.
    await this.#tools.holdSlots([open.start]).catch(() => []);
    if (await this.#asksSomethingElse(open.form, words, turn)) return yield* this.#aside(words, true);
    const step = open.form.answer(words, turn.text, turn);
    if (step.is === 'not-understood') return yield* this.#refused(step.why, words);
    if (step.is === 'given-up') {
      this.#task = null;
      return yield this.#sentence(
        'I am sorry, I cannot understand it well enough. Please type it, or use the enquiry form on this page.',
      );
    }
    this.#misses = 0;
    if (step.is === 'asking') return yield* this.#ask();
    const { start } = open;
    const booking = { start, name: step.values.get('name') ?? '', phone: step.values.get('phone') ?? '' };
    yield { kind: 'consent', to: 'book-call', given: true };
    const result = yield* this.#call('book_call', { ...booking, start: start.toISOString() }, () =>
      this.#tools.bookSlot(booking),
    );
    this.#task = null;
    if (failed(result))
      return yield this.#sentence(
        'I am sorry, the booking did not work. Please use the enquiry form on this page.',
      );
    if (result === null) {
      this.#task = this.#newSlot(null);
      return yield this.#sentence(
        'I am sorry, somebody has just taken that time. Which other time would suit you?',
      );
    }
    const { id, confirmedBy } = result as { id: string; confirmedBy: 'text' | null };
    this.#booked = { ...booking, id };
    const booked = `It is booked: a colleague calls you on ${sayTime(start, this.#zone)}.`;
    if (confirmedBy === 'text')
      return yield this.#sentence(`${booked} I text you the confirmation. Is there anything else?`);
    yield this.#sentence(booked);
    this.#task = {
      is: 'confirmation',
      booked: this.#booked,
      form: new SpokenForm([CONFIRMATION_FIELD]),
    };
    yield* this.#ask();
  }

  async *#goOnWithConfirmation(
    open: Extract<Task, { is: 'confirmation' }>,
    words: string,
    turn: CallerTurn,
  ): Steps {
    const change = changesBooking(words);
    if (change !== null) {
      this.#task = null;
      return yield* this.#change(open.booked, change, words);
    }
    if (await this.#asksSomethingElse(open.form, words, turn)) return yield* this.#aside(words, true);
    const step = open.form.answer(words, turn.text, turn);
    if (step.is === 'not-understood') return yield* this.#refused(step.why, words);
    this.#misses = 0;
    if (step.is === 'asking') return yield* this.#ask();
    this.#task = null;
    const email = step.is === 'complete' ? (step.values.get('email') ?? '') : '';
    if (email === '') return yield this.#sentence('All right, I send none. Is there anything else?');
    yield { kind: 'consent', to: 'mail-confirmation', given: true };
    const result = yield* this.#call('confirm_booking', { id: open.booked.id, email }, () =>
      this.#tools.confirmBooking(open.booked, email),
    );
    yield this.#sentence(
      failed(result)
        ? 'I am sorry, I cannot send it to that address. Your call is booked all the same. Is there anything else?'
        : 'The confirmation is on its way to that address. Is there anything else?',
    );
  }

  /** The name and the number prove whose booking it is; the telephone's own number need not be said. */
  async *#beginIdentity(wish: Change, words: string): Steps {
    const number = await this.#tools.callersNumber().catch(() => null);
    const known = number === null ? undefined : new Map([['phone', number]]);
    const form = new SpokenForm([BOOKED_NAME_FIELD, PHONE_FIELD], known);
    this.#task = { is: 'identity', wish, words, form, ofLine: number !== null };
    yield* this.#ask();
  }

  async *#goOnWithIdentity(open: Extract<Task, { is: 'identity' }>, words: string, turn: CallerTurn): Steps {
    if (await this.#asksSomethingElse(open.form, words, turn)) return yield* this.#aside(words, true);
    const step = open.form.answer(words, turn.text, turn);
    if (step.is === 'not-understood') return yield* this.#refused(step.why, words);
    this.#misses = 0;
    if (step.is === 'asking') return yield* this.#ask();
    this.#task = null;
    const [name, phone] = ['name', 'phone'].map((id) =>
      step.is === 'complete' ? (step.values.get(id) ?? '') : '',
    ) as [string, string];
    const found = yield* this.#call('find_booking', { name, phone }, () =>
      name === '' || phone === '' ? Promise.resolve(null) : this.#tools.findBooking(name, phone),
    );
    if (found === null && open.ofLine) {
      const form = new SpokenForm([PHONE_FIELD], new Map([['name', name]]));
      this.#task = { ...open, form, ofLine: false };
      yield this.#sentence('I find no booking under that name for the number that you call from.');
      return yield* this.#ask();
    }
    if (found === null || failed(found)) {
      this.#offered = 'enquiry';
      return yield this.#sentence(
        'I am sorry, I find no booking under that name and number. Shall I take a message for a colleague?',
      );
    }
    this.#booked = found as BookedCall;
    yield* this.#change(this.#booked, open.wish, open.words);
  }

  async *#move(booked: BookedCall, start: Date): Steps {
    this.#task = null;
    yield { kind: 'consent', to: 'move-call', given: true };
    const given = { id: booked.id, start: start.toISOString() };
    const result = yield* this.#call('move_call', given, () => this.#tools.moveBooking(booked, start));
    if (result === null || failed(result)) {
      this.#task = result === null ? this.#newSlot(booked) : null;
      return yield this.#sentence(
        result === null
          ? 'I am sorry, somebody has just taken that time. Which other time would suit you?'
          : 'I am sorry, that did not work; your call stays where it was.',
      );
    }
    this.#booked = { ...booked, start };
    yield this.#sentence(
      `It is moved: a colleague calls you on ${sayTime(start, this.#zone)}. Is there anything else?`,
    );
  }

  async *#goOnWithCancelling(booked: BookedCall, words: string): Steps {
    const agreed = agreedTo(words, CANCELS);
    if (agreed === null) return yield* this.#aside(words, false);
    this.#task = null;
    yield { kind: 'consent', to: 'cancel-call', given: agreed };
    if (!agreed) return yield this.#sentence('All right, your call stays. What else can I do for you?');
    const result = yield* this.#call('cancel_call', { id: booked.id }, () =>
      this.#tools.cancelBooking(booked),
    );
    if (failed(result))
      return yield this.#sentence('I am sorry, that did not work; your call stays where it was.');
    this.#booked = null;
    yield this.#sentence('Your call is cancelled. Is there anything else?');
  }

  #newSlot(moves: BookedCall | null): Extract<Task, { is: 'slot' }> {
    return { is: 'slot', choice: new SlotChoice(this.#tools, this.#zone, this.#now), moves };
  }

  /**
   * Whether the words are a question about something else, which must not count as a failed answer to the
   * form.
   */
  async #asksSomethingElse(form: SpokenForm, words: string, turn: CallerTurn): Promise<boolean> {
    if (serviceIn(this.#site, words) && form.isAnswer(words, turn.text)) return false;
    return this.#answers.asksQuestion(words, this.#earlier);
  }

  /** A caller who wants a person gets a call booked, which may be what the open form is for. */
  async *#toPerson(answer: TopicAnswer, words: string): Steps {
    if (this.#task?.is !== 'slot' && this.#task?.is !== 'booking')
      return yield* this.#act(answer, words, words);
    yield this.#sentence('A colleague calls you at the time that we agree on.');
    yield* this.#ask();
  }

  /** Says why an answer was refused, where that is known, and asks again. */
  async *#refused(why: string | null | undefined, words: string): Steps {
    if (!why) return yield* this.#aside(words, false);
    yield this.#sentence(why);
    yield* this.#ask();
  }

  /**
   * Answers a question in the middle of a task, and then goes on with the task.
   *
   * @param asks whether it is certainly a question, even if there is no answer to it
   */
  async *#aside(words: string, asks: boolean): Steps {
    // Words that ask for nothing are a failed answer, whatever they are like.
    const answer = !asks && !mayAsk(words) ? null : await this.#answers.answer(words, this.#earlier);
    const none = ['yes', 'no', 'hello', 'thanks', 'told', ...(asks ? [] : ['unknown'])];
    const asked = answer && answer.action === null && !none.includes(answer.topic);
    if (answer?.action === 'hand-over') return yield* this.#toPerson(answer, words);
    if (answer?.action === 'hang-up') return yield* this.#offerToEnd();
    if (answer?.action === 'wait') return yield* this.#wait();
    if (asked && answer.sentence !== '')
      yield this.#sentence(
        answer.sentence
          .replace(/; shall I take a message\?$/, '.')
          .replace(/ (Shall|Would|What|Which|Is there)[^.?]*\?$/, ''),
      );
    else if (answer?.action !== 'repeat') yield this.#sentence('Sorry, I did not get that.');
    yield* this.#ask();
  }

  async *#act(answer: TopicAnswer, words: string, raw: string): Steps {
    const { action } = answer;
    this.#earlier = { topic: answer.topic, words, said: answer.sentence };
    if (action === 'repeat') return yield this.#sentence(this.#lastSaid.join(' ') || 'How can I help you?');
    if (action === 'wait') return;
    if (answer.sentence !== '') yield this.#sentence(answer.sentence);
    this.#offered = /\b(take an enquiry|take a message|take one)\?|Shall I\?$/.test(answer.sentence)
      ? 'enquiry'
      : null;
    // An answer that comes with a booking's topic says what the caller has to know first.
    if (action !== null && !(action === 'book-slot' && answer.sentence !== ''))
      yield* this.#do(action, words, raw);
  }

  async *#do(action: TopicAction, words: string, raw: string): Steps {
    if (action === 'hang-up') yield* this.#offerToEnd();
    else if (action === 'forget') yield* FORGETS.test(words) ? this.#forget() : this.#offerToForget();
    else if (action === 'take-enquiry') yield* this.#beginEnquiry(words, raw);
    else if (action === 'change-booking') yield* this.#beginIdentity(changesBooking(words) ?? 'move', words);
    else {
      if (action === 'hand-over') yield this.#sentence('I can have a colleague call you back.');
      yield* this.#beginSlot(words);
    }
  }

  async *#beginSlot(words: string, moves: BookedCall | null = null): Steps {
    const task = this.#newSlot(moves);
    this.#task = task;
    const step = await task.choice.answer(words);
    if (step.is === 'asking') yield this.#sentence(step.sentence);
    else yield* this.#ask();
  }

  async *#answerTurn(turn: CallerTurn): Steps {
    const words = normaliseWords(turn.text);
    if (words === '' || (!turn.typed && turn.confidence < this.#leastConfidence(words)))
      return yield* this.#miss();
    if (yield* this.#decided(words)) return;
    if (saysGoodbye(words)) return yield* this.#task === null ? this.#hangUp() : this.#offerToEnd();
    if (asksToWait(words)) return yield* this.#wait();
    yield* this.#task === null ? this.#begin(words, turn) : this.#goOn(words, turn);
  }

  /** Carries out or drops what the last question offered. @returns whether the turn was only about that */
  async *#decided(words: string): AsyncGenerator<DialogueStep, boolean> {
    const offered = this.#offered;
    if (offered === null || offered === 'enquiry') return false;
    this.#offered = null;
    const ends = offered === 'hang-up';
    if (saysYes(words, ends ? ENDS : FORGETS) || (ends && saysGoodbye(words))) {
      yield* ends ? this.#hangUp() : this.#forget();
      return true;
    }
    if (readConsent(words) !== false || words.split(' ').length > CONSENT_WORDS) return false;
    yield this.#sentence('All right.');
    yield* this.#ask();
    return true;
  }

  /** Answers a turn while no form is open. */
  async *#begin(words: string, turn: CallerTurn): Steps {
    if (this.#offered === 'enquiry' && readConsent(words) === true) {
      this.#offered = null;
      return yield* this.#beginEnquiry('', '');
    }
    if (ASKED_FOR_MORE.test(this.#lastSaid.at(-1) ?? '') && NOTHING_MORE.test(words))
      return yield* this.#offerToEnd();
    const change = this.#booked === null ? null : changesBooking(words);
    if (this.#booked !== null && change !== null) return yield* this.#change(this.#booked, change, words);
    const wishes = await this.#severalWishes(words, turn.text);
    if (wishes !== null) return yield* this.#actAll(wishes);
    const answer = await this.#answerCorrected(words);
    if (answer === null) return yield* this.#miss();
    this.#misses = 0;
    yield* this.#act(answer, words, turn.text);
  }

  async *#wait(): Steps {
    if (this.#task !== null)
      yield this.#sentence(
        this.#task.is === 'booking' ? 'Take your time; I hold it for you.' : 'Take your time.',
      );
  }

  /**
   * For `the basic plan, no sorry, the pro plan` the answer to what was meant, where that part is enough by
   * itself.
   */
  async #answerCorrected(words: string): Promise<TopicAnswer | null> {
    const meant = takenBack(words)?.meant;
    const own = meant === undefined ? null : await this.#answers.answer(meant, this.#earlier);
    if (own !== null && own.action === null && !UNSURE.has(own.topic)) return own;
    return this.#answers.answer(words, this.#earlier);
  }

  #leastConfidence(words: string): number {
    const consents = words.split(' ').length <= CONSENT_WORDS && readConsent(words) !== null;
    return consents && (this.#task ?? this.#offered) !== null ? LEAST_OF_CONSENT : LEAST_CONFIDENCE;
  }

  async *#hangUp(): Steps {
    yield this.#sentence('Thank you for calling. Goodbye.');
    yield { kind: 'hang-up', reason: 'assistant-ended-call' };
  }

  /** Asks before a call ends that the caller did not plainly end, or that would leave something unfinished. */
  async *#offerToEnd(): Steps {
    this.#offered = 'hang-up';
    yield this.#sentence(
      this.#task === null
        ? 'Shall I end the call?'
        : `${UNFINISHED[this.#task.is]} yet. Shall I leave that and end the call?`,
    );
  }

  async *#offerToForget(): Steps {
    this.#offered = 'forget';
    yield this.#sentence('Shall I delete the words of this call when it ends?');
  }

  async *#forget(): Steps {
    yield this.#sentence(FORGOTTEN);
    yield { kind: 'consent', to: 'keep-words', given: false };
  }

  async *#change(booked: BookedCall, change: Change, words: string): Steps {
    if (change === 'move') return yield* this.#beginSlot(newTimeIn(words), booked);
    this.#task = { is: 'cancel', booked };
    yield* this.#ask();
  }

  /**
   * Two wishes of one turn, where at least one has an answer of its own; null otherwise. What was asked while the
   * assistant was muted comes as one turn of several questions.
   */
  async #severalWishes(words: string, raw: string): Promise<{ answer: TopicAnswer; words: string }[] | null> {
    const questions = raw
      .split(/(?<=\?)\s+/)
      .map(normaliseWords)
      .filter(Boolean);
    const wishes = questions.length > 1 ? questions.slice(0, MOST_QUESTIONS) : wishesIn(words);
    if (wishes.length < 2) return null;
    const found: { answer: TopicAnswer; words: string }[] = [];
    const earlierOf = (last: (typeof found)[number] | undefined): Earlier | null =>
      last === undefined ? null : { topic: last.answer.topic, words: last.words, said: last.answer.sentence };
    for (const wish of wishes) {
      const answer = await this.#answers.answer(wish, earlierOf(found.at(-1)) ?? this.#earlier);
      const unsure = answer === null || UNSURE.has(answer.topic);
      // A part that is no question may belong to the other one.
      if (unsure && !isQuestion(wish)) return null;
      found.push({ answer: unsure ? NOT_KNOWN : answer, words: wish });
    }
    if (found.every(({ answer }) => answer === NOT_KNOWN)) return null;
    found.sort((one, other) => Number(one.answer === NOT_KNOWN) - Number(other.answer === NOT_KNOWN));
    const said = new Set(found.map(({ answer }) => `${answer.topic}: ${answer.sentence}`));
    return said.size < found.length ? null : found;
  }

  /** Questions are answered first, then one task begins; a second task waits until the first is done. */
  async *#actAll(wishes: readonly { answer: TopicAnswer; words: string }[]): Steps {
    this.#misses = 0;
    const asked = wishes.filter(({ answer }) => answer.action === null);
    const [task, waiting] = wishes.filter(({ answer }) => answer.action !== null);
    const said: string[] = [];
    for (const { answer } of asked) {
      // The second answer replaces the question that the first one ends with.
      const sentence = answer.sentence.replace(/ (Shall|Would|What|Which|Is there)[^.?]*\?$/, '');
      if (said.includes(sentence)) continue;
      said.push(sentence);
      yield this.#sentence(sentence);
    }
    this.#waiting = waiting ?? null;
    if (task) yield* this.#act(task.answer, task.words, task.words);
    else {
      const last = wishes.at(-1);
      this.#earlier = { topic: last?.answer.topic ?? '', words: last?.words ?? '', said: said.join(' ') };
    }
  }

  async *#miss(): Steps {
    const { misses } = this.#answers;
    const words = misses[Math.min(this.#misses, misses.length - 1)] ?? misses[0];
    this.#misses++;
    if (this.#task) yield this.#sentence('Sorry, I did not get that.');
    else yield this.#sentence(words);
    if (this.#misses >= misses.length) this.#offered = 'enquiry';
    yield* this.#ask();
  }

  async *#until(signal: AbortSignal, steps: Steps): Steps {
    this.#lastSaid = this.#said;
    this.#said = [];
    for await (const step of steps) {
      yield step;
      if (signal.aborted) return;
    }
    if (this.#said.length === 0) this.#said = [...this.#lastSaid];
  }

  async *#greeting(): Steps {
    for (const text of this.#answers.greeting) yield this.#sentence(text);
  }
}
