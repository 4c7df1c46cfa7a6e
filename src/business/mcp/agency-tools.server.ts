import { z } from 'zod';
import type {
  BookingsPage,
  CustomerAccount,
  EnquiryPage,
  OperatorEnquiry,
} from '../console/console.contract.ts';
import { ENQUIRY_LISTS, NOTE_LENGTH, REPLY_LENGTH } from '../console/console.contract.ts';
import {
  type ConsoleThread,
  MESSAGE_LIMITS,
  MOST_OF_A_THREAD,
  THREAD_LISTS,
} from '../messages/messages.contract.ts';
import { type McpTool, type ToolRun, tool } from './mcp-tool.server.ts';
import { WRITTEN, written } from './write-answer.server.ts';

/** Lines of a call's transcript on a page of `read_call`. */
const LINES_A_PAGE = 200;

const WORDS = z.string().max(200).default('').describe('Only entries with these words');
const AFTER = z
  .string()
  .max(100)
  .default('')
  .describe('Empty for the first page, then `next` of the page before');

const MOMENT = z.string().max(40).describe('A time in UTC, as 2026-05-31T09:30:00.000Z');

const enquirySchema = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  phone: z.string().nullable(),
  company_name: z.string().nullable(),
  enquiry_type: z.string(),
  additional_notes: z.string().nullable(),
  course_description: z.string().nullable(),
  created_at: z.string(),
  due_at: z.string(),
  replied_at: z.string().nullable(),
  note: z.string(),
  assignee: z.string().nullable(),
  replies: z.array(z.object({ body: z.string(), author: z.string().nullable(), created_at: z.string() })),
});
const customerSchema = z.object({
  user_id: z.string(),
  email: z.string().nullable(),
  full_name: z.string().nullable(),
  created_at: z.string(),
  last_sign_in_at: z.string().nullable(),
  credits: z.number().int(),
  plans: z.array(
    z.object({ tier: z.string().nullable(), status: z.string(), current_period_end: z.string().nullable() }),
  ),
  files: z.number().int(),
});
const callSchema = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  ended_reason: z.string().nullable(),
  caller: z.string().nullable(),
  assistant_name: z.string().nullable(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  success: z.string().nullable(),
});
/** The members of `operator-call` that the tool shows; the voice wing stands above this one. */
interface CallAnswer {
  readonly call: z.output<typeof callSchema>;
  readonly summary: string | null;
  readonly messages: readonly { role: string; message: string; secondsFromStart: number }[];
}

/** The entries of a page whose fields the schema names. */
const pageSchema = <Row extends z.ZodObject>(row: Row) =>
  z.object({ rows: z.array(row), next: z.string().nullable() });

/** The enquiry, if the key may read enquiries and there is one. */
export async function findEnquiry(
  { ask, rights }: ToolRun,
  id: string,
): Promise<OperatorEnquiry | undefined> {
  if (!rights.includes('enquiries:read')) return undefined;
  const { rows } = await ask<EnquiryPage>('operator-enquiries', { list: 'all', q: id }, 'GET');
  return rows.find((row) => row.id === id);
}

/** What a person reads about an enquiry that is to be changed. */
async function enquiryWords(run: ToolRun, id: string): Promise<string> {
  const found = await findEnquiry(run, id);
  return found === undefined ? `enquiry ${id}` : `the enquiry of ${found.name} (${found.email})`;
}

async function customerWords({ ask, rights }: ToolRun, id: string): Promise<string> {
  if (!rights.includes('customers:read')) return `customer ${id}`;
  const { customer } = await ask<CustomerAccount>('operator-customer', { id }, 'GET');
  return customer.full_name
    ? `${customer.full_name} (${customer.email})`
    : (customer.email ?? `customer ${id}`);
}

/** Looks through the bookings to come, of which the first page is enough to name one in a question. */
async function bookingWords({ ask, rights }: ToolRun, id: string): Promise<string> {
  if (!rights.includes('bookings:read')) return `the booking ${id}`;
  const { rows } = await ask<BookingsPage>('operator-bookings', {}, 'GET');
  const found = rows.find((row) => row.id === id);
  return found === undefined
    ? `the booking ${id}`
    : `the call with ${found.name} (${found.phone}) at ${found.starts_at}`;
}

