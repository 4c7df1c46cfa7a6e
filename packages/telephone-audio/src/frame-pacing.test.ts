import { expect, test } from 'vitest';
import { FRAME, FramePacer, type PaceClock } from './frame-pacing.ts';

/** A clock that a test moves by hand. */
function handClock(): PaceClock & { advance(ms: number, step?: number): void } {
  let now = 1000;
  let wake: (() => void) | undefined;
  return {
    now: () => now,
    every: (_ms, tick) => {
      wake = tick;
      return () => {
        wake = undefined;
      };
    },
    advance(ms, step = 10) {
      for (let gone = 0; gone < ms; gone += step) {
        now += step;
        wake?.();
      }
    },
  };
}

function paced() {
  const clock = handClock();
  const frames: { first: number | undefined; spoken: boolean }[] = [];
  const pacer = new FramePacer(clock, (frame, speech) =>
    frames.push({ first: frame[0], spoken: speech[0] !== 0 }),
  );
  return { clock, frames, pacer };
}

test('one frame goes out for every 20 ms of the clock, however unevenly it wakes', () => {
  const { clock, frames, pacer } = paced();
  clock.advance(1000, 10);
  clock.advance(1000, 33);
  clock.advance(980, 7);
  expect(Math.abs(frames.length - (clock.now() - 1000) / FRAME.ms)).toBeLessThanOrEqual(1);
  expect(pacer.late).toBe(0);
});

test('sound is cut into frames, the last one filled with silence; then silence follows', () => {
  const { clock, frames, pacer } = paced();
  pacer.write(new Int16Array(400).fill(7));
  pacer.write(new Int16Array(300).fill(9));
  expect(pacer.queuedMs).toBe(43.75);
  clock.advance(100);
  expect(frames.map(({ first }) => first)).toEqual([7, 7, 9, 0, 0, 0]);
  expect(frames.map(({ spoken }) => spoken)).toEqual([true, true, true, false, false, false]);
  expect(pacer.queuedMs).toBe(0);
});

test('what is flushed is not sent, and its length is told', () => {
  const { clock, frames, pacer } = paced();
  pacer.write(new Int16Array(3200).fill(7));
  clock.advance(50);
  expect(pacer.flush()).toBe(200 - 3 * FRAME.ms);
  clock.advance(40);
  expect(frames.slice(-2).map(({ spoken }) => spoken)).toEqual([false, false]);
});

test('held, silence is sent and nothing is lost', () => {
  const { clock, frames, pacer } = paced();
  pacer.write(new Int16Array(1600).fill(7));
  clock.advance(20);
  pacer.hold(true);
  clock.advance(200);
  expect(pacer.queuedMs).toBe(100 - 2 * FRAME.ms);
  pacer.hold(false);
  clock.advance(60);
  expect(frames.filter(({ spoken }) => spoken)).toHaveLength(5);
});

test('a short stall is caught up and counted late; after a long one the clock starts anew', () => {
  const { clock, frames, pacer } = paced();
  clock.advance(100);
  const before = frames.length;
  clock.advance(120, 120);
  expect(frames.length - before).toBe(6);
  expect(pacer.late).toBeGreaterThan(0);
  const late = pacer.late;
  const then = frames.length;
  clock.advance(5000, 5000);
  expect(frames.length - then).toBe(1);
  expect(pacer.late).toBeGreaterThan(late + 200);
});

test('a stopped pacer sends nothing more', () => {
  const { clock, frames, pacer } = paced();
  clock.advance(40);
  pacer.stop();
  const before = frames.length;
  clock.advance(400);
  expect(frames).toHaveLength(before);
});

test('a sound under everything goes on through speech, silence and hold, and is told apart from speech', () => {
  const clock = handClock();
  const sent: (readonly [heard: number | undefined, speech: number | undefined])[] = [];
  const pacer = new FramePacer(clock, (frame, speech) => sent.push([frame[0], speech[0]]));
  let count = 0;
  pacer.playUnder(() => {
    count += 1;
    return new Int16Array(FRAME.samples).fill(count);
  });
  pacer.write(new Int16Array(FRAME.samples * 3).fill(32_766));
  clock.advance(20);
  pacer.hold(true);
  clock.advance(40);
  pacer.hold(false);
  clock.advance(40);
  pacer.playUnder(undefined);
  clock.advance(20);
  // Sums are limited to what 16 bits hold.
  const loudest = [32_767, 32_766];
  expect(sent).toEqual([loudest, loudest, [3, 0], [4, 0], loudest, [6, 0], [0, 0]]);
});
