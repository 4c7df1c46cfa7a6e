import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What a voice's `voice.json` says. */
export interface VoiceManifest {
  /** The name of its folder, and of the voice in settings. */
  readonly name: string;
  readonly title: string;
  readonly language: string;
  /** SPDX identifier. */
  readonly licence: string;
  /** Root mean square of its speech, dBFS. */
  readonly level: number;
  /** The sha256 of each file. */
  readonly files: Readonly<Record<VoiceFile, string>>;
}

/** The files of a voice. */
export const VOICE_FILES = [
  'lexicon.tsv.gz',
  'spelling.onnx',
  'plan.onnx',
  'sound.onnx',
  'symbols.json',
] as const;
/** A file of a voice. */
export type VoiceFile = (typeof VOICE_FILES)[number];

/** A voice as it was read, its hashes compared. */
export interface VoiceData {
  readonly manifest: VoiceManifest;
  readonly files: Readonly<Record<VoiceFile, Buffer>>;
}

const FORM = 'northline-voice/1';
const NAME = /^[a-z][a-z0-9-]{0,38}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** A level outside this range is a mistake, dBFS. */
const LEVELS = { least: -60, most: -1 } as const;

/**
 * Reads `voice.json` of a voice's folder.
 *
 * @throws Error with a sentence that says what is wrong
 */
export function readVoiceManifest(folder: string): VoiceManifest {
  const found = parsed(folder);
  const text = (field: string): string => {
    const value = found[field];
    if (typeof value !== 'string' || value.trim() === '') throw new Error(`voice.json has no ${field}.`);
    return value;
  };
  if (found.form !== FORM) throw new Error(`voice.json is not of the form ${FORM}.`);
  const name = text('name');
  if (!NAME.test(name))
    throw new Error('The name in voice.json may have small letters, digits and dashes only.');
  const level = found.level;
  if (typeof level !== 'number' || !(level >= LEVELS.least && level <= LEVELS.most))
    throw new Error(`The level in voice.json is not between ${LEVELS.least} and ${LEVELS.most} dBFS.`);
  const given = (found.files ?? {}) as Record<string, unknown>;
  const files = Object.fromEntries(
    VOICE_FILES.map((file) => {
      const hash = given[file];
      if (typeof hash !== 'string' || !SHA256.test(hash))
        throw new Error(`voice.json has no sha256 of ${file}.`);
      return [file, hash];
    }),
  ) as Record<VoiceFile, string>;
  return { name, title: text('title'), language: text('language'), licence: text('licence'), level, files };
}

function parsed(folder: string): Record<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path.join(folder, 'voice.json'), 'utf8'));
  } catch (error) {
    throw new Error(`voice.json cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Error('voice.json is not an object.');
  return json as Record<string, unknown>;
}

/**
 * Reads a voice's files, some 21 MB, and compares their hashes.
 *
 * @throws Error naming the file that is missing or is not the one that `voice.json` describes
 */
export function readVoiceFolder(folder: string): VoiceData {
  const manifest = readVoiceManifest(folder);
  const files = Object.fromEntries(
    VOICE_FILES.map((file) => [file, readChecked(folder, file, manifest.files[file])]),
  ) as Record<VoiceFile, Buffer>;
  return { manifest, files };
}

function readChecked(folder: string, file: VoiceFile, sha256: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path.join(folder, file));
  } catch (error) {
    throw new Error(
      `The voice's ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`The voice's ${file} is not the one that voice.json describes.`);
  return bytes;
}

/**
 * The voices below some folders, one folder each; of two with the same name the first one counts. Folders that
 * are no voice are left out.
 */
export function listVoices(
  roots: readonly string[],
): { readonly folder: string; readonly manifest: VoiceManifest }[] {
  const found = new Map<string, { folder: string; manifest: VoiceManifest }>();
  for (const folder of roots.flatMap(foldersIn)) {
    try {
      const manifest = readVoiceManifest(folder);
      if (!found.has(manifest.name)) found.set(manifest.name, { folder, manifest });
    } catch {
      // `voice add` has said what is wrong with a folder.
    }
  }
  return [...found.values()];
}

function foldersIn(root: string): string[] {
  try {
    return readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(root, entry.name))
      .sort();
  } catch {
    return [];
  }
}
