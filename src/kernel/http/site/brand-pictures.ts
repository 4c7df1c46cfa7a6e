import { programFile } from '../../concurrency/program-file.ts';
import { askOnce } from '../../concurrency/worker-client.server.ts';
import { FIXED_COLOURS, hexOf } from '../../contract/colour-mixing.ts';
import { escapeHtml } from '../../contract/html-escape.ts';
import { holdsName, type SiteColours, type SiteLogo } from '../../contract/site-content.ts';

/** What the pictures of a brand are drawn from. */
export interface BrandLook {
  readonly name: string;
  /** What the agency does, in a sentence. */
  readonly sentence: string;
  readonly colours: SiteColours;
  /** The agency's own, in place of Northline's mark. */
  readonly logo?: SiteLogo;
}

/** The icon of tabs as SVG, and as PNG the icon of home screens (180 × 180) and the image of shared links (1200 × 630). */
export interface BrandPictures {
  readonly favicon: string;
  readonly touchIcon: Uint8Array;
  readonly share: Uint8Array;
  /** The logo for mails and PDFs; missing where there is none. */
  readonly logo?: Uint8Array;
}

/** An SVG to draw, in that many pixels of width. */
export interface Drawing {
  readonly svg: string;
  readonly width: number;
  /** Refuses a drawing in which nothing is to be seen. */
  readonly visible?: boolean;
}

const ENTRY = programFile('src/kernel/http/site/brand-pictures-process.server.ts');

/** Draws the pictures in a worker. @throws Error when it fails */
export const drawBrand = (look: BrandLook): Promise<BrandPictures> => askOnce(ENTRY, look);

/** Time and memory for a picture that somebody uploaded. */
const LIMITS = { patienceMs: 10_000, heapMb: 256 };
/** The largest box of a logo, pixels: twice the largest in which it is shown. */
const BOX = { width: 480, height: 128 };

/** A logo as a new PNG, within its largest box. @throws Error where nothing is to be seen, and when it takes too long */
export const redrawLogo = (logo: SiteLogo): Promise<Uint8Array> =>
  askOnce(ENTRY, { ...logoDrawing(logo), visible: true }, LIMITS);

/** The logo for mails and PDFs; a PNG never grows. */
export function logoDrawing(logo: SiteLogo): Drawing {
  const most = logo.type === 'png' ? 1 : Number.POSITIVE_INFINITY;
  const scale = Math.min(most, BOX.width / logo.width, BOX.height / logo.height);
  return { svg: logoSvg(logo), width: Math.max(1, Math.round(logo.width * scale)) };
}

/**
 * The logo as a drawing of its own, or with `box` within that box of another one. It stays a picture, so that no style of
 * it reaches the rest.
 */
function logoSvg(
  { type, data, width, height }: SiteLogo,
  box = `width="${width}" height="${height}"`,
): string {
  const href =
    type === 'png'
      ? `image/png;base64,${data}`
      : `image/svg+xml;base64,${Buffer.from(data).toString('base64')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} viewBox="0 0 ${width} ${height}"><image href="data:${href}" width="${width}" height="${height}"/></svg>`;
}

/** The logo in a square of 32, for tabs and home screens; undefined for one that is too wide to be read there. */
const squareLogo = ({ logo }: BrandLook, side: number, at: number): string | undefined =>
  logo === undefined || holdsName(logo)
    ? undefined
    : logoSvg(logo, `x="${at}" y="${at}" width="${side}" height="${side}"`);

const MARK = 'd="M3 25h4L25 7h4" fill="none" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"';

/** The mark, for light and dark tabs. */
export function markSvg(look: BrandLook): string {
  const { accent, ink } = look.colours;
  const own = squareLogo(look, 32, 0);
  if (own !== undefined) return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${own}</svg>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>A station on its line</title><style>circle{fill:#fff;stroke:${ink}}@media(prefers-color-scheme:dark){circle{fill:${ink};stroke:#fff}}</style><path ${MARK} stroke="${accent}"/><circle cx="16" cy="16" r="6.2" stroke-width="3.6"/></svg>`;
}

/** The mark on the agency's dark panel. */
export function touchSvg(look: BrandLook): string {
  const { colours } = look;
  const own = squareLogo(look, 32, 0);
  if (own !== undefined)
    return `<svg xmlns="http://www.w3.org/2000/svg" width="180" height="180" viewBox="-6 -6 44 44"><rect x="-6" y="-6" width="44" height="44" fill="${colours.paper}"/>${own}</svg>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="180" height="180" viewBox="-6 -6 44 44"><rect x="-6" y="-6" width="44" height="44" fill="${colours.board}"/>${boardMark(colours)}</svg>`;
}

/** The name, what the agency does, and the lines of its home page. */
export function shareSvg({ name, sentence, colours, logo }: BrandLook): string {
  const { board, accentDark } = colours;
  const [words, quiet] = [hexOf(FIXED_COLOURS['board-ink']), hexOf(FIXED_COLOURS['board-muted'])];
  const size = Math.min(96, Math.floor(1450 / Math.max(1, name.length)));
  const lines = wrap(sentence, 56).map(
    (line, at) =>
      `<text x="80" y="${310 + at * 52}" font-size="38" fill="${quiet}">${escapeHtml(line)}</text>`,
  );
  const tracks = [accentDark, '#65b5e8', '#f2c14e', '#66d0a0'].map((colour, at) => {
    const y = 500 + at * 26;
    const start = [430, 470, 530, 590][at] ?? 470;
    return `<path d="M-20 ${start}H${300 + at * 20}L${360 + at * 20} ${y}H840L900 ${start}H1220" fill="none" stroke="${colour}" stroke-width="11" stroke-linejoin="round"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630" font-family="Archivo"><rect width="1200" height="630" fill="${board}"/>${tracks.join('')}${logo === undefined ? `<g transform="translate(80 70) scale(2.2)">${boardMark(colours)}</g>` : shareLogo(logo, colours)}<text x="80" y="${230}" font-size="${size}" font-weight="700" letter-spacing="-2" fill="${words}">${escapeHtml(name)}</text>${lines.join('')}</svg>`;
}

/** The logo on a piece of the agency's paper, as it may be dark itself. */
function shareLogo(logo: SiteLogo, { paper }: SiteColours): string {
  const scale = Math.min(400 / logo.width, 72 / logo.height);
  const [width, height] = [logo.width * scale, logo.height * scale];
  return `<rect x="64" y="42" width="${width + 32}" height="${height + 24}" rx="12" fill="${paper}"/>${logoSvg(logo, `x="80" y="54" width="${width}" height="${height}"`)}`;
}

const boardMark = ({ accentDark, board }: SiteColours): string =>
  `<path ${MARK} stroke="${accentDark}"/><circle cx="16" cy="16" r="6.2" stroke-width="3.6" fill="${board}" stroke="#fff"/>`;

/** At most two lines of `most` characters each; dots at the end if there was more. */
function wrap(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  let rest = text.trim();
  while (rest !== '' && lines.length < 2) {
    const at = rest.length <= most ? rest.length : rest.lastIndexOf(' ', most);
    const end = at <= 0 ? most : at;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trim();
  }
  return rest === '' ? lines : lines.map((line, at) => (at === lines.length - 1 ? `${line} …` : line));
}
