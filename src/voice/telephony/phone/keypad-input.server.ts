import type { SipClock } from '@northline/sip/sip-clock';
import { z } from 'zod';

const delimiter = z.enum(['#', '*']);
/** The members of `keypadInputPlan` that have an effect. */
const planSchema = z.object({
  enabled: z.boolean().default(false),
  timeoutSeconds: z.union([z.literal('off'), z.number().min(0).max(10)]).default(2),
  delimiters: z
    .union([z.array(delimiter), delimiter.transform((one) => [one]), z.literal('').transform(() => [])])
    .default([]),
});
const LONGEST = 200;

/**
 * Collects the keys that a caller presses into one turn, until a delimiter comes or no key for a while.
 * Undefined where the plan is not enabled.
 *
 * @param plan the assistant's `keypadInputPlan`
 * @param dialled takes the pressed keys, without the delimiter
 */
export function keypadInput(
  plan: unknown,
  clock: SipClock,
  dialled: (digits: string) => void,
): ((digit: string) => void) | undefined {
  const read = planSchema.safeParse(plan ?? {});
  if (!read.success || !read.data.enabled) return undefined;
  const { timeoutSeconds, delimiters } = read.data;
  let digits = '';
  let cancel = (): void => {};
  const done = (): void => {
    cancel();
    const given = digits;
    digits = '';
    if (given !== '') dialled(given);
  };
  return (digit) => {
    cancel();
    if (delimiters.some((one) => one === digit)) return done();
    digits = `${digits}${digit}`.slice(0, LONGEST);
    if (timeoutSeconds !== 'off') cancel = clock.after(timeoutSeconds * 1000, done);
    // Without a delimiter and a time limit every key is a turn of its own.
    else if (delimiters.length === 0) done();
  };
}
