/** Pairs of letters that two texts must share to be the same label, read badly from a picture. */
const SAME = 0.8;

/**
 * How alike two labels are, 0 to 1, each as folded words with a space between them. A label inside a longer one counts by its share, and a longer printed label that
 * ends with the learned one counts more: "your meter number" is a meter number.
 */
export function labelLikeness(learned: string, printed: string): number {
  if (learned === '' || printed === '') return 0;
  if (learned === printed) return 1;
  const [short, long] = learned.length < printed.length ? [learned, printed] : [printed, learned];
  const share = short.length / long.length;
  if (long.endsWith(` ${short}`)) return short === learned ? 0.45 + 0.4 * share : 0.9 * share;
  if (long.startsWith(`${short} `)) return 0.9 * share;
  const dice = sharedPairs(learned, printed);
  return dice >= SAME ? dice * 0.95 : dice * 0.4;
}

/** Dice's coefficient of the pairs of letters. */
function sharedPairs(a: string, b: string): number {
  const [first, second] = [pairsOf(a), pairsOf(b)];
  const all = first.length + second.length;
  if (all === 0) return 0;
  const left = new Map<string, number>();
  for (const pair of first) left.set(pair, (left.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of second) {
    const count = left.get(pair) ?? 0;
    if (count === 0) continue;
    left.set(pair, count - 1);
    shared += 1;
  }
  return (2 * shared) / all;
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}
