import { programFile } from '../../concurrency/program-file.ts';
import { askOnce } from '../../concurrency/worker-client.server.ts';
import { FIXED_COLOURS, hexOf } from '../../contract/colour-mixing.ts';
import { escapeHtml } from '../../contract/html-escape.ts';
import type { SiteColours } from '../../contract/site-content.ts';

/** What the pictures of a brand are drawn from. */
export interface BrandLook {
  readonly name: string;
  /** What the agency does, in a sentence. */
  readonly sentence: string;
  readonly colours: SiteColours;
}

/** The icon of tabs as SVG, and as PNG the icon of home screens (180 × 180) and the image of shared links (1200 × 630). */
export interface BrandPictures {
  readonly favicon: string;
  readonly touchIcon: Uint8Array;
  readonly share: Uint8Array;
}

const ENTRY = programFile('src/kernel/http/site/brand-pictures-process.server.ts');

/** Draws the pictures in a worker. @throws Error when it fails */
export const drawBrand = (look: BrandLook): Promise<BrandPictures> => askOnce(ENTRY, look);

const MARK = 'd="M3 25h4L25 7h4" fill="none" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"';

/** The mark, for light and dark tabs. */
export function markSvg({ colours: { accent, ink } }: BrandLook): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>A station on its line</title><style>circle{fill:#fff;stroke:${ink}}@media(prefers-color-scheme:dark){circle{fill:${ink};stroke:#fff}}</style><path ${MARK} stroke="${accent}"/><circle cx="16" cy="16" r="6.2" stroke-width="3.6"/></svg>`;
}

/** The mark on the agency's dark panel. */
export function touchSvg({ colours }: BrandLook): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="180" height="180" viewBox="-6 -6 44 44"><rect x="-6" y="-6" width="44" height="44" fill="${colours.board}"/>${boardMark(colours)}</svg>`;
}

/** The name, what the agency does, and the lines of its home page. */
export function shareSvg({ name, sentence, colours }: BrandLook): string {
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
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630" viewBox="0 0 1200 630" font-family="Archivo"><rect width="1200" height="630" fill="${board}"/>${tracks.join('')}<g transform="translate(80 70) scale(2.2)">${boardMark(colours)}</g><text x="80" y="${230}" font-size="${size}" font-weight="700" letter-spacing="-2" fill="${words}">${escapeHtml(name)}</text>${lines.join('')}</svg>`;
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
