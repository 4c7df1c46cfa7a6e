import { Room, RoomEvent, Track } from 'livekit-client';

/** What a page hears of its call's room in LiveKit. */
export interface LiveKitListener {
  /** The assistant's voice has come. */
  heard(track: MediaStreamTrack): void;
  text(topic: string, text: string): void;
  state(state: RTCPeerConnectionState): void;
}

/** A page's end of a call through LiveKit. */
export interface LiveKitCall {
  /** Publishes this track in place of the last one; null publishes nothing. */
  put(track: MediaStreamTrack | null): Promise<void>;
  send(topic: string, text: string): Promise<void>;
  /** What the browser measured about the assistant's sound. */
  stats(): Promise<RTCStatsReport | undefined>;
  close(): void;
}

/**
 * Connects a page to LiveKit. This module has an address of its own, and pages load it for calls through LiveKit alone.
 *
 * @param address LiveKit's address with the caller's token
 * @throws Error where no connection comes about
 */
export async function joinLiveKit(
  address: string,
  listener: LiveKitListener,
  rtcConfig: RTCConfiguration,
): Promise<LiveKitCall> {
  const url = new URL(address);
  const token = url.searchParams.get('access_token') ?? '';
  url.search = '';
  const room = new Room({ singlePeerConnection: false, stopLocalTrackOnUnpublish: false });
  let voice: Track | undefined;
  room
    .on(RoomEvent.TrackSubscribed, (track) => {
      voice = track;
      listener.heard(track.mediaStreamTrack);
    })
    .on(RoomEvent.DataReceived, (payload, _from, _kind, topic = '') =>
      listener.text(topic, new TextDecoder().decode(payload)),
    )
    .on(RoomEvent.Reconnecting, () => listener.state('disconnected'))
    .on(RoomEvent.Reconnected, () => listener.state('connected'))
    // The assistant is the only other participant.
    .on(RoomEvent.ParticipantDisconnected, () => listener.state('closed'))
    .on(RoomEvent.Disconnected, () => listener.state('closed'));
  await room.connect(url.href, token, { rtcConfig });
  const me = room.localParticipant;
  return {
    async put(track) {
      const published = me.getTrackPublication(Track.Source.Microphone)?.audioTrack;
      if (track === null) {
        if (published !== undefined) await me.unpublishTrack(published);
      } else if (published !== undefined) await published.replaceTrack(track, true);
      else await me.publishTrack(track, { source: Track.Source.Microphone, dtx: false });
    },
    send: (topic, text) => me.publishData(new TextEncoder().encode(text), { reliable: true, topic }),
    stats: async () => voice?.getRTCStatsReport(),
    // The tracks belong to the call, which may go on with them.
    close: () => void room.disconnect(false),
  };
}
