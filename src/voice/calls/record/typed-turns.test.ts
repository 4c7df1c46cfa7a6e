import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { endCall, evidenceKinds, typeIn } from '../../../../tests/support/voice/recordings/recorded-call.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { greetedCall, startCall, type TestCall } from '../../../../tests/support/voice/voice-calls.ts';
import { tone, until } from '../../../../tests/support/voice/voice-peer.ts';

const LONG = 'The audit is free, and it takes about a week of your time and ours.';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines() });
});
afterAll(() => app.close());

async function begin(): Promise<TestCall> {
  const call = await greetedCall(app, { assistant: { firstMessage: 'Hello.' } });
  onTestFinished(() => call.peer.close());
  return call;
}

/** The lines that the page has shown, as a record writes them: sentences of one turn in one line. */
function shownOn(call: TestCall): string {
  const lines: string[] = [];
  let before = '';
  for (const { role, transcriptType, transcript } of call.messages('transcript')) {
    if (transcriptType !== 'final') continue;
    if (role === before) lines.push(`${lines.pop()} ${transcript}`);
    else lines.push(`${role === 'user' ? 'User' : 'AI'}: ${transcript}`);
    before = role;
  }
  return lines.map((line) => `${line}\n`).join('');
}
const timesShown = (call: TestCall, text: string): number => shownOn(call).split(text).length - 1;

test('a caller who types over an answer finds it in the record as it was shown, before the next question', async () => {
  const call = await begin();
  typeIn(call, 'what does the audit cost');
  await until('the first answer is shown', () => timesShown(call, LONG) === 1);
  typeIn(call, 'how long does it take');
  // The caller reads the last sentence, and leaves before it has been said.
  await until('the second answer is shown', () => timesShown(call, LONG) === 2);
  const { transcript, messages } = await endCall(call);
  expect(transcript).toBe(shownOn(call));
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(['bot', 'user', 'bot', 'user', 'bot']);
});

test('what a speaking caller interrupts stands in the record as far as it was heard', async () => {
  const call = await begin();
  await call.peer.speak(tone(500, 0.8));
  await call.peer.speak(new Int16Array(16_000));
  await until('the answer is shown', () => timesShown(call, LONG) === 1);
  await call.peer.speak(tone(740, 0.8));
  await call.peer.speak(new Int16Array(16_000));
  await until('the caller is answered', () => shownOn(call).includes('You said stop'));
  const { transcript } = await endCall(call);
  expect(transcript).toContain('User: stop\n');
  expect(transcript.split('User: stop')[0]).not.toContain(LONG);
});

test('attack 44: a question that is shown whole and not heard to its end is not answered by a typed yes', async () => {
  const call = await startCall(app, {
    assistant: { firstMessage: 'Hello.', artifactPlan: { recordingEnabled: true } },
  });
  onTestFinished(() => call.peer.close());
  call.peer.send('playable');
  await until('the question is shown', () => shownOn(call).includes('yes or no'));
  typeIn(call, 'yes');
  await until('it is asked again', () => timesShown(call, 'yes or no') === 2);
  const { transcript } = await endCall(call);
  expect(transcript).toBe(shownOn(call));
  expect(await evidenceKinds(app, call.id)).not.toContainEqual(['consent', { to: 'recording', given: true }]);
});
