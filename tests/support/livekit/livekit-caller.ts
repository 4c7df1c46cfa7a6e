import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  type RemoteParticipant,
  Room,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';

/** A caller in a call's LiveKit room, by LiveKit's own client. */
export interface LiveKitCaller {
  /** Frames of sound that came from the assistant, 16 kHz. */
  readonly heard: Int16Array[];
  readonly texts: string[];
  readonly notices: string[];
  /** Whether the caller's connection was ended from the other side. */
  readonly isOut: () => boolean;
  send(topic: string, text: string): Promise<void>;
  speak(pcm: Int16Array): Promise<void>;
  leave(): Promise<void>;
}

/** @param address LiveKit's address with the caller's token, as a page gets it */
export async function liveKitCaller(address: string): Promise<LiveKitCaller> {
  const url = new URL(address);
  const token = url.searchParams.get('access_token') ?? '';
  url.search = '';
  const room = new Room();
  const heard: Int16Array[] = [];
  const texts: string[] = [];
  const notices: string[] = [];
  let out = false;
  const hearing = new Promise<void>((resolve) => {
    room.on('trackSubscribed', async (track) => {
      resolve();
      const stream = new AudioStream(track, { sampleRate: 16_000, numChannels: 1, frameSizeMs: 20 });
      for await (const { data } of stream) heard.push(data);
    });
  });
  room.on('dataReceived', (data, _from?: RemoteParticipant, _kind?: unknown, topic?: string) => {
    const text = new TextDecoder().decode(data);
    if (topic === 'room' && text === '{"action":"goodbye"}') void room.disconnect();
    else (topic === 'app' ? texts : notices).push(text);
  });
  room.on('disconnected', () => {
    out = true;
  });
  await room.connect(url.href, token, { autoSubscribe: true, dynacast: false });
  const source = new AudioSource(16_000, 1, 1000);
  const track = LocalAudioTrack.createAudioTrack('microphone', source);
  await room.localParticipant?.publishTrack(
    track,
    new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE, dtx: false }),
  );
  await hearing;
  return {
    heard,
    texts,
    notices,
    isOut: () => out,
    async send(topic, text) {
      await room.localParticipant?.publishData(new TextEncoder().encode(text), { reliable: true, topic });
    },
    async speak(pcm) {
      for (let at = 0; at + 320 <= pcm.length; at += 320)
        await source.captureFrame(new AudioFrame(pcm.slice(at, at + 320), 16_000, 1, 320));
      await source.waitForPlayout();
    },
    leave: () => room.disconnect(),
  };
}
