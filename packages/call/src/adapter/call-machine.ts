import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type {
  CallTransport,
  Command,
  Notice,
  OpenTransport,
  Participant,
  ParticipantTrack,
} from '../transport.ts';
import { ACTIONS_WITHOUT_EFFECT, DEAF_ACTIONS, refusalOf } from './refused-actions.ts';

/**
 * The object that the published library keeps on the page while it waits for its bundle
 * (docs/contracts/voice.md §2.1).
 */
interface Seam {
  pendings: string[];
  instances: Record<string, Instance | undefined>;
}

interface Instance {
  callMachine?: CallMachine;
  /** Tracks that the page has given, by the library's names for them. */
  readonly tracks?: Readonly<Record<string, unknown>>;
}

/** The object from which the library reads tracks and subscriptions. */
interface CallMachine {
  readonly store: { getState(): State };
  reset(): void;
}

interface State {
  readonly local: {
    public: { subscribedTracks: object; customTracks: Record<string, { track: MediaStreamTrack }> };
    streams: Partial<Record<StreamType, { stream: MediaStream }>>;
  };
  streams: Record<string, RemoteStream>;
  participants: Record<string, unknown>;
}

type StreamType = 'cam' | 'screen';
interface RemoteStream {
  readonly participantId: string;
  /** A kind of stream, or the name of a custom track. */
  readonly type: string;
  readonly pendingTrack: MediaStreamTrack;
  readonly starttime: string;
}

const ENVELOPE = 'iframe-call-message';
/** The permissions of a person whose token names none, in the library's form. */
const PERMISSIONS = { hasPresence: true, canSend: true, canAdmin: false };
const STREAM_OF: Readonly<Record<string, StreamType>> = {
  audio: 'cam',
  video: 'cam',
  screenAudio: 'screen',
  screenVideo: 'screen',
};
/** The library's placeholder for a track, which page messages cannot carry. */
const SHARED_TRACK = 'daily-custom-track';

/** Takes over all instances of the published library that wait on `page` for their bundle. */
export function takeOverInstances(page: Window & { _daily?: Seam }, openTransport: OpenTransport): void {
  const seam = page._daily;
  for (const id of seam?.pendings.splice(0) ?? []) {
    const instance = seam?.instances[id];
    if (instance !== undefined) new AdaptedCall(page, id, openTransport).attach(instance);
  }
}

/**
 * Speaks the page messages of the published library for one instance, and carries them out with the same
 * transport that our own library uses.
 */