/** Enquiries, bookings, calls, customers and messages, for operators' keys. */
export const AGENCY_TOOLS: readonly McpTool[] = [
  tool({
    name: 'list_enquiries',
    title: 'List enquiries',
    description:
      'What visitors asked, with the answers so far. Open ones are in the order in which they are due.',
    right: 'enquiries:read',
    input: z.object({ list: z.enum(ENQUIRY_LISTS).default('open'), words: WORDS, after: AFTER }),
    output: pageSchema(enquirySchema),
    run: ({ list, words, after }, { ask }) => ask('operator-enquiries', { list, q: words, after }, 'GET'),
  }),
  tool({
    name: 'answer_enquiry',
    title: 'Answer an enquiry',
    description: 'Mails an answer to the person who sent an enquiry. It cannot be taken back.',
    right: 'enquiries:write',
    input: z.object({
      enquiry_id: z.string().min(1).max(80),
      text: z.string().trim().min(1).max(REPLY_LENGTH),
    }),
    output: WRITTEN,
    question: async ({ enquiry_id: id, text }, run) =>
      `Answer ${await enquiryWords(run, id)} with:\n\n${text}`,
    async run({ enquiry_id: id, text }, { ask }) {
      await ask('operator-act', { do: 'enquiry.reply', id, text });
      return written('The answer is on its way.');
    },
  }),
  tool({
    name: 'note_enquiry',
    title: 'Write a note on an enquiry',
    description: "Replaces the agency's own note on an enquiry. Its sender does not see it.",
    right: 'enquiries:write',
    input: z.object({ enquiry_id: z.string().min(1).max(80), note: z.string().max(NOTE_LENGTH) }),
    output: WRITTEN,
    question: async ({ enquiry_id: id, note }, run) =>
      `Replace the note on ${await enquiryWords(run, id)} by:\n\n${note}`,
    async run({ enquiry_id: id, note }, { ask }) {
      await ask('operator-act', { do: 'enquiry.note', id, note });
      return written('The note was replaced.');
    },
  }),
  tool({
    name: 'list_bookings',
    title: 'List bookings',
    description: 'Calls with a colleague that people booked: those to come, past or cancelled ones.',
    right: 'bookings:read',
    input: z.object({
      list: z.enum(['coming', 'past', 'cancelled']).default('coming'),
      words: WORDS,
      after: AFTER,
    }),
    output: pageSchema(
      z.object({
        id: z.string(),
        starts_at: z.string(),
        minutes: z.number().int(),
        name: z.string(),
        phone: z.string(),
        email: z.string().nullable(),
        state: z.enum(['booked', 'cancelled']),
      }),
    ),
    run: ({ list, words, after }, { ask }) => ask('operator-bookings', { list, q: words, after }, 'GET'),
  }),
  tool({
    name: 'free_times',
    title: 'List free times',
    description:
      'Times of the next thirty days at which a call with a colleague can be booked, soonest first.',
    right: 'bookings:read',
    input: z.object({
      from: MOMENT.nullish().describe('Not before this time'),
      most: z.number().int().min(1).max(100).default(20),
    }),
    output: z.object({ times: z.array(z.string()) }),
    run: ({ from, most }, { ask }) => ask('operator-free-times', { from, count: most }),
  }),
  tool({
    name: 'book_call',
    title: 'Book a call',
    description:
      'Books a call with a colleague at a free time. With an email address, a confirmation is mailed there.',
    right: 'bookings:write',
    input: z.object({
      start: MOMENT,
      name: z.string().trim().min(1).max(120),
      phone: z.string().trim().min(3).max(40),
      email: z.string().max(254).nullish(),
    }),
    output: WRITTEN,
    question: async ({ start, name, phone, email }) =>
      `Book a call with ${name} (${phone}) at ${start}${email ? ` and confirm it to ${email}` : ''}?`,
    async run(input, { ask }) {
      const { id } = await ask<{ id: string }>('operator-book-call', input);
      return written(`The call was booked: ${id}.`);
    },
  }),
  tool({
    name: 'move_booking',
    title: 'Move a booking',
    description: 'Moves a booked call to another free time. The person who booked it is told.',
    right: 'bookings:write',
    input: z.object({ booking_id: z.uuid(), start: MOMENT }),
    output: WRITTEN,
    question: async ({ booking_id: id, start }, run) => `Move ${await bookingWords(run, id)} to ${start}?`,
    async run({ booking_id: id, start }, { ask }) {
      await ask('operator-move-booking', { id, start });
      return written('The booking was moved.');
    },
  }),
  tool({
    name: 'cancel_booking',
    title: 'Cancel a booking',
    description: 'Cancels a booked call. The person who booked it is told.',
    right: 'bookings:write',
    input: z.object({ booking_id: z.uuid() }),
    output: WRITTEN,
    question: async ({ booking_id: id }, run) => `Cancel ${await bookingWords(run, id)}?`,
    async run({ booking_id: id }, { ask }) {
      await ask('operator-act', { do: 'booking.cancel', id });
      return written('The booking was cancelled.');
    },
  }),
  tool({
    name: 'list_calls',
    title: 'List calls',
    description: 'Calls that assistants took or made, newest first, 50 at a time.',
    right: 'calls:read',
    input: z.object({
      list: z.enum(['all', 'live', 'ended', 'scheduled']).default('all'),
      words: WORDS,
      after: AFTER,
    }),
    output: pageSchema(callSchema),
    run: ({ list, words, after }, { ask }) => ask('operator-calls', { list, q: words, after }, 'GET'),
  }),
  tool({
    name: 'read_call',
    title: 'Read a call',
    description: 'One call with its summary and what was said, 200 lines at a time.',
    right: 'calls:read',
    input: z.object({
      call_id: z.uuid(),
      after: z.number().int().min(0).default(0).describe('0 for the first page, then `next`'),
    }),
    output: z.object({
      call: callSchema,
      summary: z.string().nullable(),
      lines: z.array(z.object({ role: z.string(), text: z.string(), seconds: z.number() })),
      next: z.number().int().nullable(),
    }),
    async run({ call_id: id, after }, { ask }) {
      const { call, summary, messages } = await ask<CallAnswer>('operator-call', { id }, 'GET');
      const next = after + LINES_A_PAGE;
      return {
        call,
        summary,
        lines: messages.slice(after, next).map(({ role, message, secondsFromStart }) => ({
          role,
          text: message,
          seconds: secondsFromStart,
        })),
        next: next < messages.length ? next : null,
      };
    },
  }),
  tool({
    name: 'list_customers',
    title: 'List customers',
    description: 'Accounts with their plans and credits, newest first, 50 at a time.',
    right: 'customers:read',
    input: z.object({ words: WORDS, after: AFTER }),
    output: pageSchema(customerSchema),
    run: ({ words, after }, { ask }) => ask('operator-customers', { q: words, after }, 'GET'),
  }),
  tool({
    name: 'read_customer',
    title: 'Read a customer',
    description: 'One account with the ledger that explains its credits.',
    right: 'customers:read',
    input: z.object({ customer_id: z.uuid().describe('`user_id` of list_customers') }),
    output: z.object({
      customer: customerSchema,
      ledger: z.array(
        z.object({
          amount: z.number().int(),
          kind: z.string(),
          description: z.string().nullable(),
          state: z.string(),
          created_at: z.string(),
          balance: z.number().int(),
        }),
      ),
    }),
    run: ({ customer_id: id }, { ask }) => ask('operator-customer', { id }, 'GET'),
  }),
  tool({
    name: 'list_threads',
    title: 'List message threads',
    description: 'Threads of messages with customers; unread ones first.',
    right: 'messages:read',
    input: z.object({ list: z.enum(THREAD_LISTS).default('all'), words: WORDS, after: AFTER }),
    output: pageSchema(
      z.object({
        user_id: z.string(),
        email: z.string().nullable(),
        full_name: z.string().nullable(),
        unread: z.number().int(),
        last_at: z.string(),
        last_words: z.string(),
      }),
    ),
    run: ({ list, words, after }, { ask }) => ask('operator-threads', { list, q: words, after }, 'GET'),
  }),
  tool({
    name: 'read_thread',
    title: 'Read the messages with a customer',
    description: 'The newest messages with one customer, oldest first.',
    right: 'messages:read',
    input: z.object({
      customer_id: z.uuid(),
      most: z.number().int().min(1).max(MOST_OF_A_THREAD).default(50),
    }),
    output: z.object({
      customer: z.object({ email: z.string().nullable(), full_name: z.string().nullable() }),
      entries: z.array(
        z.object({ id: z.string(), from_agency: z.boolean(), body: z.string(), sent_at: z.string() }),
      ),
      has_earlier: z.boolean(),
    }),
    async run({ customer_id: id, most }, { ask }) {
      const thread = await ask<ConsoleThread>('operator-thread', { user_id: id, most: String(most) }, 'GET');
      return { customer: thread.customer, entries: [...thread.entries], has_earlier: thread.hasEarlier };
    },
  }),
  tool({
    name: 'send_message',
    title: 'Write to a customer',
    description: "Writes a message into a customer's thread. It cannot be taken back.",
    right: 'messages:write',
    input: z.object({ customer_id: z.uuid(), text: z.string().trim().min(1).max(MESSAGE_LIMITS.text) }),
    output: WRITTEN,
    question: async ({ customer_id: id, text }, run) =>
      `Write to ${await customerWords(run, id)}:\n\n${text}`,
    async run({ customer_id: id, text }, { ask }) {
      await ask('operator-send-message', { user_id: id, text });
      return written('The message was sent.');
    },
  }),
];
