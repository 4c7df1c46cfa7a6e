import {
  CUSTOM_KINDS,
  type CustomKind,
  MEDIA_KINDS,
  type MediaKind,
  rightOf,
  SEND_RIGHTS,
  type SendRight,
  type SentKind,
  trackKind,
} from '../media/room/media-kind.contract.ts';
import { ASSISTANT, type RoomLayout, type Route } from '../media/room/media-room.server.ts';

/** What somebody in a meeting may do (docs/contracts/voice.md §2). */
export interface Permissions {
  /** Whether the others see them. */
  readonly hasPresence: boolean;
  readonly canSend: ReadonlySet<SendRight>;
  readonly canAdmin: ReadonlySet<AdminRight>;
}

/**
 * `participants`: change what others send, let people in and remove them; `transcription`: start and stop it.
 */
export const ADMIN_RIGHTS = ['participants', 'transcription'] as const;
export type AdminRight = (typeof ADMIN_RIGHTS)[number];

/**
 * Which of somebody's streams a member wants, by kind; `custom` is for all named tracks, {@link namedTrack}
 * for one of them. For streams that are not listed, `subscribesByItself` decides.
 */
export type Wanted = Readonly<Record<string, boolean>>;

/** The key for the wish for a named track. */
export const namedTrack = (name: string): string => `custom ${name}`;

/** Somebody in a meeting, or waiting outside it. */
export interface Member {
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  readonly userData: unknown;
  readonly owner: boolean;
  /** Milliseconds since 1970. */
  readonly joinedAt: number;
  /** Whether they wait to be let in. */
  readonly waits: boolean;
  /** The name under which they asked to be let in; undefined before they asked. */
  readonly asksAs: string | undefined;
  readonly sends: ReadonlySet<MediaKind>;
  /** The names of their own tracks, by their places. */
  readonly custom: Readonly<Partial<Record<CustomKind, string>>>;
  readonly permissions: Permissions;
  readonly subscribesByItself: boolean;
  readonly wants: Readonly<Record<string, Wanted>>;
  /** Which size of a picture they want, by member or `base`. */
  readonly layers: Readonly<Record<string, Readonly<Partial<Record<SentKind, number>>>>>;
}

/** The present state of a meeting. It determines what everybody sees and receives. */
export interface MeetingState {
  readonly layout: RoomLayout;
  readonly members: ReadonlyMap<string, Member>;
  readonly hasAssistant: boolean;
  /** The source that each of a member's slots carries; a source keeps its slot while it is wanted. */
  readonly slots: ReadonlyMap<string, Readonly<Record<'audio' | 'video', readonly (string | undefined)[]>>>;
}

export const EVERYTHING: ReadonlySet<SendRight> = new Set(SEND_RIGHTS);

/** A meeting without anybody in it. */
export function emptyMeeting(layout: RoomLayout): MeetingState {
  return { layout, members: new Map(), hasAssistant: false, slots: new Map() };
}

/** Adds or replaces a member. */
export function withMember(state: MeetingState, member: Member): MeetingState {
  return settled({ ...state, members: new Map(state.members).set(member.id, member) });
}

/** Removes a member, and the others' wishes about them. */
export function withoutMember(state: MeetingState, id: string): MeetingState {
  const members = new Map<string, Member>();
  for (const member of state.members.values()) {
    const { [id]: _wanted, ...wants } = member.wants;
    const { [id]: _layer, ...layers } = member.layers;
    if (member.id !== id) members.set(member.id, { ...member, wants, layers });
  }
  return settled({ ...state, members });
}

/** The assistant came or left. */
export function withAssistant(state: MeetingState, hasAssistant: boolean): MeetingState {
  return settled({ ...state, hasAssistant });
}

/** The members who are in the meeting, without those who wait. */
export function inside(state: MeetingState): Member[] {
  return [...state.members.values()].filter(({ waits }) => !waits);
}

/** How many people are present, and how many of them are hidden. */
export function countsOf(state: MeetingState): { present: number; hidden: number } {
  const people = inside(state);
  const present = people.filter(({ permissions }) => permissions.hasPresence).length;
  return { present: present + (state.hasAssistant ? 1 : 0), hidden: people.length - present };
}

