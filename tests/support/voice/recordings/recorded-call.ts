import { onTestFinished } from 'vitest';
import type { TestApp } from '../../test-app.ts';
import { type CallRecord, startCall, type TestCall } from '../voice-calls.ts';
import { until } from '../voice-peer.ts';

/**
 * A call whose caller, with or without a camera, was asked for permission to record; it ends with the test.
 */
export async function askedCall(app: TestApp, assistant: object, hasCamera = false): Promise<TestCall> {
  const call = await startCall(app, { assistant }, {}, hasCamera);
  onTestFinished(() => call.peer.close());
  call.peer.send('playable');
  await until('the question was heard', () => said(call).includes('yes or no'));
  return call;
}

/** Everything that the assistant has said completely. */
export const said = (call: TestCall): string =>
  JSON.stringify(call.messages('conversation-update').at(-1)?.conversation ?? []);

/** The caller types a turn. */
export const typeIn = (call: TestCall, content: string): void =>
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));

/** The caller hangs up. Returns the call's record. */
export async function endCall(call: TestCall): Promise<CallRecord> {
  call.peer.send(JSON.stringify({ type: 'end-call' }));
  return call.over();
}

/** The evidence of a call, in order. */
export async function evidenceKinds(app: TestApp, callId: string): Promise<unknown[]> {
  const rows = await app.resources.database.many(
    'select kind, data from private.voice_evidence where call_id = $1 order by position',
    [callId],
  );
  return rows.map(({ kind, data }) => [kind, data]);
}
