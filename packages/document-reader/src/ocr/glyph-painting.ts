import { PDFiumLibrary } from '@hyzyla/pdfium';
import { type Picture, readingSize } from './picture.ts';

/** Pixels for each point: 200 dpi, at which the page readers do best. */
const SCALE = 200 / 72;

/** Paints whole pages, letters included. */
export interface PagePainter {
  /** @param number from 1. Undefined if the page cannot be painted */
  paint(number: number): Promise<Picture | undefined>;
  close(): void;
}

/**
 * Opens a PDF with PDFium, which draws letters; pdf.js needs a canvas for that. It is WebAssembly of 4 MB, so load this file
 * only for a page that needs it.
 *
 * @returns undefined if PDFium cannot open the file
 */
export async function openPainter(
  bytes: Uint8Array,
  password: string | undefined,
): Promise<PagePainter | undefined> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(bytes, password);
    return {
      async paint(number) {
        try {
          const page = document.getPage(number - 1);
          const { originalWidth: width, originalHeight: height } = page.getOriginalSize();
          const wanted = readingSize({
            width: Math.max(1, Math.round(width * SCALE)),
            height: Math.max(1, Math.round(height * SCALE)),
          });
          const painted = await page.render({
            width: wanted.width,
            height: wanted.height,
            colorSpace: 'Gray',
            render: 'bitmap',
          });
          return { width: painted.width, height: painted.height, data: painted.data, isDrawn: true };
        } catch {
          return undefined;
        }
      },
      close() {
        document.destroy();
        library.destroy();
      },
    };
  } catch {
    library.destroy();
    return undefined;
  }
}
