/** Letters and digits of a text, lower case and without accents; `at[i]` is the place of the i-th one in the text. */
export interface FoldedText {
  readonly text: string;
  readonly at: readonly number[];
}

/**
 * Folds a text for comparisons. It drops spaces too: text from pictures may lack them, and some PDF files have spaces
 * inside words ("Br uttosumme").
 */
export function foldText(text: string): FoldedText {
  let folded = '';
  const at: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    for (const sign of plainSigns(text[index] ?? '')) {
      folded += sign;
      at.push(index);
    }
  }
  return { text: folded, at };
}

/** Only the folded letters and digits. */
export function folded(text: string): string {
  return foldText(text).text;
}

function plainSigns(sign: string): string {
  if (/[a-z0-9]/.test(sign)) return sign;
  if (sign <= '\u007f') return /[A-Z]/.test(sign) ? sign.toLowerCase() : '';
  if (sign === 'ß') return 'ss';
  return sign
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
