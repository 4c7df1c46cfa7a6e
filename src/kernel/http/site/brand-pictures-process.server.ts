// A process of its own: draws the pictures of a brand, which takes a quarter of a second.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { serveWorkerRequests } from '../../concurrency/worker-server.server.ts';
import { type BrandLook, type BrandPictures, markSvg, shareSvg, touchSvg } from './brand-pictures.ts';

const fileOf = (name: string): Buffer => readFileSync(fileURLToPath(import.meta.resolve(name)));
/** The type family of the site: Western letters, and those of the rest of Europe. */
const FONTS = ['latin', 'latin-ext'].map((letters) =>
  fileOf(`@fontsource-variable/archivo/files/archivo-${letters}-wght-normal.woff2`),
);
const ready = initWasm(fileOf('@resvg/resvg-wasm/index_bg.wasm'));

serveWorkerRequests(async (look: BrandLook): Promise<BrandPictures> => {
  await ready;
  return { favicon: markSvg(look), touchIcon: draw(touchSvg(look)), share: draw(shareSvg(look)) };
});

function draw(svg: string): Uint8Array {
  const font = { fontBuffers: FONTS, loadSystemFonts: false, defaultFontFamily: 'Archivo' };
  return new Resvg(svg, { font }).render().asPng();
}
