import { isIP } from 'node:net';
import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { isLoopback } from '../../../kernel/config/settings.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { AuthContext } from '../auth-context.server.ts';

/**
 * The party that keys belong to: the host of the site (WebAuthn §5.1.2), and the origins that may use them.
 */
export interface RelyingParty {
  readonly id: string;
  readonly name: string;
  readonly origins: string[];
}

/**
 * The site as relying party. Keys cannot belong to an IP address, so on the operator's own machine they
 * belong to `localhost`, and people have to open the site by that name.
 */
export function relyingParty({ resources }: Pick<AuthContext, 'resources'>): RelyingParty {
  const { siteUrl, settings } = resources;
  const site = new URL(siteUrl);
  const name = settings.BRAND;
  if (!isLoopback(site.hostname)) return { id: site.hostname, name, origins: [site.origin] };
  const port = site.port === '' ? '' : `:${site.port}`;
  return { id: 'localhost', name, origins: [`${site.protocol}//localhost${port}`] };
}

/** Also false when the site is reached by an IP address. */
export function passkeysAreOn(context: AuthContext): boolean {
  return context.resources.settings.AUTH_PASSKEYS && isIP(relyingParty(context).id) === 0;
}

/** @throws ServiceError 404 `passkey_disabled` */
export function requirePasskeys(context: AuthContext): void {
  if (passkeysAreOn(context)) return;
  throw new ServiceError(404, 'passkey_disabled', 'Passkeys are disabled');
}

const text = z.string().max(8192);

/** The fields that every credential has. */
const credential = {
  id: text.regex(/^[\w-]+$/),
  rawId: text,
  type: z.literal('public-key'),
  clientExtensionResults: z.looseObject({}).default({}),
};

/** A credential as browsers send it (`PublicKeyCredential.toJSON()`); further fields are accepted. */
export const registrationResponse = z.looseObject({
  ...credential,
  response: z.looseObject({
    clientDataJSON: text,
    attestationObject: z.string().max(32_768),
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
}) as unknown as z.ZodType<RegistrationResponseJSON>;

export const authenticationResponse = z.looseObject({
  ...credential,
  response: z.looseObject({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.nullish().transform((handle) => handle ?? undefined),
  }),
});

/** 400 `webauthn_verification_failed`: the one reply for anything that is wrong with a signature. */
export function notVerified(cause?: unknown): ServiceError {
  return new ServiceError(400, 'webauthn_verification_failed', 'The passkey could not be verified', {
    cause,
  });
}

/** A user's name for authenticators: the 16 bytes of the id, without anything personal (WebAuthn §14.6.1). */
export function userHandle(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex'));
}
