const MOST_CREDITS = 10_000;
/** As many digits as Stripe takes. */
const MOST_PRICE = 99_999_999;

/**
 * Reads `10=700,50=3000`: numbers of credits, and the price of each in the smallest unit of the currency. A number of credits may appear
 * once. Undefined when the text has another form.
 */
export function readCreditPacks(words: string): { credits: number; amount_pence: number }[] | undefined {
  const packs = new Map<number, number>();
  for (const word of words.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    const [, credits, price] = /^(\d{1,5})=(\d{1,8})$/.exec(word) ?? [];
    if (credits === undefined || packs.has(Number(credits))) return undefined;
    packs.set(Number(credits), Number(price));
  }
  const read = [...packs].map(([credits, amount_pence]) => ({ credits, amount_pence }));
  const sold = ({ credits, amount_pence: price }: (typeof read)[number]): boolean =>
    credits >= 1 && credits <= MOST_CREDITS && price >= 30 && price <= MOST_PRICE;
  return read.every(sold) ? read.sort((one, other) => one.credits - other.credits) : undefined;
}
