import { slotsBetween } from '../../../src/business/bookings/free-times.server.ts';
import { readWeeklyHours } from '../../../src/business/bookings/weekly-hours.server.ts';
import { PublishedSite } from '../../../src/kernel/contract/site-content.ts';
import { createAgencyDialogue } from '../../../src/voice/dialogue/agency-dialogue.server.ts';
import type { AgencyKnowledge } from '../../../src/voice/dialogue/agency-knowledge.server.ts';
import type {
  DialogueTools,
  SpokenBooking,
  SpokenEnquiry,
} from '../../../src/voice/dialogue/dialogue-tools.server.ts';
import type { Embed } from '../../../src/voice/dialogue/knowledge/fact-search.server.ts';
import { createPromptDialogue } from '../../../src/voice/dialogue/prompt-dialogue.server.ts';
import type { DialogueManager } from '../../../src/voice/engines/engines.server.ts';
import type { SpokenRequest } from './request-file.ts';

/** The agency to which the requests are put, on a Wednesday at 10:00; Thursday at 10:00 is taken. */
export const AGENCY: AgencyKnowledge = {
  site: new PublishedSite(),
  brand: 'Northline',
  contactEmail: 'hello@northline.example',
  hours: 'Monday to Friday from 9:00 to 17:00',
  sentences: [],
};
const NOW = new Date('2026-03-04T10:00:00Z');
const TAKEN = new Set(['2026-03-05T10:00:00.000Z']);
const ZONE = 'Europe/London';
const HOURS = readWeeklyHours('mon-fri 9:00-17:00') ?? new Map();

/** A dialogue, and the actions that it has carried out. */
export interface AgencyCall {
  readonly dialogue: DialogueManager;
  readonly enquiries: SpokenEnquiry[];
  readonly bookings: SpokenBooking[];
}

/** Tools that only record what they were asked to do. */
export function writingTools(): Omit<AgencyCall, 'dialogue'> & { readonly tools: DialogueTools } {
  const enquiries: SpokenEnquiry[] = [];
  const bookings: SpokenBooking[] = [];
  const tools: DialogueTools = {
    async takeEnquiry(enquiry) {
      enquiries.push(enquiry);
      return { id: `ENQ-${enquiries.length}` };
    },
    freeSlots: async (from, until, count) =>
      [...slotsBetween(HOURS, ZONE, { from, until }, NOW)]
        .filter((slot) => !TAKEN.has(slot.toISOString()))
        .slice(0, count),
    async bookSlot(booking) {
      bookings.push(booking);
      return { id: `booking-${bookings.length}`, confirmedBy: 'text' };
    },
    holdSlots: async (starts) => starts,
    confirmBooking: async ({ id }) => ({ id }),
    callersNumber: async () => null,
    findBooking: async () => null,
    moveBooking: async ({ id }) => ({ id }),
    cancelBooking: async ({ id }) => ({ id }),
  };
  return { tools, enquiries, bookings };
}

/** Begins a dialogue whose tools only record. */
export function openAgency(embed?: Embed): AgencyCall {
  const { tools, enquiries, bookings } = writingTools();
  const dialogue = createAgencyDialogue({ known: AGENCY, embed, zone: ZONE, now: () => NOW, tools });
  return { dialogue, enquiries, bookings };
}

/** Begins a dialogue of an assistant with a prompt, at the same time and with the same tools. */
export function openPrompt(prompt: string, embed: Embed | null): AgencyCall {
  const { tools, enquiries, bookings } = writingTools();
  const dialogue = createPromptDialogue({
    site: AGENCY.site,
    prompt,
    name: null,
    zone: ZONE,
    now: () => NOW,
    embed,
    tools,
  });
  return { dialogue, enquiries, bookings };
}

/** Whether the expected action was carried out, with the given values. */
export function isDone(action: SpokenRequest['action'], call: AgencyCall, hungUp: boolean): boolean {
  if (action === null) return true;
  if (action.name === 'hang-up') return hungUp;
  const done: object[] = action.name === 'enquiry' ? call.enquiries : call.bookings;
  const [only] = done;
  if (done.length !== 1 || only === undefined) return false;
  const values = JSON.parse(JSON.stringify(only)) as Record<string, unknown>;
  return [...action.values].every(([field, value]) => values[field] === value);
}
