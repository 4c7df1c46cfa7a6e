import { type Box, distance, isUpright, medianOf, type Point, sidesOf } from './box-geometry.ts';
import { blankPicture, type Picture, resize, type Size, sampleAt } from './picture.ts';

/** How far a page is turned clockwise in its picture, degrees: at 90 its lines run downwards. */
export type Turn = 0 | 90 | 180 | 270;

/** Height of the median line of a straightened page, pixels. */
const LINE_HEIGHT = 42;
/** Most pixels of a straightened page. */
const MAX_PIXELS = 9_000_000;
const MOST_ENLARGED = 3;
/** A smaller change of the slope across the page is not perspective. */
const LEAST_CONVERGENCE = 0.006;
const MOST_CONVERGENCE = 0.35;

/** How a page lies in its picture. */
export interface Pose {
  readonly turn: Turn;
  /** Radians by which the lines fall to the right, after the turn. */
  readonly skew: number;
  /** Change of the lines' slope for each pixel down the page, from a camera at an angle. */
  readonly convergence: number;
  /** Height of the median line, pixels. */
  readonly lineHeight: number;
}

/** A page that was turned upright and level, with a map from its pixels to the source's. */
export interface StraightPage {
  readonly picture: Picture;
  /** Straightened pixels for one pixel of the source. */
  readonly scale: number;
  toSource(point: Point): Point;
  fromSource(point: Point): Point;
}

/** Whether most of the text, by length, runs up or down the picture. */
export function runsSideways(boxes: readonly Box[]): boolean {
  const [across, down] = [true, false].map((upright) =>
    boxes
      .filter((box) => isUpright(box) === upright)
      .reduce((sum, box) => sum + Math.max(...Object.values(sidesOf(box))), 0),
  );
  return (down ?? 0) > (across ?? 0);
}

/** Skew, perspective and scale of a page, from the boxes around its lines. */
export function measurePose(boxes: readonly Box[], turn: Turn, size: Size): Pose {
  const sideways = turn % 180 !== 0;
  const lines = boxes
    .filter((box) => isUpright(box) !== sideways)
    .map((box) => lineOf(box, sideways))
    .sort((a, b) => b.length - a.length);
  const longest = lines.slice(0, Math.max(5, lines.length >> 1));
  const skew = medianOf(
    longest.map(({ slope }) => slope),
    0,
  );
  const pose = {
    turn,
    skew,
    convergence: 0,
    lineHeight: medianOf(
      longest.map(({ height }) => height),
      LINE_HEIGHT,
    ),
  };
  const { toUpright } = rotationOf(pose, size);
  const placed = longest.map((line) => ({ ...line, down: toUpright(line.centre)[1] }));
  const convergence = convergenceOf(placed, size);
  const middle = medianOf(
    placed.map(({ slope, down }) => slope - convergence * down),
    skew,
  );
  return { ...pose, skew: middle, convergence };
}

interface TextLine {
  readonly centre: Point;
  readonly slope: number;
  readonly length: number;
  readonly height: number;
}

function lineOf(box: Box, sideways: boolean): TextLine {
  const [topLeft, topRight, bottomRight, bottomLeft] = box;
  // The side along which the text runs; on a sideways page, a quarter turn is subtracted.
  const [from, to] = sideways ? [topLeft, bottomLeft] : [topLeft, topRight];
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]) - (sideways ? Math.PI / 2 : 0);
  const { width, height } = sidesOf(box);
  return {
    centre: [(topLeft[0] + bottomRight[0]) / 2, (topLeft[1] + bottomRight[1]) / 2],
    slope: angle,
    length: Math.max(width, height),
    height: Math.min(width, height),
  };
}

/** How fast the slope changes down the page: the median over all pairs of lines, so that outliers do not count. */
function convergenceOf(placed: readonly (TextLine & { readonly down: number })[], size: Size): number {
  if (placed.length < 8) return 0;
  const points = placed.filter(({ length, height }) => length > 5 * height);
  const slopes: number[] = [];
  for (const [index, a] of points.entries()) {
    for (const b of points.slice(index + 1)) {
      const apart = b.down - a.down;
      if (Math.abs(apart) > Math.min(size.width, size.height) / 8) slopes.push((b.slope - a.slope) / apart);
    }
  }
  if (slopes.length < 12) return 0;
  const convergence = medianOf(slopes, 0);
  const across = Math.abs(convergence) * Math.max(size.width, size.height);
  return across < LEAST_CONVERGENCE || across > MOST_CONVERGENCE ? 0 : convergence;
}

