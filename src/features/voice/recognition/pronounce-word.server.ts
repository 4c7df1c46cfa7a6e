/**
 * A pronunciation for a word that no dictionary has, such as a brand: letters to the sounds of the
 * CMU set, longest group of letters first. Rough, and enough for the recogniser to tell the name
 * from other words (contract voice §4.3).
 */

const SOUNDS: Readonly<Record<string, string>> = {
  tion: 'SH AH N',
  sion: 'ZH AH N',
  ough: 'AO',
  augh: 'AO',
  eigh: 'EY',
  ight: 'AY T',
  tch: 'CH',
  dge: 'JH',
  igh: 'AY',
  air: 'EH R',
  ear: 'IH R',
  eer: 'IH R',
  our: 'AW R',
  ous: 'AH S',
  sch: 'SH',
  ing: 'IH NG',
  qu: 'K W',
  ch: 'CH',
  sh: 'SH',
  th: 'TH',
  ph: 'F',
  wh: 'W',
  ck: 'K',
  ng: 'NG',
  gh: 'G',
  kn: 'N',
  wr: 'R',
  ee: 'IY',
  ea: 'IY',
  oo: 'UW',
  oa: 'OW',
  ou: 'AW',
  ow: 'OW',
  oi: 'OY',
  oy: 'OY',
  ai: 'EY',
  ay: 'EY',
  ei: 'EY',
  ey: 'IY',
  ie: 'IY',
  au: 'AO',
  aw: 'AO',
  ew: 'UW',
  ue: 'UW',
  ar: 'AA R',
  er: 'ER',
  ir: 'ER',
  or: 'AO R',
  ur: 'ER',
  ce: 'S',
  ci: 'S IH',
  cy: 'S IY',
  ge: 'JH',
  a: 'AE',
  b: 'B',
  c: 'K',
  d: 'D',
  e: 'EH',
  f: 'F',
  g: 'G',
  h: 'HH',
  i: 'IH',
  j: 'JH',
  k: 'K',
  l: 'L',
  m: 'M',
  n: 'N',
  o: 'AA',
  p: 'P',
  q: 'K',
  r: 'R',
  s: 'S',
  t: 'T',
  u: 'AH',
  v: 'V',
  w: 'W',
  x: 'K S',
  y: 'IY',
  z: 'Z',
};
const LONGEST = 4;
const LONG_VOWELS: Readonly<Record<string, string>> = { a: 'EY', e: 'IY', i: 'AY', o: 'OW', u: 'UW' };

/**
 * @param word lower-case letters; anything else is passed over
 * @returns sounds with spaces between them; empty when there is no letter
 */
export function pronounceWord(word: string): string {
  const letters = word.replace(/[^a-z]/g, '').replace(/([bdfgklmnprstz])\1/g, '$1');
  const sounds: string[] = [];
  for (let at = 0; at < letters.length; ) {
    const [taken, sound] = soundAt(letters, at);
    if (sound !== '') sounds.push(sound);
    at += taken;
  }
  return sounds.join(' ');
}

function soundAt(letters: string, at: number): [taken: number, sound: string] {
  const silentE = /^([aeiou])[bcdfgklmnpstvz]e$/.exec(letters.slice(at));
  if (silentE?.[1]) return [1, LONG_VOWELS[silentE[1]] ?? ''];
  if (letters[at] === 'e' && at === letters.length - 1 && at > 1) return [1, ''];
  for (let length = LONGEST; length > 0; length--) {
    const sound = SOUNDS[letters.slice(at, at + length)];
    if (sound !== undefined && at + length <= letters.length) return [length, sound];
  }
  return [1, ''];
}