class AdaptedCall {
  readonly #page: Window;
  readonly #id: string;
  readonly #transport: CallTransport;
  readonly #state: State = {
    local: { public: { subscribedTracks: { ALL: true }, customTracks: {} }, streams: {} },
    streams: {},
    participants: {},
  };

  #joined = false;
  readonly #times = new Map<string, string>();
  #instance: Instance = {};

  constructor(page: Window, id: string, openTransport: OpenTransport) {
    this.#page = page;
    this.#id = id;
    this.#transport = openTransport((notice) => this.#forward(notice));
  }

  attach(instance: Instance): void {
    this.#instance = instance;
    instance.callMachine = { store: { getState: () => this.#state }, reset: () => this.#transport.close() };
    this.#page.addEventListener('message', ({ data, source }) => {
      if (source === this.#page) this.#onPageMessage(data);
    });
    this.#post({ action: 'call-machine-initialized' });
  }

  #onPageMessage(message: unknown): void {
    if (member(message, 'what') !== ENVELOPE || member(message, 'from') !== 'module') return;
    if ((member(message, 'callClientId') ?? member(message, 'callFrameId')) !== this.#id) return;
    const { action, callbackStamp, ...members } = message as { action: unknown; callbackStamp?: unknown };
    if (typeof action !== 'string') return;
    this.#carryOut({ ...members, action })
      .then((reply) => this.#reply(action, callbackStamp, reply))
      // A reply that page messages cannot carry counts as a refusal, since the library would wait for ever.
      .catch((error: unknown) => this.#refuse(action, callbackStamp, error));
  }

  async #carryOut(command: Command): Promise<object> {
    if (ACTIONS_WITHOUT_EFFECT.has(command.action)) return {};
    const answer = await this.#transport.request(withSharedTracks(command, this.#instance.tracks ?? {}));
    // The library waits for the end of a call even if it has not joined one.
    if (command.action === 'leave-meeting' && !this.#joined) this.#post({ action: 'left-meeting' });
    return answer;
  }

  #reply(action: string, callbackStamp: unknown, reply: object): void {
    if (callbackStamp !== undefined) this.#post({ action: `${action}-reply`, callbackStamp, ...reply });
  }

  /**
   * Many of the library's methods ignore an error in the reply, or do not wait for one; these need the event.
   */
  #refuse(action: string, callbackStamp: unknown, error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    if (callbackStamp === undefined || error instanceof NotSupportedError || DEAF_ACTIONS.has(action))
      this.#post(refusalOf(action, reason.message));
    // A plain Error, since page messages cannot carry our classes.
    this.#reply(action, callbackStamp, { error: new Error(reason.message) });
  }

  #forward(notice: Notice): void {
    if (notice.action === 'joined-meeting') {
      this.#joined = true;
      const local = this.#serialisable(member(notice.participants, 'local') as Participant);
      this.#post({ action: 'joined-meeting', participants: { local } });
    } else if (notice.action === 'participant-left') {
      const left = notice.participant as Participant;
      this.#post({ action: 'participant-left', participant: this.#serialisable(left) });
      this.#storeTracks({ ...left, tracks: {} });
    } else if (notice.action === 'participant-joined' || notice.action === 'participant-updated') {
      this.#post({ ...notice, participant: this.#serialisable(notice.participant as Participant) });
    } else {
      this.#post(notice.action === 'error' ? withPrintedDetails(notice) : notice);
      if (notice.action === 'left-meeting') this.#joined = false;
      // A failed call has been left as well: the web client learns of its end only by this message.
      if (notice.action === 'error' && this.#joined) this.#forward({ action: 'left-meeting' });
    }
  }

  /** A participant in a form that page messages can carry; its tracks go where the library looks for them. */
  #serialisable(participant: Participant): object {
    this.#storeTracks(participant);
    const { tracks, session_id, local } = participant;
    const given = participant as Participant & Readonly<Record<string, unknown>>;
    const permissions = isRecord(given.permissions) ? given.permissions : PERMISSIONS;
    const { canSend, canAdmin } = permissions;
    const listed = (rights: unknown): unknown => (Array.isArray(rights) ? new Set(rights) : rights);
    return {
      ...participant,
      screen: given.screen === true,
      record: false,
      joined_at: new Date(typeof given.joined_at === 'string' ? given.joined_at : this.#joinedAt(session_id)),
      permissions: { ...permissions, canSend: listed(canSend), canAdmin: listed(canAdmin) },
      userData: given.userData ?? null,
      tracks: Object.fromEntries(
        [...new Set([...Object.keys(STREAM_OF), ...Object.keys(tracks)])].map((name) => [
          name,
          trackView(tracks[name], local),
        ]),
      ),
    };
  }

  #joinedAt(id: string): string {
    const known = this.#times.get(id) ?? new Date().toISOString();
    this.#times.set(id, known);
    return known;
  }

  #storeTracks({ session_id: id, local, tracks }: Participant): void {
    if (local) {
      this.#storeOwn(tracks);
      return;
    }
    const { streams } = this.#state;
    for (const key of Object.keys(streams))
      if (key.startsWith(`${id} `) && tracks[key.slice(id.length + 1)]?.persistentTrack === undefined)
        delete streams[key];
    for (const [name, { persistentTrack: track }] of Object.entries(tracks)) {
      const key = `${id} ${name}`;
      if (track === undefined || streams[key]?.pendingTrack === track) continue;
      const type = STREAM_OF[name] ?? name;
      streams[key] = { participantId: id, type, pendingTrack: track, starttime: new Date().toISOString() };
    }
  }

  #storeOwn(tracks: Participant['tracks']): void {
    const { streams, public: shown } = this.#state.local;
    const playing = Object.entries(tracks).flatMap(([name, { persistentTrack: track }]) =>
      track === undefined ? [] : [{ name, track }],
    );
    for (const type of ['cam', 'screen'] as const) {
      const own = playing.filter(({ name }) => STREAM_OF[name] === type).map(({ track }) => track);
      if (own.length === 0) delete streams[type];
      else streams[type] = { stream: new MediaStream(own) };
    }
    const named = playing.filter(({ name }) => !Object.hasOwn(STREAM_OF, name));
    shown.customTracks = Object.fromEntries(named.map(({ name, track }) => [name, { track }]));
  }

  #post(message: object): void {
    const envelope = { what: ENVELOPE, from: 'embedded', callFrameId: this.#id, callClientId: this.#id };
    this.#page.postMessage({ ...message, ...envelope }, this.#page.location.origin);
  }
}

/** The library parses the details of a fatal error as JSON, so an object would break it. */
function withPrintedDetails(notice: Notice): Notice {
  const details = member(notice.error, 'details');
  return { ...notice, error: { ...(notice.error as object), details: details && JSON.stringify(details) } };
}

/** A track in the library's form; a missing track is off. */
function trackView(track: ParticipantTrack | undefined, local: boolean): object {
  const { state = 'off', subscribed = local, off, kind } = track ?? {};
  return {
    state,
    subscribed,
    ...(off === undefined ? {} : { off }),
    ...(kind === undefined ? {} : { kind }),
  };
}

/**
 * Where the page's tracks are, by the members of a command that stand for them; this differs between versions
 * of the library.
 */
const SHARED_PLACES: Readonly<Record<string, readonly string[]>> = {
  audioSource: ['audioDeviceId', 'audioTrack'],
  audioDeviceId: ['audioDeviceId', 'audioTrack'],
  videoSource: ['videoDeviceId', 'videoTrack'],
  videoDeviceId: ['videoDeviceId', 'videoTrack'],
  mediaStream: ['screenMediaStream'],
  track: ['customTrack'],
};

/** The places of the pictures for tests, which the library does not mention in its message. */
const TESTED_PLACES: Readonly<Record<string, string>> = {
  'test-call-quality': 'videoTrackForConnectionQualityTest',
  'test-p2p-call-quality': 'videoTrackForConnectionQualityTest',
  'test-network-connectivity': 'videoTrackForNetworkConnectivityTest',
};

/** Replaces the library's placeholders by the tracks that the page has given. */
function withSharedTracks(command: Command, shared: Readonly<Record<string, unknown>>): Command {
  const replaced = (of: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => {
        const place = (SHARED_PLACES[name] ?? []).find((one) => typeof shared[one] === 'object');
        return [name, value === SHARED_TRACK && place !== undefined ? shared[place] : value];
      }),
    );
  const { properties, captureOptions } = command;
  const tested = TESTED_PLACES[command.action];
  return {
    ...replaced(command),
    ...(tested === undefined ? {} : { videoTrack: shared[tested] }),
    action: command.action,
    ...(isRecord(properties) ? { properties: replaced(properties) } : {}),
    ...(isRecord(captureOptions) ? { captureOptions: replaced(captureOptions) } : {}),
  };
}
