import { z } from 'zod';

/** A member of the call library's that is given by nobody, or refused: it would change what is not changed here. */
const untaken = z.undefined().optional();

const wishSchema = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('local-recording-start'),
    type: z.literal('cloud').optional(),
    width: z.literal(1280).optional(),
    height: z.literal(720).optional(),
    backgroundColor: z
      .string()
      .regex(/^#(FF)?1F2D3D$/i)
      .optional(),
    layout: z.object({ preset: z.literal('default') }).optional(),
    ...{ fps: untaken, videoBitrate: untaken, audioBitrate: untaken, minIdleTimeOut: untaken },
    ...{ maxDuration: untaken, instanceId: untaken, dataOutputs: untaken },
  }),
  z.object({ action: z.literal('local-recording-stop') }),
]);

/** What a caller's end wants of the recording. */
export type RecordingWish = 'start' | 'stop';

/**
 * Reads what a caller's end wants of the recording (docs/contracts/voice.md §8). A recording has one size, one ground and
 * one layout: what asks for others is refused.
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
