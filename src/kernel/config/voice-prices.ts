/** What providers of calls charge, US dollars: `stt` a minute, the others for 1000 characters or tokens. */
export type VoicePrices = Readonly<Record<(typeof NAMES)[number], number>>;

const NAMES = ['stt', 'tts', 'prompt', 'completion'] as const;

/** Reads `stt=0.0043 tts=0.015`; a price that is left out is 0. Undefined when the text has another form. */
export function readPrices(words: string): VoicePrices | undefined {
  const prices = { stt: 0, tts: 0, prompt: 0, completion: 0 };
  for (const word of words.split(/[\s,]+/).filter(Boolean)) {
    const [, name, price] = /^(\w+)=(\d{1,4}(?:\.\d{1,9})?)$/.exec(word) ?? [];
    const known = NAMES.find((one) => one === name);
    if (known === undefined) return undefined;
    prices[known] = Number(price);
  }
  return prices;
}
