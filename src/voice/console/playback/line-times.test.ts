import { expect, test } from 'vitest';
import type { TranscriptMessage } from '../call-list.contract.ts';
import { captions, lineAt, lineTimes } from './line-times.web.ts';

const BEGAN = 1_000_000;
/** A line that ended `ended` seconds after the recording began. */
const line = (
  role: string,
  message: string,
  ended: number | undefined,
  more: object = {},
): TranscriptMessage => ({
  ...{ role, message, secondsFromStart: 0, ...more },
  endTime: ended === undefined ? undefined : BEGAN + ended * 1000,
});

const TALK = [
  line('bot', 'May I record this call?', -2),
  line('user', 'Yes', -0.5),
  line('bot', 'Thank you.', 2),
  line('tool_calls', 'price_list', 2.5),
  line('system', 'Offer the audit.', 3, { kind: 'whisper' }),
  line('user', 'What is it?', 5.5),
  line('system', 'A look at your desk.', 9, { kind: 'colleague' }),
  line('bot', 'Without a time.', undefined),
];

test('a line is heard from the end of the one before it; what was not said aloud, or before the recording, is not', () => {
  const times = lineTimes(TALK, BEGAN);
  expect(times).toEqual([
    ...[undefined, undefined, { from: 0, to: 2 }, undefined, undefined],
    ...[{ from: 2, to: 5.5 }, { from: 5.5, to: 9 }, undefined],
  ]);
  expect([0, 1.99, 2, 5.49, 5.5, 8.9].map((second) => lineAt(times, second))).toEqual([2, 2, 5, 5, 6, 6]);
  expect([9, 100].map((second) => lineAt(times, second))).toEqual([-1, -1]);
});

test('captions are WebVTT: sentence by sentence, long ones in pieces by their letters, and what looks like markup is text', () => {
  const long = Array.from({ length: 40 }, () => 'word').join(' ');
  const talk = [line('bot', `Good day. ${long}`, 10), line('user', 'a <b> & c -->', 3700.25)];
  const text = captions(talk, lineTimes(talk, BEGAN));
  const [head, ...cues] = text.split('\n\n');
  expect(head).toBe('WEBVTT');
  expect(cues).toHaveLength(5);
  // Nine letters of 206, in ten seconds.
  expect(cues[0]).toMatch(/^00:00:00\.000 --> 00:00:00\.4\d\d\nGood day\.$/);
  for (const cue of cues.slice(1, 4)) expect(cue.split('\n')[1]).toMatch(/^word( word){9,14}$/);
  expect(cues[3]).toContain('--> 00:00:10.000');
  expect(cues[4]).toBe('00:00:10.000 --> 01:01:40.250\na &lt;b&gt; &amp; c --&gt;\n');
});
