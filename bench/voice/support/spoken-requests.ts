import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readWave, writeWave } from '@northline/speech/wave-file';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { CALLER_VOICES, openCallers } from '../../../tests/support/voice/callers/flite-caller.ts';
import { resample } from './sound-change.ts';

/** A voice that reads requests aloud. */
export interface TestVoice {
  readonly name: string;
  /** True when rules and models were tuned on it. */
  readonly tuned: boolean;
  readonly speak: (text: string) => Promise<Int16Array>;
}

const FOLDER = path.join(tmpdir(), 'spoken-requests');
const RATE = 16_000;
/** Voices on which recognition was tuned; every other voice is unknown to it. */
const TUNED = new Set(['flite rms', 'flite kal16']);
const FESTIVAL = ['kal_diphone', 'ked_diphone', 'cmu_us_slt_arctic_hts'];

/**
 * The voices on this machine: those of Flite, and those of Debian's `festival`.
 *
 * @returns also the names of the voices that are missing
 */
export function findVoices(): { voices: TestVoice[]; missing: string[]; close: () => Promise<void> } {
  const callers = openCallers();
  const voices: TestVoice[] = CALLER_VOICES.map((name) =>
    voice(`flite ${name}`, (text) => callers.say(text, name)),
  );
  const missing: string[] = [];
  for (const name of FESTIVAL) {
    const there = ['english', 'us'].some((folder) =>
      existsSync(path.join('/usr/share/festival/voices', folder, name)),
    );
    if (there && existsSync('/usr/bin/text2wave')) voices.push(voice(`festival ${name}`, festival(name)));
    else missing.push(`festival ${name}`);
  }
  return { voices, missing, close: () => callers.close() };
}

function voice(name: string, say: (text: string) => Promise<Int16Array>): TestVoice {
  return { name, tuned: TUNED.has(name), speak: (line) => speakLine(name, line, say) };
}

function festival(name: string): (text: string) => Promise<Int16Array> {
  return async (text) => {
    const file = path.join(FOLDER, `${process.pid}.wav`);
    execFileSync('text2wave', ['-eval', `(voice_${name})`, '-o', file], { input: `${text}\n` });
    const { pcm, samplesPerSecond } = readWave(readFileSync(file));
    return resample(pcm, samplesPerSecond);
  };
}

/** Speaks a line with its pauses; spoken lines are cached on disk. */
async function speakLine(
  name: string,
  line: string,
  say: (text: string) => Promise<Int16Array>,
): Promise<Int16Array> {
  const parts: Int16Array[] = [];
  for (const piece of line.split(/(<\d+>)/)) {
    const pause = /^<(\d+)>$/.exec(piece);
    if (pause) parts.push(new Int16Array((Number(pause[1]) * RATE) / 1000));
    else if (piece.trim() !== '')
      parts.push(await kept(`${name} ${asRead(piece)}`, () => say(asRead(piece))));
  }
  return joined(parts);
}

async function kept(key: string, make: () => Promise<Int16Array>): Promise<Int16Array> {
  mkdirSync(FOLDER, { recursive: true });
  const file = path.join(FOLDER, `${createHash('sha256').update(key).digest('hex').slice(0, 20)}.wav`);
  if (existsSync(file)) return readWave(readFileSync(file)).pcm;
  const pcm = await make();
  writeFileSync(file, writeWave([pcm]));
  return pcm;
}

/** Synthesisers read a lone `a` as the article; among letters it is the letter. */
function asRead(text: string): string {
  return text.trim().replace(/(?<=\b[b-z] )a(?= )|^a(?= [a-z] )/g, 'ay');
}
