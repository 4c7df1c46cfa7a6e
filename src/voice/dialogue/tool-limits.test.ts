import { expect, test } from 'vitest';
import type { DialogueTools } from './dialogue-tools.server.ts';
import { limitTools } from './tool-limits.server.ts';

const START = new Date('2026-03-05T10:00:00Z');
const LATER = new Date('2026-03-06T10:00:00Z');

function limited(): { tools: DialogueTools; done: string[] } {
  const done: string[] = [];
  const tools = limitTools({
    takeEnquiry: async () => ({ id: 'ENQ-1' }),
    freeSlots: async () => [START, LATER],
    bookSlot: async () => ({ id: 'own' }),
    async moveBooking({ id }, start) {
      done.push(`move ${start.toISOString()}`);
      return { id };
    },
    async cancelBooking({ id }) {
      done.push('cancel');
      return { id };
    },
  });
  return { tools, done };
}

test('only a call that was booked in this call is moved or cancelled, to a time that was offered, and not for ever', async () => {
  const { tools, done } = limited();
  const mine = { id: 'own', start: START, name: 'Ann', phone: '0770900123' };
  await expect(tools.cancelBooking(mine)).rejects.toThrow('booked in this call');
  await tools.freeSlots(START, LATER, 2);
  await tools.bookSlot(mine);
  await expect(tools.moveBooking({ ...mine, id: 'theirs' }, LATER)).rejects.toThrow('booked in this call');
  await expect(tools.moveBooking(mine, new Date('2026-03-07T10:00:00Z'))).rejects.toThrow('was offered');
  for (let time = 0; time < 3; time++) await tools.moveBooking(mine, LATER);
  await expect(tools.moveBooking(mine, LATER)).rejects.toThrow('any more');
  await tools.cancelBooking(mine);
  expect(done).toEqual([...Array(3).fill(`move ${LATER.toISOString()}`), 'cancel']);
});
