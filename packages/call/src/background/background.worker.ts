import type { Backdrop } from './background-setting.ts';
import type { WorkerReport } from './open-background.ts';
import { contextOf, type ModelScope, PersonMask } from './person-mask.ts';

/** The first message brings the streams; every message brings what to draw behind the person. */
interface WorkerOrder {
  readonly readable?: ReadableStream<VideoFrame>;
  readonly writable?: WritableStream<VideoFrame>;
  readonly backdrop: Backdrop;
}

/** The part of a worker's scope that is used here; the types of pages do not have it. */
interface WorkerScope extends ModelScope {
  readonly location: { readonly href: string };
  onmessage: (message: { readonly data: WorkerOrder }) => void;
  postMessage(report: WorkerReport): void;
}
const scope = globalThis as unknown as WorkerScope;

/** Blurring is costly, so it happens in a quarter of the size. */
const SHRINK = 4;
/** The strongest blur, as a part of the picture's width. */
const WIDEST = 1 / 24;
/** The edge of the person is softened by this part of the picture's width. */
const EDGE = 1 / 400;
/** The ten drawn pictures: the colours at the top and at the bottom, and of a light. */
const DRAWN = [
  ['#dfe6ea', '#93a6b1', '#ffffff'],
  ['#f3e7d8', '#b79a7c', '#fff8ee'],
  ['#dcead9', '#7d9c7c', '#f6fff2'],
  ['#d6e4f5', '#6f8fb8', '#f2f8ff'],
  ['#f6dfe0', '#b07f86', '#fff4f4'],
  ['#e4def2', '#85789f', '#f9f5ff'],
  ['#3b4a57', '#141a20', '#6d8496'],
  ['#4a3f35', '#1c1611', '#8d7863'],
  ['#31463b', '#101a14', '#64856f'],
  ['#2f3a5c', '#0f1424', '#6675a8'],
] as const;

let backdrop: Backdrop;
scope.onmessage = ({ data }) => {
  backdrop = data.backdrop;
  const { readable, writable } = data;
  if (readable === undefined || writable === undefined) return;
  start(readable, writable).catch((error: unknown) => {
    scope.postMessage({ fault: `The background cannot be changed: ${error}` });
  });
};

async function start(
  readable: ReadableStream<VideoFrame>,
  writable: WritableStream<VideoFrame>,
): Promise<void> {
  const draw = drawing(await PersonMask.load(scope.location.href, scope));
  scope.postMessage({});
  await readable
    .pipeThrough(
      new TransformStream<VideoFrame, VideoFrame>({
        transform(picture, controller) {
          try {
            controller.enqueue(draw(picture));
          } finally {
            picture.close();
          }
        },
      }),
    )
    .pipeTo(writable);
}

/** Returns a function that draws the person of each picture in front of the backdrop. */
function drawing(mask: PersonMask): (picture: VideoFrame) => VideoFrame {
  const whole = new OffscreenCanvas(1, 1);
  const small = new OffscreenCanvas(1, 1);
  const context = contextOf(whole);
  const soft = contextOf(small);
  return (picture) => {
    const { displayWidth: width, displayHeight: height, timestamp } = picture;
    if (whole.width !== width || whole.height !== height) {
      Object.assign(whole, { width, height });
      Object.assign(small, { width: Math.ceil(width / SHRINK), height: Math.ceil(height / SHRINK) });
    }
    context.globalCompositeOperation = 'copy';
    context.filter = `blur(${width * EDGE}px)`;
    context.drawImage(mask.find(picture), 0, 0, width, height);
    context.filter = 'none';
    context.globalCompositeOperation = 'source-in';
    context.drawImage(picture, 0, 0, width, height);
    context.globalCompositeOperation = 'destination-over';
    if ('strength' in backdrop) {
      const radius = backdrop.strength * WIDEST * small.width;
      soft.filter = `blur(${radius}px)`;
      // Larger than the canvas, because a blur mixes the edge with nothing.
      const rim = 2 * radius;
      soft.drawImage(picture, -rim, -rim, small.width + 2 * rim, small.height + 2 * rim);
      context.drawImage(small, 0, 0, width, height);
    } else if ('picture' in backdrop) cover(context, backdrop.picture);
    else paint(context, backdrop.drawn);
    return new VideoFrame(whole, { timestamp });
  };
}

/** Fills the canvas with a picture, and cuts off what is too wide or too high. */
function cover(context: OffscreenCanvasRenderingContext2D, picture: ImageBitmap): void {
  const { canvas } = context;
  const scale = Math.max(canvas.width / picture.width, canvas.height / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  context.drawImage(picture, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
}

/** Fills the canvas with one of the ten drawn pictures: a wall, and a light on it from one side. */
function paint(context: OffscreenCanvasRenderingContext2D, number: number): void {
  const { width, height } = context.canvas;
  const [top, bottom, light] = DRAWN[number - 1] ?? DRAWN[0];
  const wall = context.createLinearGradient(0, 0, 0, height);
  wall.addColorStop(0, top);
  wall.addColorStop(1, bottom);
  const lamp = context.createRadialGradient(width / 5, height / 5, 0, width / 5, height / 5, width / 2);
  lamp.addColorStop(0, light);
  lamp.addColorStop(1, `${light}00`);
  // Each is drawn behind what is there, so the light comes first.
  for (const fill of [lamp, wall]) {
    context.fillStyle = fill;
    context.fillRect(0, 0, width, height);
  }
}
