/** One entry of a header `Authentication-Results`, such as `spf=pass smtp.mailfrom=a@b.example`; all in lower case. */
interface AuthenticationResult {
  readonly method: string;
  readonly result: string;
  readonly properties: Readonly<Record<string, string>>;
}

type Headers = readonly (readonly [name: string, value: string])[];

/**
 * Whether the mail server that we trust has confirmed that a mail comes from the domain of its sender: DMARC passed, or
 * DKIM or SPF passed for that domain or one above it (RFC 7489 §3.1).
 *
 * Only the first header with the server's name counts. The server writes it above everything that came with the mail,
 * and removes others of its name (RFC 8601 §5).
 *
 * @param headers in the order of the mail, names in lower case
 * @param sender the address of the header From
 * @param host MAIL_IN_AUTH_HOST
 */
export function isSenderConfirmed(headers: Headers, sender: string, host: string): boolean {
  const domain = domainOf(sender);
  const trusted = headers
    .filter(([name]) => name === 'authentication-results')
    .map(([, value]) => readResults(value))
    .find((results) => results.host === host.toLowerCase());
  if (trusted === undefined || domain === '') return false;
  return trusted.results.some(({ method, result, properties }) => {
    if (result !== 'pass') return false;
    const { 'header.from': from, 'header.d': d, 'header.i': i, 'smtp.mailfrom': mailFrom } = properties;
    if (method === 'dmarc') return from === undefined || domainOf(from) === domain;
    if (method === 'dkim') return isWithin(domain, d ?? domainOf(i ?? ''));
    return method === 'spf' && isWithin(domain, domainOf(mailFrom ?? ''));
  });
}

/** What follows the `@` of an address; a domain alone stays as it is. */
const domainOf = (address: string): string =>
  address
    .slice(address.lastIndexOf('@') + 1)
    .toLowerCase()
    .replace(/\.$/, '');

/** Without a list of public suffixes, the other way round would let a neighbour of a shared domain pass. */
const isWithin = (domain: string, above: string): boolean =>
  above.includes('.') && (domain === above || domain.endsWith(`.${above}`));

/** Reads a header (RFC 8601 §2.2). Comments are dropped, and quoted values cannot begin an entry. */
function readResults(value: string): { host: string; results: AuthenticationResult[] } {
  const [head = '', ...entries] = partsOf(value);
  const results = entries.flatMap((entry): AuthenticationResult[] => {
    const [first = '', ...rest] = entry.split(/\s+/);
    const [, method, result] = /^([\w-]+)(?:\/\d+)?=(\w+)$/.exec(first) ?? [];
    if (method === undefined || result === undefined) return [];
    const pairs = rest.flatMap((word) => {
      const at = word.indexOf('=');
      return at <= 0 ? [] : [[word.slice(0, at), word.slice(at + 1)] as const];
    });
    return [{ method, result, properties: Object.fromEntries(pairs) }];
  });
  return { host: head.split(/\s+/)[0] ?? '', results };
}

/** The next piece outside a comment: a quoted text, an escaped sign, the beginning of a comment, or anything else. */
const OUTSIDE = /"(?:\\.|[^"\\])*"?|\\.|\(|[^"\\(]+/sy;
/** Comments nest, and quotes mean nothing in them (RFC 5322 §3.2.2). */
const INSIDE = /\\.|[()]|[^\\()]+/sy;

/** The parts between semicolons in lower case, without comments and with blanks in quotes replaced. */
function partsOf(value: string): string[] {
  let plain = '';
  for (let at = 0, depth = 0; at < value.length; ) {
    const next = depth === 0 ? OUTSIDE : INSIDE;
    next.lastIndex = at;
    const piece = next.exec(value)?.[0] ?? value.charAt(at);
    at += piece.length;
    if (piece === '(') depth += 1;
    else if (depth === 0)
      plain += piece.startsWith('"') ? piece.replace(/[\s;="\\]/g, '_').slice(1, -1) : piece;
    else if (piece === ')') depth -= 1;
  }
  return plain
    .toLowerCase()
    .split(';')
    .map((part) => part.replace(/\s*=\s*/g, '=').trim());
}
