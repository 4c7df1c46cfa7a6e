import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readWave } from '@northline/speech/wave-file';
import { afterAll, expect, test } from 'vitest';
import { USUAL_VOICE_FOLDER } from '../kernel/config/embedded-voices.ts';
import { readSettings } from '../kernel/config/settings.ts';
import { UsageError } from './command.ts';
import { voiceCommand } from './voice-command.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'voice-command-'));
const settings = readSettings({ DATA_DIR: path.join(folder, 'data') }, folder);
afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the product's voice under another name. */
function ownVoice(name: string): string {
  const copy = path.join(folder, `copy-${name}`);
  cpSync(USUAL_VOICE_FOLDER, copy, { recursive: true });
  const manifest = JSON.parse(readFileSync(path.join(copy, 'voice.json'), 'utf8'));
  writeFileSync(path.join(copy, 'voice.json'), JSON.stringify({ ...manifest, name, title: 'Our own' }));
  return copy;
}

test('a voice of an agency is added, listed and speaks; a damaged one is refused with a sentence', async () => {
  expect(await voiceCommand.run(settings, ['list'])).toBe('emma  Emma, a woman, British  en-GB  Apache-2.0');
  const [own, damaged] = [ownVoice('ours'), ownVoice('broken')];
  writeFileSync(path.join(damaged, 'plan.onnx'), 'no model');
  await expect(voiceCommand.run(settings, ['add', damaged])).rejects.toThrow(
    "The voice's plan.onnx is not the one that voice.json describes.",
  );
  await expect(voiceCommand.run(settings, ['add', USUAL_VOICE_FOLDER])).rejects.toThrow(
    'Give yours another name.',
  );
  await expect(voiceCommand.run(settings, ['add', folder])).rejects.toThrow('voice.json cannot be read');
  expect(await voiceCommand.run(settings, ['add', own])).toBe(
    'Added ours: Our own, en-GB, under Apache-2.0. Assistants may name it now.',
  );
  expect(await voiceCommand.run(settings, ['list'])).toContain('ours  Our own');
  expect(existsSync(path.join(folder, 'data', 'voices', 'ours', 'NOTICE'))).toBe(true);

  const file = path.join(folder, 'said.wav');
  expect(await voiceCommand.run(settings, ['say', 'It costs £5.', file, '--voice', 'ours'])).toContain(
    `s of ours in ${file}`,
  );
  const { pcm, samplesPerSecond } = readWave(readFileSync(file));
  expect([samplesPerSecond, pcm.length > 16_000]).toEqual([24_000, true]);
});

test('words that fit no form are refused, and so is a text without words', async () => {
  for (const words of [[], ['sing'], ['say', 'Hello.'], ['add'], ['add', 'a', 'b']])
    await expect(voiceCommand.run(settings, words)).rejects.toBeInstanceOf(UsageError);
  const file = path.join(folder, 'nothing.wav');
  await expect(voiceCommand.run(settings, ['say', '👍', file])).rejects.toThrow('There is nothing to say');
  await expect(voiceCommand.run(settings, ['say', 'Hi.', file, '--voice', 'nobody'])).rejects.toThrow(
    'no voice nobody',
  );
  expect(existsSync(file)).toBe(false);
});
