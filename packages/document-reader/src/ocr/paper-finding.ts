import {
  type Box,
  cornersOf,
  type Extent,
  extentOf,
  medianOf,
  type Point,
  type Rectangle,
  smallestRectangle,
} from './box-geometry.ts';
import { blankPicture, type Picture, resize, sampleAt } from './picture.ts';

/** Longest side of the picture in which papers are looked for, pixels. */
const LOOK_SIDE = 320;
/** How much brighter papers are than the ground, in grey levels. */
const CONTRAST = 45;
/** Share of the picture's edge that must show the ground: a page that fills its picture is one paper. */
const GROUND_AT_EDGE = 0.6;
/** Least area of a paper, as a share of the picture's. */
const LEAST_AREA = 0.015;
/** Share of its rectangle that a flat paper fills. Papers that touch or overlap fill less of theirs. */
const FLAT = 0.86;
/** A paper is cut out with an edge of this share of its sides. */
const EDGE = 0.01;
/** More are not receipts. */
const MOST_PAPERS = 12;
/** Two pieces below each other are one paper with a dark band if their edges differ by less than this share of their width. */
const IN_LINE = 0.035;
const BAND = 0.3;
/** … unless the band has the grey of the ground, within this many levels. */
const SAME_GREY = 12;
/** Fewest lines of text on a paper. */
const LEAST_LINES = 3;
/** Share of the text lines that may stand beside all papers. */
const BESIDE = 0.05;

/** A paper that was cut out of a picture and straightened. */
export interface CutPaper {
  readonly picture: Picture;
  /** From pixels of the cut to pixels of the whole picture. */
  toWhole(point: Point): Point;
}

/** A paper that lies on a darker ground in a picture. */
export interface Paper extends Rectangle {
  /** Whether it fills its rectangle. Others are crumpled, or touch another paper. */
  readonly isFlat: boolean;
}

/** Finds bright papers on a darker ground, row by row; none if the picture does not show a ground around them. */
export function findPapers(source: Picture): Paper[] {
  const scale = Math.min(1, LOOK_SIDE / Math.max(source.width, source.height));
  const small = resize(source, {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  });
  const threshold = thresholdOf(small);
  if (threshold === undefined) return [];
  const edge = edgeOf(small);
  const ground = edge.filter((grey) => grey <= threshold);
  if (ground.length < GROUND_AT_EDGE * edge.length) return [];
  const regions = regionsOf(small, threshold)
    .filter(({ area }) => area >= LEAST_AREA * small.width * small.height)
    .map(({ rectangle, area }) => ({ ...upright(rectangle), area }));
  const isOne = (a: Rectangle, b: Rectangle): boolean =>
    isBanded(a, b) && Math.abs(greyBetween(small, a, b) - medianOf(ground, 0)) > SAME_GREY;
  if (regions.length > MOST_PAPERS || regions.some((a) => regions.some((b) => isOne(a, b)))) return [];
  return inRows(
    regions.map(({ area, ...rectangle }) => ({
      ...enlarged(rectangle, source.width / small.width),
      isFlat: area >= FLAT * rectangle.width * rectangle.height,
    })),
  );
}

/**
 * The papers that hold text, if nearly all text of the picture stands on them. A paper whose rectangle holds text of another
 * one does not count as flat.
 *
 * @param lines the lines of text of the whole picture
 */
export function papersWithText(papers: readonly Paper[], lines: readonly Box[]): Paper[] {
  const holders = lines.map((line) => papers.filter((paper) => holds(paper, middleOf(line))));
  const beside = holders.filter(({ length }) => length === 0).length;
  if (beside > Math.max(1, lines.length * BESIDE)) return [];
  return papers
    .filter((paper) => holders.filter((each) => each.includes(paper)).length >= LEAST_LINES)
    .map((paper) => ({
      ...paper,
      isFlat: paper.isFlat && !holders.some((each) => each.length > 1 && each.includes(paper)),
    }));
}

/** Cuts a paper out of a picture, level. */
export function cutPaper(source: Picture, { along, centre, width, height }: Rectangle): CutPaper {
  const [cos, sin] = along;
  const size = {
    width: Math.max(1, Math.round(width * (1 + 2 * EDGE))),
    height: Math.max(1, Math.round(height * (1 + 2 * EDGE))),
  };
  const toWhole = ([x, y]: Point): Point => {
    const [u, v] = [x - size.width / 2, y - size.height / 2];
    return [centre[0] + u * cos - v * sin, centre[1] + u * sin + v * cos];
  };
  const picture = blankPicture(size.width, size.height);
  for (let y = 0; y < size.height; y += 1) {
    const [startX, startY] = toWhole([0.5, y + 0.5]);
    for (let x = 0; x < size.width; x += 1)
      picture.data[y * size.width + x] = sampleAt(source, startX + x * cos - 0.5, startY + x * sin - 0.5);
  }
  return { picture, toWhole };
}

/** The grey between ground and papers (Otsu); undefined if they are not clearly different. */
function thresholdOf({ data }: Picture): number | undefined {
  const histogram = new Float64Array(256);
  for (const value of data) histogram[value] = (histogram[value] ?? 0) + 1;
  let [darkCount, darkSum, best, threshold] = [0, 0, -1, 0];
  const sum = histogram.reduce((total, count, grey) => total + count * grey, 0);
  for (let grey = 0; grey < 255; grey += 1) {
    const count = histogram[grey] ?? 0;
    darkCount += count;
    darkSum += count * grey;
    const brightCount = data.length - darkCount;
    if (darkCount === 0 || brightCount === 0) continue;
    const apart = (sum - darkSum) / brightCount - darkSum / darkCount;
    const between = darkCount * brightCount * apart * apart;
    if (between <= best) continue;
    best = between;
    threshold = apart >= CONTRAST ? grey : -1;
  }
  return best < 0 || threshold < 0 ? undefined : threshold;
}

