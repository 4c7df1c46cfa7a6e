import { NotSupportedError } from '../not-supported.ts';
import { member } from '../rules/rule.ts';
import type { CallTransport, Command, Notice, OpenTransport, Participant } from '../transport.ts';
import { ACTIONS_WITHOUT_EFFECT, refusalOf } from './refused-actions.ts';

/** What the published library keeps on the page while it waits for its bundle (docs/contracts/voice.md §2.1). */
interface Seam {
  pendings: string[];
  instances: Record<string, { callMachine?: CallMachine } | undefined>;
}

/** What the library reads tracks and subscriptions from. */
interface CallMachine {
  readonly store: { getState(): State };
  reset(): void;
}

interface State {
  readonly local: {
    public: { subscribedTracks: object; customTracks: object };
    streams: Record<string, { stream: MediaStream }>;
  };
  streams: Record<
    string,
    { participantId: string; type: 'cam'; pendingTrack: MediaStreamTrack; starttime: string }
  >;
  participants: Record<string, unknown>;
}

const ENVELOPE = 'iframe-call-message';
/** What each participant may do, as the library shows it. */
const PERMISSIONS = { hasPresence: true, canSend: true, canAdmin: false };
const OFF = { state: 'off' } as const;

/** Takes over every instance of the published library that waits on `page` for its bundle. */
export function takeOverInstances(page: Window & { _daily?: Seam }, openTransport: OpenTransport): void {
  const seam = page._daily;
  for (const id of seam?.pendings.splice(0) ?? []) {
    const instance = seam?.instances[id];
    if (instance !== undefined) new AdaptedCall(page, id, openTransport).attach(instance);
  }
}

/**
 * Speaks the page messages of the published library for one instance, and carries them out by the
 * same transport that our own library uses: both are faces of one core.
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

  constructor(page: Window, id: string, openTransport: OpenTransport) {
    this.#page = page;
    this.#id = id;
    this.#transport = openTransport((notice) => this.#forward(notice));
  }

  attach(instance: { callMachine?: CallMachine }): void {
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
    this.#carryOut({ ...members, action }).then(
      (reply) => this.#reply(action, callbackStamp, reply),
      (error: unknown) => this.#refuse(action, callbackStamp, error),
    );
  }

  async #carryOut(command: Command): Promise<object> {
    if (ACTIONS_WITHOUT_EFFECT.has(command.action)) return {};
    const answer = await this.#transport.request(command);
    // The library waits for the end of a call even where none was joined.
    if (command.action === 'leave-meeting' && !this.#joined) this.#post({ action: 'left-meeting' });
    return answer;
  }

  #reply(action: string, callbackStamp: unknown, reply: object): void {
    if (callbackStamp !== undefined) this.#post({ action: `${action}-reply`, callbackStamp, ...reply });
  }

  /** Many of the library's methods ignore an error in the reply, or wait for none: those need the event. */
  #refuse(action: string, callbackStamp: unknown, error: unknown): void {
    const reason = error instanceof Error ? error : new Error(String(error));
    if (callbackStamp === undefined || error instanceof NotSupportedError)
      this.#post(refusalOf(action, reason.message));
    // A plain Error: the page's messages carry no classes of ours.
    this.#reply(action, callbackStamp, { error: new Error(reason.message) });
  }

  #forward(notice: Notice): void {
    if (notice.action === 'joined-meeting') {
      this.#joined = true;
      const local = this.#serialisable(member(notice.participants, 'local') as Participant);
      this.#post({ action: 'joined-meeting', participants: { local } });
    } else if (notice.action === 'participant-left') {
      const left = notice.participant as Participant;
      delete this.#state.streams[left.session_id];
      this.#post({ action: 'participant-left', participant: this.#serialisable(left) });
    } else if ('participant' in notice) {
      this.#post({ ...notice, participant: this.#serialisable(notice.participant as Participant) });
    } else {
      this.#post(notice.action === 'error' ? withPrintedDetails(notice) : notice);
      if (notice.action === 'left-meeting') this.#joined = false;
      // A call that broke has been left as well: the web client knows its end by that alone.
      if (notice.action === 'error' && this.#joined) this.#forward({ action: 'left-meeting' });
    }
  }

  /** A participant as page messages can carry it; its tracks go where the library looks for them. */
  #serialisable(participant: Participant): object {
    const { session_id: id, tracks } = participant;
    const track = tracks.audio?.persistentTrack;
    if (track !== undefined) this.#storeTrack(participant, track);
    const audio = { state: tracks.audio?.state ?? 'off', subscribed: true };
    return {
      ...participant,
      screen: false,
      record: false,
      joined_at: new Date(),
      permissions: PERMISSIONS,
      userData: member(participant, 'userData') ?? null,
      tracks: {
        audio: { ...audio, state: audio.state === 'sendable' ? 'playable' : audio.state },
        video: OFF,
        screenAudio: OFF,
        screenVideo: OFF,
      },
      session_id: id,
    };
  }

  #storeTrack({ session_id: id, local }: Participant, track: MediaStreamTrack): void {
    if (local) {
      this.#state.local.streams.cam = { stream: new MediaStream([track]) };
      return;
    }
    const before = this.#state.streams[id];
    if (before?.pendingTrack === track) return;
    const starttime = new Date().toISOString();
    this.#state.streams[id] = { participantId: id, type: 'cam', pendingTrack: track, starttime };
  }

  #post(message: object): void {
    const envelope = { what: ENVELOPE, from: 'embedded', callFrameId: this.#id, callClientId: this.#id };
    this.#page.postMessage({ ...message, ...envelope }, this.#page.location.origin);
  }
}

/** The library parses the details of a fatal error: an object in their place would break it. */
function withPrintedDetails(notice: Notice): Notice {
  const details = member(notice.error, 'details');
  return { ...notice, error: { ...(notice.error as object), details: details && JSON.stringify(details) } };
}
