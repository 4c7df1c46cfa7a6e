import { z } from 'zod';

/** The answer of every tool that changes something. */
export const WRITTEN = z.object({
  /** False where nothing was changed. */
  done: z.boolean(),
  message: z.string(),
  /** What the second call has to bring, where the client cannot ask the person itself. */
  confirmation: z.string().nullable(),
});
export type Written = z.output<typeof WRITTEN>;

/** The answer of a change that was made. */
export const written = (message: string): Written => ({ done: true, message, confirmation: null });
