const MOST_CREDITS = 10_000;
const MOST_PENCE = 1_000_000;

/**
 * Reads `10=700,50=3000`: numbers of credits, and the price of each in pence. A number of credits may appear
 * once. Undefined when the text has another form.
 */
export function readCreditPacks(words: string): { credits: number; amount_pence: number }[] | undefined {
  const packs = new Map<number, number>();
  for (const word of words.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    const [, credits, pence] = /^(\d{1,5})=(\d{1,7})$/.exec(word) ?? [];
    if (credits === undefined || packs.has(Number(credits))) return undefined;
    packs.set(Number(credits), Number(pence));
  }
  const read = [...packs].map(([credits, amount_pence]) => ({ credits, amount_pence }));
  const sold = ({ credits, amount_pence: pence }: (typeof read)[number]): boolean =>
    credits >= 1 && credits <= MOST_CREDITS && pence >= 30 && pence <= MOST_PENCE;
  return read.every(sold) ? read.sort((one, other) => one.credits - other.credits) : undefined;
}
