import { z } from 'zod';
import { ENQUIRY_SERVICES } from '../../../kernel/contract/enquiries.ts';
import { sayTime } from '../booking/zoned-time.server.ts';
import type { DialogueTools } from '../dialogue-tools.server.ts';

/** A tool of a language model: its description for the model, and what calling it does. */
export interface ModelTool {
  readonly description: string;
  readonly input?: z.ZodType;
  /** JSON schema of the input, where it is somebody else's. */
  readonly parameters?: object;
  /** Said while the tool works, and when it fails. */
  readonly begun?: string | undefined;
  readonly failed?: string | undefined;
  /** What the caller agreed to by it, for the call's evidence. */
  readonly consent?: string;
  readonly run: (given: unknown, id: string) => Promise<unknown>;
}

/** The model calls it to hang up; the dialogue itself does that. */
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
const TIMES = z.object({ from: z.iso.datetime({ offset: true }), until: z.iso.datetime({ offset: true }) });
const BOOKING = z.object({
  start: z.iso.datetime({ offset: true }).describe('One of the times that free_times gave'),
  name: z.string().min(1).max(120),
  phone: z.string().min(3).max(40),
  confirmed,
});

/** What a model may do in a call: the same as the dialogue that needs none. */
export function modelTools(tools: DialogueTools, zone: string): Readonly<Record<string, ModelTool>> {
  return {
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
      description: 'Lists times at which a colleague can call back.',
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
        return (
          (await tools.bookSlot({ start: new Date(start), name, phone })) ?? 'That time is taken by now.'
        );
      },
    },
    [END_CALL]: {
      description: 'Hangs up. Say goodbye first.',
      input: z.object({}),
      run: async () => 'ended',
    },
  };
}
