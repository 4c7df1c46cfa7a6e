import { expect, test } from 'vitest';
import type { CallContext, TransferDestination } from '../../engines/engines.server.ts';
import { emergencyRefusal } from '../../records/emergency-numbers.contract.ts';
import { handoverTools } from './handover-tools.server.ts';

const person = {
  type: 'number',
  number: '+442079460000',
  description: 'sales',
  message: 'I put you through.',
};

function context(line: boolean): { call: CallContext; done: unknown[] } {
  const done: unknown[] = [];
  const tools = [{ type: 'transferCall', destinations: [person] }, { type: 'dtmf' }];
  const telephone = {
    sendTones: async (digits: string) => void done.push(digits),
    transfer: async (to: TransferDestination, summary: string) => void done.push(to.number, summary),
  };
  const call = { callId: 'c', assistant: { model: { provider: 'x', tools } }, log: () => {} };
  return { call: { ...call, ...(line ? { line: telephone } : {}) } as CallContext, done };
}

test('on the telephone a model presses keys and puts the caller through to whom its tool names, and to nobody else', async () => {
  const { call, done } = context(true);
  const { dtmf, transferCall } = handoverTools(call);
  await dtmf?.run({ digits: '1w2#' }, 't');
  expect(transferCall?.description).toContain('+442079460000: sales');
  const { begun } = transferCall ?? {};
  const said = (destination: string) => typeof begun === 'function' && begun({ destination });
  expect([said('+442079460000'), said('+449090000000')]).toEqual(['I put you through.', undefined]);
  await transferCall?.run({ destination: '+442079460000', summary: 'A price.' }, 't');
  await expect(transferCall?.run({ destination: '+449090000000' }, 't')).rejects.toThrow(
    'not one of the destinations',
  );
  expect(done).toEqual(['1w2#', '+442079460000', 'A price.']);
});

test('in a browser there are neither keys nor numbers', () => {
  expect(handoverTools(context(false).call)).toEqual({});
});

test('a caller who would be put through to an emergency service is told to call it', async () => {
  const { call } = context(true);
  const line = { ...call.line, transfer: async () => Promise.reject(emergencyRefusal('999')) };
  const { transferCall } = handoverTools({ ...call, line } as CallContext);
  expect(await transferCall?.run({ destination: '+442079460000' }, 't')).toMatch(
    /^I cannot call the emergency services for you\. Please hang up now/,
  );
});
