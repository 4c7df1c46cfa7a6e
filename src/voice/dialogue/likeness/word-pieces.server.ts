/** Numbers of the pieces that frame a text, and of a word that no pieces make up. */
const BEGIN = 101;
const END = 102;
const UNKNOWN = 100;
const LONGEST_WORD = 100;
/** The model was trained on this many pieces; later ones are left out. */
const MOST_PIECES = 256;
const WORD_OR_MARK = /[\p{Script=Han}]|[\p{P}\p{S}]|[^\s\p{P}\p{S}\p{Script=Han}]+/gu;

/**
 * Cuts texts into the word pieces of BERT's uncased vocabulary (Devlin et al. 2018): lower case, without
 * accents, the longest piece first; pieces inside a word begin with `##`.
 */
export class WordPieces {
  readonly #numbers: ReadonlyMap<string, number>;

  /** @param vocabulary one piece a line; its number is the line, from 0 */
  constructor(vocabulary: string) {
    this.#numbers = new Map(vocabulary.split('\n').map((piece, at) => [piece.trimEnd(), at]));
  }

  /** The numbers of a text's pieces, framed by the marks of beginning and end. */
  numbersOf(text: string): number[] {
    const plain = text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '');
    const pieces = (plain.match(WORD_OR_MARK) ?? []).flatMap((word) => this.#piecesOf(word));
    return [BEGIN, ...pieces.slice(0, MOST_PIECES - 2), END];
  }

  #piecesOf(word: string): number[] {
    if (word.length > LONGEST_WORD) return [UNKNOWN];
    const found: number[] = [];
    for (let from = 0; from < word.length; ) {
      let until = word.length;
      let piece: number | undefined;
      for (; until > from && piece === undefined; until--)
        piece = this.#numbers.get(`${from === 0 ? '' : '##'}${word.slice(from, until)}`);
      if (piece === undefined) return [UNKNOWN];
      found.push(piece);
      from = until + 1;
    }
    return found;
  }
}
