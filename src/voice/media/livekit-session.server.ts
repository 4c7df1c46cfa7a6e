import type { AudioSource, RemoteParticipant, RemoteTrack, Room } from '@livekit/rtc-node';
import { FRAME, FramePacer, MACHINE_CLOCK } from '@northline/telephone-audio/frame-pacing';
import type { MediaState, MediaStats, SoundUnder } from '@northline/telephone-audio/sound-session';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { guardedListener } from '../../kernel/resources/guarded-listener.ts';
import { MAX_APP_MESSAGE, ROOM_CHANNEL, ROOM_TEXTS_PER_SECOND } from './channel-text.server.ts';
import { ASSISTANT, CALLER, deleteRoom, joinToken, type LiveKitSettings } from './livekit-access.server.ts';
import type { MediaSession, RecordingNotice, RoomFault } from './media-transport.server.ts';
import { PeerWatch } from './peer-watch.server.ts';
import { SecondCount } from './per-second-count.server.ts';

type LiveKit = typeof import('@livekit/rtc-node');

const SAMPLE_RATE = 16_000;
/** Sound that waits for LiveKit's own clock, milliseconds: the frames that come at once after a stall fit in twice. */
const QUEUE_MS = 400;
/** A caller whose page is not ready to listen after this time is gone. */
const ARRIVAL_MS = 15_000;
/** Topic of the call's app messages; the other topic is the room's own. */
const APP_TOPIC = 'app';
/** What the caller's page sends to the room once it hears the assistant's track. */
const READY = '{"action":"ready"}';
/** The last text to the caller's page. */
const GOODBYE = '{"action":"goodbye"}';
/** A page that has not left after this time will not. */
const GOODBYE_MS = 1000;
/** LiveKit's limit for one packet is 64 KiB with its frame. */
const MAX_TEXT = 60_000;
const STATS_MS = 5000;

/** What one session is made of. */
export interface LiveKitSessionParts {
  readonly rtc: LiveKit;
  readonly settings: LiveKitSettings;
  readonly callId: string;
  report(fault: unknown): void;
  closed(): void;
}

/** One call through LiveKit, at the assistant's end: see {@link MediaSession}. */
export class LiveKitSession implements MediaSession {
  readonly #parts: LiveKitSessionParts;
  readonly #room: Room;
  readonly #pcmListeners: ((pcm: Int16Array) => void)[] = [];
  readonly #sentListeners: ((frame: Int16Array, speech: Int16Array) => void)[] = [];
  readonly #messageListeners: ((text: string) => void)[] = [];
  readonly #roomListeners: ((text: string) => void)[] = [];
  readonly #watch = new PeerWatch();
  readonly #roomTexts = new SecondCount();
  #arrival: NodeJS.Timeout | undefined;
  #statsTimer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  #source: AudioSource | undefined;
  #pacer: FramePacer | undefined;
  #answered = false;
  #sent = 0;
  #dropped = 0;
  #line = { received: 0, lost: 0 };