/** What a member may send now. */
export function allowedOf(member: Member): ReadonlySet<SentKind> {
  const { waits, permissions } = member;
  return new Set(waits ? [] : sentOf(member).filter((kind) => permissions.canSend.has(rightOf(kind))));
}

/** Everything that a member sends. */
const sentOf = ({ sends, custom }: Member): SentKind[] => [...sends, ...namedKinds(custom)];

const namedKinds = (custom: Member['custom']): CustomKind[] =>
  CUSTOM_KINDS.filter((kind) => custom[kind] !== undefined);

/** Everything that a member receives. */
export function routesOf(state: MeetingState, id: string): Route[] {
  const slots = state.slots.get(id);
  const layers = state.members.get(id)?.layers ?? {};
  return (['audio', 'video'] as const).flatMap((track) =>
    (slots?.[track] ?? []).flatMap((source, slot) => {
      if (source === undefined) return [];
      const [from = '', kind] = source.split(' ') as [string, SentKind];
      const layer = layers[from]?.[kind] ?? layers.base?.[kind];
      return [{ from, kind, slot, ...(layer === undefined ? {} : { layer }) }];
    }),
  );
}

/** One stream of a member as another member sees it. */
interface TrackView {
  readonly state: 'playable' | 'sendable' | 'off';
  readonly subscribed: boolean;
  /** The receiver's slot that carries it. */
  readonly slot?: number;
  readonly off?: Readonly<Record<string, true>>;
  /** Set for tracks that their page has named, since their names do not tell the kind. */
  readonly kind?: 'audio' | 'video';
}

/** Somebody as another member sees them, in the wire's names. */
export interface ParticipantView {
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly userData: unknown;
  readonly owner: boolean;
  readonly joined_at: string;
  readonly permissions: {
    readonly hasPresence: boolean;
    readonly canSend: boolean | string[];
    readonly canAdmin: boolean | string[];
  };
  /** By kind, and for tracks that their page has named by name. */
  readonly tracks: Readonly<Record<string, TrackView>>;
}

/** Everybody whom a member sees, by id; empty while they wait. */
export function viewOf(state: MeetingState, id: string): ReadonlyMap<string, ParticipantView> {
  const receiver = state.members.get(id);
  const views = new Map<string, ParticipantView>();
  if (receiver === undefined || receiver.waits) return views;
  for (const member of inside(state))
    if (member.id !== id && member.permissions.hasPresence)
      views.set(
        member.id,
        personView(member, (kind) => trackView(state, { receiver, member, kind })),
      );
  if (state.hasAssistant) views.set(ASSISTANT, assistantView(state, receiver));
  return views;
}

/** A member as they see themselves. */
export function selfView(member: Member): ParticipantView {
  return personView(member, (kind) => ownTrack(member, kind));
}

function personView(member: Member, trackOf: (kind: SentKind) => TrackView): ParticipantView {
  const { hasPresence, canSend, canAdmin } = member.permissions;
  const shown = (rights: ReadonlySet<string>, all: readonly string[]): boolean | string[] =>
    rights.size === all.length ? true : rights.size > 0 && [...rights];
  return {
    session_id: member.id,
    user_id: member.userId,
    user_name: member.userName,
    userData: member.userData,
    owner: member.owner,
    joined_at: new Date(member.joinedAt).toISOString(),
    permissions: {
      hasPresence,
      canSend: shown(canSend, SEND_RIGHTS),
      canAdmin: shown(canAdmin, ADMIN_RIGHTS),
    },
    tracks: Object.fromEntries([
      ...MEDIA_KINDS.map((kind) => [kind, trackOf(kind)]),
      ...namedKinds(member.custom).map((kind) => [
        member.custom[kind],
        { kind: trackKind(kind), ...trackOf(kind) },
      ]),
    ]),
  };
}

function ownTrack(member: Member, kind: SentKind): TrackView {
  if (!member.permissions.canSend.has(rightOf(kind)))
    return { state: 'off', subscribed: false, off: { byCanSendPermission: true } };
  if (!sentOf(member).includes(kind)) return { state: 'off', subscribed: false, off: { byUser: true } };
  return { state: 'sendable', subscribed: false };
}

