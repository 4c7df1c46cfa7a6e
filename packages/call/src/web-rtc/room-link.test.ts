import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RoomLink } from './room-link.ts';

/** The parts of a browser's sender that the code uses; it keeps its settings. */
class Sender {
  readonly #encodings: RTCRtpEncodingParameters[];

  constructor(encodings: RTCRtpEncodingParameters[] = [{}]) {
    this.#encodings = structuredClone(encodings);
  }

  async replaceTrack(): Promise<void> {}

  getParameters(): { encodings: RTCRtpEncodingParameters[] } {
    return { encodings: structuredClone(this.#encodings) };
  }

  async setParameters({ encodings }: { encodings: RTCRtpEncodingParameters[] }): Promise<void> {
    this.#encodings.splice(0, this.#encodings.length, ...encodings);
  }
}

const channel = {
  readyState: 'open',
  sent: [] as { id: number; command: { action: string } }[],
  send: (text: string) => void channel.sent.push(JSON.parse(text)),
  onmessage: (_event: { data: string }): void => {},
};
const senders: Sender[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('RTCRtpReceiver', { getCapabilities: () => ({ codecs: [] }) });
  vi.stubGlobal(
    'RTCPeerConnection',
    class {
      addTransceiver(_kind: string, { sendEncodings }: { sendEncodings?: RTCRtpEncodingParameters[] }) {
        const sender = new Sender(sendEncodings);
        senders.push(sender);
        return { sender, setCodecPreferences: () => {} };
      }

      createDataChannel() {
        return channel;
      }
    },
  );
  for (const list of [channel.sent, senders]) list.length = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const nobody = { notice: () => {}, self: () => {}, switched: () => {}, closed: () => {} };
const enter = (): RoomLink =>
  new RoomLink(
    { iceServers: [], geo: '', layout: { audio: 0, video: 0 }, camera: false, livekit: false },
    nobody,
  );
const answer = (): void => {
  const { id } = channel.sent.at(-1) ?? expect.fail('nothing was asked');
  channel.onmessage({ data: JSON.stringify({ reply: id, done: true }) });
};

test.each([
  ['send-tones', 75_000],
  ['play-media', 40_000],
  ['start-recording', 600_000],
])('%s is waited for as long as it takes: the answer after %i ms counts', async (action, ms) => {
  const asked = enter().ask({ action });
  await vi.advanceTimersByTimeAsync(ms);
  answer();
  expect(await asked).toMatchObject({ done: true });
});

test.each([
  ['stop-player', 15_000],
  ['send-tones', 90_000],
])('%s that is not answered in %i ms is told as not answered', async (action, ms) => {
  const refused = expect(enter().ask({ action })).rejects.toThrow('The room did not answer.');
  await vi.advanceTimersByTimeAsync(ms);
  await refused;
});

test('a named track has the bits of its mode, and not those of the track that had its place before', async () => {
  const link = enter();
  const track = {} as MediaStreamTrack;
  // The order of an offer: microphone, camera, screen with its sound, then the custom tracks.
  const [, camera, , , song, , film] = senders;
  const bits = (sender: Sender | undefined) => sender?.getParameters().encodings.map((one) => one.maxBitrate);
  const before = bits(camera);
  await link.put('customAudio1', track, 128_000);
  expect(bits(song)).toEqual([128_000]);
  await link.put('customAudio1', null);
  await link.put('customAudio1', track);
  expect(bits(song)).toEqual([undefined]);
  await link.put('customVideo1', track);
  expect(bits(film)).toEqual([1_500_000]);
  await link.put('video', track);
  expect([bits(camera), before?.length]).toEqual([before, 3]);
});

test('a camera’s setting is put in place of the one before, within what it may take', async () => {
  const link = enter();
  const camera = senders[1];
  const sent = () => camera?.getParameters().encodings;
  const usual = sent();
  await link.sendSettings({ video: { encodings: { low: { maxFramerate: 5 } } } });
  expect(sent()?.[0]).toMatchObject({ maxFramerate: 5 });
  await link.sendSettings({ video: 'default-video' });
  expect(sent()).toEqual(usual);
  await link.limitCamera(160_000);
  expect(sent()?.map(({ maxBitrate }) => maxBitrate)).toEqual([10_000, 30_000, 120_000]);
  await link.limitCamera(undefined);
  expect(sent()).toEqual(usual);
});
