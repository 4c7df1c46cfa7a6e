import { randomUUID } from 'node:crypto';
import type { DialogueManager, DialogueStep, HeardTurn } from '../engines.server.ts';
import type { AgencyKnowledge } from './agency-knowledge.server.ts';
import {
  answerTopic,
  asksQuestion,
  type Earlier,
  serviceIn,
  type TopicAnswer,
} from './answer-topic.server.ts';
import { SlotChoice } from './book-call.server.ts';
import { type DialogueTools, failed } from './dialogue-tools.server.ts';
import { givesUp, readConsent, SpokenForm } from './fill-form.server.ts';
import { normaliseWords } from './normalise-words.server.ts';
import {
  ENQUIRY_FIELDS,
  enquiryOf,
  NAME_FIELD,
  PHONE_FIELD,
  summariseEnquiry,
} from './take-enquiry.server.ts';
import { sayTime } from './zoned-time.server.ts';

/** What a dialogue is made of. */
export interface AgencyDialogueOptions {
  readonly known: AgencyKnowledge;
  readonly tools: DialogueTools;
  /** IANA name of the agency's time zone. */
  readonly zone: string;
  readonly now?: () => Date;
  /** A spoken answer of the assistant's own files; `sure` where nothing else could be meant. */
  readonly consult?: ((question: string, sure: boolean) => Promise<string | null>) | undefined;
}

/** What is under way. */
type Task =
  | { readonly is: 'enquiry'; readonly form: SpokenForm; confirmed: ReadonlyMap<string, string> | null }
  | { readonly is: 'slot'; readonly choice: SlotChoice }
  | { readonly is: 'booking'; readonly start: Date; readonly form: SpokenForm }
  | null;

type Steps = AsyncGenerator<DialogueStep, void>;

/** Less than this of an utterance's posterior is as good as not heard. */
const LEAST_CONFIDENCE = 0.02;
/** An opening as long as this tells what the enquiry is about. */
const WORDS_OF_NOTES = 12;
const NOT_UNDERSTOOD = [
  'Sorry, I did not understand that. I can tell you about our services and prices, take an enquiry, or book a call. What would you like?',
  'I am afraid I still do not understand. I can tell you about prices and services, take an enquiry, or book a call.',
  'I did not get that either. You can type to me as well, or I take a message for a colleague. Shall I?',
] as const;

/**
 * The dialogue that needs no language model: answers from the agency's own facts, takes enquiries,
 * books calls, says back what it heard, and says so when it did not understand.
 */
