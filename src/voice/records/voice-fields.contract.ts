import { z } from 'zod';

/** An http or https address. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2000);
/** JSON without a fixed shape, such as a caller's own notes; always an object. */
export const jsonObject = z.record(z.string(), z.json());
export const shortName = z.string().min(1).max(40);

const NO_MOMENT = 'must be a time as 2026-01-31T09:30:00.000Z';
/** More than any program writes, and within what PostgreSQL reads as a time. */
const LONGEST_MOMENT = 64;
const DAY_LENGTH = '2026-01-31'.length;
/** The year 0 and offsets from 16 hours on are none to PostgreSQL, though ISO 8601 has them. */
const UNKNOWN_TO_POSTGRESQL = /^0000-|[+-](1[6-9]|2\d):\d\d$/;
/** A point in time with its offset, which a statement can take as it is. */
export const moment = z.iso
  .datetime({ offset: true, error: NO_MOMENT })
  .refine((time) => time.length <= LONGEST_MOMENT && !UNKNOWN_TO_POSTGRESQL.test(time), { error: NO_MOMENT });

/** A point in time, or a day, which begins at midnight in UTC. */
export const momentOrDay = z
  .union([z.iso.date(), moment], {
    error: 'must be a time as 2026-01-31T09:30:00.000Z, or a day as 2026-01-31',
  })
  .transform((given) => (given.length === DAY_LENGTH ? `${given}T00:00:00.000Z` : given))
  .pipe(moment);

/** A time in seconds, within bounds. */
export const seconds = (least: number, most: number) => z.number().min(least).max(most);

/** Where events go: address, secret and seconds of patience. */
export const eventServer = z.strictObject({
  url: httpUrl.optional(),
  secret: z.string().max(1000).optional(),
  timeoutSeconds: seconds(1, 300).optional(),
  headers: z.record(z.string().max(200), z.string().max(4000)).optional(),
  credentialId: z.uuid().optional(),
  backoffPlan: jsonObject.optional(),
  staticIpAddressesEnabled: z.boolean().optional(),
  encryptedPaths: z.array(z.string().max(500)).max(100).optional(),
});
