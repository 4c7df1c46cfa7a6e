import { LogLevel, type RemoteTrack, Room, RoomEvent, setLogLevel, Track } from 'livekit-client';

/** What a page hears of its call's room in LiveKit. */
export interface LiveKitListener {
  text(topic: string, text: string): void;
  state(state: RTCPeerConnectionState): void;
}

/** A page's end of a call through LiveKit. */
export interface LiveKitCall {
  /** The assistant's voice. */
  readonly voice: MediaStreamTrack;
  /** Publishes this track in place of the last one; null publishes nothing. */
  put(track: MediaStreamTrack | null): Promise<void>;
  send(topic: string, text: string): Promise<void>;
  /** What the browser measured about the assistant's sound. */
  stats(): Promise<RTCStatsReport | undefined>;
  close(): void;
}

const HEARD_LIMIT_MS = 15_000;

/**
 * Connects a page to LiveKit, until the assistant's voice is there. This module has an address of its own, and pages
 * load it for calls through LiveKit alone.
 *
 * @param address LiveKit's address with the caller's token
 * @throws Error where no connection comes about, or no voice within 15 s
 */
export async function joinLiveKit(
  address: string,
  listener: LiveKitListener,
  rtcConfig: RTCConfiguration,
): Promise<LiveKitCall> {
  // The console belongs to the page.
  setLogLevel(LogLevel.warn);
  const url = new URL(address);
  const token = url.searchParams.get('access_token') ?? '';
  url.search = '';
  const room = new Room({ singlePeerConnection: false, stopLocalTrackOnUnpublish: false });
  // The tracks belong to the call, which may go on with them.
  const close = (): void => void room.disconnect(false);
  const heard = new Promise<RemoteTrack>((resolve, reject) => {
    room.once(RoomEvent.TrackSubscribed, resolve);
    setTimeout(() => reject(new Error('The assistant was not heard.')), HEARD_LIMIT_MS);
  });
  room
    .on(RoomEvent.DataReceived, (payload, _from, _kind, topic = '') =>
      listener.text(topic, new TextDecoder().decode(payload)),
    )
    .on(RoomEvent.Reconnecting, () => listener.state('disconnected'))
    .on(RoomEvent.Reconnected, () => listener.state('connected'))
    // The assistant is the only other participant.
    .on(RoomEvent.ParticipantDisconnected, () => listener.state('closed'))
    .on(RoomEvent.Disconnected, () => listener.state('closed'));
  try {
    // The room tells of the voice before it has finished connecting.
    const [voice] = await Promise.all([heard, room.connect(url.href, token, { rtcConfig })]);
    const me = room.localParticipant;
    return {
      voice: voice.mediaStreamTrack,
      async put(track) {
        const published = me.getTrackPublication(Track.Source.Microphone)?.audioTrack;
        if (track === null) {
          if (published !== undefined) await me.unpublishTrack(published.mediaStreamTrack);
        } else if (published !== undefined) await published.replaceTrack(track, true);
        else await me.publishTrack(track, { source: Track.Source.Microphone, dtx: false });
      },
      send: (topic, text) => me.publishData(new TextEncoder().encode(text), { reliable: true, topic }),
      stats: () => voice.getRTCStatsReport(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
