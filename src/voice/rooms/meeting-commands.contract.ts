import { z } from 'zod';
import { CUSTOM_KINDS, MEDIA_KINDS, SEND_RIGHTS } from '../media/room/media-kind.contract.ts';
import { isEmergencyNumber, NO_EMERGENCY_CALLS } from '../records/emergency-numbers.contract.ts';
import { jsonWithin, LONGEST_USER_DATA } from './meeting-room.contract.ts';

/** Longest app message, characters of its JSON (docs/specification/platform.md §5). */
const LONGEST_MESSAGE = 4096;
/**
 * Longest session data of a meeting, characters of its JSON: as much as one message of the channel holds with
 * its envelope.
 */
export const LONGEST_SESSION = 60_000;
const id = z.string().min(1).max(64);
const kinds = z.array(z.enum(MEDIA_KINDS)).max(MEDIA_KINDS.length);
const rights = z.array(z.enum(SEND_RIGHTS)).max(SEND_RIGHTS.length);
/**
 * Names of tracks that exist already, or that the call library reserves (docs/specification/platform.md §5).
 */
const TAKEN_NAMES: ReadonlySet<string> = new Set([
  ...MEDIA_KINDS,
  ...[
    'cam-audio',
    'cam-video',
    'screen-video',
    'screen-audio',
    'rmpAudio',
    'rmpVideo',
    'customVideoDefaults',
  ],
  '__proto__',
]);
/** Longest name of a track, characters (docs/specification/platform.md §9). */
const LONGEST_TRACK_NAME = 50;
const trackName = z
  .string()
  .min(1)
  .max(LONGEST_TRACK_NAME)
  .refine((name) => !TAKEN_NAMES.has(name), {
    error: 'is the name of a track that the library gives itself',
  });
const ownTracks = z
  .partialRecord(z.enum(CUSTOM_KINDS), trackName)
  .refine((names) => new Set(Object.values(names)).size === Object.values(names).length, {
    error: 'two tracks have the same name',
  });
/** Most named tracks of one person that a message can ask for. */
const MOST_WISHES = 16;
const namedWishes = z
  .record(z.string().min(1).max(LONGEST_TRACK_NAME), z.boolean())
  .refine((wishes) => Object.keys(wishes).length <= MOST_WISHES, {
    error: `has more than ${MOST_WISHES} names`,
  });
const wish = z.boolean().optional();
const wishes = z.strictObject({
  audio: wish,
  video: wish,
  screenAudio: wish,
  screenVideo: wish,
  custom: z.union([z.boolean(), namedWishes]).optional(),
});

const player = z.strictObject({
  state: z.enum(['play', 'pause']).optional(),
  volume: z.number().min(0).max(2).optional(),
});

const recordingOptions = jsonWithin('The options', LONGEST_MESSAGE)
  .pipe(z.record(z.string().max(200), z.unknown()))
  .default({});

/**
 * What can be changed about a person in the meeting (docs/contracts/voice.md §2, the published library's
 * `updateParticipant`).
 */
const participantUpdates = z.strictObject({
  setAudio: z.boolean().optional(),
  setVideo: z.boolean().optional(),
  setScreenShare: z.literal(false).optional(),
  eject: z.literal(true).optional(),
  updatePermissions: z
    .strictObject({
      hasPresence: z.boolean().optional(),
      canSend: z.union([z.boolean(), rights]).optional(),
      canAdmin: z.union([z.boolean(), z.array(z.enum(['participants', 'transcription'])).max(2)]).optional(),
    })
    .optional(),
  /** Which of that person's streams the sender of the command wants to receive. */
  setSubscribedTracks: z.union([z.boolean(), wishes]).optional(),
});
export type ParticipantUpdates = z.output<typeof participantUpdates>;

/** The commands that a page sends on the room's channel; the answer carries the same `id`. */
export const roomCommandSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('app-message'),
    data: jsonWithin('The message', LONGEST_MESSAGE),
    to: id.default('*'),
  }),
  /** What the sender sends now, and the name they use. */
  z.strictObject({
    action: z.literal('update-self'),
    sends: kinds.optional(),
    /** The names of the tracks that the page has named, by their places; always all of them. */
    custom: ownTracks.optional(),
    userName: z.string().max(200).optional(),
    userData: jsonWithin('The user data', LONGEST_USER_DATA).optional(),
  }),
  z.strictObject({ action: z.literal('update-participant'), of: id, updates: participantUpdates }),
  z.strictObject({ action: z.literal('subscribe-automatically'), enabled: z.boolean() }),
  /**
   * Which size of whose picture the sender wants; `base` is for everybody else, and null removes a setting.
   */
  z.strictObject({
    action: z.literal('receive-settings'),
    settings: z.record(
      id,
      z.partialRecord(z.enum(['video', 'screenVideo']), z.number().int().min(0).max(2).nullable()),
    ),
  }),
  /** The data that everybody in the meeting shares: merged into the present data, or replacing it. */
  z.strictObject({
    action: z.literal('set-session-data'),
    data: jsonWithin("The meeting's data", LONGEST_SESSION).pipe(z.record(z.string().max(200), z.unknown())),
    mergeStrategy: z.enum(['replace', 'shallow-merge']).default('replace'),
  }),
  /** Everybody's words are transcribed for everybody, by the installation's own recogniser. */
  z.strictObject({
    action: z.literal('start-transcription'),
    language: z
      .string()
      .regex(/^en(-[A-Za-z]{2})?$/, 'must be en: this installation understands English')
      .default('en'),
  }),
  z.strictObject({ action: z.literal('stop-transcription') }),
  /** The people in the meeting who agree are recorded; the options are the call library's. */
  z.strictObject({ action: z.literal('start-recording'), options: recordingOptions }),
  z.strictObject({ action: z.literal('update-recording'), options: recordingOptions }),
  z.strictObject({ action: z.literal('stop-recording') }),
  /** Calls somebody by telephone, where the room allows it. */
  z.strictObject({
    action: z.literal('dial-out'),
    phoneNumber: z
      .string()
      .regex(/^\+\d{6,15}$/, 'must be a number as +442071838750')
      .refine((number) => !isEmergencyNumber(number), { error: NO_EMERGENCY_CALLS })
      .optional(),
    sipUri: z.string().max(200).startsWith('sip:').optional(),
    displayName: z.string().min(1).max(199).optional(),
    callerId: z.string().min(1).max(64).optional(),
  }),
  z.strictObject({ action: z.literal('stop-dial-out'), of: id }),
  z.strictObject({
    action: z.literal('send-tones'),
    of: id,
    tones: z.string().regex(/^[0-9A-D*#]{1,20}$/, 'must be 1 to 20 of 0-9, A-D, * and #'),
  }),
  /** Plays the sound at an address to everybody. */
  z.strictObject({
    action: z.literal('play-media'),
    url: z.string().max(2000),
    settings: player.default({}),
  }),
  z.strictObject({ action: z.literal('update-player'), of: id, settings: player }),
  z.strictObject({ action: z.literal('stop-player'), of: id }),
  /** Asks to be let in, for somebody who waits. */
  z.strictObject({ action: z.literal('request-access'), name: z.string().max(200).default('') }),
  z.strictObject({ action: z.literal('admit'), of: id, granted: z.boolean() }),
]);
export type RoomCommand = z.output<typeof roomCommandSchema>;

/** A command with the number that its answer carries. */
export const commandEnvelopeSchema = z.object({
  id: z.number().int().nonnegative(),
  command: roomCommandSchema,
});
