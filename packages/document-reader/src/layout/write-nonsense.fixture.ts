import { createCanvas, SvgExportFlag } from '@napi-rs/canvas';
import { PDFDocument, PDFName, rgb } from 'pdf-lib';
// It registers the font.
import '../samples/make-scans.fixture.ts';

/** How a font lies about its letters: it says their numbers in it, or their bytes in the wrong order. */
export type Nonsense = 'shifted' | 'swapped';

/** Distance between the letters of ASCII and their numbers in many subsets of fonts. */
const SHIFT = 29;
const NAMES: Readonly<Record<string, string>> = {
  ...{ ' ': 'space', '.': 'period', ',': 'comma', ':': 'colon', '-': 'hyphen', '/': 'slash', '%': 'percent' },
  ...{ 0: 'zero', 1: 'one', 2: 'two', 3: 'three', 4: 'four', 5: 'five', 6: 'six', 7: 'seven', 8: 'eight' },
  ...{ 9: 'nine' },
};
const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/**
 * A PDF page in a font that draws the right letters, but whose table of Unicode names others. ASCII only.
 *
 * @param lines printed lines, from the top
 */
export async function writeNonsense(lines: readonly string[], how: Nonsense): Promise<Buffer> {
  const document = await PDFDocument.create();
  const { context } = document;
  const page = document.addPage([595, 842]);
  const signs = [...new Set(lines.join(' '))];
  const codeOf = (sign: string): number => sign.charCodeAt(0) - SHIFT;
  const unicodeOf = (sign: string): number => (how === 'shifted' ? codeOf(sign) : sign.charCodeAt(0) << 8);
  const table = [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '1 begincodespacerange <00> <ff> endcodespacerange',
    `${signs.length} beginbfchar`,
    ...signs.map((sign) => `<${hex(codeOf(sign), 2)}> <${hex(unicodeOf(sign), 4)}>`),
    'endbfchar endcmap end end',
  ].join('\n');
  const font = context.obj({
    ...{ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica' },
    Encoding: {
      Type: 'Encoding',
      Differences: signs.flatMap((sign) => [codeOf(sign), PDFName.of(NAMES[sign] ?? sign)]),
    },
    ToUnicode: context.register(context.stream(table)),
  });
  page.node.setFontDictionary(PDFName.of('F1'), context.register(font) as never);
  const text = lines
    .map((line, index) => {
      const codes = [...line].map((sign) => hex(codeOf(sign), 2)).join('');
      return `BT /F1 12 Tf 60 ${780 - index * 22} Td <${codes}> Tj ET`;
    })
    .join('\n');
  page.node.set(PDFName.of('Contents'), context.register(context.stream(text)));
  return Buffer.from(await document.save({ useObjectStreams: false }));
}

/**
 * A PDF page whose letters are outlines, as drawing programs save them: it has no font and no text.
 *
 * @param footer a line in a font, if there is one
 */
export async function writeOutlines(lines: readonly string[], footer?: string): Promise<Buffer> {
  const canvas = createCanvas(595, 842, SvgExportFlag.ConvertTextToPaths);
  const context = canvas.getContext('2d');
  context.font = '12px "Scan Sans"';
  for (const [index, line] of lines.entries()) context.fillText(line, 60, 62 + index * 22);
  const document = await PDFDocument.create();
  const page = document.addPage([595, 842]);
  for (const [, outline = ''] of canvas
    .getContent()
    .toString('utf8')
    .matchAll(/ d="([^"]+)"/g))
    page.drawSvgPath(outline, { x: 0, y: 842, color: rgb(0, 0, 0), borderWidth: 0 });
  if (footer !== undefined) page.drawText(footer, { x: 280, y: 30, size: 8 });
  return Buffer.from(await document.save({ useObjectStreams: false }));
}
