import { expect, test } from 'vitest';
import { NO_BOOKINGS } from '../../../tests/support/voice/no-bookings.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';
import { limitTools } from './tool-limits.server.ts';

const START = new Date('2026-03-05T10:00:00Z');
const LATER = new Date('2026-03-06T10:00:00Z');

function limited(): { tools: DialogueTools; done: string[] } {
  const done: string[] = [];
  const tools = limitTools({
    takeEnquiry: async () => ({ id: 'ENQ-1' }),
    ...NO_BOOKINGS,
    freeSlots: async () => [START, LATER],
    bookSlot: async () => ({ id: 'own', confirmedBy: null }),
    findBooking: async (name, phone) =>
      name === 'Ann Wood' ? { id: 'found', start: START, name, phone } : null,
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

test('only a call that was booked or found in this call is moved or cancelled, to a time that was offered, and not for ever', async () => {
  const { tools, done } = limited();
  const mine = { id: 'own', start: START, name: 'Ann', phone: '0770900123' };
  await expect(tools.cancelBooking(mine)).rejects.toThrow('booked or found in this call');
  await expect(tools.confirmBooking(mine, 'a@example.com')).rejects.toThrow('booked or found in this call');
  await expect(tools.holdSlots([START])).rejects.toThrow('was offered');
  await tools.freeSlots(START, LATER, 2);
  await tools.bookSlot(mine);
  await expect(tools.moveBooking({ ...mine, id: 'theirs' }, LATER)).rejects.toThrow(
    'booked or found in this call',
  );
  await expect(tools.moveBooking(mine, new Date('2026-03-07T10:00:00Z'))).rejects.toThrow('was offered');
  for (let time = 0; time < 3; time++) await tools.moveBooking(mine, LATER);
  await expect(tools.moveBooking(mine, LATER)).rejects.toThrow('any more');
  await tools.cancelBooking(mine);
  expect(done).toEqual([...Array(3).fill(`move ${LATER.toISOString()}`), 'cancel']);
});

test('names and numbers are tried three times in a call, and what is found is the caller’s to change', async () => {
  const { tools, done } = limited();
  for (const name of ['Bob Wood', 'Cid Wood']) expect(await tools.findBooking(name, '0770900123')).toBeNull();
  const found = await tools.findBooking('Ann Wood', '0770900123');
  if (found === null) throw new Error('not found');
  await tools.cancelBooking(found);
  expect(done).toEqual(['cancel']);
  await expect(tools.findBooking('Dan Wood', '0770900123')).rejects.toThrow('looked for');
});

test('a call sends three confirmations at most', async () => {
  const { tools } = limited();
  const mine = { id: 'own', start: START, name: 'Ann', phone: '0770900123' };
  await tools.freeSlots(START, LATER, 2);
  await tools.bookSlot(mine);
  for (const at of ['a', 'b', 'c']) await tools.confirmBooking(mine, `${at}@example.com`);
  await expect(tools.confirmBooking(mine, 'd@example.com')).rejects.toThrow('No more confirmations');
});
