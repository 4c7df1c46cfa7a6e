import { z } from 'zod';

/** An http or https address. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).max(2000);
/** JSON without a fixed shape, such as a caller's own notes; always an object. */
export const jsonObject = z.record(z.string(), z.json());
export const shortName = z.string().min(1).max(40);

/** A time in seconds, within bounds. */
export const seconds = (least: number, most: number) => z.number().min(least).max(most);

/** Where events are sent: address, secret and seconds to wait for the reply. */
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

/** IANA name of a time zone. */
export const timeZone = z
  .string()
  .max(60)
  .refine((zone) => Intl.supportedValuesOf('timeZone').includes(zone) || zone === 'UTC', {
    error: 'must be a time zone as Europe/London',
  });

const DAY = '(sun|mon|tue|wed|thu|fri|sat)';
const SPAN = `${DAY}(-${DAY})? \\d{1,2}:\\d{2}-\\d{1,2}:\\d{2}`;
/** Opening hours of a week, such as `mon-fri 9:00-17:00, sat 10:00-12:00`. */
export const weekHours = z
  .string()
  .max(500)
  .regex(new RegExp(`^${SPAN}( *, *${SPAN})*$`, 'i'), 'must be hours as mon-fri 9:00-17:00, sat 10:00-12:00')
  .refine(
    (text) =>
      [...text.matchAll(/(\d+):(\d+)-(\d+):(\d+)/g)].every(([, a, b, c, d]) => {
        const [opens, closes] = [Number(a) * 60 + Number(b), Number(c) * 60 + Number(d)];
        return opens < closes && closes <= 24 * 60 && Number(b) < 60 && Number(d) < 60;
      }),
    { error: 'must open before it closes, within one day' },
  );
