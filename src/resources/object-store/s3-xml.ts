const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/** The inner text of every element of that name, in order, as it stands. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^<>]*)?>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, inner = '']) => inner,
  );
}

/** The decoded text of the first element of that name; '' when there is none. */
export function text(xml: string, name: string): string {
  return (elements(xml, name)[0] ?? '').replace(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex, digits, word) => {
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (digits !== undefined) return String.fromCodePoint(Number(digits));
      return ENTITIES[word] ?? whole;
    },
  );
}

/** Text for the inside of an element. */
export function escaped(value: string): string {
  return value.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
}
