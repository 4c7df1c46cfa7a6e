// SHA-256 (FIPS 180-4) without `crypto.subtle`, which returns a promise for each hash, is ten times slower
// for thousands of short texts, and is missing where the site is served without TLS on a local network.

const K = new Uint32Array(64);
const H = new Uint32Array(8);
fillConstants();

/** The first 32 bits of the fractional parts of the roots of the first primes. */
function fillConstants(): void {
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
  let found = 0;
  for (let candidate = 2; found < 64; candidate += 1) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1)
      if (candidate % divisor === 0) prime = false;
    if (!prime) continue;
    if (found < 8) H[found] = fraction(Math.sqrt(candidate));
    K[found] = fraction(Math.cbrt(candidate));
    found += 1;
  }
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The 32 bytes of the hash of a text. */
export function sha256(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = H.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) mix(state, words, view, block);
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => {
    hash.setUint32(index * 4, word);
  });
  return new Uint8Array(hash.buffer);
}

function mix(state: Uint32Array, w: Uint32Array, view: DataView, block: number): void {
  for (let i = 0; i < 16; i += 1) w[i] = view.getUint32(block + i * 4);
  for (let i = 16; i < 64; i += 1) {
    const [early, late] = [w[i - 15] ?? 0, w[i - 2] ?? 0];
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    w[i] = (w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] ?? 0) + (w[i] ?? 0)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    state[index] = (state[index] ?? 0) + value;
  });
}