  constructor(parts: LiveKitSessionParts) {
    this.#parts = parts;
    this.#room = new parts.rtc.Room();
    this.#room
      .on('trackSubscribed', (track, _publication, from) => this.#hear(track, from).catch(parts.report))
      .on('dataReceived', guardedListener(parts.report, this.#read))
      .on('participantDisconnected', ({ identity }) => {
        if (identity === CALLER) void this.close();
      })
      .on('disconnected', () => void this.close());
  }

  async answer(): Promise<string> {
    const { settings, callId } = this.#parts;
    if (this.#answered || this.#watch.isClosed)
      throw new ServiceError(409, 'already_answered', 'This call has been joined already.');
    this.#answered = true;
    this.#arrival = setTimeout(() => void this.close(), ARRIVAL_MS);
    try {
      await this.#enter();
    } catch (error) {
      await this.close();
      const message = 'Calls cannot be taken: LiveKit cannot be reached, or refuses the key.';
      throw new ServiceError(503, 'voice_media_unavailable', message, { cause: error });
    }
    const address = new URL(settings.LIVEKIT_URL);
    address.searchParams.set('access_token', await joinToken(settings, callId, CALLER));
    return address.href;
  }

  onPcm16k(listener: (pcm: Int16Array) => void): void {
    this.#pcmListeners.push(listener);
  }

  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void {
    this.#sentListeners.push(listener);
  }

  onAppMessage(listener: (text: string) => void): void {
    this.#messageListeners.push(listener);
  }

  onRoomText(listener: (text: string) => void): void {
    this.#roomListeners.push(listener);
  }

  onState(listener: (state: MediaState) => void): void {
    this.#watch.onState(listener);
  }

  writePcm(pcm: Int16Array): void {
    this.#pacer?.write(pcm);
  }

  queuedMs(): number {
    return this.#pacer?.queuedMs ?? 0;
  }

  hold(held: boolean): void {
    this.#pacer?.hold(held);
  }

  flush(): number {
    this.#source?.clearQueue();
    return this.#pacer?.flush() ?? 0;
  }

  playUnder(sound: SoundUnder | undefined): void {
    this.#pacer?.playUnder(sound);
  }

  sendAppMessage(text: string): boolean {
    return this.#send(APP_TOPIC, text);
  }

  sendFault(fault: RoomFault): boolean {
    return this.#send(ROOM_CHANNEL, JSON.stringify({ action: 'error', error: fault }));
  }

  sendNotice(notice: RecordingNotice): boolean {
    return this.#send(ROOM_CHANNEL, JSON.stringify(notice));
  }

  stats(): MediaStats {
    return {
      packetsReceived: this.#line.received,
      packetsLost: this.#line.lost,
      // LiveKit's library drops such packets without telling.
      packetsRejected: 0,
      packetsSent: this.#sent,
      framesLate: (this.#pacer?.late ?? 0) + this.#dropped,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    clearTimeout(this.#arrival);
    clearInterval(this.#statsTimer);
    const hears = this.#send(ROOM_CHANNEL, GOODBYE);
    this.#pacer?.stop();
    this.#pacer = undefined;
    this.#watch.close();
    // The page leaves once it has read the goodbye, and so everything before it: texts come in order.
    if (hears) await this.#callerLeaves();
    if (this.#source !== undefined) {
      await this.#room.disconnect();
      await this.#source.close();
      await deleteRoom(this.#parts.settings, this.#parts.callId).catch(this.#parts.report);
    }
    this.#parts.closed();
  }

  /** Resolves when the caller is gone, or after a moment. */
  #callerLeaves(): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, GOODBYE_MS);
      const look = (): void => {
        if ([...this.#room.remoteParticipants.values()].some(({ identity }) => identity === CALLER)) return;
        clearTimeout(late);
        resolve();
      };
      this.#room.on('participantDisconnected', look).on('disconnected', look);
      look();
    });
  }

  /** Connects, and publishes the assistant's voice; nothing is sent before the caller's page listens. */
  async #enter(): Promise<void> {
    const { rtc, settings, callId } = this.#parts;
    const token = await joinToken(settings, callId, ASSISTANT);
    await this.#room.connect(settings.LIVEKIT_URL, token, { autoSubscribe: true, dynacast: false });
    if (this.#watch.isClosed) {
      await this.#room.disconnect();
      throw new Error('The call ended while it was being joined.');
    }
    const source = new rtc.AudioSource(SAMPLE_RATE, 1, QUEUE_MS);
    this.#source = source;
    const options = new rtc.TrackPublishOptions({ source: rtc.TrackSource.SOURCE_MICROPHONE });
    await this.#room.localParticipant?.publishTrack(
      rtc.LocalAudioTrack.createAudioTrack('voice', source),
      options,
    );
  }

  /** The caller's page is there, and hears what the assistant publishes. */
  #begin(): void {
    const source = this.#source;
    if (this.#pacer !== undefined || this.#watch.isClosed || source === undefined) return;
    clearTimeout(this.#arrival);
    this.#pacer = new FramePacer(MACHINE_CLOCK, (frame, speech) => this.#play(source, frame, speech));
    this.#statsTimer = setInterval(() => {
      // A reading that fails, such as one at the end, leaves the last one.
      this.#readStats().catch(() => {});
    }, STATS_MS);
    this.#watch.connection('connected');
  }

  async #readStats(): Promise<void> {
    const { subscriberStats } = await this.#room.getRtcStats();
    for (const { stats } of subscriberStats)
      if (stats.case === 'inboundRtp') {
        const { packetsReceived = 0n, packetsLost = 0n } = stats.value.received ?? {};
        this.#line = { received: Number(packetsReceived), lost: Number(packetsLost) };
      }
  }

  #send(topic: string, text: string): boolean {
    const me = this.#room.localParticipant;
    const payload = new TextEncoder().encode(text);
    if (this.#pacer === undefined || me === undefined || payload.length > MAX_TEXT) return false;
    // A text that cannot be sent any more needs no handling: the caller is gone, or the call is over.
    me.publishData(payload, { reliable: true, topic, destination_identities: [CALLER] }).catch(() => {});
    return true;
  }

  #play(source: AudioSource, frame: Int16Array, speech: Int16Array): void {
    const sound = new this.#parts.rtc.AudioFrame(frame, SAMPLE_RATE, 1, FRAME.samples);
    source.captureFrame(sound).catch(() => {
      // Its queue is full, or the call is over.
      this.#dropped += 1;
    });
    this.#sent += 1;
    for (const listener of this.#sentListeners) listener(frame, speech);
  }

  async #hear(track: RemoteTrack, { identity }: RemoteParticipant): Promise<void> {
    const { rtc } = this.#parts;
    if (identity !== CALLER || track.kind !== rtc.TrackKind.KIND_AUDIO) return;
    const form = { sampleRate: SAMPLE_RATE, numChannels: 1, frameSizeMs: FRAME.ms };
    for await (const { data } of new rtc.AudioStream(track, form)) {
      if (this.#watch.isClosed) return;
      for (const listener of this.#pcmListeners) listener(data);
    }
  }

  /** A text of the caller's page: that it listens, one for the assistant, or one about the call itself. */
  readonly #read = (
    payload: Uint8Array,
    from: RemoteParticipant | undefined,
    _kind: unknown,
    topic: string | undefined,
  ): void => {
    const text = new TextDecoder().decode(payload);
    if (from?.identity !== CALLER || text.length > MAX_APP_MESSAGE) return;
    if (topic === APP_TOPIC) for (const listener of this.#messageListeners) listener(text);
    if (topic !== ROOM_CHANNEL || this.#roomTexts.add() > ROOM_TEXTS_PER_SECOND) return;
    if (text === READY) this.#begin();
    else for (const listener of this.#roomListeners) listener(text);
  };
}
