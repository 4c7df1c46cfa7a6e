import { PDFArray, type PDFContext, PDFName, PDFNumber, type PDFRef } from 'pdf-lib';

/** A word on a page, as the page's user space has it: points, y upwards. */
export interface PlacedWord {
  readonly text: string;
  /** The left end of its base line. */
  readonly x: number;
  readonly y: number;
  /** Direction of the base line, radians counter-clockwise. */
  readonly angle: number;
  readonly width: number;
  readonly height: number;
}

/** Codes of a simple font; 0 stays free, as some programs take it for an end. */
const MOST_CODES = 255;
/** Width of every glyph and its extent, in thousandths of the size. */
const GLYPH = { width: 500, bottom: -200, top: 800 } as const;

/**
 * Text that nobody sees but every reader of PDF finds and selects. Its fonts have empty glyphs (Type 3) and say which
 * character each code stands for, so any script works and no typeface is embedded.
 */
export class GlyphlessText {
  readonly #context: PDFContext;
  /** Characters of each font, in the order of their codes. */
  readonly #fonts: string[][] = [];
  readonly #codes = new Map<string, { font: number; code: number }>();
  readonly #refs: PDFRef[] = [];

  constructor(context: PDFContext) {
    this.#context = context;
  }

  /**
   * The operators that write words, as the text of a content stream: an object for each operator of a long scan would not fit
   * into memory.
   *
   * @param useFont returns the name of a font in the resources of the page
   */
  operators(words: readonly PlacedWord[], useFont: (ref: PDFRef) => PDFName): string {
    const lines = ['BT', '3 Tr'];
    for (const { text, x, y, angle, width, height } of words) {
      const characters = [...text];
      if (characters.length === 0 || height <= 0 || width <= 0) continue;
      const natural = (characters.length * GLYPH.width * height) / 1000;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      // The glyphs reach below the base line, and the word's box does not say how far: its foot is theirs.
      const rise = (-GLYPH.bottom / 1000) * height;
      const matrix = [cos, sin, -sin, cos, x - sin * rise, y + cos * rise].map(decimal).join(' ');
      lines.push(`${matrix} Tm ${decimal((width / natural) * 100)} Tz`);
      for (const { font, codes } of this.#runsOf(characters))
        lines.push(`${useFont(this.#refOf(font)).toString()} ${decimal(height)} Tf <${codes}> Tj`);
    }
    return [...lines, 'ET'].join('\n');
  }

  /** Writes the fonts; call it after the last word. */
  finish(): void {
    for (const [index, characters] of this.#fonts.entries()) this.#write(this.#refOf(index), characters);
  }

  /** Neighbouring characters of one font. */
  #runsOf(characters: readonly string[]): { font: number; codes: string }[] {
    const runs: { font: number; codes: string }[] = [];
    for (const character of characters) {
      const { font, code } = this.#codeOf(character);
      const hex = code.toString(16).padStart(2, '0');
      const last = runs.at(-1);
      if (last?.font === font) last.codes += hex;
      else runs.push({ font, codes: hex });
    }
    return runs;
  }

  #codeOf(character: string): { font: number; code: number } {
    const known = this.#codes.get(character);
    if (known !== undefined) return known;
    if ((this.#fonts.at(-1)?.length ?? MOST_CODES) >= MOST_CODES) this.#fonts.push([]);
    const font = this.#fonts.length - 1;
    const code = this.#fonts[font]?.push(character) ?? 1;
    const made = { font, code };
    this.#codes.set(character, made);
    return made;
  }

  #refOf(font: number): PDFRef {
    this.#refs[font] ??= this.#context.nextRef();
    return this.#refs[font];
  }

  #write(ref: PDFRef, characters: readonly string[]): void {
    const context = this.#context;
    const glyph = context.register(
      context.flateStream(`${GLYPH.width} 0 0 ${GLYPH.bottom} ${GLYPH.width} ${GLYPH.top} d1`),
    );
    const names = PDFArray.withContext(context);
    names.push(PDFNumber.of(1));
    for (const _ of characters) names.push(PDFName.of('e'));
    context.assign(
      ref,
      context.obj({
        Type: 'Font',
        Subtype: 'Type3',
        Name: 'Words',
        FontBBox: [0, GLYPH.bottom, GLYPH.width, GLYPH.top],
        FontMatrix: [0.001, 0, 0, 0.001, 0, 0],
        CharProcs: { e: glyph },
        Encoding: { Type: 'Encoding', Differences: names },
        FirstChar: 1,
        LastChar: characters.length,
        Widths: characters.map(() => GLYPH.width),
        Resources: {},
        ToUnicode: context.register(context.flateStream(toUnicode(characters))),
      }),
    );
  }
}

/** A number without an exponent, which PDF does not know. */
const decimal = (value: number): string => value.toFixed(4);

/** Most entries of one `beginbfchar` (Adobe Technical Note 5411 §1.4.1). */
const MOST_ENTRIES = 100;

/** The CMap that gives each code its character (ISO 32000-1 §9.10.3). */
function toUnicode(characters: readonly string[]): string {
  const entries = characters.map((character, index) => {
    const units = [...Array(character.length).keys()].map((at) =>
      character.charCodeAt(at).toString(16).padStart(4, '0'),
    );
    return `<${(index + 1).toString(16).padStart(2, '0')}> <${units.join('')}>`;
  });
  const parts: string[] = [];
  for (let at = 0; at < entries.length; at += MOST_ENTRIES) {
    const some = entries.slice(at, at + MOST_ENTRIES);
    parts.push(`${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin
12 dict begin
begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Words def
/CMapType 2 def
1 begincodespacerange
<01> <ff>
endcodespacerange
${parts.join('\n')}
endcmap
CMapName currentdict /CMap defineresource pop
end
end`;
}
