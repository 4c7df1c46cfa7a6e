import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slotsBetween } from '../../business/bookings/free-times.server.ts';
import { readWeeklyHours } from '../../business/bookings/weekly-hours.server.ts';
import { PublishedSite } from '../../kernel/contract/site-content.ts';
import type { DialogueManager } from '../engines/engines.server.ts';
import { createAgencyDialogue } from './agency-dialogue.server.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';
import { createPromptDialogue } from './prompt-dialogue.server.ts';
import { saysYes } from './spoken/caller-consent.server.ts';
import { saysGoodbye } from './spoken/caller-goodbye.server.ts';
import { normaliseWords } from './spoken/word-normalisation.server.ts';

/** A Wednesday, 10:00 in London. */
const NOW = new Date('2026-03-04T10:00:00Z');
const HOURS = readWeeklyHours('mon-fri 9:00-17:00') ?? new Map();
const ZONE = 'Europe/London';
const CONVERSATIONS = 10_000;

/** Turns of a caller: wishes, answers to forms, and words that only resemble a goodbye, a yes or a wish. */
const TURNS = [
  ...['I want to book a call', 'Book a call on Tuesday at ten', 'Can someone call me back tomorrow morning?'],
  ...['I would like to leave a message', 'I will leave a message', 'We need a new website for our bakery'],
  ...['Cancel my appointment', 'Can I move my appointment to Friday at nine?', 'I want to speak to a person'],
  ...['Delete what I said', 'How much is the Pro plan?', 'What do you do?', 'Is this call recorded?'],
  ...[
    'Yes',
    'Yes please',
    'Yes, Lee',
    'Yes, that is right',
    'That is all right',
    'Yes but wait',
    'No',
    'No thanks',
  ],
  ...[
    'Good question',
    'Fine, what does it cost?',
    'Right, one more thing',
    'Great, and how long does that take?',
  ],
  ...[
    'Ann Wood',
    'My name is Tom Baker',
    'No, it is Tim, not Tom',
    '0770 900 123',
    'ann@example.com',
    'S M I T H',
  ],
  ...[
    'The first one',
    'First tell me the price',
    'At ten',
    'Friday after three',
    'The last thing I need is a bot',
  ],
  ...[
    'I have to go to the dentist on Monday',
    'I will leave it there',
    'Is that everything I need?',
    'Never mind',
  ],
  ...[
    'That is not all',
    'I do not want to hang up',
    'Before I say goodbye, what does it cost?',
    'Stop',
    'hello',
  ],
  ...[
    'Goodbye',
    'Thank you, goodbye',
    "That's all, thanks",
    'Bye now',
    'End the call',
    'What? Sorry?',
    'zxc qwe',
  ],
];
const ENDED_BY = /\b(?:bye|goodbye|end the call|that is all|thats all|that's all)\b/i;
const conversations = fc.array(fc.constantFrom(...TURNS), { minLength: 1, maxLength: 9 });

interface Said {
  /** The assistant's words before the caller's turn. */
  readonly before: string;
  readonly turn: string;
}

/** Tools that note before which turns they acted. */
function watched(said: readonly Said[], faults: string[]): DialogueTools {
  const must = (act: string, released: boolean): void => {
    if (!released) faults.push(`${act} after ${JSON.stringify(said)}`);
  };
  const asked = (question: RegExp): boolean =>
    said.some(
      ({ before, turn }) => question.test(before) && !/^(?:no|stop)\b/i.test(turn) && !/\?$/.test(turn),
    );
  const agreed = (question: RegExp): boolean => {
    const last = said.at(-1);
    return last !== undefined && question.test(last.before) && saysYes(normaliseWords(last.turn));
  };
  return {
    async takeEnquiry() {
      must('sent', agreed(/May I send it\?$/));
      return { id: 'ENQ-1' };
    },
    freeSlots: async (from, until, count) =>
      [...slotsBetween(HOURS, ZONE, { from, until }, NOW)].slice(0, count),
    holdSlots: async (starts) => starts,
    async bookSlot() {
      must('booked', asked(/(?:Shall I book it|Which one shall I book)\?/));
      return { id: 'booking-1', confirmedBy: 'text' };
    },
    confirmBooking: async ({ id }) => ({ id }),
    callersNumber: async () => null,
    findBooking: async (name, phone) => ({
      id: 'booking-2',
      start: new Date('2026-03-10T10:00:00Z'),
      name,
      phone,
    }),
    async moveBooking({ id }) {
      must('moved', asked(/(?:Shall I book it|Which one shall I book)\?/));
      return { id };
    },
    async cancelBooking({ id }) {
      must('cancelled', agreed(/Shall I cancel your call/));
      return { id };
    },
  };
}

/** Holds a conversation until the call ends. @returns whether it ended, and the acts that no turn released */
async function hold(
  turns: readonly string[],
  openDialogue: (tools: DialogueTools) => DialogueManager,
): Promise<string[]> {
  const said: Said[] = [];
  const faults: string[] = [];
  const dialogue = openDialogue(watched(said, faults));
  let before = '';
  for (const turn of turns) {
    const busy = dialogue.awaitsAnswer?.() === true;
    said.push({ before, turn });
    const heard: string[] = [];
    let ended = false;
    for await (const step of dialogue.reply(
      { text: turn, confidence: 1, typed: turns.length % 2 === 0 },
      [],
      new AbortController().signal,
    )) {
      if (step.kind === 'sentence') heard.push(step.text);
      if (step.kind === 'hang-up') ended = true;
    }
    if (ended) {
      const asked = /end the call\?$/.test(before);
      const agreed = asked && saysYes(normaliseWords(turn));
      if (!agreed && ((busy && !asked) || !ENDED_BY.test(turn)))
        faults.push(`ended after ${JSON.stringify(said)}`);
      break;
    }
    before = heard.join(' ');
  }
  return faults;
}

/** Vectors by which everything resembles everything: what likeness could do at its worst. */
const all = Float32Array.from({ length: 512 }, () => Math.sqrt(1 / 512));
const alike = async (texts: readonly string[]) => texts.map(() => all);
const KNOWN = {
  site: new PublishedSite(),
  brand: 'Northline',
  contactEmail: 'a@example.com',
  hours: 'by appointment',
  sentences: [],
};
const PROMPT =
  'You work for Pizza Roma. A margherita costs nine pounds. Say goodbye to callers. We are open daily from 9 to 17.';

test.each([
  ['by words', undefined],
  ['by meaning, where everything is alike', alike],
])(
  'in 10,000 conversations nothing ends, is booked, moved, cancelled or sent without a plain word or a yes to that question, %s',
  async (_, embed) => {
    const openings: readonly ((tools: DialogueTools) => DialogueManager)[] = [
      (tools) => createAgencyDialogue({ known: KNOWN, embed, tools, zone: ZONE, now: () => NOW }),
      (tools) =>
        createPromptDialogue({
          site: KNOWN.site,
          prompt: PROMPT,
          name: null,
          embed: embed ?? null,
          tools,
          zone: ZONE,
          now: () => NOW,
        }),
    ];
    await fc.assert(
      fc.asyncProperty(conversations, fc.constantFrom(...openings), async (turns, opening) => {
        expect(await hold(turns, opening)).toEqual([]);
      }),
      { numRuns: CONVERSATIONS / 2, seed: 580 },
    );
  },
);

test.each([
  ...[
    'goodbye',
    'thank you very much goodbye',
    'that is all thanks',
    'no that will be all thank you',
    'bye bye',
  ],
  ...['okay i have to go now bye', 'can you hang up please', 'thanks for your help with the website goodbye'],
])('%j plainly ends a call', (words) => {
  expect(saysGoodbye(words)).toBe(true);
});

test.each([
  ...['i will leave a message', 'that is alright', 'yes that is right', 'yes lee', 'i will leave it there'],
  ...['i have to go to the dentist', 'that is not all', 'do not hang up', 'is that everything i need'],
  ...['before i say goodbye what does it cost', 'what do your plans cost goodbye'],
])('%j ends nothing', (words) => {
  expect(saysGoodbye(words)).toBe(false);
});

test('a goodbye in the middle of a form is asked about, and an answer that is no yes goes on with it', async () => {
  const said: string[] = [];
  const steps: string[] = [];
  const tools = watched([], []);
  const dialogue = createAgencyDialogue({ known: KNOWN, tools, zone: ZONE, now: () => NOW });
  for (const text of ['Book a call on Tuesday at ten', 'yes', 'goodbye', 'Ann Wood', 'bye', 'yes'])
    for await (const step of dialogue.reply(
      { text, confidence: 1, typed: true },
      [],
      new AbortController().signal,
    )) {
      steps.push(step.kind);
      if (step.kind === 'sentence') said.push(step.text);
    }
  expect(said).toContain('Nothing is booked yet. Shall I leave that and end the call?');
  expect(said).toContain('What is your phone number, digit by digit?');
  expect(steps.filter((kind) => kind === 'hang-up')).toHaveLength(1);
  expect(steps.at(-1)).toBe('hang-up');
});
