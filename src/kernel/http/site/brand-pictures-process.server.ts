// A process of its own: draws the pictures of a brand, which takes a quarter of a second, and uploaded ones anew.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { serveWorkerRequests } from '../../concurrency/worker-server.server.ts';
import {
  type BrandLook,
  type BrandPictures,
  type Drawing,
  logoDrawing,
  markSvg,
  shareSvg,
  touchSvg,
} from './brand-pictures.ts';

const fileOf = (name: string): Buffer => readFileSync(fileURLToPath(import.meta.resolve(name)));
/** The type family of the site: Western letters, and those of the rest of Europe. */
const FONTS = ['latin', 'latin-ext'].map((letters) =>
  fileOf(`@fontsource-variable/archivo/files/archivo-${letters}-wght-normal.woff2`),
);
const ready = initWasm(fileOf('@resvg/resvg-wasm/index_bg.wasm'));

serveWorkerRequests(async (request: BrandLook | Drawing): Promise<BrandPictures | Uint8Array> => {
  await ready;
  if ('svg' in request) return draw(request);
  return {
    favicon: markSvg(request),
    touchIcon: draw({ svg: touchSvg(request) }),
    share: draw({ svg: shareSvg(request) }),
    ...(request.logo && { logo: draw(logoDrawing(request.logo)) }),
  };
});

/** In the drawing's own size without a width. */
function draw({ svg, width, visible }: Partial<Drawing> & Pick<Drawing, 'svg'>): Uint8Array {
  const font = { fontBuffers: FONTS, loadSystemFonts: false, defaultFontFamily: 'Archivo' };
  const size = width === undefined ? {} : { fitTo: { mode: 'width', value: width } as const };
  const drawn = new Resvg(svg, { font, ...size }).render();
  // Every fourth value says how much a point covers.
  if (visible === true && !drawn.pixels.some((value, at) => at % 4 === 3 && value > 0))
    throw new Error('nothing is to be seen');
  return drawn.asPng();
}
