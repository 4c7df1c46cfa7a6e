import { readXml, type XmlElement, XmlError } from '@northline/xml/xml-reader';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { SiteLogo } from '../../kernel/contract/site-content.ts';

/** Largest file that is read, and largest logo that is kept: it is in every draft, mail and PDF. */
export const MOST_LOGO_BYTES = 512 * 1024;
const MOST_KEPT = 24 * 1024;
/** Longest side of a PNG, pixels. */
const MOST_PIXELS = 4096;
/** Elements that a browser draws, counting what is drawn again by reference. */
const MOST_DRAWN = 2000;
const FURTHEST = 100_000;

const GROUPS = ['svg', 'g', 'defs', 'symbol', 'clipPath', 'mask'];
const SHAPES = ['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon', 'text', 'use'];
const ELEMENTS = new Set([
  ...GROUPS,
  ...SHAPES,
  ...['tspan', 'linearGradient', 'radialGradient', 'stop', 'style', 'title', 'desc'],
]);
/** Elements that stand for what is inside them. */
const UNWRAPPED = new Set(['a', 'switch']);
const ATTRIBUTES = new Set(
  (
    'id class d x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy width height points viewBox preserveAspectRatio transform ' +
    'fill fill-rule fill-opacity stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity ' +
    'stroke-dasharray stroke-dashoffset opacity clip-path clip-rule mask color offset stop-color stop-opacity display ' +
    'visibility gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits maskContentUnits style paint-order ' +
    'vector-effect font-family font-size font-weight font-style text-anchor letter-spacing href'
  ).split(' '),
);

const NOTHING_SHOWN =
  'Nothing of this SVG can be shown: it holds no shape that we allow. Please export it as plain shapes, or choose a PNG.';
const DAMAGED = 'This PNG is damaged.';

/** @throws ServiceError 422 `bad_logo` with a sentence for the person who chose the file */
function refuse(sentence: string): never {
  throw new ServiceError(422, 'bad_logo', sentence);
}

/**
 * A file as a logo: an SVG without anything that could run, load or lead elsewhere, or a PNG that is drawn anew.
 *
 * @param draw draws a logo as a PNG of the size in which it is kept; it fails where nothing is to be seen
 * @throws ServiceError 422 `bad_logo`
 */
export async function readLogo(
  file: Buffer,
  draw: (logo: SiteLogo) => Promise<Uint8Array>,
): Promise<SiteLogo> {
  if (file.length > MOST_LOGO_BYTES) refuse('The file is larger than 512 KB. Please choose a smaller one.');
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE)) {
    const logo = cleanLogo({ type: 'svg', data: textOf(file) });
    await draw(logo).catch(() => refuse(NOTHING_SHOWN));
    return logo;
  }
  const logo = { type: 'png', data: file.toString('base64'), ...pngSize(file) } as const;
  const png = await draw(logo).catch(() => refuse(DAMAGED));
  return cleanLogo({ type: 'png', data: Buffer.from(png).toString('base64') });
}

/**
 * A logo of whatever origin, such as an imported file, as it may be kept. A clean one stays the same.
 *
 * @throws ServiceError 422 `bad_logo`
 */
export function cleanLogo({ type, data }: Pick<SiteLogo, 'type' | 'data'>): SiteLogo {
  if (type === 'svg') return cleanSvg(data);
  const png = Buffer.from(data, 'base64');
  const size = pngSize(png, true);
  if (png.length > MOST_KEPT) refuse('The picture is too detailed for a logo. An SVG is better.');
  return { type, data: png.toString('base64'), ...size };
}

function textOf(file: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file);
  } catch {
    return refuse('Please choose an SVG or a PNG.');
  }
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** The chunks of a picture; the others hold words, profiles and movements. */
const PICTURE_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'sRGB', 'gAMA', 'pHYs']);

/** The size of a PNG whose chunks end with the file. @param only refuses chunks that are not its picture */
function pngSize(png: Buffer, only = false): { width: number; height: number } {
  if (png.length < 45 || !png.subarray(0, 8).equals(PNG_SIGNATURE)) refuse(DAMAGED);
  let at = 8;
  let name = '';
  while (at + 12 <= png.length) {
    name = png.toString('latin1', at + 4, at + 8);
    if (at === 8 && name !== 'IHDR') refuse(DAMAGED);
    if (only && !PICTURE_CHUNKS.has(name)) refuse(DAMAGED);
    at += 12 + png.readUInt32BE(at);
    if (name === 'IEND') break;
  }
  if (name !== 'IEND' || at !== png.length) refuse(DAMAGED);
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  if (width === 0 || height === 0 || width > MOST_PIXELS || height > MOST_PIXELS)
    refuse(`A PNG may have ${MOST_PIXELS} pixels in each direction at most.`);
  return { width, height };
}

