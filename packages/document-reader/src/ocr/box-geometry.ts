/** A place in a picture, pixels from its top left corner. */
export type Point = readonly [x: number, y: number];

/** The four corners around a line of text, in the picture's order: top left, top right, bottom right, bottom left. */
export type Box = readonly [Point, Point, Point, Point];

/** A rectangle in any direction. */
export interface Rectangle {
  /** Unit vector along the first side. */
  readonly along: Point;
  readonly centre: Point;
  readonly width: number;
  readonly height: number;
}

export const distance = (a: Point, b: Point): number => Math.hypot(b[0] - a[0], b[1] - a[1]);

/** The smallest rectangle around points, by the sides of their hull; undefined for fewer than three corners. */
export function smallestRectangle(points: readonly Point[]): Rectangle | undefined {
  const corners = hullOf(points);
  if (corners.length < 3) return undefined;
  let best: Rectangle | undefined;
  for (const [index, from] of corners.entries()) {
    const to = corners[(index + 1) % corners.length] ?? from;
    const length = distance(from, to);
    if (length === 0) continue;
    const along: Point = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
    const rectangle = rectangleAlong(corners, along);
    if (best === undefined || rectangle.width * rectangle.height < best.width * best.height) best = rectangle;
  }
  return best;
}

function rectangleAlong(points: readonly Point[], along: Point): Rectangle {
  let [left, right, top, bottom] = [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];
  for (const [x, y] of points) {
    const across = x * along[0] + y * along[1];
    const down = y * along[0] - x * along[1];
    left = Math.min(left, across);
    right = Math.max(right, across);
    top = Math.min(top, down);
    bottom = Math.max(bottom, down);
  }
  const [u, v] = [(left + right) / 2, (top + bottom) / 2];
  return {
    along,
    centre: [u * along[0] - v * along[1], u * along[1] + v * along[0]],
    width: right - left + 1,
    height: bottom - top + 1,
  };
}

/** The convex hull (Andrew's monotone chain). */
function hullOf(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (from: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of from) {
      while (chain.length > 1 && turnOf(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turnOf(o: Point | undefined, a: Point | undefined, b: Point): number {
  if (o === undefined || a === undefined) return 0;
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/** A rectangle's corners, each side longer by `more` at both ends, in the order of {@link Box}. */
export function cornersOf({ along, centre, width, height }: Rectangle, more = 0): Box {
  const [halfWidth, halfHeight] = [width / 2 + more, height / 2 + more];
  const at = (u: number, v: number): Point => [
    centre[0] + u * halfWidth * along[0] - v * halfHeight * along[1],
    centre[1] + u * halfWidth * along[1] + v * halfHeight * along[0],
  ];
  return inOrder([at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)]);
}

function inOrder(corners: readonly Point[]): Box {
  const [a, b, c, d] = [...corners].sort((p, q) => p[0] - q[0]) as [Point, Point, Point, Point];
  const [topLeft, bottomLeft] = a[1] <= b[1] ? [a, b] : [b, a];
  const [topRight, bottomRight] = c[1] <= d[1] ? [c, d] : [d, c];
  return [topLeft, topRight, bottomRight, bottomLeft];
}

/** The lengths of a box's sides: along its top and down its left. */
export function sidesOf([topLeft, topRight, , bottomLeft]: Box): { width: number; height: number } {
  return { width: distance(topLeft, topRight), height: distance(topLeft, bottomLeft) };
}

/** Whether the text in a box runs across the picture, not up or down. */
export function isUpright(box: Box): boolean {
  const { width, height } = sidesOf(box);
  return height < width * 1.5;
}

/** A rectangle that is parallel to the picture's sides. */
export interface Extent {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The extent of points. */
export function extentOf(points: readonly Point[]): Extent {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** The middle value; `or` without values. */
export function medianOf(values: readonly number[], or: number): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? or;
}
