import tokenizer from 'llama-tokenizer-js';

/** The piece that every decoded text begins with. */
export const BEGIN_PIECE = 1;
/** The piece that ends a text. */
export const END_PIECE = 2;

const SPACE = '▁';
const BYTE = /^<0x([0-9A-F]{2})>$/;

/** What a piece adds to a text: a space before it where it begins a word; empty for marks and bytes. */
export const PIECE_TEXTS: readonly string[] = tokenizer.vocabById.map((piece, at) =>
  at <= END_PIECE || BYTE.test(piece) ? '' : piece.replaceAll(SPACE, ' '),
);

/** The text of pieces, without the space before the first word. */
export function textOf(pieces: readonly number[]): string {
  return tokenizer.decode([...pieces], false, false).trim();
}
