import { expect, onTestFinished, test } from 'vitest';
import { type SimpleOptions, SPOKEN, simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { tone } from '../../../tests/support/voice/voice-peer.ts';
import { MeetingTranscription } from './meeting-transcription.server.ts';
import { type MeetingTranscripts, openMeetingTranscripts } from './meeting-transcripts.server.ts';

const resources = { log: { warn: () => {} } } as unknown as Parameters<typeof openMeetingTranscripts>[1];
const open = (options: SimpleOptions = {}, more: object = {}): MeetingTranscripts =>
  openMeetingTranscripts({ ...simpleEngines(options), ...more }, resources);
const nobody = { words: () => {}, failed: () => {} };

test.each([
  [{ recognition: 'typed-only' }, {}, 'typed_only'],
  [{}, { charges: async () => true }, 'recognition_costs'],
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
  // What they say is cut into utterances as it is judged, a few windows at a time.
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
  const transcription = new MeetingTranscription(open(), {
    tell: () => {},
    tellAll: (notice) => void told.push(notice),
  });
  transcription.start('ann', 'en');
  transcription.stop('bob');
  await expect.poll(() => told).toEqual([{ action: 'transcription-stopped', updatedBy: 'bob' }]);
  expect(() => transcription.stop('bob')).toThrow('is not transcribed');
  transcription.end();
});
