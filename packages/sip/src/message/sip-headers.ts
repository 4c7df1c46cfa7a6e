/** Compact forms of header names (RFC 3261 §7.3.3, RFC 3515, RFC 3892, RFC 4028, RFC 6665). */
const LONG_FORMS: Readonly<Record<string, string>> = {
  a: 'accept-contact',
  b: 'referred-by',
  c: 'content-type',
  e: 'content-encoding',
  f: 'from',
  i: 'call-id',
  k: 'supported',
  l: 'content-length',
  m: 'contact',
  o: 'event',
  r: 'refer-to',
  s: 'subject',
  t: 'to',
  u: 'allow-events',
  v: 'via',
  x: 'session-expires',
};

/** Headers whose values are comma-separated lists; values of other headers may contain commas. */
const LISTS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'allow',
  'allow-events',
  'contact',
  'error-info',
  'path',
  'proxy-require',
  'record-route',
  'require',
  'route',
  'service-route',
  'supported',
  'unsupported',
  'via',
  'warning',
]);

/** Headers whose values are lists of single words. */
const WORDS = new Set([
  'accept',
  'allow',
  'allow-events',
  'proxy-require',
  'require',
  'supported',
  'unsupported',
]);

/** Spellings of names that are not simply capitalised. */
const SPELLINGS: Readonly<Record<string, string>> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  'www-authenticate': 'WWW-Authenticate',
  'mime-version': 'MIME-Version',
  rseq: 'RSeq',
  rack: 'RAck',
  'min-se': 'Min-SE',
};

/** The headers of a message, in order. Names are stored in lower case and in their long form. */
export class SipHeaders {
  readonly #rows: [name: string, value: string][] = [];

  /** @param given names in any case, compact forms allowed; an array becomes one header for each value */
  constructor(given: Readonly<Record<string, string | readonly string[] | undefined>> = {}) {
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined) continue;
      for (const one of Array.isArray(value) ? value : [value]) this.add(name, one as string);
    }
  }

  /** Adds a header after the others; a list is split into its values. */
  add(name: string, value: string): void {
    const long = longForm(name);
    for (const one of LISTS.has(long) ? splitList(value) : [value.trim()])
      this.#rows.push([long, oneLine(one)]);
  }

  /** Adds a header before all others, as a proxy does with `Via`. */
  prepend(name: string, value: string): void {
    this.#rows.unshift([longForm(name), oneLine(value)]);
  }

  /** Replaces all headers of the name by one. */
  set(name: string, value: string): void {
    const long = longForm(name);
    const at = this.#rows.findIndex(([one]) => one === long);
    this.remove(long);
    this.#rows.splice(at < 0 ? this.#rows.length : at, 0, [long, oneLine(value)]);
  }

  remove(name: string): void {
    const long = longForm(name);
    const kept = this.#rows.filter(([one]) => one !== long);
    this.#rows.splice(0, this.#rows.length, ...kept);
  }

  /** The first value of the name. */
  get(name: string): string | undefined {
    const long = longForm(name);
    return this.#rows.find(([one]) => one === long)?.[1];
  }

  /** All values of the name, in order. */
  all(name: string): string[] {
    const long = longForm(name);
    return this.#rows.filter(([one]) => one === long).map(([, value]) => value);
  }

  /** Whether a list contains a word, such as an option in `Supported`; case is ignored. */
  lists(name: string, word: string): boolean {
    return this.all(name).some((one) => one.toLowerCase() === word.toLowerCase());
  }

  /** The lines for the wire. The words of a list share a line, since a datagram has little space. */
  lines(): string[] {
    const lines: string[] = [];
    for (const [at, [name, value]] of this.#rows.entries()) {
      const goesOn = WORDS.has(name) && this.#rows[at - 1]?.[0] === name;
      if (goesOn) lines.push(`${lines.pop() ?? ''}, ${value}`);
      else lines.push(`${spelling(name)}: ${value}`);
    }
    return lines;
  }
}

/** A value may come from an escaped address; it must not begin a line of its own. */
const oneLine = (value: string): string => value.replace(/[\r\n]+/g, ' ');

function longForm(name: string): string {
  const lower = name.trim().toLowerCase();
  return (lower.length === 1 ? LONG_FORMS[lower] : undefined) ?? lower;
}

function spelling(name: string): string {
  return SPELLINGS[name] ?? name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** The parts of a text between separators: quoted texts and angle brackets as a whole, then anything else. */
const PIECES = {
  ',': /"(?:\\.|[^"\\])*"?|<[^>]*>?|[^"<,]+|,/gs,
  ';': /"(?:\\.|[^"\\])*"?|<[^>]*>?|[^"<;]+|;/gs,
} as const;

/** The values between commas outside quotes and angle brackets; empty values are dropped. */
export function splitList(text: string, separator: ',' | ';' = ','): string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(PIECES[separator])) {
    if (piece === separator) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${piece}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
