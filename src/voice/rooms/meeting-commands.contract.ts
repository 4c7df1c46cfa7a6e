import { z } from 'zod';
import { MEDIA_KINDS } from '../media/room/media-kind.contract.ts';
import { jsonWithin, LONGEST_USER_DATA } from './meeting-room.contract.ts';

/** Longest app message, characters when printed (docs/specification/platform.md §5). */
const LONGEST_MESSAGE = 4096;
/** Longest data of a meeting, characters when printed; what a message of the channel holds with its envelope. */
export const LONGEST_SESSION = 60_000;
const id = z.string().min(1).max(64);
const kinds = z.array(z.enum(MEDIA_KINDS)).max(MEDIA_KINDS.length);
const flags = z.partialRecord(z.enum(MEDIA_KINDS), z.boolean());

/** What may be changed about somebody who is in (docs/contracts/voice.md §2, the published library's `updateParticipant`). */
const participantUpdates = z.strictObject({
  setAudio: z.boolean().optional(),
  setVideo: z.boolean().optional(),
  setScreenShare: z.literal(false).optional(),
  eject: z.literal(true).optional(),
  updatePermissions: z
    .strictObject({
      hasPresence: z.boolean().optional(),
      canSend: z.union([z.boolean(), kinds]).optional(),
      canAdmin: z.boolean().optional(),
    })
    .optional(),
  /** Which of their streams one gets oneself. */
  setSubscribedTracks: z.union([z.boolean(), flags]).optional(),
});
export type ParticipantUpdates = z.output<typeof participantUpdates>;

/** What a page asks of its room, on the room's channel; `id` comes back with the answer. */
export const roomCommandSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('app-message'),
    data: jsonWithin('The message', LONGEST_MESSAGE),
    to: id.default('*'),
  }),
  /** What one sends now, and what one is called. */
  z.strictObject({
    action: z.literal('update-self'),
    sends: kinds.optional(),
    userName: z.string().max(200).optional(),
    userData: jsonWithin('The user data', LONGEST_USER_DATA).optional(),
  }),
  z.strictObject({ action: z.literal('update-participant'), of: id, updates: participantUpdates }),
  z.strictObject({ action: z.literal('subscribe-automatically'), enabled: z.boolean() }),
  /** Which size of whose picture one wants; `base` for all others, null takes back. */
  z.strictObject({
    action: z.literal('receive-settings'),
    settings: z.record(
      id,
      z.partialRecord(z.enum(['video', 'screenVideo']), z.number().int().min(0).max(2).nullable()),
    ),
  }),
  /** What everybody in the meeting shares: laid over what there is, or in its place. */
  z.strictObject({
    action: z.literal('set-session-data'),
    data: jsonWithin("The meeting's data", LONGEST_SESSION).pipe(z.record(z.string().max(200), z.unknown())),
    mergeStrategy: z.enum(['replace', 'shallow-merge']).default('replace'),
  }),
  /** Somebody who waits asks to be let in. */
  z.strictObject({ action: z.literal('request-access'), name: z.string().max(200).default('') }),
  z.strictObject({ action: z.literal('admit'), of: id, granted: z.boolean() }),
]);
export type RoomCommand = z.output<typeof roomCommandSchema>;

/** A command with the number that its answer carries. */
export const commandEnvelopeSchema = z.object({
  id: z.number().int().nonnegative(),
  command: roomCommandSchema,
});
