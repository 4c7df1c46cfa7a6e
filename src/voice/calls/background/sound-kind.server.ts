/** What a file is by its first bytes; `aac` also stands for MP4, where it lives as a rule. */
export type SoundKind = 'wave' | 'mp3' | 'ogg' | 'aac' | 'flac' | 'unknown';

const text = (file: Uint8Array, from: number, to: number): string =>
  String.fromCharCode(...file.subarray(from, to));

/** Tells the kind of a sound file. The name and the type that a server states are not asked. */
export function kindOfSound(file: Uint8Array): SoundKind {
  const head = text(file, 0, 4);
  if (head === 'RIFF') return 'wave';
  if (head === 'OggS') return 'ogg';
  if (head === 'fLaC') return 'flac';
  if (head.startsWith('ID3')) return 'mp3';
  if (text(file, 4, 8) === 'ftyp') return 'aac';
  const [first = 0, second = 0] = file;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return 'unknown';
  // Eleven bits of synchronisation, then the version and the layer; ADTS has the layer 0.
  return (second & 0x06) === 0 ? 'aac' : 'mp3';
}
