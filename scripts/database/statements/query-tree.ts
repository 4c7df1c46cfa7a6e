/**
 * PostgreSQL's analysed form of a statement, read from `pg_proc.prosqlbody` (`nodeToString`,
 * src/backend/nodes/outfuncs.c): `{NAME :field value …}` is a node, `(…)` a list, `<>` nothing.
 */
export type TreeValue = TreeNode | readonly TreeValue[] | string | null;

/** A node with its fields. */
export interface TreeNode {
  readonly name: string;
  readonly fields: ReadonlyMap<string, TreeValue>;
}

/** Reads a whole tree. @throws Error when the text is not one */
export function parseTree(text: string): TreeValue {
  return new TreeReader(text).value();
}

export const isTreeNode = (value: TreeValue | undefined): value is TreeNode =>
  typeof value === 'object' && value !== null && 'fields' in value;

/** The first node of a list of lists, or undefined. */
export function firstNode(value: TreeValue | undefined): TreeNode | undefined {
  if (isTreeNode(value)) return value;
  return Array.isArray(value) ? firstNode(value[0] as TreeValue) : undefined;
}

class TreeReader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  value(): TreeValue {
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === '{') return this.#node();
    if (next === '(') return this.#list();
    const token = this.#token();
    // The length of a constant precedes its bytes.
    if (this.#peek() === '[') this.#bytes();
    return token === '<>' ? null : token;
  }

  #node(): TreeNode {
    this.#at += 1;
    const name = this.#token();
    const fields = new Map<string, TreeValue>();
    for (;;) {
      const next = this.#peek();
      if (next === '}') break;
      if (next !== ':') throw new Error(`a field was expected at ${this.#at} of a tree`);
      this.#at += 1;
      const field = this.#token();
      const first = this.value();
      let last = first;
      // Some fields are several tokens, such as a range of the source; only the first matters here.
      while (this.#peek() !== ':' && this.#peek() !== '}') last = this.value();
      fields.set(field, first ?? last);
    }
    this.#at += 1;
    return { name, fields };
  }

  #list(): TreeValue[] {
    this.#at += 1;
    const values: TreeValue[] = [];
    while (this.#peek() !== ')') values.push(this.value());
    this.#at += 1;
    return values;
  }

  #bytes(): void {
    this.#at = this.#text.indexOf(']', this.#at) + 1;
  }

  #token(): string {
    this.#skipSpace();
    if (this.#text[this.#at] === '"') {
      const end = this.#text.indexOf('"', this.#at + 1);
      const quoted = this.#text.slice(this.#at + 1, end);
      this.#at = end + 1;
      return quoted;
    }
    let token = '';
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? '';
      if (/[\s(){}]/.test(char)) break;
      if (char === '\\') this.#at += 1;
      token += this.#text[this.#at] ?? '';
    }
    if (token === '') throw new Error(`a value was expected at ${this.#at} of a tree`);
    return token;
  }

  #peek(): string {
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === undefined) throw new Error('a tree ended too early');
    return next;
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }
}
