import { expect, test } from 'vitest';
import { readRecordingWish } from './recording-wish.contract.ts';

const read = (wish: object) => readRecordingWish(JSON.stringify(wish));
/** The options that the published client sends (docs/contracts/voice.md §1). */
const ASKED = { width: 1280, height: 720, backgroundColor: '#FF1F2D3D', layout: { preset: 'default' } };

test('the wish of the published client is read, and the end of it', () => {
  expect(read({ action: 'local-recording-start', ...ASKED, what: 'iframe-call-message' })).toBe('start');
  expect(read({ action: 'local-recording-start' })).toBe('start');
  expect(read({ action: 'local-recording-stop' })).toBe('stop');
});

test.each([
  [{ width: 1920 }, 'width'],
  [{ backgroundColor: '#FFFFFFFF' }, 'backgroundColor'],
  [{ layout: { preset: 'portrait' } }, 'layout.preset'],
  [{ type: 'local' }, 'type'],
  [{ fps: 30 }, 'fps'],
  [{ maxDuration: 60 }, 'maxDuration'],
])('%j is refused with a sentence that names it', (given, named) => {
  const wish = read({ action: 'local-recording-start', ...ASKED, ...given });
  expect(wish).toEqual({ refused: expect.stringContaining(`: ${named} cannot be chosen.`) });
});

test.each(['', '{', 'null', '7', '[]', '{"action":"eject"}'])('%s is about something else', (text) => {
  expect(readRecordingWish(text)).toBeUndefined();
});
