import { expect, test } from 'vitest';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { tone } from '../../../../tests/support/voice/voice-peer.ts';
import type { CallContext } from '../../engines/engines.server.ts';
import type { MediaSession } from '../../media/media-transport.server.ts';
import { AudioInput } from '../audio-input.server.ts';
import type { ConversationEvent } from '../conversation/conversation-events.server.ts';
import { conversationRules } from '../conversation/conversation-rules.server.ts';
import { Transcript } from '../record/transcript.server.ts';
import { CallTakeover, type TakeoverParts } from './call-takeover.server.ts';

const FRAME = 320;
const frame = (): Int16Array => tone(440, 0.02);
const silence = (): Int16Array => new Int16Array(FRAME);
/** 20 ms pieces of a tone, which the test's recogniser understands as a sentence. */
const pieces = (hertz: number, seconds: number): Int16Array[] =>
  Array.from({ length: seconds * 50 }, (_, n) => tone(hertz, seconds).subarray(n * FRAME, (n + 1) * FRAME));

/** A takeover with a clock and a caller that the test controls. */
function openTakeover({ recognises = false } = {}) {
  const engines = simpleEngines();
  const heard: Int16Array[] = [];
  const events: ConversationEvent[] = [];
  const told: (string | undefined)[] = [];
  const lines: string[] = [];
  const ended: string[] = [];
  const clock = { now: 1_000_000, queuedMs: 0 };
  const transcript = new Transcript(clock.now);
  const parts: TakeoverParts = {
    session: {
      queuedMs: () => clock.queuedMs,
      writePcm: (pcm: Int16Array) => void heard.push(pcm),
    } as unknown as MediaSession,
    transcript,
    rules: conversationRules({}),
    words: (role, text, final) => void lines.push(`${role}${final ? '' : ' …'}: ${text}`),
    taken: (name) => void told.push(name),
    evidence: () => {},
    log: () => {},
    dispatch: (event) => void events.push(event),
    changed: () => {},
    now: () => clock.now,
    open: async (listener) =>
      recognises
        ? new AudioInput(
            await engines.openDetector(),
            await engines.openRecogniser({} as CallContext),
            listener,
          )
        : undefined,
  };
  const takeover = new CallTakeover(parts);
  const begin = (name = 'Ann Smith') => takeover.begin(name, () => void ended.push(name));
  const said = () => transcript.messages().map(({ role, kind, message }) => [kind ?? role, message]);
  return { takeover, begin, heard, events, told, lines, ended, clock, transcript, said };
}
/** Resolves when everything that was begun has finished, however many steps it takes. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one colleague at a time is heard, and the next one is told who it is', () => {
  const { takeover, begin, heard, told } = openTakeover();
  takeover.requireFree();
  const call = begin();
  expect(() => takeover.requireFree()).toThrow(
    expect.objectContaining({
      status: 409,
      code: 'taken_over',
      message: expect.stringContaining('Ann Smith'),
    }),
  );
  const pcm = frame();
  call.write(pcm);
  expect(heard.at(-1)).toBe(pcm);
  call.giveBack();
  call.write(frame());
  expect(heard.at(-1)).toBe(pcm);
  expect(call.holds).toBe(false);
  takeover.requireFree();
  expect(told).toEqual(['Ann Smith', undefined]);
});

test('a little silence goes before the first sound and after a gap; what comes too fast is dropped', () => {
  const { begin, heard, clock } = openTakeover();
  const call = begin();
  call.write(frame());
  expect(heard.map(({ length }) => length)).toEqual([960, FRAME]);
  clock.queuedMs = 80;
  call.write(frame());
  expect(heard).toHaveLength(3);
  clock.queuedMs = 260;
  call.write(frame());
  expect(heard).toHaveLength(3);
});

test('given back and lost are told to the assistant once, each in its own words', () => {
  for (const how of ['giveBack', 'lost'] as const) {
    const { begin, events, ended } = openTakeover();
    const call = begin();
    call[how]();
    call.lost();
    call.giveBack();
    expect(events).toEqual([{ type: 'give-back', sentence: expect.stringContaining('AI assistant again') }]);
    expect(JSON.stringify(events).includes('broken off')).toBe(how === 'lost');
    expect(ended).toEqual(['Ann Smith']);
  }
});

test('a line from which nothing comes for ten seconds is lost; silence that comes keeps it', () => {
  const { takeover, begin, events } = openTakeover();
  const call = begin();
  for (let poll = 0; poll < 500; poll += 1) takeover.poll();
  call.write(silence());
  for (let poll = 0; poll < 500; poll += 1) takeover.poll();
  expect(events).toEqual([]);
  takeover.poll();
  expect(events).toEqual([{ type: 'give-back', sentence: expect.stringContaining('broken off') }]);
  expect(call.holds).toBe(false);
});

test('without recognition the transcript has the times at which a colleague spoke, also when the call ends', async () => {
  for (const how of ['giveBack', 'over'] as const) {
    const { takeover, begin, clock, transcript, said } = openTakeover();
    const call = begin();
    await settled();
    call.write(silence());
    clock.now += 2000;
    call.write(frame());
    clock.now += 3000;
    call.write(frame());
    if (how === 'over') takeover.close();
    else call.giveBack();
    await settled();
    expect(said()).toContainEqual(['colleague', 'A colleague spoke; the words were not recognised.']);
    const line = transcript.messages().find(({ kind }) => kind === 'colleague');
    expect([line?.secondsFromStart, line?.endTime]).toEqual([2, 1_005_000]);
  }
  const quiet = openTakeover();
  const call = quiet.begin();
  call.write(silence());
  call.giveBack();
  await settled();
  expect(quiet.said().map(([kind]) => kind)).toEqual(['notice', 'notice']);
});

test('what a colleague says is recognised, shown as theirs, and tells the assistant what was answered', async () => {
  const { takeover, begin, clock, said, lines, events, transcript } = openTakeover({ recognises: true });
  const call = begin();
  // Spoken before the recogniser is open, and still not lost.
  for (const pcm of [...pieces(500, 0.8), ...Array.from({ length: 100 }, silence)]) {
    call.write(pcm);
    clock.now += 20;
    takeover.poll();
    await settled();
  }
  expect(said()).toContainEqual(['colleague', 'what does the audit cost']);
  expect(lines).toContain('colleague: what does the audit cost');
  expect(events).toEqual([{ type: 'colleague-spoke' }]);
  expect(transcript.text()).toBe('Colleague: what does the audit cost\n');
  expect(transcript.history().map(({ text }) => text)).toContain(
    'A colleague said to the caller: what does the audit cost',
  );
  // The last words are recognised after the call was given back.
  for (const pcm of pieces(620, 0.8)) {
    call.write(pcm);
    clock.now += 20;
    await settled();
  }
  call.giveBack();
  await settled();
  expect(said()).toContainEqual(['colleague', 'please take my enquiry']);
});

test('whoever sends more than a microphone does is not heard further in that second', () => {
  const { begin, heard, clock } = openTakeover();
  clock.queuedMs = 20;
  const call = begin();
  for (let n = 0; n < 200; n += 1) call.write(silence());
  expect(heard).toHaveLength(75);
  clock.now += 1000;
  call.write(silence());
  expect(heard).toHaveLength(76);
});
