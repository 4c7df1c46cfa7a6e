import { z } from 'zod';

const hostName = z
  .string()
  .max(253)
  .regex(
    /^(?:[\d.]+|[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*)$/i,
    'must be an address or a name',
  );
const word = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\s"<>@:;]+$/, 'must be a word without blanks, quotes, @, colons');

/** A provider's or an exchange's server. */
const gateway = z.strictObject({
  ip: hostName,
  port: z.number().int().min(1).max(65_535).optional(),
  netmask: z.number().int().min(8).max(32).optional(),
  inboundEnabled: z.boolean().optional(),
  outboundEnabled: z.boolean().optional(),
  outboundProtocol: z.enum(['udp', 'tcp', 'tls', 'tls/srtp']).optional(),
  optionsPingEnabled: z.literal(false, { error: 'gateways are not asked whether they live' }).optional(),
});

/**
 * A credential of the provider `byo-sip-trunk`, as the published API has it: a telephone exchange or provider
 * that calls come from and go to. Without `authUsername` and `authPassword`, calls are accepted from the
 * gateway's IPv4 address only; with them from any address, once the gateway has proved that it knows both.
 */
export const sipTrunkSchema = z.strictObject({
  provider: z.literal('byo-sip-trunk'),
  name: z.string().min(1).max(40).optional(),
  gateways: z.array(gateway).min(1).max(20),
  outboundAuthenticationPlan: z
    .strictObject({
      authUsername: word.optional(),
      authPassword: z.string().min(1).max(1000).optional(),
      sipRegisterPlan: z
        .strictObject({
          domain: hostName.optional(),
          username: word.optional(),
          realm: z.string().max(200).optional(),
        })
        .optional(),
    })
    .optional(),
  outboundLeadingPlusEnabled: z.boolean().optional(),
  techPrefix: z
    .string()
    .regex(/^[\d*#]{1,20}$/, 'must be digits')
    .optional(),
  sipDiversionHeader: z.literal('', { error: 'is not offered' }).optional(),
});
export type SipTrunkCredential = z.output<typeof sipTrunkSchema>;