interface Rotation {
  readonly width: number;
  readonly height: number;
  toUpright(point: Point): Point;
  toSource(point: Point): Point;
}

/** The map between the source's pixels and upright ones around the page's centre. */
function rotationOf({ turn, skew, convergence }: Pose, size: Size): Rotation {
  const angle = (turn * Math.PI) / 180 + skew;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [width, height] = turn % 180 === 0 ? [size.width, size.height] : [size.height, size.width];
  return {
    width,
    height,
    toUpright([x, y]) {
      const [dx, dy] = [x - size.width / 2, y - size.height / 2];
      const across = dx * cos + dy * sin;
      return [across, (dy * cos - dx * sin) / (1 + across * convergence)];
    },
    toSource([across, down]) {
      const leaning = down * (1 + across * convergence);
      return [size.width / 2 + across * cos - leaning * sin, size.height / 2 + across * sin + leaning * cos];
    },
  };
}

/** Turns a page upright and level, at the size that suits page readers. Outside the source it is white. */
export function straighten(source: Picture, pose: Pose): StraightPage {
  const rotation = rotationOf(pose, source);
  const wanted = Math.min(MOST_ENLARGED, LINE_HEIGHT / Math.max(1, pose.lineHeight));
  const scale = Math.min(wanted, Math.sqrt(MAX_PIXELS / (source.width * source.height)));
  // A page that is to become much smaller is reduced first, so that no thin stroke is skipped.
  const reduced = scale < 0.6 ? resize(source, sizeTimes(source, scale)) : source;
  const toReduced = reduced.width / source.width;
  const width = Math.max(1, Math.round(rotation.width * scale));
  const height = Math.max(1, Math.round(rotation.height * scale));
  const toSource = ([x, y]: Point): Point =>
    rotation.toSource([(x - width / 2) / scale, (y - height / 2) / scale]);
  const picture = blankPicture(width, height);
  for (let y = 0; y < height; y += 1) {
    const start = toSource([0.5, y + 0.5]);
    const end = toSource([width + 0.5, y + 0.5]);
    // A row of the straight page is a straight line in the source: rotation and slope are linear along it.
    const across = (end[0] - start[0]) / width;
    const down = (end[1] - start[1]) / width;
    const [startX, startY] = start;
    for (let x = 0; x < width; x += 1) {
      const fromX = (startX + x * across) * toReduced;
      const fromY = (startY + x * down) * toReduced;
      if (fromX < 0 || fromY < 0 || fromX >= reduced.width || fromY >= reduced.height) continue;
      picture.data[y * width + x] = sampleAt(reduced, fromX - 0.5, fromY - 0.5);
    }
  }
  return {
    picture,
    scale,
    toSource,
    fromSource(point) {
      const [x, y] = rotation.toUpright(point);
      return [x * scale + width / 2, y * scale + height / 2];
    },
  };
}

function sizeTimes({ width, height }: Size, scale: number): Size {
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Lines from which to find a page's direction: long enough to hold words, short enough to be read quickly. */
export function sampleLines(boxes: readonly Box[], sideways: boolean, count: number): Box[] {
  const along = boxes.filter((box) => isUpright(box) !== sideways);
  const shape = (box: Box): number => {
    const [a, b, , d] = box;
    const [width, height] = [distance(a, b), distance(a, d)];
    return Math.max(width, height) / Math.max(1, Math.min(width, height));
  };
  const byLength = (among: readonly Box[]): Box[] => [...among].sort((a, b) => shape(b) - shape(a));
  const medium = byLength(along.filter((box) => shape(box) >= 6 && shape(box) <= 20));
  return (medium.length >= count ? medium : byLength(along)).slice(0, count);
}
