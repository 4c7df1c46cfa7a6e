import { FATAL_ERROR_TYPES, RECORDING_EVENTS } from '../call-events.ts';
import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type { Participant } from '../transport.ts';
import type { Entered, Link, LinkConnection, LinkListener, View } from './link.ts';
import { jsonOf } from './parsed-json.ts';
import { type RoomClient, type RoomEntry, RoomError } from './room-client.ts';
import type { SentKind } from './track-kinds.ts';

/** The wire's name of the participant that the assistant speaks as (docs/contracts/voice.md §1). */
const ASSISTANT = { session: 'assistant', name: 'Vapi Speaker' } as const;

/** Every connection to an assistant shows the same of it, by any carrier of its sound. */
export abstract class AssistantLink implements Link {
  abstract readonly connection: LinkConnection;
  protected readonly listener: LinkListener;
  /** The assistant's voice, once it comes. */
  protected remote: MediaStreamTrack | undefined;
  #subscribed: boolean;

  constructor(listener: LinkListener, subscribed: boolean) {
    this.listener = listener;
    this.#subscribed = subscribed;
  }

  abstract enter(room: RoomClient, entry: Omit<RoomEntry, 'sdp'>): Promise<Entered>;
  abstract put(kind: SentKind, track: MediaStreamTrack | null): Promise<void>;
  abstract sendMessage(data: unknown): Promise<void>;
  abstract close(): void;

  others(): Participant[] {
    const track = this.#subscribed ? this.remote : undefined;
    const audio =
      track === undefined
        ? { state: 'sendable' as const, subscribed: false }
        : { state: 'playable' as const, subscribed: true, persistentTrack: track };
    const { session: session_id, name: user_name } = ASSISTANT;
    const rights = { local: false, owner: false, audio: true, video: false };
    return [{ session_id, user_id: session_id, user_name, ...rights, tracks: { audio } }];
  }

  sounds(): ReadonlyMap<string, MediaStreamTrack> {
    return new Map(this.remote === undefined ? [] : [[ASSISTANT.session, this.remote]]);
  }

  /** Assistants do not ask for names. */
  async report(): Promise<void> {}

  /**
   * The assistant can be subscribed to; other participants' rights do not exist in a call with one assistant.
   */
  async update(_id: string, { setSubscribedTracks, ...others }: View): Promise<void> {
    const unbuilt = Object.keys(others).find((name) => others[name] !== undefined);
    if (unbuilt !== undefined) throw new NotSupportedError(`update-participant ${unbuilt}`);
    if (setSubscribedTracks === undefined) return;
    await this.subscribeAutomatically(
      setSubscribedTracks !== false && member(setSubscribedTracks, 'audio') !== false,
    );
  }

  async subscribeAutomatically(on: boolean): Promise<void> {
    this.#subscribed = on;
    const [participant] = this.others();
    this.listener.notice({ action: 'participant-updated', participant });
  }

  /** The assistant sends an app message. */
  protected readonly onAppMessage = (data: unknown): void =>
    this.listener.notice({ action: 'app-message', data, fromId: ASSISTANT.session });

  /** The room tells why this client has to leave, or the state of the recording. */
  protected onRoomMessage(data: unknown): void {
    const told = jsonOf(data);
    const action = RECORDING_EVENTS.find((one) => one === member(told, 'action'));
    if (action !== undefined && isRecord(told)) this.listener.notice({ ...told, action });
    const error = member(told, 'error');
    const type = FATAL_ERROR_TYPES.find((one) => one === member(error, 'type'));
    if (type !== undefined) this.listener.closed(new RoomError(type, String(member(error, 'msg'))));
  }
}
