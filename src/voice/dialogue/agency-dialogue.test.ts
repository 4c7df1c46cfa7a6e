import { describe, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { NO_BOOKINGS } from '../../../tests/support/voice/no-bookings.ts';
import { slotsBetween } from '../../business/bookings/free-times.server.ts';
import { readWeeklyHours } from '../../business/bookings/weekly-hours.server.ts';
import { PublishedSite } from '../../kernel/contract/site-content.ts';
import type { DialogueStep } from '../engines/engines.server.ts';
import { createAgencyDialogue } from './agency-dialogue.server.ts';
import type { DialogueTools, SpokenBooking, SpokenEnquiry } from './dialogue-tools.server.ts';
import type { Embed } from './knowledge/fact-search.server.ts';
import { coreOf } from './likeness/core-words.server.ts';
import { normaliseWords } from './spoken/word-normalisation.server.ts';
import { COMMON_QUESTIONS, COMMON_WAYS } from './topics/common-questions.server.ts';
import { answerTopic } from './topics/topic-answer.server.ts';

/** A Wednesday, 10:00 in London. */
const NOW = new Date('2026-03-04T10:00:00Z');
const HOURS = readWeeklyHours('mon-fri 9:00-17:00');
const ZONE = 'Europe/London';
const KNOWN = {
  site: new PublishedSite(),
  brand: 'Northline',
  contactEmail: 'hello@example.com',
  hours: 'Monday to Friday from 9:00 to 17:00',
  sentences: ['Our founder is called Ada Bright.', 'We never work with gambling companies.'],
};

interface Opened {
  readonly embed?: Embed;
  /** Times that somebody else takes after they were listed and before they are held. */
  readonly lost?: string[];
  readonly confirmedBy?: 'text' | null;
  /** The number of the telephone that the call comes from. */
  readonly line?: string | null;
}

const NO_BOOKINGS_TOOLS: DialogueTools = { ...NO_BOOKINGS, takeEnquiry: async () => ({ id: 'ENQ-1' }) };

function open(taken: readonly string[] = [], given: Opened = {}) {
  const { embed, lost = [], confirmedBy = null, line = null } = given;
  const enquiries: SpokenEnquiry[] = [];
  const bookings: SpokenBooking[] = [];
  const changes: string[] = [];
  const held: Date[] = [];
  const steps: DialogueStep[] = [];
  const tools: DialogueTools = {
    takeEnquiry: async (enquiry) => {
      enquiries.push(enquiry);
      return { id: 'ENQ-1' };
    },
    freeSlots: async (from, until, count) =>
      HOURS
        ? [...slotsBetween(HOURS, ZONE, { from, until }, NOW)]
            .filter((slot) => !taken.includes(slot.toISOString()))
            .slice(0, count)
        : [],
    holdSlots: async (starts) => {
      held.splice(0, held.length, ...starts.filter((start) => !lost.includes(start.toISOString())));
      return [...held];
    },
    bookSlot: async (booking) => {
      bookings.push(booking);
      return { id: 'booking-1', confirmedBy };
    },
    confirmBooking: async ({ id }, email) => {
      changes.push(`confirmed to ${email}`);
      return { id };
    },
    callersNumber: async () => line,
    findBooking: async (name, phone) =>
      name === 'Ann Wood' && phone === '0770900123'
        ? { id: 'booking-2', start: new Date('2026-03-10T10:00:00Z'), name, phone }
        : null,
    moveBooking: async (booked, start) => {
      changes.push(`moved to ${start.toISOString()}`);
      return { id: booked.id };
    },
    cancelBooking: async ({ id }) => {
      changes.push('cancelled');
      return { id };
    },
  };
  const dialogue = createAgencyDialogue({ known: KNOWN, embed, tools, zone: ZONE, now: () => NOW });
  async function say(text: string, options: { typed?: boolean; confidence?: number } = {}): Promise<string> {
    const heard = { text, typed: options.typed ?? false, confidence: options.confidence ?? 1 };
    const sentences: string[] = [];
    for await (const step of dialogue.reply(heard, [], new AbortController().signal)) {
      steps.push(step);
      if (step.kind === 'sentence') sentences.push(step.text);
    }
    return sentences.join(' ');
  }
  return { say, dialogue, enquiries, bookings, changes, held, steps };
}

describe('a conversation', () => {
  test('a question goes on with the one before', async () => {
    const { say } = open();
    await say('how much is the pro plan');
    expect(await say('and the premium plan')).toContain('£129');
  });

  test('a day is answered with yes or no: by what prompt and files say of it, else by the hours', async () => {
    const dialogue = createAgencyDialogue({
      known: { ...KNOWN, week: HOURS ?? new Map(), sentences: ['We are closed on 1 May.'] },
      fileSentences: async () => ['The office is shut from 24 to 31 December.'],
      tools: NO_BOOKINGS_TOOLS,
      zone: ZONE,
      now: () => NOW,
    });
    const say = async (text: string): Promise<string> => {
      const heard = { text, typed: true, confidence: 1 };
      const said: string[] = [];
      for await (const step of dialogue.reply(heard, [], new AbortController().signal))
        if (step.kind === 'sentence') said.push(step.text);
      return said.join(' ');
    };
    expect(await say('Are you open on 27 December?')).toBe('No. The office is shut from 24 to 31 December.');
    expect(await say('And Monday the 4th?')).toBe(
      'Yes, on Monday 4 May my colleagues are there from 9:00 to 17:00.',
    );
    expect(await say('what about the first of may')).toBe('No. We are closed on 1 May.');
    expect(await say('what are your opening hours')).toContain('Monday to Friday from 9:00 to 17:00');
  });

  test('what is not understood is said so, and after three times a message is offered', async () => {
    claims('It makes nothing up.');
    const { say, enquiries } = open();
    expect(await say('purple monkey dishwasher')).toContain('did not understand');
    expect(await say('', { confidence: 0 })).toContain('still do not understand');
    expect(await say('glimmer frog')).toContain('take a message');
    expect(await say('yes')).toContain('What is it about?');
    expect(enquiries).toEqual([]);
  });

  test('says again what it said', async () => {
    const { say } = open();
    const first = await say('how much is the pro plan');
    expect(await say('could you repeat that please')).toBe(first);
    expect(await say('sorry')).toBe(first);
  });

  test('hangs up when the caller says goodbye, never before', async () => {
    const { say, steps } = open();
    await say('thank you');
    expect(steps.some((step) => step.kind === 'hang-up')).toBe(false);
    expect(await say('thank you very much goodbye')).toContain('Goodbye');
    expect(steps.at(-1)).toEqual({ kind: 'hang-up', reason: 'assistant-ended-call' });
  });

  test('deletes what was said when asked to', async () => {
    const { say, steps } = open();
    await say('please delete what i said');
    expect(steps.at(-1)).toEqual({ kind: 'consent', to: 'keep-words', given: false });
  });
});

describe('what rules do not understand', () => {
  /**
   * Gives each of these questions a direction of its own, a text with `taster` their middle, other ways of asking
   * another direction, and any other text none.
   */
  const meaningOf = (...questions: string[]): Embed => {
    const own = questions.map((question) => coreOf(question));
    return async (texts) =>
      texts.map((text) => {
        const sum = Float32Array.from([...own, ''], (one, at) =>
          /taster/.test(text)
            ? Number(at < own.length)
            : Number(COMMON_WAYS.includes(text) && one === (own.includes(text) ? text : '')),
        );
        const length = Math.hypot(...sum) || 1;
        return sum.map((one) => one / length);
      });
  };
  const UNDECIDED = meaningOf('is there a discount', 'are the prices with tax');

  test('is asked back by its meaning, of two at most, and the choice is answered', async () => {
    const { say } = open([], { embed: UNDECIDED });
    const asked = await say('might there be some taster');
    expect(asked).toMatch(/^Do you mean '[^']+', or '[^']+'\?$/);
    expect(asked).toContain("'Is there a discount'");
    const first = asked.indexOf('discount') < asked.indexOf('tax');
    expect(await say(`the ${first ? 'first' : 'second'} one`)).toMatch(/same for everybody/);
    await say('might there be some taster');
    expect(await say('how much is the pro plan')).toContain('£49');
    expect(await say('the first one')).not.toMatch(/discount/i);
    expect(await say('purple monkey dishwasher')).toMatch(/do not understand/);
  });

  test('none of what was asked back is an honest no', async () => {
    const { say } = open([], { embed: UNDECIDED });
    await say('might there be some taster');
    expect(await say('none of those')).toMatch(/did not understand/);
  });

  test('is answered at once where its meaning leaves no doubt', async () => {
    const { say } = open([], { embed: meaningOf('is there a free trial') });
    expect(await say('might there be some taster')).toMatch(/no free trial/);
  });

  test('what rules take for something else is asked about, or answered by its meaning', async () => {
    const { say } = open([], { embed: meaningOf('how do i delete my account') });
    // The rules know only that `open` asks for the hours.
    expect(await say('are you open for a taster')).not.toContain('Monday to Friday');
  });

  test('every question that is asked back has an answer of its own', () => {
    const unanswered = COMMON_QUESTIONS.filter(
      (question) => answerTopic(normaliseWords(question), KNOWN, null) === null,
    );
    expect(unanswered).toEqual([]);
  });

  test('a question that has the word wait is no wish to wait', async () => {
    const { say } = open();
    expect(await say('do i have to wait long for a report')).not.toBe('');
  });
});

describe('what was said before', () => {
  test.each([
    ['how much is the basic plan', 'and the next one up', '£49'],
    ['how much is the premium plan', 'anything cheaper', '£49'],
    ['how much are the course plans', 'what does the second one cost', '£449'],
    ['how much are the course plans', 'and the last of them', '£999'],
    ['what is in premium', 'and what would i pay for it', '£129'],
    ['what services do you offer', 'tell me about the phone one', 'phone system'],
  ])('after %j %j is understood', async (first, second, answer) => {
    const { say } = open();
    await say(first);
    expect(await say(second)).toContain(answer);
  });

  test.each([
    ['The basic plan, no sorry, the pro plan, what is that?', '£49', '£15'],
    ['How much is Premium, no wait, I mean Pro?', '£49', '£129'],
    [
      'Call me on Friday at eleven. No, sorry, make that Thursday.',
      'Thursday the 5th of March at 11',
      'Friday',
    ],
  ])('%j is answered for what was meant', async (said, answer, never) => {
    const { say } = open();
    const heard = await say(said);
    expect(heard).toContain(answer);
    expect(heard).not.toContain(never);
  });

  test.each([
    ['the middle one', '12:30'],
    ['the latest please', '1 in the afternoon'],
  ])('%j of three times is chosen', async (said, time) => {
    const { say, bookings } = open();
    await say('i would like a call tomorrow afternoon');
    for (const words of [said, 'paul reed', 'yes', 'five five five one two three four']) await say(words);
    expect(await say('yes')).toContain(`at ${time}`);
    expect(bookings).toHaveLength(1);
  });

  test.each([
    ['actually could we do four instead', 'Friday the 6th of March at 4'],
    ['half an hour later', 'Friday the 6th of March at 3:30'],
    ['the day before', 'Thursday the 5th of March at 3'],
  ])('%j changes what was wished for', async (said, time) => {
    const { say } = open();
    await say('i would like a call on friday at three');
    expect(await say(said)).toContain(time);
  });

  test('the end of a number and the domain of an address are corrected by themselves', async () => {
    const { say } = open();
    for (const words of ['please take a message', 'we want a new website', 'anna cooper', 'yes'])
      await say(words);
    await say('anna at gmail dot com');
    expect(await say('no it is outlook dot com')).toContain('at outlook dot com');
    await say('yes');
    await say('no');
    for (const words of ['i want to book a call on friday at three', 'yes', 'anna cooper', 'yes'])
      await say(words);
    expect(await say('five five five one one two two')).toContain('5 5 5, 1 1 2, 2');
    expect(await say('no the last bit is two three')).toContain('5 5 5, 1 1 2, 3');
  });

  test('another day keeps the hour that was wished for', async () => {
    const { say } = open();
    await say('i would like a call on friday at three');
    expect(await say('no, monday')).toContain('Monday the 9th of March at 3 in the afternoon');
  });
});

describe('an enquiry', () => {
  test('is asked for, repeated, summed up and sent only after a yes', async () => {
    const { say, enquiries, steps } = open();
    expect(await say('i would like to send an enquiry')).toContain('What is it about?');
    expect(await say('we need a new website for our bakery')).toContain('your name');
    expect(await say('my name is sarah miller')).toBe('I heard Sarah Miller. Is that right?');
    expect(await say('yes that is correct')).toContain('e-mail address');
    expect(await say('sarah dot miller at gmail dot com')).toContain('gmail dot com');
    const summary = await say('yes');
    expect(summary).toContain('Sarah Miller');
    expect(enquiries).toEqual([]);
    expect(await say('yes please')).toContain('24 hours');
    expect(enquiries).toEqual([
      {
        name: 'Sarah Miller',
        email: 'sarah.miller@gmail.com',
        phone: null,
        service: 'Website Builder',
        notes: 'we need a new website for our bakery',
      },
    ]);
    expect(steps.filter((step) => step.kind === 'consent')).toEqual([
      { kind: 'consent', to: 'send-enquiry', given: true },
    ]);
  });

  test('a plain yes to a question is believed where the sound alone leaves doubt, other words are not', async () => {
    const { say } = open();
    await say('i would like to send an enquiry');
    await say('we need a new website for our bakery');
    await say('my name is sarah miller');
    expect(await say('sarah mailer', { confidence: 0.25 })).toContain('did not get that');
    expect(await say('yes', { confidence: 0.15 })).toContain('did not get that');
    expect(await say('yes', { confidence: 0.25 })).toContain('e-mail address');
  });

  test('takes a correction in the same breath, and a number where there is no address', async () => {
    const { say, enquiries } = open();
    await say('i have a project for you');
    await say('lead generation for a law firm');
    expect(await say('this is cheryl miller')).toContain('Cheryl');
    expect(await say('no it is sarah miller')).toContain('Sarah');
    await say('yes');
    expect(await say('i do not have an email address')).toContain('phone number');
    expect(await say('zero seven seven double four one two three')).toContain('not a whole number');
    expect(await say('zero seven seven double four one two three four five six')).toContain(
      '0 7 7, 4 4 1, 2 3 4',
    );
    await say('correct');
    await say('go ahead');
    expect(enquiries[0]).toMatchObject({
      name: 'Sarah Miller',
      email: null,
      phone: '07744123456',
      service: 'Automated Outreach',
    });
  });

  test('answers a question in between and goes on', async () => {
    const { say } = open();
    await say('can i leave a message');
    await say('i want a chat bot for my shop');
    const aside = await say('is this call being recorded');
    expect(aside).toContain('not recorded');
    expect(aside).toContain('your name');
  });

  test('is dropped when the caller says so, and nothing is sent without a yes', async () => {
    const first = open();
    await first.say('i want to make an enquiry');
    expect(await first.say('never mind')).toContain('leave that');
    expect(await first.say('how much is the pro plan')).toContain('£49');

    const second = open();
    for (const words of [
      'can i leave a message',
      'please call about a website',
      'anna smith',
      'yes',
      'anna at example dot com',
      'yes',
    ])
      await second.say(words);
    expect(await second.say('no')).toContain('nothing was sent');
    expect(second.enquiries).toEqual([]);
  });

  test('does not ask for confirmation of what was typed', async () => {
    const { say, enquiries } = open();
    await say('I have an enquiry', { typed: true });
    await say('A website for my shop, please.', { typed: true });
    await say('Jo Brown', { typed: true });
    expect(await say('jo@example.com', { typed: true })).toContain('May I send it?');
    await say('Yes!', { typed: true });
    expect(enquiries[0]).toMatchObject({
      name: 'Jo Brown',
      email: 'jo@example.com',
      notes: 'A website for my shop, please.',
    });
  });

  test('that cannot be stored is told, and the call goes on', async () => {
    const { say } = open();
    const broken = createAgencyDialogue({
      known: KNOWN,
      zone: ZONE,
      now: () => NOW,
      tools: {
        takeEnquiry: () => Promise.reject(new Error('no disk')),
        ...NO_BOOKINGS,
      },
    });
    const hear = async (text: string) => {
      let all = '';
      for await (const step of broken.reply(
        { text, typed: true, confidence: 1 },
        [],
        new AbortController().signal,
      )) {
        if (step.kind === 'sentence') all += step.text;
      }
      return all;
    };
    for (const words of ['an enquiry', 'a website for us', 'Jo', 'jo@example.com']) await hear(words);
    expect(await hear('yes')).toContain('could not store it');
    expect(await hear('how much is the pro plan')).toBe(await say('how much is the pro plan'));
  });
});

describe('a call with a colleague', () => {
  test('is booked for the time that was named', async () => {
    const { say, bookings } = open();
    expect(await say('i want to book an appointment for next tuesday')).toBe(
      'I can offer Tuesday the 10th: nine, half past nine or ten. Which one shall I book?',
    );
    expect(await say('yes please')).toBe(
      'Which one shall I book: Tuesday the 10th: nine, half past nine or ten?',
    );
    expect(await say('at three in the afternoon')).toContain(
      'Tuesday the 10th of March at 3 in the afternoon',
    );
    expect(await say('yes')).toContain('your name');
    await say('tom baker');
    await say('yes');
    await say('five five five one two three four');
    expect(await say('yes')).toContain('It is booked');
    expect(bookings).toEqual([
      { start: new Date('2026-03-10T15:00:00Z'), name: 'Tom Baker', phone: '5551234' },
    ]);
  });

  test.each(["i'd like a call", 'i would like to brook a call', 'we need a call'])(
    '%s: when',
    async (words) => {
      expect(await open().say(words)).toContain('Which day and time');
    },
  );

  test('offers what is near when the time is taken or closed', async () => {
    const { say } = open(['2026-03-05T10:00:00.000Z']);
    expect(await say('can someone call me back tomorrow at ten')).toContain('That time is not free.');
    expect(await say('the first one')).toContain('your name');
    const { say: ask } = open();
    expect(await ask('book a call for sunday')).toContain('That time is not free.');
  });

  test('understands parts of a day, half hours and dates', async () => {
    const half = open();
    expect(await half.say('could we talk on monday at half past nine')).toContain(
      'Monday the 9th of March at 9:30 in the morning',
    );
    const part = open();
    expect(await part.say('can someone call me back on thursday afternoon')).toContain(
      'Thursday the 5th: twelve, half past twelve or one',
    );
    const date = open();
    await date.say('i would like to book a meeting');
    expect(await date.say('on the twelfth of march at two')).toContain(
      'Thursday the 12th of March at 2 in the afternoon',
    );
  });

  test('holds only what was chosen, says so, and releases it when the caller gives up', async () => {
    const { say, held } = open();
    await say('can someone call me back tomorrow morning');
    expect(held).toEqual([]);
    expect(await say('one moment please')).toBe('Take your time.');
    await say('the second one');
    expect(held.map((start) => start.toISOString())).toEqual(['2026-03-05T09:30:00.000Z']);
    expect(await say('one moment please')).toBe('Take your time; I hold it for you.');
    await say('never mind');
    expect(held).toEqual([]);
  });

  test('offers other times where somebody else took the chosen one meanwhile', async () => {
    const lost: string[] = [];
    const { say } = open([], { lost });
    await say('can someone call me back tomorrow at ten');
    lost.push('2026-03-05T10:00:00.000Z');
    expect(await say('yes')).toMatch(/somebody has just taken that time. I can offer/);
  });

  test.each([
    ['Anything free Friday after three?', 'Friday the 6th: three, half past three or four'],
    ['Book a call on Thursday before ten', 'Thursday the 5th: nine or half past nine'],
    ['Can we talk on Friday between two and half past three?', 'Friday the 6th: two, half past two or three'],
    ['When is your first free slot?', 'Wednesday the 4th: twelve, half past twelve or one'],
    ['I need the next available appointment', 'Wednesday the 4th: twelve'],
    [
      'Could someone ring me at half eight on Monday?',
      'That time is not free. I can offer Monday the 9th: nine',
    ],
    ['Call me next Friday at ten', 'Friday the 13th of March at 10'],
    ['Call me on Friday at ten', 'Friday the 6th of March at 10'],
    ['Call me on Tuesday week at ten', 'Tuesday the 17th of March at 10'],
    ['Book a call for the week after next', 'Monday the 16th: nine'],
    ['Book a call at lunchtime tomorrow', 'Thursday the 5th: twelve, half past twelve or one'],
    ['Book me a call tomorrow, not before three', 'Thursday the 5th: three, half past three or four'],
  ])('%j is heard as people say it', async (wish, offer) => {
    expect(await open().say(wish)).toContain(offer);
  });

  test('a wish is narrowed down turn by turn', async () => {
    const { say } = open();
    await say('book a call on friday');
    expect(await say('after three please')).toContain('Friday the 6th: three, half past three or four');
    expect(await say('anything later')).toContain('Friday the 6th of March at 4:30');
    expect(await say('the week after')).toContain('the 9th');
    expect(await say('have you got anything on friday before eleven')).toContain(
      'nine, half past nine or ten',
    );
    expect(await say('make it half past nine')).toContain('your name');
  });

  test.each([
    "I can't make our meeting tomorrow, can we push it back?",
    'Could we bring my appointment forward?',
    'I need to put our call off',
  ])('%j moves what is booked, and is no wish for the day that it names', async (words) => {
    const { say } = open();
    expect(await say(words)).toBe('What name is the call booked under?');
    await say('Ann Wood', { typed: true });
    expect(await say('0770 900 123', { typed: true })).toBe('Which day and time would suit you?');
  });

  test('is confirmed by mail where an address is given, by text where that is set up, and else not', async () => {
    const booked = async (given: Opened) => {
      const call = open([], given);
      for (const words of ['book a call on tuesday at ten', 'yes', 'Ann Wood'])
        await call.say(words, { typed: true });
      return { ...call, last: await call.say('0770 900 123', { typed: true }) };
    };
    const byMail = await booked({});
    expect(byMail.last).toContain('Where shall I mail the confirmation?');
    expect(await byMail.say('ann@example.com', { typed: true })).toBe(
      'The confirmation is on its way to that address. Is there anything else?',
    );
    expect(byMail.changes).toEqual(['confirmed to ann@example.com']);
    const byText = await booked({ confirmedBy: 'text' });
    expect(byText.last).toContain('I text you the confirmation. Is there anything else?');
    const none = await booked({});
    expect(await none.say('no thanks', { typed: true })).toBe(
      'All right, I send none. Is there anything else?',
    );
    expect(none.changes).toEqual([]);
  });

  test('is offered when the caller wants a person', async () => {
    claims(
      'Yes: say so.',
      'The assistant takes a message or books a call with a colleague, at a time that suits you.',
      'Write to {contactEmail}, send an enquiry, or ask the assistant to pass you on.',
    );
    const { say } = open();
    expect(await say('i would like to speak to a real person please')).toContain('call you back');
    expect(await say('as soon as possible')).toContain('Wednesday the 4th: twelve');
  });
});

test('a week’s hours are read, said and refused', () => {
  expect(readWeeklyHours('mon-fri 9:00-17:00, sat 10:00-12:00')?.get(6)).toEqual({ opens: 600, closes: 720 });
  expect(readWeeklyHours('always')).toBeNull();
  expect(readWeeklyHours('mon 17:00-9:00')).toBeNull();
});

describe('an open form comes first', () => {
  const typed = { typed: true };

  test('a name is spelled back where it is unusual or was hardly heard', async () => {
    const { say } = open();
    for (const words of ['please take a message', 'we want a new website']) await say(words);
    expect(await say('siobhan nguyen')).toContain('spelled N, G, U, Y, E, N');
    expect(await say('no, sarah miller', { confidence: 0.5 })).toContain('spelled M, I, L, L, E, R');
    expect(await say('no, sarah carter')).toBe('I heard Sarah Carter. Is that right?');
  });

  test('an earlier answer is corrected where a later one is asked for, and when all is summed up', async () => {
    const { say, enquiries } = open();
    for (const words of ['please take a message', 'we want a new website', 'Tom Carter'])
      await say(words, typed);
    expect(await say("No, it's Tim, not Tom", typed)).toBe(
      'All right, Tim Carter. What is your e-mail address? If you have none, just say no.',
    );
    expect(await say('tim@example.com', typed)).toContain('Tim Carter, tim@example.com');
    expect(await say('My name is Kim Carter', typed)).toContain('I will pass this on: Kim Carter');
    expect(await say('Yes but wait', typed)).not.toContain('24 hours');
    expect(enquiries).toEqual([]);
    await say('yes please', typed);
    expect(enquiries).toMatchObject([{ name: 'Kim Carter', email: 'tim@example.com' }]);
  });

  test('words that are no number are no answer to a number, and too few digits are asked for again', async () => {
    const { say, bookings } = open();
    for (const words of ['book a call on tuesday at ten', 'yes', 'ann wood', 'yes']) await say(words);
    expect(await say('ann@example.com', typed)).toBe(
      'That is an e-mail address; I need a phone number. Please say the number again, one digit after another.',
    );
    expect(await say('oh one one two three four five six seven')).toContain(
      'I heard 0 1 1, 2 3 4, 5 6 7; that is not a whole number.',
    );
    expect(bookings).toEqual([]);
  });

  test('a number that is said in two turns is put together', async () => {
    const { say } = open();
    for (const words of ['book a call on tuesday at ten', 'yes', 'ann wood', 'yes']) await say(words);
    await say('oh seven seven double oh');
    expect(await say('nine double oh one two three')).toContain('I have 0 7 7, 0 0 9, 0 0 1, 2 3.');
  });

  test.each(['Ann Miller', '07700 900123', 'zxc qwe'])(
    '%j is no question where a time is asked for',
    async (words) => {
      const { say } = open();
      await say('book a call on tuesday');
      expect(await say(words, typed)).toBe(
        'Sorry, I did not get that. I can offer Tuesday the 10th: nine, half past nine or ten. Which one shall I book?',
      );
    },
  );

  test('a command comes before an answer: a person, to leave it', async () => {
    const { say } = open();
    await say('please take a message', typed);
    expect(await say('I want to speak to a person', typed)).toContain(
      'I can have a colleague call you back.',
    );
    expect(await say('put me through to somebody', typed)).toContain('A colleague calls you at the time');
    expect(await say('cancel that', typed)).toContain('I leave that');
  });

  test('questions that were asked while the assistant was muted come as one turn, and each is answered', async () => {
    const said = await open().say('How much is the Pro plan? And Premium?', typed);
    expect(said).toContain('£49');
    expect(said).toContain('£129');
  });

  test('two wishes in one line are both served, also where the second has no verb', async () => {
    const { say } = open();
    expect(await say('cancel my appointment and also a person please', typed)).toContain('booked under');
    expect(await say('never mind', typed)).toContain('I can have a colleague call you back.');
  });
});

describe('what people change their minds about', () => {
  const typed = { typed: true };

  test('a time that was agreed is taken back for another day', async () => {
    const { say, bookings } = open();
    await say('can i book a call on tuesday at ten', typed);
    expect(await say('yes', typed)).toContain('your name');
    expect(await say('no, thursday at eleven', typed)).toContain(
      'Thursday the 5th of March at 11 in the morning',
    );
    await say('yes', typed);
    await say('Ann Wood', typed);
    await say('0770 900 123', typed);
    expect(bookings.map(({ start }) => start.toISOString())).toEqual(['2026-03-05T11:00:00.000Z']);
  });

  test('a call that was booked here is moved and cancelled here, each after a yes', async () => {
    const { say, changes, steps } = open();
    await say('book a call on tuesday at ten', typed);
    await say('yes', typed);
    await say('Ann Wood', typed);
    expect(await say('0770 900 123', typed)).toContain('It is booked');
    expect(await say('can you move it to friday at nine', typed)).toContain('Friday the 6th of March at 9');
    expect(changes).toEqual([]);
    expect(await say('yes', typed)).toContain('It is moved: a colleague calls you on Friday the 6th');
    expect(await say('please cancel the appointment', typed)).toBe(
      'Shall I cancel your call on Friday the 6th of March at 9 in the morning?',
    );
    expect(await say('no', typed)).toContain('your call stays');
    await say('cancel my call', typed);
    expect(await say('yes', typed)).toContain('Your call is cancelled');
    expect(changes).toEqual(['moved to 2026-03-06T09:00:00.000Z', 'cancelled']);
    expect(steps.filter(({ kind }) => kind === 'consent').map((step) => 'to' in step && step.to)).toEqual([
      'book-call',
      'move-call',
      'cancel-call',
      'cancel-call',
    ]);
  });

  test('a call that was booked earlier is moved and cancelled by whoever knows its name and number', async () => {
    const { say, changes } = open();
    expect(await say('can i move my appointment to thursday at eleven', typed)).toBe(
      'What name is the call booked under?',
    );
    expect(await say('Ann Wood', typed)).toContain('phone number');
    expect(await say('0770 900 123', typed)).toContain('Thursday the 5th of March at 11');
    expect(await say('yes', typed)).toContain('It is moved');
    expect(await say('cancel it', typed)).toContain('Shall I cancel your call on Thursday the 5th');
    expect(await say('yes', typed)).toContain('is cancelled');
    expect(changes).toEqual(['moved to 2026-03-05T11:00:00.000Z', 'cancelled']);
  });

  test('a stranger is told nothing of it, and offered a message', async () => {
    const { say, changes } = open();
    await say('please cancel my appointment', typed);
    await say('Bob Wood', typed);
    expect(await say('0770 900 123', typed)).toBe(
      'I am sorry, I find no booking under that name and number. Shall I take a message for a colleague?',
    );
    expect(await say('yes', typed)).toContain('What is it about?');
    expect(changes).toEqual([]);
  });

  test('the telephone’s own number need not be said, and another one is asked for where nothing is booked with it', async () => {
    const known = open([], { line: '0770900123' });
    await known.say('cancel my booking', typed);
    expect(await known.say('Ann Wood', typed)).toContain('Shall I cancel your call on Tuesday the 10th');
    const other = open([], { line: '0770900999' });
    await other.say('cancel my booking', typed);
    expect(await other.say('Ann Wood', typed)).toBe(
      'I find no booking under that name for the number that you call from. What is your phone number, digit by digit?',
    );
    expect(await other.say('0770 900 123', typed)).toContain('Shall I cancel your call');
  });

  test('an answer of a form is taken back, also when all is summed up', async () => {
    const { say, enquiries } = open();
    await say('i want to send an enquiry', typed);
    await say('a website for my shop', typed);
    await say('Ann Wood', typed);
    expect(await say('go back', typed)).toBe('All right. What is your name, please?');
    await say('Anna Wood', typed);
    expect(await say('anna@example.com', typed)).toContain('May I send it?');
    expect(await say('no, the email is wrong', typed)).toContain('e-mail address');
    expect(await say('anna.wood@example.com', typed)).toContain('May I send it?');
    await say('yes', typed);
    expect(enquiries).toMatchObject([{ name: 'Anna Wood', email: 'anna.wood@example.com' }]);
  });

  test('two wishes of one sentence are both met, the question before the task', async () => {
    const { say } = open();
    const both = await say('how much is the pro plan and can i book a call on tuesday at ten', typed);
    expect(both).toContain('£49');
    expect(both).toContain('Tuesday the 10th of March at 10');
    const { say: ask } = open();
    const answers = await ask('is this call recorded and what does the premium plan cost', typed);
    expect(answers).toContain('not recorded');
    expect(answers).toContain('£129');
  });
});
