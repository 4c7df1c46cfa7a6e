import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { redrawLogo } from '../../kernel/http/site/brand-pictures.ts';
import { cleanLogo, readLogo } from './logo-cleaning.server.ts';

const svg = (inside: string, attributes = 'viewBox="0 0 40 20"'): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;
const SHAPE = '<path d="M0 0h40v20H0z" fill="#123456"/>';
const clean = (text: string) => cleanLogo({ type: 'svg', data: text });
const read = (file: Buffer | string) => readLogo(Buffer.from(file), redrawLogo);

const chunk = (name: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};
/** A PNG of one grey, with further chunks before its picture. */
function png(width: number, height: number, ...more: Buffer[]): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const rows =
    width * height > 1_000_000 ? Buffer.alloc(10) : Buffer.alloc(height * (width + 1), 0x80).fill(0, 0, 1);
  for (let row = 0; row < rows.length; row += width + 1) rows[row] = 0;
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    ...more,
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('an SVG', () => {
  test('keeps its shapes, colours, gradients, styles and references to its own parts', () => {
    const drawn =
      '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient></defs><style>.a{fill:url(#g)}</style>' +
      '<g transform="scale(2)"><path class="a" d="M0 0h9v9z"/><use xlink:href="#g"/></g>';
    const { data, width, height } = clean(svg(drawn));
    for (const part of ['linearGradient', 'stop-color="red"', '.a{fill:url(#g)}', 'scale(2)', 'href="#g"'])
      expect(data).toContain(part);
    expect([width, height]).toEqual([40, 20]);
    // A clean drawing stays the same, so a stored logo can be checked again.
    expect(clean(data).data).toBe(data);
  });

  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script of another prefix', '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'],
    ['a handler', '<rect width="9" height="9" onload="alert(1)" onclick="alert(1)"/>'],
    [
      'HTML inside',
      '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="javascript:alert(1)"/></body></foreignObject>',
    ],
    ['a link', '<a xlink:href="javascript:alert(1)"><rect width="9" height="9"/></a>'],
    ['a picture from elsewhere', '<image href="https://evil.example/alert.png"/>'],
    ['a part of another file', '<use href="https://evil.example/a.svg#alert"/>'],
    ['a part as data', '<use href="data:image/svg+xml;base64,alert"/>'],
    [
      'an animation that sets a link',
      '<set attributeName="href" to="javascript:alert(1)"/><animate attributeName="href" values="javascript:alert(1)"/>',
    ],
    ['a style that loads', '<style>@import "//evil.example/alert.css";</style>'],
    ['a style behind escapes', '<style>a{background:\\75 rl(//evil.example/alert)}</style>'],
    ['a style in CDATA', '<style><![CDATA[a{fill:url(https://evil.example/alert)}]]></style>'],
    ['a fill from elsewhere', '<rect width="9" height="9" fill="url(https://evil.example/alert#a)"/>'],
    [
      'a filter from elsewhere',
      '<rect width="9" height="9" filter="url(//evil.example/alert#a)" style="mask:url(//evil.example/alert)"/>',
    ],
    ['an entity in an attribute', '<rect width="9" height="9" style="fill:u&#x72;l(//evil.example/alert)"/>'],
    ['a comment', '<!-- alert --><rect width="9" height="9"/>'],
    ['an instruction', '<?xml-stylesheet href="//evil.example/alert.css"?><rect width="9" height="9"/>'],
  ])('loses %s', (_name, hostile) => {
    const { data } = clean(svg(SHAPE + hostile));
    expect(data).toContain('M0 0h40v20H0z');
    expect(data).not.toMatch(/alert|evil|javascript|script|foreignObject|import|onload|\son\w+=/i);
  });

  test('closes no element that it did not open, whatever its text says', () => {
    const { data } = clean(
      svg(`${SHAPE}<text x="1" y="9">&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;</text>`),
    );
    expect(data).not.toContain('<script');
    expect(data).toContain('&lt;script&gt;');
  });

  test.each([
    ['nothing to show', svg('<script>1</script><image href="a.png"/>'), /Nothing of this SVG can be shown/],
    ['shapes that are only defined', svg(`<defs>${SHAPE}</defs>`), /Nothing of this SVG can be shown/],
    ['no size', svg(SHAPE, ''), /how wide and high/],
    ['an endless size', svg(SHAPE, 'viewBox="0 0 1e9 1"'), /how wide and high/],
    ['too much', svg(`<path d="${'M0 0h1 '.repeat(9000)}"/>`), /too detailed/],
    ['a declared entity', `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svg(SHAPE)}`, /choose an SVG or a PNG/],
    ['HTML', '<html><body>hello</body></html>', /choose an SVG or a PNG/],
    ['no XML', 'hello', /choose an SVG or a PNG/],
  ])('with %s is refused with a sentence', async (_name, text, sentence) => {
    await expect(read(text)).rejects.toMatchObject({
      status: 422,
      code: 'bad_logo',
      message: expect.stringMatching(sentence),
    });
  });

  test('whose references draw each other a million times, or in a circle, is refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`,
    );
    expect(() => clean(svg(`<g id="l0">${SHAPE}</g>${levels.join('')}`))).toThrow(/too detailed/);
    expect(() => clean(svg(`<g id="a">${SHAPE}<use href="#a"/></g>`))).toThrow(/too detailed/);
    const masks = `<mask id="m" mask="url(#m)">${SHAPE}</mask><rect width="9" height="9" mask="url(#m)"/>`;
    expect(() => clean(svg(masks))).toThrow(/too detailed/);
  });
});

describe('a PNG', () => {
  test('is drawn anew, smaller where it is large, without the words in it', async () => {
    const words = chunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>', 'latin1'));
    const logo = await read(png(960, 256, words));
    expect(logo).toMatchObject({ type: 'png', width: 480, height: 128 });
    expect(Buffer.from(logo.data, 'base64').includes('alert')).toBe(false);
    expect(cleanLogo(logo)).toEqual(logo);
    // One that did not come this way is refused where it still has words.
    expect(() => cleanLogo({ type: 'png', data: png(9, 9, words).toString('base64') })).toThrow(/damaged/);
  });

  test.each([
    ['that is cut off', png(9, 9).subarray(0, 60), /damaged/],
    ['with another file behind it', Buffer.concat([png(9, 9), Buffer.from('<script>')]), /damaged/],
    [
      'whose picture is missing',
      Buffer.concat([png(9, 9).subarray(0, 33), chunk('IEND', Buffer.alloc(0))]),
      /damaged/,
    ],
    ['of endless pixels', png(60_000, 60_000), /4096 pixels/],
    [
      'that is larger than 512 KB',
      Buffer.concat([png(9, 9), Buffer.alloc(520 * 1024)]),
      /larger than 512 KB/,
    ],
  ])('%s is refused with a sentence', async (_name, file, sentence) => {
    await expect(read(file)).rejects.toMatchObject({
      code: 'bad_logo',
      message: expect.stringMatching(sentence),
    });
  });

  test('of another kind is refused', async () => {
    await expect(read(Buffer.from('ffd8ffe000104a464946', 'hex'))).rejects.toThrow(/choose an SVG or a PNG/);
    await expect(read('')).rejects.toThrow(/choose an SVG or a PNG/);
  });
});
