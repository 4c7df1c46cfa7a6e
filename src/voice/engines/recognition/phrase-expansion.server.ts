/**
 * A small grammar of what callers say, and sentences drawn from it. The notation is a small part of the
 * JSpeech Grammar Format: `[optional]`, `(one|other)`, `{class}`.
 */

/** A piece of a phrase: a word, a class to draw from, or a choice between sequences. */
type Piece =
  | { readonly kind: 'word'; readonly word: string }
  | { readonly kind: 'class'; readonly name: string }
  | { readonly kind: 'choice'; readonly ways: readonly (readonly Piece[])[] };

/** One phrase of the grammar; one of weight 3 is drawn three times as often as one of weight 1. */
export interface Phrase {
  readonly weight: number;
  readonly pieces: readonly Piece[];
}

/** The contents of a grammar file. */
export interface Grammar {
  readonly phrases: readonly Phrase[];
  readonly classes: ReadonlyMap<string, readonly string[]>;
}

/** A number from 0 up to but not including 1. */
export type Draw = () => number;

const TOKEN = /[[\](){}|]|[^\s[\](){}|]+/g;

/**
 * Reads a grammar: a phrase on each line, `= name: word|word` for a class, `#` for comments.
 *
 * @throws Error naming the line when brackets do not match
 */
export function parseGrammar(text: string): Grammar {
  const phrases: Phrase[] = [];
  const classes = new Map<string, readonly string[]>();
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const named = /^= (\w+): (.+)$/.exec(line);
    if (named?.[1] && named[2]) classes.set(named[1], named[2].split('|'));
    else phrases.push(parsePhrase(line));
  }
  return { phrases, classes };
}

function parsePhrase(line: string): Phrase {
  const weighted = /^\*(\d+) (.+)$/.exec(line);
  const tokens = (weighted?.[2] ?? line).match(TOKEN) ?? [];
  let at = 0;

  function sequence(): Piece[] {
    const pieces: Piece[] = [];
    while (at < tokens.length && tokens[at] !== '|' && tokens[at] !== ')' && tokens[at] !== ']') {
      pieces.push(piece(tokens[at++] ?? ''));
    }
    return pieces;
  }

  function piece(token: string): Piece {
    if (token === '{') {
      const name = tokens[at] ?? '';
      at += 2;
      return { kind: 'class', name };
    }
    if (token !== '(' && token !== '[') return { kind: 'word', word: token };
    const ways = [sequence()];
    while (tokens[at] === '|') {
      at++;
      ways.push(sequence());
    }
    if (tokens[at++] !== (token === '(' ? ')' : ']')) throw new Error(`Brackets do not match: ${line}`);
    // An optional part is left out as often as it is said.
    return { kind: 'choice', ways: token === '[' ? [...ways, ...ways.map(() => [])] : ways };
  }

  const pieces = sequence();
  if (at < tokens.length) throw new Error(`Brackets do not match: ${line}`);
  return { weight: Number(weighted?.[1] ?? 1), pieces };
}

/**
 * Draws sentences from phrases.
 *
 * @param count sentences to draw
 * @param classes words of each class; an unknown class is an error
 * @returns each sentence as its words, lower case
 */
export function drawSentences(
  phrases: readonly Phrase[],
  classes: ReadonlyMap<string, readonly string[]>,
  count: number,
  draw: Draw,
): string[][] {
  const wheel = phrases.flatMap((phrase) => Array<Phrase>(phrase.weight).fill(phrase));
  // Phrases take turns, so that chance leaves none out.
  return Array.from({ length: count }, (_, at) => {
    const phrase = wheel[at % wheel.length];
    return phrase ? say(phrase.pieces, classes, draw) : [];
  }).filter((words) => words.length > 0);
}

function say(
  pieces: readonly Piece[],
  classes: ReadonlyMap<string, readonly string[]>,
  draw: Draw,
): string[] {
  return pieces.flatMap((piece) => {
    if (piece.kind === 'word') return [piece.word];
    if (piece.kind === 'choice') return say(pick(piece.ways, draw) ?? [], classes, draw);
    const members = classes.get(piece.name);
    if (!members) throw new Error(`No class is called ${piece.name}.`);
    return (pick(members, draw) ?? '').split(' ').filter(Boolean);
  });
}

function pick<T>(from: readonly T[], draw: Draw): T | undefined {
  return from[Math.floor(draw() * from.length)];
}

/** Gives the same numbers for the same seed, so that a model is the same after each start (Mulberry32). */
export function seededDraw(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