/** The greys at the picture's edge. */
function edgeOf({ width, height, data }: Picture): number[] {
  const isEdge = (at: number): boolean => {
    const x = at % width;
    return at < width || at >= width * (height - 1) || x === 0 || x === width - 1;
  };
  return [...data].filter((_, at) => isEdge(at));
}

/** The middle grey between an upper and a lower piece. */
function greyBetween({ width, data }: Picture, a: Rectangle, b: Rectangle): number {
  const [one, other] = [extentOf(cornersOf(a)), extentOf(cornersOf(b))];
  const x = Math.round((one.left + one.right) / 2);
  const greys: number[] = [];
  for (let y = Math.round(one.bottom); y < other.top; y += 1) greys.push(data[y * width + x] ?? 0);
  return medianOf(greys, 0);
}

interface Region {
  readonly rectangle: Rectangle;
  /** Pixels between its edges. */
  readonly area: number;
}

function regionsOf(picture: Picture, threshold: number): Region[] {
  const isNew = Uint8Array.from(picture.data, (grey) => (grey > threshold ? 1 : 0));
  const regions: Region[] = [];
  for (let start = 0; start < isNew.length; start += 1)
    if (isNew[start] === 1) regions.push(...regionOf(rowsFrom(start, isNew, picture.width)));
  return regions;
}

/** The leftmost and the rightmost pixel in each row of the region of `start`, whose pixels are then no longer new. */
function rowsFrom(start: number, isNew: Uint8Array, width: number): Map<number, [number, number]> {
  const rows = new Map<number, [number, number]>();
  const stack = [start];
  isNew[start] = 0;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const y = (at / width) | 0;
    const x = at - y * width;
    const [left, right] = rows.get(y) ?? [x, x];
    rows.set(y, [Math.min(left, x), Math.max(right, x)]);
    const beside = [at - width, at + width, ...(x > 0 ? [at - 1] : []), ...(x < width - 1 ? [at + 1] : [])];
    for (const next of beside) {
      if (isNew[next] !== 1) continue;
      isNew[next] = 0;
      stack.push(next);
    }
  }
  return rows;
}

/** The region of a leftmost and a rightmost pixel in each row; none for a line of pixels. */
function regionOf(rows: ReadonlyMap<number, readonly [number, number]>): Region[] {
  const rectangle = smallestRectangle(
    [...rows].flatMap(([y, [left, right]]): Point[] => [
      [left, y],
      [right, y],
    ]),
  );
  const area = [...rows.values()].reduce((sum, [left, right]) => sum + right - left + 1, 0);
  return rectangle === undefined ? [] : [{ rectangle, area }];
}

/** The same rectangle with its first side within 45 degrees of the picture's. */
function upright({ along, centre, width, height }: Rectangle): Rectangle {
  const quarters = Math.round(Math.atan2(along[1], along[0]) / (Math.PI / 2));
  const angle = Math.atan2(along[1], along[0]) - (quarters * Math.PI) / 2;
  const isTurned = quarters % 2 !== 0;
  return {
    along: [Math.cos(angle), Math.sin(angle)],
    centre,
    width: isTurned ? height : width,
    height: isTurned ? width : height,
  };
}

function enlarged({ along, centre, width, height }: Rectangle, scale: number): Rectangle {
  return {
    along,
    centre: [(centre[0] + 0.5) * scale, (centre[1] + 0.5) * scale],
    width: width * scale,
    height: height * scale,
  };
}

/** Whether two pieces are the upper and the lower part of one paper, which a dark band crosses. */
function isBanded(a: Rectangle, b: Rectangle): boolean {
  if (a === b || a.centre[1] >= b.centre[1]) return false;
  const [one, other] = [extentOf(cornersOf(a)), extentOf(cornersOf(b))];
  const near = Math.max(a.width, b.width) * IN_LINE;
  return (
    Math.abs(one.left - other.left) < near &&
    Math.abs(one.right - other.right) < near &&
    other.top - one.bottom < BAND * Math.min(a.height, b.height)
  );
}

/** Row by row, and in a row from left to right. */
function inRows<Found extends Rectangle>(papers: readonly Found[]): Found[] {
  const left = papers
    .map((paper) => ({ paper, extent: extentOf(cornersOf(paper)) }))
    .sort((a, b) => a.extent.top - b.extent.top);
  const ordered: Found[] = [];
  for (let first = left[0]; first !== undefined; first = left[0]) {
    const { extent } = first;
    const row = left.filter((each) => isBeside(extent, each.extent));
    ordered.push(...row.sort((a, b) => a.extent.left - b.extent.left).map(({ paper }) => paper));
    left.splice(0, left.length, ...left.filter((each) => !row.includes(each)));
  }
  return ordered;
}

/** Whether two extents share more than half of the height of the lower one. */
function isBeside(a: Extent, b: Extent): boolean {
  const shared = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return shared > Math.min(a.bottom - a.top, b.bottom - b.top) / 2;
}

const middleOf = ([a, , c]: Box): Point => [(a[0] + c[0]) / 2, (a[1] + c[1]) / 2];

function holds({ along, centre, width, height }: Rectangle, [x, y]: Point): boolean {
  const [dx, dy] = [x - centre[0], y - centre[1]];
  const across = Math.abs(dx * along[0] + dy * along[1]);
  const down = Math.abs(dy * along[0] - dx * along[1]);
  return across <= (width / 2) * (1 + EDGE) && down <= (height / 2) * (1 + EDGE);
}
