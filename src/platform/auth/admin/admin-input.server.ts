import { z } from 'zod';
import { invalidInput } from '../auth-error.server.ts';
import { metadata } from '../request-input.server.ts';

const address = z.string().max(320);

/**
 * Fields with which an administrator creates or changes an account (docs/contracts/platform.md §2, Admin).
 */
export const ADMIN_BODIES = {
  user: z.object({
    id: z.uuid().nullish(),
    email: address.nullish(),
    phone: address.nullish(),
    password: z.string().nullish(),
    password_hash: z.string().max(512).nullish(),
    email_confirm: z.boolean().nullish(),
    phone_confirm: z.boolean().nullish(),
    user_metadata: metadata.nullish(),
    app_metadata: metadata.nullish(),
    ban_duration: z.string().max(64).nullish(),
    // Any other role would have to exist in the database. We refuse it, because a request that is not carried
    // out must not get a success reply.
    role: z
      .union([z.literal(['authenticated', '']), z.null()], { error: 'is not a role that users can have' })
      .optional(),
  }),
  factor: z.object({ friendly_name: z.string().max(100).nullish(), phone: address.nullish() }),
  deletion: z.object({ should_soft_delete: z.boolean().nullish() }),
  invite: z.object({ email: address, data: metadata.nullish() }),
  link: z.object({
    type: z.enum(['signup', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new'], {
      error: 'is not a type of link',
    }),
    email: address,
    new_email: address.nullish(),
    password: z.string().nullish(),
    data: metadata.nullish(),
    redirect_to: z.string().max(2048).nullish(),
  }),
} as const;

export type AdminUserInput = z.output<typeof ADMIN_BODIES.user>;

const UNITS: Record<string, number> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };
const LONGEST_SECONDS = 200 * 365 * 86_400;

/**
 * The seconds of a ban: `none` lifts it (0); otherwise numbers with units, `24h` or `1h30m`.
 *
 * @throws ServiceError 400 `validation_failed`
 */
export function readBanSeconds(text: string): number {
  if (text === 'none') return 0;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
  if (parts.map(([part]) => part).join('') !== text || text === '' || seconds > LONGEST_SECONDS) {
    throw invalidInput('invalid format for ban duration');
  }
  return seconds;
}
