import { expect, test } from 'vitest';
import { rehearsedModelTools, rehearsedTools } from './rehearsed-tools.server.ts';

const FREE = [new Date('2026-03-10T15:00:00Z'), new Date('2026-03-10T16:00:00Z')];

test('free times are real; what is booked, moved and cancelled stays in the conversation', async () => {
  const tools = rehearsedTools({ freeSlots: async () => FREE });
  const [start, other] = await tools.freeSlots(new Date(0), new Date(1), 2);
  if (start === undefined || other === undefined) throw new Error('no times');
  const made = await tools.bookSlot({ start, name: 'Ada', phone: '0123' });
  expect(made).toEqual({ id: expect.any(String), confirmedBy: null });
  const booked = await tools.findBooking('Ada', '0123');
  if (booked === null) throw new Error('not booked');
  expect(await tools.findBooking('Eve', '0123')).toBeNull();
  await tools.moveBooking(booked, other);
  expect((await tools.findBooking('Ada', '0123'))?.start).toEqual(other);
  await tools.cancelBooking(booked);
  expect(await tools.findBooking('Ada', '0123')).toBeNull();
  expect(await tools.callersNumber()).toBeNull();
});

test('own tools ask no server: they answer what was prepared, one after another, and fail without it', async () => {
  const asked: unknown[] = [];
  const prepared = ['14 tables', 'none'];
  const { look_up: tool } = rehearsedModelTools(
    { look_up: { description: 'Looks up.', run: async (given) => asked.push(given) } },
    { answer: () => prepared.shift() },
  );
  if (tool === undefined) throw new Error('no tool');
  expect([await tool.run({}, '1'), await tool.run({}, '2')]).toEqual(['14 tables', 'none']);
  await expect(tool.run({}, '3')).rejects.toThrow('No server is asked in a test');
  expect([asked, tool.description]).toEqual([[], 'Looks up.']);
});
