import { randomUUID } from 'node:crypto';
import type { Rehearsal } from '../engines/engines.server.ts';
import type { BookedCall, DialogueTools } from './dialogue-tools.server.ts';
import type { ModelTool } from './model/model-tools.server.ts';

/**
 * The tools of a rehearsal: free times are the real ones, and nothing is held, booked, stored or sent. What
 * the rehearsal books, it can find, move and cancel.
 */
export function rehearsedTools({ freeSlots }: Pick<DialogueTools, 'freeSlots'>): DialogueTools {
  const booked = new Map<string, BookedCall>();
  return {
    freeSlots,
    takeEnquiry: async () => ({ id: `ENQ-${randomUUID()}` }),
    holdSlots: async (starts) => starts,
    async bookSlot(booking) {
      const id = randomUUID();
      booked.set(id, { ...booking, id });
      return { id, confirmedBy: null };
    },
    confirmBooking: async ({ id }) => ({ id }),
    callersNumber: async () => null,
    findBooking: async (name, phone) =>
      booked.values().find((one) => one.name === name && one.phone === phone) ?? null,
    async moveBooking(one, start) {
      booked.set(one.id, { ...one, start });
      return { id: one.id };
    },
    async cancelBooking({ id }) {
      booked.delete(id);
      return { id };
    },
  };
}

/**
 * An assistant's own tools in a rehearsal: no server is asked, and the answers come with the conversation.
 */
export function rehearsedModelTools(
  tools: Readonly<Record<string, ModelTool>>,
  rehearsal: Rehearsal,
): Readonly<Record<string, ModelTool>> {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      {
        ...tool,
        async run() {
          const answer = rehearsal.answer();
          if (answer === undefined)
            throw new Error(`No server is asked in a test: say in a tool message what ${name} answers.`);
          return answer;
        },
      },
    ]),
  );
}
