import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { recordingLayoutSchema } from './meeting/meeting-record.contract.ts';

/**
 * A member of the call library's options that has to be absent: it would ask for something that cannot be
 * changed.
 */
const untaken = z.undefined().optional();

/** The one form of all recordings, of calls and of meetings. */
const FORM = {
  width: z.literal(1280).optional(),
  height: z.literal(720).optional(),
  backgroundColor: z
    .string()
    .regex(/^#(FF)?1F2D3D$/i)
    .optional(),
  ...{ fps: untaken, videoBitrate: untaken, audioBitrate: untaken, minIdleTimeOut: untaken },
  ...{ maxDuration: untaken, instanceId: untaken, dataOutputs: untaken },
};

const wishSchema = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('local-recording-start'),
    type: z.literal('cloud').optional(),
    layout: z.object({ preset: z.literal('default') }).optional(),
    ...FORM,
  }),
  z.object({ action: z.literal('local-recording-stop') }),
]);

const meetingWishSchema = z.object({
  type: z.enum(['cloud', 'cloud-audio-only']).optional(),
  layout: recordingLayoutSchema.optional(),
  ...FORM,
});
/** What an owner asks for the recording of a meeting, in the call library's names. */
export type MeetingWish = z.output<typeof meetingWishSchema>;

/**
 * Reads what an owner asks for the recording of a meeting. @throws ServiceError 400 that names what is not
 * built
 */
export function readMeetingWish(options: unknown): MeetingWish {
  const wish = meetingWishSchema.safeParse(options);
  if (wish.success) return wish.data;
  const what = wish.error.issues[0]?.path.join('.') ?? '';
  throw new ServiceError(
    400,
    'validation_failed',
    `A recording is 1280×720 on #FF1F2D3D, in the layouts default, single-participant, active-participant and audio-only: ${what} cannot be chosen so.`,
  );
}

/** What a caller's client asks for the recording. */
export type RecordingWish = 'start' | 'stop';

/**
 * Reads what a caller's client asks for the recording (docs/contracts/voice.md §8). Recordings have one size,
 * one ground and one layout; a wish for others is refused.
 *
 * @returns undefined where the text is about something else; a sentence where the wish cannot be fulfilled
 */
export function readRecordingWish(text: string): RecordingWish | { readonly refused: string } | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { action } = (given ?? {}) as { readonly action?: unknown };
  if (action !== 'local-recording-start' && action !== 'local-recording-stop') return undefined;
  const wish = wishSchema.safeParse(given);
  if (wish.success) return action === 'local-recording-start' ? 'start' : 'stop';
  const what = wish.error.issues[0]?.path.join('.') ?? '';
  return {
    refused: `A recording is 1280×720 on #FF1F2D3D in the layout default, made on the server: ${what} cannot be chosen.`,
  };
}
