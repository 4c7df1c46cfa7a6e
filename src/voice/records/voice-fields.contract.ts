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