function cleanSvg(text: string): SiteLogo {
  const root = readSvg(text);
  const clean = cleaned(root);
  if (clean === undefined || countShapes(clean) === 0) refuse(NOTHING_SHOWN);
  requireSimple(clean);
  const { width, height } = sizeOf(clean);
  const attributes = new Map(clean.attributes);
  for (const name of ['x', 'y', 'width', 'height']) attributes.delete(name);
  attributes.set('xmlns', 'http://www.w3.org/2000/svg');
  attributes.set('width', String(width)).set('height', String(height));
  if (!attributes.has('viewBox')) attributes.set('viewBox', `0 0 ${width} ${height}`);
  const data = written({ ...clean, attributes });
  if (data.length > MOST_KEPT)
    refuse('This SVG is too detailed for a logo: 24 KB at most. Please simplify it, or choose a PNG.');
  return { type: 'svg', data, width, height };
}

function readSvg(text: string): XmlElement {
  try {
    const root = readXml(text, { maxBytes: MOST_LOGO_BYTES, documentType: true });
    if (root.name === 'svg') return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
  }
  return refuse('Please choose an SVG or a PNG.');
}

/** The element with what is allowed of it; undefined for one that goes with all that is in it. */
function cleaned(element: XmlElement): XmlElement | undefined {
  if (!ELEMENTS.has(element.name)) return undefined;
  const children = element.children.flatMap((child): readonly (XmlElement | string)[] => {
    if (typeof child === 'string') return [child];
    if (UNWRAPPED.has(child.name)) return cleaned({ ...child, name: 'g' })?.children ?? [];
    const kept = cleaned(child);
    return kept === undefined ? [] : [kept];
  });
  const attributes = new Map([...element.attributes].filter(([name, value]) => isAllowed(name, value)));
  if (element.name === 'use' && !attributes.has('href')) return undefined;
  if (element.name === 'style') {
    const sheet = children.filter((child) => typeof child === 'string').join('');
    return isPlainCss(sheet) ? { name: 'style', attributes: new Map(), children: [sheet] } : undefined;
  }
  return { name: element.name, attributes, children };
}

function isAllowed(name: string, value: string): boolean {
  if (!ATTRIBUTES.has(name)) return false;
  if (name === 'href') return /^#[\w.-]+$/.test(value);
  return isPlainCss(value);
}

/** Nothing that loads, imports or hides behind an escape: references only to a part of the same drawing. */
function isPlainCss(text: string): boolean {
  const rest = text.replaceAll(/url\(\s*(["']?)#[\w.-]+\1\s*\)/gi, '');
  return !/url\s*\(|@|\\|image(-set)?\s*\(|expression\s*\(|script:|data:|https?:|\/\/|\/\*|[<\p{Cc}]/iu.test(
    rest.replaceAll(/\s/g, ' '),
  );
}

const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== 'string');

const countShapes = (element: XmlElement): number =>
  (SHAPES.includes(element.name) ? 1 : 0) +
  elementsOf(element)
    .filter(({ name }) => name !== 'defs' && name !== 'symbol')
    .reduce((count, child) => count + countShapes(child), 0);

/** A few references that refer to each other are drawn a million times by a browser. */
function requireSimple(root: XmlElement): void {
  const byId = new Map<string, XmlElement>();
  const list = (element: XmlElement): void => {
    const id = element.attributes.get('id');
    if (id !== undefined) byId.set(id, element);
    for (const child of elementsOf(element)) list(child);
  };
  list(root);
  const costs = new Map<XmlElement, number>();
  const costOf = (element: XmlElement): number => {
    const known = costs.get(element);
    if (known !== undefined) return known;
    // One that leads back to itself costs too much.
    costs.set(element, Number.POSITIVE_INFINITY);
    const named = [...element.attributes.values()].flatMap((value) => value.match(/#[\w.-]+/g) ?? []);
    const referred = named.flatMap((name) => byId.get(name.slice(1)) ?? []);
    const cost = [...elementsOf(element), ...referred].reduce((sum, part) => sum + costOf(part), 1);
    costs.set(element, cost);
    return cost;
  };
  if (costOf(root) > MOST_DRAWN)
    refuse('This SVG is too detailed for a logo. Please simplify it, or choose a PNG.');
}

function sizeOf({ attributes }: XmlElement): { width: number; height: number } {
  const [, , wide, high] = (attributes.get('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const given = (name: 'width' | 'height') => Number.parseFloat(attributes.get(name) ?? '');
  const [width, height] = [wide ?? given('width'), high ?? given('height')].map(
    (side) => Math.round((side ?? 0) * 100) / 100,
  );
  if (!(width && height && width > 0 && height > 0 && width < FURTHEST && height < FURTHEST))
    return refuse('This SVG does not say how wide and high it is. Please export it with a viewBox.');
  return { width, height };
}

function written({ name, attributes, children }: XmlElement): string {
  const start = [...attributes].map(([key, value]) => ` ${key}="${escapeHtml(value)}"`).join('');
  const inside = children
    .map((child) =>
      typeof child === 'string' ? escapeHtml(child.trim() === '' ? '' : child) : written(child),
    )
    .join('');
  return `<${name}${start}>${inside}</${name}>`;
}
