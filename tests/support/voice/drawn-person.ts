import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas';

const WIDTH = 640;
const HEIGHT = 360;
const MIDDLE = WIDTH / 2;

/**
 * A camera's picture for a browser (YUV4MPEG2, one picture, which the browser repeats): a drawn person in front of
 * a wall with stripes of 40 pixels.
 */
export function personFilm(): Buffer {
  const context = createCanvas(WIDTH, HEIGHT).getContext('2d');
  for (let x = 0; x < WIDTH; x += 40) fill(context, x % 80 ? '#d9dcd0' : '#8fa39a', [x, 0, 40, HEIGHT]);
  drawPerson(context);
  const { data } = context.getImageData(0, 0, WIDTH, HEIGHT);
  const planes = [Buffer.alloc(WIDTH * HEIGHT), ...[0, 1].map(() => Buffer.alloc((WIDTH * HEIGHT) / 4))];
  const [luma, ...chromas] = planes as [Buffer, Buffer, Buffer];
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      const [red = 0, green = 0, blue = 0] = data.subarray((y * WIDTH + x) * 4);
      luma[y * WIDTH + x] = 16 + 0.257 * red + 0.504 * green + 0.098 * blue;
      const at = (y >> 1) * (WIDTH / 2) + (x >> 1);
      chromas[0]?.writeUInt8(128 - 0.148 * red - 0.291 * green + 0.439 * blue, at);
      chromas[1]?.writeUInt8(128 + 0.439 * red - 0.368 * green - 0.071 * blue, at);
    }
  const head = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`;
  return Buffer.concat([Buffer.from(`${head}FRAME\n`), ...planes]);
}

/** A picture file of one colour. */
export function plainPicture(colour: string): Buffer {
  const canvas = createCanvas(64, 36);
  fill(canvas.getContext('2d'), colour, [0, 0, 64, 36]);
  return canvas.toBuffer('image/png');
}

function fill(
  context: SKRSContext2D,
  colour: string,
  [x, y, width, height]: [number, number, number, number],
) {
  context.fillStyle = colour;
  context.fillRect(x, y, width, height);
}

function ellipse(
  context: SKRSContext2D,
  paint: Paint,
  [x, y, width, height]: [number, number, number, number],
) {
  context.fillStyle = paint;
  context.beginPath();
  context.ellipse(x, y, width, height, 0, 0, 2 * Math.PI);
  context.fill();
}
type Paint = SKRSContext2D['fillStyle'];

/** Shaded as by a lamp: the model takes flat shapes for a poster. */
function drawPerson(context: SKRSContext2D): void {
  const shirt = context.createLinearGradient(MIDDLE - 170, 0, MIDDLE + 170, 0);
  for (const [at, colour] of [
    [0, '#1c2f4e'],
    [0.35, '#4a6ea5'],
    [0.7, '#35557f'],
    [1, '#14233c'],
  ] as const)
    shirt.addColorStop(at, colour);
  context.fillStyle = shirt;
  context.beginPath();
  context.moveTo(MIDDLE - 190, HEIGHT);
  context.bezierCurveTo(MIDDLE - 180, 250, MIDDLE - 110, 240, MIDDLE - 45, 220);
  context.lineTo(MIDDLE + 45, 220);
  context.bezierCurveTo(MIDDLE + 110, 240, MIDDLE + 180, 250, MIDDLE + 190, HEIGHT);
  context.fill();
  const neck = context.createLinearGradient(0, 170, 0, 250);
  neck.addColorStop(0, '#8a5b42');
  neck.addColorStop(1, '#c99676');
  context.fillStyle = neck;
  context.beginPath();
  context.moveTo(MIDDLE - 32, 160);
  context.lineTo(MIDDLE - 36, 225);
  context.quadraticCurveTo(MIDDLE, 255, MIDDLE + 36, 225);
  context.lineTo(MIDDLE + 32, 160);
  context.fill();
  ellipse(context, '#2e1d12', [MIDDLE, 98, 68, 74]);
  const skin = context.createRadialGradient(MIDDLE - 18, 105, 8, MIDDLE, 125, 85);
  skin.addColorStop(0, '#f0c3a4');
  skin.addColorStop(0.6, '#d9a483');
  skin.addColorStop(1, '#9a6448');
  ellipse(context, skin, [MIDDLE, 128, 56, 72]);
  for (const side of [-1, 1]) ellipse(context, '#c58e70', [MIDDLE + side * 57, 128, 9, 17]);
  context.fillStyle = '#2e1d12';
  context.beginPath();
  context.moveTo(MIDDLE - 60, 120);
  context.quadraticCurveTo(MIDDLE - 50, 70, MIDDLE - 10, 76);
  context.quadraticCurveTo(MIDDLE + 46, 78, MIDDLE + 60, 120);
  context.quadraticCurveTo(MIDDLE + 70, 30, MIDDLE, 28);
  context.quadraticCurveTo(MIDDLE - 70, 30, MIDDLE - 60, 120);
  context.fill();
  for (const side of [-1, 1]) {
    const eye = MIDDLE + side * 22;
    ellipse(context, 'rgba(90,50,30,.35)', [eye, 115, 15, 10]);
    ellipse(context, '#f3efe9', [eye, 118, 10, 5]);
    ellipse(context, '#4a3320', [eye, 118, 4.6, 4.6]);
    ellipse(context, '#2e1d12', [eye, 105, 14, 3]);
  }
  ellipse(context, 'rgba(110,60,40,.4)', [MIDDLE + 4, 138, 7, 16]);
  ellipse(context, '#a65a52', [MIDDLE, 171, 19, 5.5]);
}
