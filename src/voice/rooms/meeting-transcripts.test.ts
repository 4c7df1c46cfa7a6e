import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type SimpleOptions, SPOKEN, simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { tone } from '../../../tests/support/voice/voice-peer.ts';
import { MeetingTranscription } from './meeting-transcription.server.ts';
import { type MeetingTranscripts, openMeetingTranscripts } from './meeting-transcripts.server.ts';

type Tools = Parameters<typeof openMeetingTranscripts>[0];
const resources = {
  log: { warn: () => {}, error: () => {} },
  settings: { VOICE_CALL_SPEND: 0.5 },
} as unknown as Tools['resources'];
const counted: Parameters<Tools['caps']['count']>[0][] = [];
const caps: Tools['caps'] = {
  admitTranscript: async () => {},
  count: async (part) => void counted.push(part),
};
const open = (options: SimpleOptions = {}, more: object = {}, cap = caps): MeetingTranscripts =>
  openMeetingTranscripts({ engines: { ...simpleEngines(options), ...more }, resources, caps: cap });
const nobody = { words: () => {}, failed: () => {}, ended: () => {} };
beforeEach(() => {
  counted.length = 0;
});

test.each([
  [{ recognition: 'typed-only' }, {}, 'typed_only'],
  [{ breaks: 'recogniser' }, {}, 'not_recognised'],
] as const)(
  'a meeting is not transcribed with %j %j, and who asks learns why',
  async (options, more, code) => {
    await expect(open(options, more).begin(nobody)).rejects.toMatchObject({ code });
  },
);

test('attack 61: so many meetings are transcribed at once, and one that ends makes place', async () => {
  const transcripts = open();
  const [one, other] = [await transcripts.begin(nobody), await transcripts.begin(nobody)];
  onTestFinished(() => other.close());
  await expect(transcripts.begin(nobody)).rejects.toMatchObject({
    status: 503,
    code: 'too_many_transcripts',
  });
  await one.finish();
  one.close();
  (await transcripts.begin(nobody)).close();
});

test('each person is understood by themselves, and to the last word after they are gone', async () => {
  const words: string[][] = [];
  const transcript = await open().begin({ ...nobody, words: (...said) => void words.push(said) });
  transcript.hear('ann', tone(500, 1));
  transcript.hear('bob', tone(740, 1));
  // Their sound is cut into utterances as it is judged, a few windows at a time.
  await expect
    .poll(() => {
      for (const id of ['ann', 'bob']) transcript.hear(id, new Int16Array(1024));
      return words.length;
    })
    .toBe(2);
  transcript.leave('ann');
  await transcript.finish();
  expect(words.sort()).toEqual([
    ['ann', SPOKEN[500]],
    ['bob', SPOKEN[740]],
  ]);
  transcript.hear('bob', tone(740, 1));
});

test('who asked for a transcription that cannot be hears why, and nobody else; the next one can be asked for', async () => {
  const told: unknown[] = [];
  const transcription = new MeetingTranscription(open({ recognition: 'typed-only' }), {
    tell: (...given) => void told.push(given),
    tellAll: (notice) => void told.push(notice),
  });
  onTestFinished(() => transcription.end());
  for (let at = 1; at <= 2; at += 1) {
    transcription.start('ann', 'en');
    await expect.poll(() => told.length).toBe(at);
  }
  const errorMsg = 'This installation recognises no speech.';
  expect(told[1]).toEqual(['ann', { action: 'transcription-error', errorMsg }]);
});

test('a transcription that is ended while it begins is told as ended, and never begins', async () => {
  const told: object[] = [];
  const transcripts = open();
  let begun: Promise<unknown> = Promise.reject(new Error('it was not begun'));
  begun.catch(() => {});
  const watched: MeetingTranscripts = {
    begin(listener) {
      const transcript = transcripts.begin(listener);
      begun = transcript;
      return transcript;
    },
  };
  const transcription = new MeetingTranscription(watched, {
    tell: () => {},
    tellAll: (notice) => void told.push(notice),
  });
  onTestFinished(() => transcription.end());
  transcription.start('ann', 'en');
  transcription.stop('bob');
  await begun;
  expect(told).toEqual([{ action: 'transcription-stopped', updatedBy: 'bob' }]);
  expect(() => transcription.stop('bob')).toThrow('is not transcribed');
  // Its place is free: there are two.
  for (let at = 0; at < 2; at += 1) {
    const other = await transcripts.begin(nobody);
    onTestFinished(() => other.close());
  }
});

/** A minute of a person's words costs twenty dollars. */
const prices = {
  sttPerMinute: 20,
  ttsPer1000Characters: 0,
  llmPer1000PromptTokens: 0,
  llmPer1000CompletionTokens: 0,
};
const priced = { prices, charges: async () => true };

test('a recogniser that charges is asked of the caps of the day, and what it hears is counted', async () => {
  const refuses = { ...caps, admitTranscript: async () => Promise.reject(new Error('No more today.')) };
  await expect(open({}, priced, refuses).begin(nobody)).rejects.toThrow('No more today.');
  // A free recogniser is not subject to the caps.
  (await open({}, { prices }, refuses).begin(nobody)).close();
  const words: string[][] = [];
  const transcript = await open({}, priced).begin({ ...nobody, words: (...said) => void words.push(said) });
  transcript.hear('ann', tone(500, 0.5));
  await expect
    .poll(() => {
      transcript.hear('ann', new Int16Array(1024));
      return words.length;
    })
    .toBe(1);
  transcript.leave('ann');
  await transcript.finish();
  const [part, ...others] = counted.filter(({ cost }) => cost > 0);
  expect(others).toEqual([]);
  expect(part).toMatchObject({ kind: 'transcript', costs: [] });
  // A second and a half at most: with the sound before the words, and the pause after them.
  expect(part?.cost).toBeGreaterThan(0.5 * (20 / 60));
});

test('a transcript that has cost what one may cost ends for everybody, with the reason', async () => {
  const told: object[] = [];
  const transcription = new MeetingTranscription(open({}, priced), {
    tell: () => {},
    tellAll: (notice) => void told.push(notice),
  });
  onTestFinished(() => transcription.end());
  transcription.start('ann', 'en');
  await expect.poll(() => told).toMatchObject([{ action: 'transcription-started' }]);
  for (let said = 0; said < 4; said += 1) transcription.hear('ann', tone(500, 1));
  await expect
    .poll(() => {
      transcription.hear('ann', new Int16Array(1024));
      return told.map((notice) => (notice as { action: string }).action);
    })
    .toEqual(expect.arrayContaining(['transcription-error', 'transcription-stopped']));
  expect(told).toContainEqual({
    action: 'transcription-error',
    errorMsg: 'This meeting is not transcribed any more: its transcript has cost what one may cost.',
  });
  expect(() => transcription.stop('ann')).toThrow('is not transcribed');
  expect(counted.reduce((sum, { cost }) => sum + cost, 0)).toBeGreaterThan(0.5);
});
