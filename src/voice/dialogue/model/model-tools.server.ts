import { z } from 'zod';
import { sayTime } from '../../../business/bookings/zoned-time.server.ts';
import { ENQUIRY_SERVICES } from '../../../kernel/contract/enquiries.ts';
import { moment } from '../../../kernel/contract/times.ts';
import type { BookedCall, DialogueTools } from '../dialogue-tools.server.ts';
import type { ToolSayings } from './tool-run.server.ts';

/** A tool of a language model: its description for the model, and the function that runs it. */
export interface ModelTool extends ToolSayings {
  readonly description: string;
  readonly input?: z.ZodType;
  /** JSON schema of the input, where somebody else described the tool. */
  readonly parameters?: object;
  /** What the caller agrees to by this tool, for the call's evidence. */
  readonly consent?: string;
  readonly run: (given: unknown, id: string) => Promise<unknown>;
}

/** The model calls this tool to hang up; the dialogue itself carries it out. */
export const END_CALL = 'end_call';
const MOST_SLOTS = 6;
const confirmed = z.literal(true).describe('true only after you read it back and the caller agreed');

const ENQUIRY = z.object({
  name: z.string().min(1).max(120),
  email: z.email().max(254).nullish(),
  phone: z.string().max(40).nullish(),
  service: z.enum(ENQUIRY_SERVICES),
  notes: z.string().min(1).max(2000).describe('What the caller wants, in the words of the caller'),
  confirmed,
});
const TIMES = z.object({ from: moment, until: moment });
const BOOKING = z.object({
  start: moment.describe('One of the times that free_times gave'),
  name: z.string().min(1).max(120),
  phone: z.string().min(3).max(40),
  confirmed,
});

const FOUND = BOOKING.pick({ name: true, phone: true });
const CHANGED = z.object({ id: z.string().describe('As book_call or find_booking gave it'), confirmed });
const MOVED = CHANGED.extend({ start: BOOKING.shape.start });
const CONFIRMATION = CHANGED.extend({ email: z.email().max(254) });

const TAKEN = 'That time is taken by now.';

/** What a model can do in a call: the same as the dialogue without a model. */
export function modelTools(tools: DialogueTools, zone: string): Readonly<Record<string, ModelTool>> {
  const known = new Map<string, BookedCall>();
  return {
    ...bookingChangeTools(tools, zone, known),
    take_enquiry: {
      description:
        'Passes an enquiry on to a colleague, who replies within 24 hours. An e-mail address or a phone number is needed.',
      input: ENQUIRY,
      consent: 'send-enquiry',
      run: (given) => {
        const { confirmed: _, email, phone, ...enquiry } = ENQUIRY.parse(given);
        if (!email && !phone) throw new Error('Ask for an e-mail address or a phone number first.');
        return tools.takeEnquiry({ ...enquiry, email: email ?? null, phone: phone ?? null });
      },
    },
    free_times: {
      description: 'Lists times at which a colleague can call back. A time is taken when it is booked.',
      input: TIMES,
      run: async (given) => {
        const { from, until } = TIMES.parse(given);
        const free = await tools.freeSlots(new Date(from), new Date(until), MOST_SLOTS);
        return free.map((start) => ({ start: start.toISOString(), said: sayTime(start, zone) }));
      },
    },
    book_call: {
      description: 'Books a call of a colleague at a free time.',
      input: BOOKING,
      consent: 'book-call',
      run: async (given) => {
        const { start, name, phone } = BOOKING.parse(given);
        const booking = { start: new Date(start), name, phone };
        const booked = await tools.bookSlot(booking);
        if (booked === null) return TAKEN;
        known.set(booked.id, { ...booking, id: booked.id });
        return booked;
      },
    },
    [END_CALL]: {
      description: 'Hangs up. Say goodbye first.',
      input: z.object({}),
      run: async () => 'ended',
    },
  };
}

/** Tools for bookings that are known, because they were made in this call or found by name and number. */
function bookingChangeTools(
  tools: DialogueTools,
  zone: string,
  known: Map<string, BookedCall>,
): Readonly<Record<string, ModelTool>> {
  const bookedOf = (id: string): BookedCall => {
    const booked = known.get(id);
    if (booked === undefined) throw new Error('Find the booking first, by its name and number.');
    return booked;
  };
  return {
    find_booking: {
      description:
        'Finds the call that the caller has booked. Ask for the name and the number that it was booked with; tell nothing of it before.',
      input: FOUND,
      run: async (given) => {
        const { name, phone } = FOUND.parse(given);
        const found = await tools.findBooking(name, phone);
        if (found === null) return 'There is no booking under that name and number.';
        known.set(found.id, found);
        return { id: found.id, start: found.start.toISOString(), said: sayTime(found.start, zone) };
      },
    },
    move_call: {
      description: 'Moves a booked call to a free time.',
      input: MOVED,
      consent: 'move-call',
      run: async (given) => {
        const { id, start } = MOVED.parse(given);
        return (await tools.moveBooking(bookedOf(id), new Date(start))) ?? TAKEN;
      },
    },
    cancel_call: {
      description: 'Cancels a booked call.',
      input: CHANGED,
      consent: 'cancel-call',
      run: (given) => tools.cancelBooking(bookedOf(CHANGED.parse(given).id)),
    },
    confirm_booking: {
      description:
        'Mails the confirmation of a booked call with an entry for the calendar. Not needed where book_call says confirmedBy text.',
      input: CONFIRMATION,
      consent: 'mail-confirmation',
      run: (given) => {
        const { id, email } = CONFIRMATION.parse(given);
        return tools.confirmBooking(bookedOf(id), email);
      },
    },
  };
}
