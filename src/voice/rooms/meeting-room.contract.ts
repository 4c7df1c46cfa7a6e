import { z } from 'zod';

/** Most people in a room (decision 0420). */
export const MOST_PARTICIPANTS = 8;
/** Longest user data, characters of its JSON (docs/specification/platform.md §5). */
export const LONGEST_USER_DATA = 4096;
/**
 * Most levels of nesting in what people send: a text of 60 KB can have so many that walking through them
 * overflows the stack.
 */
const MOST_LEVELS = 32;
/** The latest moment that a date can have, seconds since 1970. */
const LATEST_SECOND = 8_640_000_000_000;

/** A JSON value of at most `longest` characters; `what` begins the sentence that refuses it. */
export const jsonWithin = (what: string, longest: number) =>
  z
    .unknown()
    .refine((value) => value !== undefined && isFlat(value), {
      error: `${what} has more than ${MOST_LEVELS} levels, or is missing`,
      abort: true,
    })
    .refine((value) => JSON.stringify(value).length <= longest, {
      error: `${what} is longer than ${longest} characters`,
    });

function isFlat(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MOST_LEVELS) return false;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return true;
}

const second = z
  .number()
  .int({ error: 'must be a moment in whole seconds since 1970' })
  .positive()
  .max(LATEST_SECOND, { error: 'must be seconds, not milliseconds' });
const shortText = z.string().min(1).max(200);
const roomName = z.string().regex(/^[\w-]{1,128}$/, 'must be 1 to 128 letters, digits, - or _');

/**
 * When a room is open, and for how many people; names and meanings are the published API's
 * (docs/voice-api.md).
 */
const roomPropertiesSchema = z
  .strictObject({
    nbf: second.optional(),
    exp: second.optional(),
    max_participants: z
      .number()
      .int()
      .min(1)
      .max(MOST_PARTICIPANTS, { error: `must be ${MOST_PARTICIPANTS} at most` })
      .default(MOST_PARTICIPANTS),
    eject_at_room_exp: z.boolean().default(false),
    eject_after_elapsed: z.number().int().positive().max(86_400).optional(),
    /** Somebody without a token waits outside a private room until an owner lets them in. */
    enable_knocking: z.boolean().default(false),
    /** Owners may call people into the room by telephone. */
    enable_dialout: z.boolean().optional(),
    /**
     * Owners may have meetings recorded, of the people who agree; on this server, which the published API
     * calls the cloud.
     */
    enable_recording: z.literal('cloud').optional(),
  })
  .refine(({ nbf, exp }) => nbf === undefined || exp === undefined || nbf < exp, {
    path: ['exp'],
    error: 'must be after nbf',
  });

/** POST /rooms: its name, if it has one, who may enter, and its assistant. */
export const meetingRoomSchema = z
  .strictObject({
    name: roomName.optional(),
    privacy: z.enum(['public', 'private']).default('public'),
    /**
     * An addition of ours: the assistant that joins with the first person; without one the room has people
     * only.
     */
    assistantId: z.uuid().optional(),
    properties: roomPropertiesSchema.default({
      max_participants: MOST_PARTICIPANTS,
      eject_at_room_exp: false,
      enable_knocking: false,
    }),
  })
  .refine(({ assistantId, properties }) => assistantId === undefined || properties.enable_dialout !== true, {
    path: ['properties', 'enable_dialout'],
    error: 'is not for rooms with an assistant: a called person could not be informed of it',
  });

/** A room as it is stored. */
export type MeetingRoomBody = z.output<typeof meetingRoomSchema> & { readonly name: string };

/** POST /meeting-tokens: for which room, from when until when, and for whom. */
export const meetingTokenSchema = z.strictObject({
  properties: z
    .strictObject({
      room_name: roomName,
      nbf: second.optional(),
      exp: second.optional(),
      is_owner: z.boolean().default(false),
      user_name: shortText.optional(),
      user_id: z.string().min(1).max(36).optional(),
      eject_at_token_exp: z.boolean().default(false),
      eject_after_elapsed: z.number().int().positive().max(86_400).optional(),
      /** The meeting is recorded, of the people who agree, as soon as this owner joins. */
      start_cloud_recording: z.boolean().default(false),
    })
    .refine(({ is_owner: isOwner, start_cloud_recording: records }) => isOwner || !records, {
      path: ['start_cloud_recording'],
      error: 'is for owners',
    })
    .refine(({ nbf, exp }) => nbf === undefined || exp === undefined || nbf < exp, {
      path: ['exp'],
      error: 'must be after nbf',
    })
    .refine(({ exp, eject_at_token_exp: ejects }) => !ejects || exp !== undefined, {
      path: ['eject_at_token_exp'],
      error: 'needs exp',
    }),
});
/** What a token grants, in the published API's names. */
export type MeetingTokenProperties = z.output<typeof meetingTokenSchema>['properties'];

/** POST /rooms/{name}/eject: the people to remove. */
export const ejectSchema = z
  .strictObject({
    ids: z.array(z.uuid()).min(1).max(100).optional(),
    user_ids: z.array(z.string().min(1).max(36)).min(1).max(100).optional(),
  })
  .refine(({ ids, user_ids }) => ids !== undefined || user_ids !== undefined, {
    error: 'needs ids or user_ids',
  });

/** What somebody sends to enter a room. */
export const entrySchema = z.object({
  /** Empty where the room's description names LiveKit. */
  sdp: z.string(),
  type: z.literal('offer').optional(),
  token: z.string().min(1).max(4096).optional(),
  userName: z.string().max(200).optional(),
  userData: jsonWithin('The user data', LONGEST_USER_DATA).optional(),
  /** Version of the call library (docs/contracts/voice.md §2). */
  library: z.string().max(40).optional(),
});
export type Entry = z.output<typeof entrySchema>;

/** What a page can report about itself; the words of its report are not stored. */
export const PAGE_REPORTS = ['error', 'network', 'log'] as const;
export type PageReport = (typeof PAGE_REPORTS)[number];

/** The part of the address that names a room. */
export const roomNameSchema = z.object({ name: roomName });
