import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CustomTracks } from './custom-tracks.ts';

/** The parts of a browser's track that the code uses. */
class Track extends EventTarget {
  readonly kind: 'audio' | 'video';

  constructor(kind: 'audio' | 'video') {
    super();
    this.kind = kind;
  }
}

beforeEach(() => void vi.stubGlobal('MediaStreamTrack', Track));
afterEach(() => void vi.unstubAllGlobals());

/** Custom tracks over a wire and a room in memory; the room refuses the name `refused`. */
function open(refused?: string) {
  const wire: unknown[] = [];
  const told: object[] = [];
  const tracks: CustomTracks = new CustomTracks(
    async (...given) => void wire.push(given),
    async () => {
      if (refused !== undefined && tracks.all.has(refused)) throw new Error('That name is taken.');
      told.push(tracks.names());
    },
  );
  return { tracks, wire, told };
}

test('a track goes on the wire under its name, with the bits of its mode, until it is stopped', async () => {
  const { tracks, wire, told } = open();
  const [song, film] = [new Track('audio'), new Track('video')];
  expect(await tracks.start({ track: song, trackName: 'song', mode: 'music' })).toBe('song');
  expect(await tracks.start({ track: film, trackName: 'film' })).toBe('film');
  await tracks.stop('song');
  expect(wire).toEqual([
    ['customAudio1', song, 128_000],
    ['customVideo1', film, undefined],
    ['customAudio1', null],
  ]);
  expect(told).toEqual([
    { customAudio1: 'song' },
    { customAudio1: 'song', customVideo1: 'film' },
    { customVideo1: 'film' },
  ]);
});

test('a track without a name gets one, and one that ends is not sent any more', async () => {
  const { tracks, wire } = open();
  const track = new Track('audio');
  const name = await tracks.start({ track, mode: { bitrate: 24_000 } });
  expect(name).toMatch(/^[\w-]{1,50}$/);
  expect(wire.at(-1)).toEqual(['customAudio1', track, 24_000]);
  track.dispatchEvent(new Event('ended'));
  await expect.poll(() => wire.at(-1)).toEqual(['customAudio1', null]);
  expect(tracks.all.size).toBe(0);
});

test.each([
  ['a third of a sort', { track: new Track('audio') }, 'Two custom tracks of audio are sent already'],
  ['a name that is there', { track: new Track('video'), trackName: 'one' }, 'of this name already'],
  ['a mode for a picture', { track: new Track('video'), mode: 'music' }, 'for custom tracks of sound only'],
  ['stereo', { track: new Track('audio'), mode: { stereo: true } }, 'in mono'],
  ['no track', { track: 'daily-custom-track' }, 'no track to send'],
])('%s is refused in words', async (_what, given, words) => {
  const { tracks } = open();
  for (const trackName of ['one', 'two']) await tracks.start({ track: new Track('audio'), trackName });
  await expect(tracks.start(given)).rejects.toThrow(words);
  await expect(tracks.stop('three')).rejects.toThrow('no custom track of this name');
  expect([...tracks.all.keys()]).toEqual(['one', 'two']);
});

test('what the room refuses is taken off the wire again', async () => {
  const { tracks, wire } = open('audio');
  await expect(tracks.start({ track: new Track('audio'), trackName: 'audio' })).rejects.toThrow('is taken');
  expect(wire.at(-1)).toEqual(['customAudio1', null]);
  expect(tracks.all.size).toBe(0);
});