function trackView(
  state: MeetingState,
  { receiver, member, kind }: { receiver: Member; member: Member; kind: SentKind },
): TrackView {
  const own = ownTrack(member, kind);
  const subscribed = wants(receiver, member.id, wishesFor(member, kind));
  if (own.state === 'off' || !subscribed) return { ...own, subscribed };
  return received(state, receiver.id, `${member.id} ${kind}`);
}

function received(state: MeetingState, receiverId: string, source: string): TrackView {
  const slot = state.slots.get(receiverId)?.[trackOf(source)].indexOf(source) ?? -1;
  return slot < 0
    ? { state: 'off', subscribed: true, off: { byServerLimit: true } }
    : { state: 'playable', subscribed: true, slot };
}

function assistantView(state: MeetingState, receiver: Member): ParticipantView {
  const off: TrackView = { state: 'off', subscribed: false, off: { byUser: true } };
  const audio: TrackView = wants(receiver, ASSISTANT, ['audio'])
    ? received(state, receiver.id, `${ASSISTANT} audio`)
    : { state: 'sendable', subscribed: false };
  return {
    session_id: ASSISTANT,
    user_id: ASSISTANT,
    user_name: ASSISTANT_NAME,
    // Lets people who join after the greeting, and pages that show participants, distinguish it from people.
    userData: { aiAssistant: true },
    owner: false,
    joined_at: new Date(0).toISOString(),
    permissions: { hasPresence: true, canSend: ['audio'], canAdmin: false },
    tracks: { audio, video: off, screenAudio: off, screenVideo: off },
  };
}

/** The published API's name of the participant that the assistant speaks as (docs/contracts/voice.md §1). */
const ASSISTANT_NAME = 'Vapi Speaker';

/** @param names keys that the wish may have; the first one that is present counts */
function wants(
  { wants: wanted, subscribesByItself }: Member,
  from: string,
  names: readonly string[],
): boolean {
  const known = wanted[from] ?? {};
  return names.map((name) => known[name]).find((wish) => wish !== undefined) ?? subscribesByItself;
}

function wishesFor({ custom }: Member, kind: SentKind): string[] {
  const name = custom[kind as CustomKind];
  return name === undefined ? [kind] : [namedTrack(name), 'custom'];
}

const trackOf = (source: string): 'audio' | 'video' => trackKind(source.split(' ')[1] as SentKind);

/**
 * Assigns everybody's sources to slots. A source keeps the slot that it has; one without a free slot waits.
 */
function settled(state: MeetingState): MeetingState {
  const sources = inside(state).flatMap((member) =>
    [...allowedOf(member)].map((kind) => ({ from: member.id, kind, names: wishesFor(member, kind) })),
  );
  const all = state.hasAssistant
    ? [{ from: ASSISTANT, kind: 'audio' as const, names: ['audio'] }, ...sources]
    : sources;
  const slots = inside(state).map((receiver) => {
    const wanted = all
      .filter(({ from, names }) => from !== receiver.id && wants(receiver, from, names))
      .map(({ from, kind }) => `${from} ${kind}`);
    const before = state.slots.get(receiver.id);
    const given = {
      audio: assigned(
        before?.audio ?? [],
        wanted.filter((one) => trackOf(one) === 'audio'),
        state.layout.audio,
      ),
      video: assigned(
        before?.video ?? [],
        wanted.filter((one) => trackOf(one) === 'video'),
        state.layout.video,
      ),
    };
    return [receiver.id, given] as const;
  });
  return { ...state, slots: new Map(slots) };
}

/** @param size how many slots there are */
function assigned(
  before: readonly (string | undefined)[],
  wanted: readonly string[],
  size: number,
): (string | undefined)[] {
  const kept = Array.from({ length: size }, (_, at) => {
    const source = before[at];
    return source !== undefined && wanted.includes(source) ? source : undefined;
  });
  for (const source of wanted) {
    const free = kept.indexOf(undefined);
    if (!kept.includes(source) && free >= 0) kept[free] = source;
  }
  return kept;
}
