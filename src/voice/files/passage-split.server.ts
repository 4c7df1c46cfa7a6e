/** A block of a document's text, as the reader returns it. */
export interface TextBlock {
  readonly type: string;
  readonly page?: number | undefined;
  readonly text: string;
}

/** A part of a file that can answer a question by itself. */
export interface Passage {
  readonly page: number | null;
  readonly text: string;
}

/** Longest passage, characters: a spoken paragraph. Longer ones are split at sentences. */
const LONGEST = 700;
const MOST_PASSAGES = 20_000;

/**
 * Splits a document into passages: one for each paragraph, with the heading above it, so that the heading's
 * words are found too. Text that repeats on every page is left out.
 */
export function splitPassages(blocks: readonly TextBlock[]): Passage[] {
  const passages = passagesOf(blocks).take(MOST_PASSAGES).toArray();
  if (passages.length > 0) return passages;
  const title = blocks.findLast(({ type }) => type === 'heading');
  const text = plain(title?.text ?? '');
  return text === '' ? [] : [{ page: null, text }];
}

function* passagesOf(blocks: readonly TextBlock[]): Generator<Passage, void> {
  let heading = '';
  for (const block of blocks) {
    if (block.type === 'heading') heading = plain(block.text);
    else yield* passagesOfBlock(block, heading);
  }
}

function* passagesOfBlock({ type, page, text }: TextBlock, heading: string): Generator<Passage, void> {
  if (type === 'header' || type === 'footer') return;
  // Each table row and list point is a passage of its own; a paragraph is one text.
  const parts = type === 'para' || type === 'caption' ? [text] : text.split('\n');
  for (const part of parts.flatMap((one) => inPieces(plain(one)))) {
    if (part === '') continue;
    const whole = heading === '' || part.startsWith(heading) ? part : `${heading}: ${part}`;
    yield { page: page ?? null, text: whole };
  }
}

/** Sentences of a text; a dot within a number or after a single letter does not end one. */
export function sentencesOf(text: string): string[] {
  return (text.match(/(?:[^.!?]|[.!?](?!\s|$)|(?<=\b\p{L})\.)+[.!?]*/gu) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function inPieces(text: string): string[] {
  if (text.length <= LONGEST) return [text];
  const pieces: string[] = [];
  let piece = '';
  for (const sentence of sentencesOf(text).flatMap(
    (one) => one.match(new RegExp(`.{1,${LONGEST}}`, 'gsu')) ?? [],
  )) {
    if (piece !== '' && piece.length + sentence.length >= LONGEST) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? sentence : `${piece} ${sentence}`;
  }
  return piece === '' ? pieces : [...pieces, piece];
}