export function createAgencyDialogue({
  known,
  tools,
  zone,
  now = () => new Date(),
  consult = async () => null,
}: AgencyDialogueOptions): DialogueManager {
  let task: Task = null;
  let misses = 0;
  let earlier: Earlier | null = null;
  let offered: 'enquiry' | null = null;
  let said: string[] = [];

  function sentence(text: string): DialogueStep {
    said.push(text);
    return { kind: 'sentence', text };
  }

  async function* call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    work: () => Promise<unknown>,
  ): AsyncGenerator<DialogueStep, unknown> {
    const id = randomUUID();
    yield { kind: 'tool-call', id, name, arguments: given };
    // A tool that fails is told to the caller, who can do something else; the call goes on.
    const result = await work().catch((error: unknown) => ({
      error: error instanceof Error ? error.message : String(error),
    }));
    yield { kind: 'tool-result', id, name, result };
    return result;
  }

  async function* beginEnquiry(words: string, raw: string): Steps {
    // What was said in the first place often tells what it is about: 'I need a website for my shop'.
    const about = words.split(' ').length >= WORDS_OF_NOTES ? new Map([['notes', raw]]) : undefined;
    task = { is: 'enquiry', form: new SpokenForm(ENQUIRY_FIELDS, about), confirmed: null };
    yield* ask();
  }

  async function* ask(): Steps {
    if (task?.is === 'enquiry' && task.confirmed) yield sentence(summariseEnquiry(task.confirmed));
    else if (task?.is === 'slot') {
      const step = await task.choice.question();
      if (step.is === 'asking') yield sentence(step.sentence);
    } else if (task) {
      const step = task.form.question();
      if (step.is === 'asking') yield sentence(step.sentence);
    }
  }

  async function* goOn(words: string, heard: HeardTurn): Steps {
    if (givesUp(words)) {
      task = null;
      yield sentence('All right, I leave that. What else can I do for you?');
    } else if (task?.is === 'enquiry') yield* goOnWithEnquiry(task, words, heard);
    else if (task?.is === 'slot') yield* goOnWithSlot(task.choice, words);
    else if (task?.is === 'booking') yield* goOnWithBooking(task, words, heard);
  }

  async function* goOnWithEnquiry(
    open: Extract<Task, { is: 'enquiry' }>,
    words: string,
    heard: HeardTurn,
  ): Steps {
    if (open.confirmed) {
      const agreed = readConsent(words);
      if (agreed === null) return yield* aside(words);
      yield { kind: 'consent', to: 'send-enquiry', given: agreed };
      task = null;
      if (!agreed) return yield sentence('All right, nothing was sent. What else can I do for you?');
      const enquiry = enquiryOf(open.confirmed);
      const result = yield* call('take_enquiry', { ...enquiry }, () => tools.takeEnquiry(enquiry));
      return yield sentence(
        failed(result)
          ? 'I am sorry, I could not store it. Please use the enquiry form on this page.'
          : 'Thank you. A colleague replies within 24 hours. Is there anything else?',
      );
    }
    if (asksSomethingElse(open.form, words, heard)) return yield* aside(words);
    const step = open.form.answer(words, heard.text, heard.typed);
    if (step.is === 'complete') open.confirmed = step.values;
    if (step.is === 'given-up') {
      task = null;
      return yield sentence(
        'I am sorry, I cannot understand it well enough. Please use the enquiry form on this page; it takes a minute.',
      );
    }
    if (step.is === 'not-understood') return yield* aside(words);
    misses = 0;
    yield* ask();
  }

  async function* goOnWithSlot(choice: SlotChoice, words: string): Steps {
    const step = await choice.answer(words);
    if (step.is === 'none') {
      task = null;
      return yield sentence(
        'I am afraid there is no free time in the next weeks. Shall I take a message instead?',
      );
    }
    if (step.is === 'not-understood') return yield* aside(words);
    misses = 0;
    if (step.is === 'asking') return yield sentence(step.sentence);
    task = { is: 'booking', start: step.start, form: new SpokenForm([NAME_FIELD, PHONE_FIELD]) };
    yield* ask();
  }

  async function* goOnWithBooking(
    open: Extract<Task, { is: 'booking' }>,
    words: string,
    heard: HeardTurn,
  ): Steps {
    if (asksSomethingElse(open.form, words, heard)) return yield* aside(words);
    const step = open.form.answer(words, heard.text, heard.typed);
    if (step.is === 'not-understood') return yield* aside(words);
    if (step.is === 'given-up') {
      task = null;
      return yield sentence(
        'I am sorry, I cannot understand it well enough. Please type it, or use the enquiry form on this page.',
      );
    }
    misses = 0;
    if (step.is === 'asking') return yield* ask();
    const { start } = open;
    const booking = { start, name: step.values.get('name') ?? '', phone: step.values.get('phone') ?? '' };
    yield { kind: 'consent', to: 'book-call', given: true };
    const result = yield* call('book_call', { ...booking, start: start.toISOString() }, () =>
      tools.bookSlot(booking),
    );
    task = null;
    if (failed(result))
      return yield sentence(
        'I am sorry, the booking did not work. Please use the enquiry form on this page.',
      );
    if (result === null) {
      task = { is: 'slot', choice: new SlotChoice(tools, zone, now) };
      return yield sentence(
        'I am sorry, somebody has just taken that time. Which other time would suit you?',
      );
    }
    yield sentence(`It is booked: a colleague calls you on ${sayTime(start, zone)}. Is there anything else?`);
  }

  /** A question in the middle of a form is no failed answer to it. */
  function asksSomethingElse(form: SpokenForm, words: string, heard: HeardTurn): boolean {
    if (serviceIn(words) && form.isAnswer(words, heard.text)) return false;
    return asksQuestion(words, known, earlier);
  }

  /** A question in the middle of a task is answered, then the task goes on. */
  async function* aside(words: string): Steps {
    const answer = answerTopic(words, known, earlier);
    const asked =
      answer && answer.action === null && !['yes', 'no', 'hello', 'thanks', 'told'].includes(answer.topic);
    if (answer?.action === 'hand-over' || answer?.action === 'hang-up')
      return yield* act(answer, words, words);
    if (answer?.action === 'wait') return;
    if (asked && answer.sentence !== '')
      yield sentence(answer.sentence.replace(/ (Shall|Would|What|Which|Is there)[^.?]*\?$/, ''));
    else if (answer?.action !== 'repeat') yield sentence('Sorry, I did not get that.');
    yield* ask();
  }

  async function* act(answer: TopicAnswer, words: string, raw: string): Steps {
    const { action } = answer;
    earlier = { topic: answer.topic, words };
    if (action === 'repeat') return yield sentence(lastSaid.join(' ') || 'How can I help you?');
    if (action === 'wait') return;
    if (answer.sentence !== '') yield sentence(answer.sentence);
    offered = /\b(take an enquiry|take a message|take one)\?|Shall I\?$/.test(answer.sentence)
      ? 'enquiry'
      : null;
    if (action === 'hang-up') yield { kind: 'hang-up', reason: 'assistant-ended-call' };
    else if (action === 'forget') yield { kind: 'consent', to: 'keep-words', given: false };
    else if (answer.sentence !== '' && action === 'book-slot') return;
    else if (action === 'take-enquiry') yield* beginEnquiry(words, raw);
    else if (action === 'hand-over') {
      yield sentence('I can have a colleague call you back.');
      yield* beginSlot(words);
    } else if (action === 'book-slot') yield* beginSlot(words);
  }

  async function* beginSlot(words: string): Steps {
    const choice = new SlotChoice(tools, zone, now);
    task = { is: 'slot', choice };
    const step = await choice.answer(words);
    if (step.is === 'asking') yield sentence(step.sentence);
    else yield* ask();
  }

  let lastSaid: readonly string[] = [];

  async function* answerTurn(heard: HeardTurn): Steps {
    const words = normaliseWords(heard.text);
    if (words === '' || (!heard.typed && heard.confidence < LEAST_CONFIDENCE)) return yield* miss();
    if (task) return yield* goOn(words, heard);
    if (offered === 'enquiry' && readConsent(words) === true) {
      offered = null;
      return yield* beginEnquiry('', '');
    }
    const sure = await consult(words, true);
    const answer = sure === null ? answerTopic(words, known, earlier) : null;
    const told = sure ?? (answer ? null : await consult(words, false));
    if (!answer && told === null) return yield* miss();
    misses = 0;
    if (answer) yield* act(answer, words, heard.text);
    else if (told !== null) yield sentence(told);
  }

  async function* miss(): Steps {
    const words = NOT_UNDERSTOOD[Math.min(misses, NOT_UNDERSTOOD.length - 1)] ?? NOT_UNDERSTOOD[0];
    misses++;
    if (task) yield sentence('Sorry, I did not get that.');
    else yield sentence(words);
    if (misses >= NOT_UNDERSTOOD.length) offered = 'enquiry';
    yield* ask();
  }

  async function* until(signal: AbortSignal, steps: Steps): Steps {
    lastSaid = said;
    said = [];
    for await (const step of steps) {
      yield step;
      if (signal.aborted) return;
    }
    if (said.length === 0) said = [...lastSaid];
  }

  async function* greeting(): Steps {
    yield sentence(`Hello, I am the AI assistant of ${known.brand}. This call is not recorded.`);
    yield sentence('How can I help you?');
  }

  return {
    name: 'agency-dialogue',
    greet: (signal) => until(signal, greeting()),
    reply: (heard, _history, signal) => until(signal, answerTurn(heard)),
    usage: () => ({ promptTokens: 0, completionTokens: 0 }),
    close() {},
  };
}
