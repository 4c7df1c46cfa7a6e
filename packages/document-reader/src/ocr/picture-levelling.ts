import type { Picture } from './picture.ts';

/** Side of the squares for which the paper's brightness is measured, pixels. */
const SQUARE = 16;
/** The brightest pixels of a square, up to this share, are paper. */
const PAPER_SHARE = 0.15;
const PAPER = 245;
/** Mean size of the Laplacian above which single pixels are noise, not print. */
const NOISY = 60;
/** Paler print is stretched to black. */
const PALE = 60;

/**
 * Evens out shadows, noise and faint print: divides every square by its paper's brightness, and makes the darkest print
 * black.
 */
export function levelPicture(picture: Picture): Picture {
  const clean = noiseOf(picture) > NOISY ? median(picture) : { ...picture, data: picture.data.slice() };
  divideByPaper(clean);
  darkenPrint(clean);
  return clean;
}

/** Mean size of the Laplacian, sampled: about 10 on clean scans, 100 on noisy ones. */
function noiseOf({ width, height, data }: Picture): number {
  let sum = 0;
  let count = 0;
  for (let y = 5; y < height - 5; y += 7) {
    for (let x = 5; x < width - 5; x += 7) {
      const at = y * width + x;
      const around =
        (data[at - 1] ?? 0) + (data[at + 1] ?? 0) + (data[at - width] ?? 0) + (data[at + width] ?? 0);
      sum += Math.abs(4 * (data[at] ?? 0) - around);
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** A median filter over nine neighbours: removes single pixels and keeps edges. */
export function median({ width, height, data }: Picture): Picture {
  const out = data.slice();
  const [low, middle, high] = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)];
  for (let y = 1; y < height - 1; y += 1) {
    sortColumns(data, y * width, width, { low, middle, high });
    for (let x = 1; x < width - 1; x += 1) {
      // The median of three sorted columns: of the largest minimum, the median of the middles, and the smallest maximum.
      const small = Math.max(low[x - 1] ?? 0, low[x] ?? 0, low[x + 1] ?? 0);
      const large = Math.min(high[x - 1] ?? 0, high[x] ?? 0, high[x + 1] ?? 0);
      const between = middleOf(middle[x - 1] ?? 0, middle[x] ?? 0, middle[x + 1] ?? 0);
      out[y * width + x] = middleOf(small, between, large);
    }
  }
  return { width, height, data: out };
}

interface SortedColumns {
  readonly low: Uint8Array;
  readonly middle: Uint8Array;
  readonly high: Uint8Array;
}

/** Sorts each pixel of a row with those above and below it. */
function sortColumns(data: Uint8Array, row: number, width: number, sorted: SortedColumns): void {
  for (let x = 0; x < width; x += 1) {
    const at = row + x;
    const above = data[at - width] ?? 0;
    const here = data[at] ?? 0;
    const below = data[at + width] ?? 0;
    sorted.low[x] = Math.min(above, here, below);
    sorted.middle[x] = middleOf(above, here, below);
    sorted.high[x] = Math.max(above, here, below);
  }
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/** A grid of brightnesses, one for each square. */
interface Grid {
  readonly across: number;
  readonly down: number;
  readonly values: Float32Array;
}

function divideByPaper({ width, height, data }: Picture): void {
  const paper = spread(spread(paperOf({ width, height, data }), 1, 'max'), 2, 'mean');
  const { across, values } = paper;
  // A column of pixels stands between the same two squares in every row.
  const left = new Uint32Array(width);
  const share = new Float64Array(width);
  for (let x = 0; x < width; x += 1) {
    const gridX = Math.min(across - 1, Math.max(0, x / SQUARE - 0.5));
    left[x] = gridX | 0;
    share[x] = gridX - (gridX | 0);
  }
  for (let y = 0; y < height; y += 1) {
    const gridY = Math.min(paper.down - 1, Math.max(0, y / SQUARE - 0.5));
    const upperRow = (gridY | 0) * across;
    const lowerRow = Math.min(paper.down - 1, (gridY | 0) + 1) * across;
    const fy = gridY - (gridY | 0);
    for (let x = 0; x < width; x += 1) {
      const x0 = left[x] ?? 0;
      const x1 = x0 + 1 < across ? x0 + 1 : x0;
      const fx = share[x] ?? 0;
      const upper = (values[upperRow + x0] ?? 255) * (1 - fx) + (values[upperRow + x1] ?? 255) * fx;
      const lower = (values[lowerRow + x0] ?? 255) * (1 - fx) + (values[lowerRow + x1] ?? 255) * fx;
      const bright = upper + (lower - upper) * fy;
      const pixel = y * width + x;
      data[pixel] = Math.min(255, ((data[pixel] ?? 0) * PAPER) / Math.max(30, bright));
    }
  }
}

function paperOf({ width, height, data }: Picture): Grid {
  const [across, down] = [Math.ceil(width / SQUARE), Math.ceil(height / SQUARE)];
  const values = new Float32Array(across * down);
  const histogram = new Uint16Array(256);
  for (let square = 0; square < values.length; square += 1) {
    histogram.fill(0);
    const [left, top] = [(square % across) * SQUARE, Math.floor(square / across) * SQUARE];
    const [right, bottom] = [Math.min(width, left + SQUARE), Math.min(height, top + SQUARE)];
    for (let y = top; y < bottom; y += 1) {
      for (let at = y * width + left; at < y * width + right; at += 1) {
        const value = data[at] ?? 0;
        histogram[value] = (histogram[value] ?? 0) + 1;
      }
    }
    const wanted = (right - left) * (bottom - top) * PAPER_SHARE;
    let brightness = 255;
    for (let seen = 0; brightness > 0; brightness -= 1) {
      seen += histogram[brightness] ?? 0;
      if (seen > wanted) break;
    }
    values[square] = brightness;
  }
  return { across, down, values };
}

/** Gives each square the maximum or the mean of its neighbours, so that a heading does not darken its paper. */
function spread({ across, down, values }: Grid, reach: number, how: 'max' | 'mean'): Grid {
  const out = new Float32Array(values.length);
  for (let square = 0; square < values.length; square += 1) {
    const [x, y] = [square % across, Math.floor(square / across)];
    let sum = 0;
    let most = 0;
    let count = 0;
    for (let row = Math.max(0, y - reach); row <= Math.min(down - 1, y + reach); row += 1) {
      for (let column = Math.max(0, x - reach); column <= Math.min(across - 1, x + reach); column += 1) {
        const value = values[row * across + column] ?? 0;
        sum += value;
        most = Math.max(most, value);
        count += 1;
      }
    }
    out[square] = how === 'max' ? most : sum / count;
  }
  return { across, down, values: out };
}

function darkenPrint({ data }: Picture): void {
  const histogram = new Uint32Array(256);
  for (let at = 0; at < data.length; at += 3) {
    const value = data[at] ?? 0;
    histogram[value] = (histogram[value] ?? 0) + 1;
  }
  let darkest = 0;
  for (let seen = histogram[0] ?? 0; darkest < 200 && seen < data.length / 300; ) {
    darkest += 1;
    seen += histogram[darkest] ?? 0;
  }
  if (darkest <= PALE) return;
  const gain = PAPER / (PAPER - darkest);
  const darkened = Uint8Array.from({ length: 256 }, (_, grey) =>
    Math.max(0, Math.min(255, (grey - darkest) * gain)),
  );
  for (let at = 0; at < data.length; at += 1) data[at] = darkened[data[at] ?? 0] ?? 0;
}

/**
 * Blurs a picture. On faint, noisy print, a reader then sees text that it missed.
 *
 * @param radius standard deviation, pixels
 */
export function blurPicture(picture: Picture, radius: number): Picture {
  const reach = Math.ceil(radius * 2.5);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, index) =>
    Math.exp(-((index - reach) ** 2) / (2 * radius * radius)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const kernel = Float64Array.from(weights, (weight) => weight / total);
  return blurAlong(blurAlong(picture, kernel, 'x'), kernel, 'y');
}

function blurAlong({ width, height, data }: Picture, kernel: Float64Array, axis: 'x' | 'y'): Picture {
  const reach = (kernel.length - 1) / 2;
  const [step, length] = axis === 'x' ? [1, width] : [width, height];
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const place = axis === 'x' ? x : y;
      const first = y * width + x - place * step;
      let sum = 0;
      for (let index = 0; index < kernel.length; index += 1) {
        // Beyond the edge, the last pixel is repeated.
        const at = Math.min(length - 1, Math.max(0, place + index - reach));
        sum += (data[first + at * step] ?? 0) * (kernel[index] ?? 0);
      }
      out[y * width + x] = Math.round(sum);
    }
  }
  return { width, height, data: out };
}
