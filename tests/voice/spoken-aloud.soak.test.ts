import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSpokenBench, type SpokenBench } from '../../bench/voice/measure-requests.ts';
import { countErrors } from '../../bench/voice/support/error-count.ts';
import { findHumanClips } from '../../bench/voice/support/human-clips.ts';
import { noises } from '../../bench/voice/support/noises.ts';
import { readRequests } from '../../bench/voice/support/request-file.ts';
import { louder, overTelephone } from '../../bench/voice/support/sound-change.ts';
import { findVoices } from '../../bench/voice/support/spoken-requests.ts';

/** By their first words; `npm run bench:voice:requests` says all of them in all voices. */
const SPOKEN = [
  'What does the Basic plan cost?',
  'Hello, how much do you charge for the Pro plan?',
  'What are your opening hours?',
  'How do I cancel my subscription?',
  "I'd like to book a call for Tuesday at three o'clock.",
  'Tell me a joke.',
];
const voices = findVoices();
let bench: SpokenBench;

beforeAll(async () => {
  bench = await openSpokenBench();
});
afterAll(async () => {
  await bench.close();
  await voices.close();
});

test('spoken requests succeed, in one voice unchanged and in another over a telephone', async () => {
  const [one, other] = ['flite kal16', 'flite rms'].map((name) =>
    voices.voices.find((voice) => voice.name === name),
  );
  if (!one || !other) throw new Error('unreachable');
  const failed: string[] = [];
  for (const [at, first] of SPOKEN.entries()) {
    const request = readRequests('dev').find(({ lines }) => lines[0]?.say === first);
    if (!request) throw new Error(`The set lacks: ${first}`);
    const asked = await (at % 2 === 0
      ? bench.ask(request, one)
      : bench.ask(request, other, (pcm) => Int16Array.from(overTelephone(pcm))));
    if (!asked.succeeded) failed.push(JSON.stringify(asked.lines));
  }
  // One request in six may be misheard; a broken rule makes more of them fail.
  expect(failed.length, failed.join('\n')).toBeLessThanOrEqual(1);
});

test('a booking with a time after three, a wrong turn, a correction and a silence, ten times in three voices', async () => {
  const request = readRequests('dev').find(({ lines }) => lines.some(({ say }) => say.includes('not Tom')));
  if (!request) throw new Error('The set lacks the booking.');
  const callers = ['flite slt', 'flite rms', 'flite awb'].map((name) =>
    voices.voices.find((voice) => voice.name === name),
  );
  const lines = [(pcm: Int16Array) => pcm, overTelephone, (pcm: Int16Array) => louder(pcm, -12)];
  const runs = lines.flatMap((line) => callers.map((caller) => ({ caller, line })));
  const failed: string[] = [];
  for (const { caller, line } of [...runs, { caller: callers[0], line: overTelephone }]) {
    if (!caller) throw new Error('unreachable');
    const asked = await bench.ask(request, caller, line);
    const heard = asked.lines.map(({ said, heard: words, answer }) => `${said} | ${words} | ${answer}`);
    expect(asked.lines.filter(({ answer }) => answer.includes('Goodbye'))).toEqual([]);
    if (!asked.succeeded) failed.push(`${caller.name}\n${heard.join('\n')}`);
  }
  // One of ten may be misheard for good; none may be ended by the assistant.
  expect(failed.length, failed.join('\n\n')).toBeLessThanOrEqual(1);
});

test('none of seventeen noises without words is understood as words', async () => {
  const heard: string[] = [];
  for (const [name, pcm] of Object.entries(noises())) {
    const text = await bench.hear(pcm);
    if (text !== '') heard.push(`${name}: ${text}`);
  }
  expect(heard).toEqual([]);
  expect(Object.keys(noises())).toHaveLength(17);
});

const clips = findHumanClips();

test.skipIf(clips.length === 0)(
  "words of people, in the clips of Debian's pocketsphinx-testdata (skipped where that is not installed)",
  async () => {
    const wrong = { clean: 0, telephone: 0 };
    let words = 0;
    for (const { said, pcm } of clips) {
      words += countErrors(said, '').words;
      wrong.clean += countErrors(said, await bench.hear(pcm)).errors;
      wrong.telephone += countErrors(said, await bench.hear(overTelephone(pcm))).errors;
    }
    expect(wrong.clean / words).toBeLessThanOrEqual(0.06);
    expect(wrong.telephone / words).toBeLessThanOrEqual(0.09);
  },
);
