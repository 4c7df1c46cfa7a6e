/** A picture in grey: one byte for each pixel, row by row from the top; 0 is black. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
  /** Whether a program drew it, so that its paper is even. */
  readonly isDrawn?: boolean;
}

/** pdf.js decodes no larger picture of a PDF, as it keeps all colours: A4 at 600 dpi has 35 million pixels. */
export const MAX_PIXELS = 40_000_000;
/** Larger pictures are reduced before they are read; letters of print stay above 20 pixels. */
const READ_PIXELS = 6_000_000;
const READ_SIDE = 3400;

/** An all-white picture. */
export function blankPicture(width: number, height: number): Picture {
  return { width, height, data: new Uint8Array(width * height).fill(255) };
}

/**
 * Grey from interleaved channels of 8 bits; transparent pixels become white.
 *
 * @param channels 3 (RGB) or 4 (RGBA)
 */
export function greyOf(pixels: Uint8Array | Uint8ClampedArray, size: Size, channels: 3 | 4): Picture {
  const data = new Uint8Array(size.width * size.height);
  for (let at = 0, from = 0; at < data.length; at += 1, from += channels) {
    const luma =
      ((pixels[from] ?? 0) * 77 + (pixels[from + 1] ?? 0) * 150 + (pixels[from + 2] ?? 0) * 29) >> 8;
    const alpha = channels === 4 ? (pixels[from + 3] ?? 255) : 255;
    data[at] = alpha === 255 ? luma : 255 - (((255 - luma) * alpha) >> 8);
  }
  return { ...size, data };
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size at which a picture is read: its own or a smaller one. */
export function readingSize({ width, height }: Size): Size {
  const scale = Math.min(1, READ_SIDE / Math.max(width, height), Math.sqrt(READ_PIXELS / (width * height)));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Gives the memory of a large array back at once, and empties the array. The garbage collector may come so late that the
 * memory counts beside that of the OCR.
 */
export function releaseMemory({ buffer }: ArrayBufferView): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

/** The picture at another size: the mean of the covered pixels if smaller, bilinear if larger. */
export function resize(picture: Picture, { width, height }: Size): Picture {
  if (width === picture.width && height === picture.height) return picture;
  const isSmaller = width * 1.2 < picture.width || height * 1.2 < picture.height;
  return isSmaller ? shrink(picture, width, height) : stretch(picture, width, height);
}

function shrink(picture: Picture, width: number, height: number): Picture {
  const [across, down] = [picture.width / width, picture.height / height];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    const top = Math.floor(y * down);
    const bottom = Math.max(top + 1, Math.min(picture.height, Math.ceil((y + 1) * down)));
    for (let x = 0; x < width; x += 1) {
      const left = Math.floor(x * across);
      const right = Math.max(left + 1, Math.min(picture.width, Math.ceil((x + 1) * across)));
      let sum = 0;
      for (let row = top; row < bottom; row += 1) {
        const end = row * picture.width + right;
        for (let at = row * picture.width + left; at < end; at += 1) sum += picture.data[at] ?? 0;
      }
      data[y * width + x] = Math.round(sum / ((bottom - top) * (right - left)));
    }
  }
  return { width, height, data };
}

function stretch(picture: Picture, width: number, height: number): Picture {
  const [across, down] = [picture.width / width, picture.height / height];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      data[y * width + x] = sampleAt(picture, (x + 0.5) * across - 0.5, (y + 0.5) * down - 0.5);
    }
  }
  return { width, height, data };
}

/** Grey at a point between pixels, bilinear; points outside get the nearest edge. */
export function sampleAt({ width, height, data }: Picture, x: number, y: number): number {
  // This runs for every pixel, so it allocates nothing.
  const left = Math.min(width - 1, Math.max(0, x));
  const top = Math.min(height - 1, Math.max(0, y));
  const x0 = left | 0;
  const y0 = top | 0;
  const x1 = x0 + 1 < width ? x0 + 1 : x0;
  const below = y0 + 1 < height ? width : 0;
  const fx = left - x0;
  const fy = top - y0;
  const row = y0 * width;
  const upper = (data[row + x0] ?? 0) * (1 - fx) + (data[row + x1] ?? 0) * fx;
  const lower = (data[row + below + x0] ?? 0) * (1 - fx) + (data[row + below + x1] ?? 0) * fx;
  return upper * (1 - fy) + lower * fy;
}

/** The picture with a white margin on all sides. */
export function withMargin({ width, height, data }: Picture, margin: number): Picture {
  const out = blankPicture(width + 2 * margin, height + 2 * margin);
  for (let y = 0; y < height; y += 1) {
    out.data.set(data.subarray(y * width, (y + 1) * width), (y + margin) * out.width + margin);
  }
  return out;
}

/** The picture turned clockwise by quarters, without loss. */
export function turnQuarters(picture: Picture, quarters: 0 | 1 | 2 | 3): Picture {
  if (quarters === 0) return picture;
  const { width, height, data } = picture;
  const [newWidth, newHeight] = quarters === 2 ? [width, height] : [height, width];
  const turned = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const to =
        quarters === 1
          ? x * newWidth + (height - 1 - y)
          : quarters === 2
            ? (height - 1 - y) * newWidth + (width - 1 - x)
            : (width - 1 - x) * newWidth + y;
      turned[to] = data[y * width + x] ?? 255;
    }
  }
  return { width: newWidth, height: newHeight, data: turned };
}

/** The picture with left and right exchanged. */
export function mirror(picture: Picture): Picture {
  const { width, height } = picture;
  const data = picture.data.slice();
  for (let y = 0; y < height; y += 1) data.subarray(y * width, (y + 1) * width).reverse();
  return { width, height, data };
}
