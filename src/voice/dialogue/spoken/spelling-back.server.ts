/** Letters with spaces and commas between them, so that each is heard: `S, M, I, T, H`. */
export function spellLetters(word: string): string {
  return [...word.toUpperCase()].filter((letter) => /\p{L}/u.test(letter)).join(', ');
}

/** A name, followed by its last part letter by letter. */
export function spellName(name: string): string {
  const last = name.split(' ').at(-1) ?? name;
  return `${name}, spelled ${spellLetters(last)}`;
}

/** Digits in groups of three, as numbers are read out. */
export function spellDigits(number: string): string {
  const digits = number.replace(/\D/g, '');
  const groups = digits.match(/\d{1,3}/g) ?? [];
  return `${number.startsWith('+') ? 'plus ' : ''}${groups.map((group) => [...group].join(' ')).join(', ')}`;
}

/** An e-mail address: a short local part letter by letter, the domain as words. */
export function spellEmail(address: string): string {
  const [name = '', domain = ''] = address.split('@');
  const signs: Readonly<Record<string, string>> = { '.': 'dot', _: 'underscore', '-': 'dash', '+': 'plus' };
  const said = name
    .split(/([._+-])/)
    .map((part) => signs[part] ?? (part === '' ? '' : `${part}, ${[...part].join(' ')},`));
  return `${said.filter(Boolean).join(' ')} at ${domain.replaceAll('.', ' dot ')}`.replace(/\s+/g, ' ');
}
