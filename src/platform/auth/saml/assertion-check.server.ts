import type { Profile, SAML } from '@node-saml/node-saml';
import { foldedEmail } from '../../../kernel/contract/email-address.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { ExternalAccount } from '../providers/external-account.server.ts';
import { openAnswer } from './assertion-decryption.server.ts';
import { readIdpMetadata } from './idp-metadata.server.ts';
import type { SamlKey } from './saml-key.server.ts';
import type { AttributeRule, SsoProviderRow } from './sso-provider-lookup.server.ts';

/** How far the clocks of two servers may differ. */
export const SKEW_SECONDS = 60;
const MAX_AGE_MS = 600_000;
const MAX_TEXT = 512;
const MOST_CLAIMS = 40;

const MAIL_ATTRIBUTES = [
  'email',
  'mail',
  'emailAddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
  'http://schemas.xmlsoap.org/claims/EmailAddress',
];
const SHA1 = /Algorithm\s*=\s*["'][^"']*[#-](rsa-|dsa-|hmac-)?sha1["']/i;
const SUBJECT_ID = 'urn:oasis:names:tc:SAML:attribute:subject-id';

/** Our name as a service provider: the address of our metadata. */
export function serviceEntityId(siteUrl: string): string {
  return `${siteUrl}${SERVICES.auth}/sso/saml/metadata`;
}

/** Where identity providers post their answers. */
export function consumerAddress(siteUrl: string): string {
  return `${siteUrl}${SERVICES.auth}/sso/saml/acs`;
}

/**
 * The protocol with one identity provider, for one request. Only answers to `requestId` that are signed with
 * a key of its metadata count (SAML profiles 2.0 §4.1). If we have a key, it signs our requests and decrypts
 * assertions.
 */
export async function samlOf(
  provider: SsoProviderRow,
  siteUrl: string,
  requestId: string,
  key: SamlKey | undefined,
): Promise<SAML> {
  const { entryPoint, certificates, entityId } = readIdpMetadata(provider.metadata_xml);
  const at = new Date().toISOString();
  // Loaded with the first sign-on of a company.
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  return new SAML({
    ...(key && { privateKey: key.privateKey, decryptionPvk: key.privateKey, signatureAlgorithm: 'sha256' }),
    issuer: serviceEntityId(siteUrl),
    audience: serviceEntityId(siteUrl),
    callbackUrl: consumerAddress(siteUrl),
    entryPoint,
    idpCert: [...certificates],
    idpIssuer: entityId,
    identifierFormat: provider.name_id_format,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    acceptedClockSkewMs: SKEW_SECONDS * 1000,
    maxAssertionAgeMs: MAX_AGE_MS,
    validateInResponseTo: ValidateInResponseTo.always,
    requestIdExpirationPeriodMs: MAX_AGE_MS,
    generateUniqueId: () => requestId,
    // The request id is stored in the flow's row, so nothing is cached here.
    cacheProvider: {
      saveAsync: async () => null,
      getAsync: async (id) => (id === requestId ? at : null),
      removeAsync: async () => null,
    },
  });
}

/** A valid assertion. */
export interface CheckedAssertion {
  readonly id: string;
  readonly account: ExternalAccount;
}

/**
 * Checks an answer: the signature over the assertion that is read, issuer, audience, times, recipient and the
 * request it answers.
 *
 * @throws ServiceError 400 `validation_failed`, `saml_assertion_no_user_id`, `saml_assertion_no_email`
 */
export async function checkAssertion(
  provider: SsoProviderRow,
  siteUrl: string,
  { requestId, response, key }: { requestId: string; response: string; key: SamlKey | undefined },
): Promise<CheckedAssertion> {
  const xml = Buffer.from(response, 'base64').toString('utf8');
  refuseOddities(xml);
  const { outside, inside = '' } = await openAnswer(xml, key).catch((error: Error) => {
    throw invalidAssertion(error.message);
  });
  refuseOddities(inside);
  // The library still accepts it, but two texts with the same SHA-1 can be made (ASVS 11.4.1).
  for (const text of [outside, inside]) if (SHA1.test(text)) throw invalidAssertion('SHA-1');
  const saml = await samlOf(provider, siteUrl, requestId, key);
  const { profile } = await saml
    .validatePostResponseAsync({ SAMLResponse: response })
    .catch((error: Error) => {
      throw invalidAssertion(error.message);
    });
  if (profile === null) throw invalidAssertion('nobody in it');
  const assertion = (profile.getAssertion?.() as { Assertion?: AssertionXml } | undefined)?.Assertion;
  if (profile.issuer !== provider.entity_id) throw invalidAssertion('another issuer');
  const data = assertion?.Subject?.[0]?.SubjectConfirmation?.map(
    (confirmation) => confirmation.SubjectConfirmationData?.[0]?.$,
  );
  // In the signed part; anybody could have written the attribute of the answer itself.
  if (
    !data?.some(
      (fields) => fields?.InResponseTo === requestId && fields.Recipient === consumerAddress(siteUrl),
    )
  ) {
    throw invalidAssertion('another request or recipient');
  }
  // The assertion's ID makes sure that it is used once. A signature over the whole document needs no ID on
  // it.
  const id = assertion?.$?.ID;
  if (id === undefined || id === '') throw invalidAssertion('no ID');
  return { id, account: accountOf(provider, profile) };
}

interface AssertionXml {
  readonly $?: { readonly ID?: string };
  readonly Subject?: readonly {
    readonly SubjectConfirmation?: readonly {
      readonly SubjectConfirmationData?: readonly { readonly $?: Readonly<Record<string, string>> }[];
    }[];
  }[];
}

function refuseOddities(xml: string): void {
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) throw invalidAssertion('a document type');
}

function invalidAssertion(cause: string): ServiceError {
  return new ServiceError(400, 'validation_failed', 'SAML Assertion is not valid', {
    cause: new Error(cause),
  });
}

function accountOf(provider: SsoProviderRow, profile: Profile): ExternalAccount {
  const attributes = (profile.attributes ?? {}) as Readonly<Record<string, unknown>>;
  const mapped = mappedClaims(provider.attribute_mapping.keys ?? {}, attributes);
  const format = profile.nameIDFormat ?? '';
  const lasting = format.endsWith(':transient') ? undefined : profile.nameID;
  const providerId = textOf(attributes[SUBJECT_ID]) ?? lasting;
  if (!providerId) {
    throw new ServiceError(
      400,
      'saml_assertion_no_user_id',
      'SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user',
    );
  }
  const named = MAIL_ATTRIBUTES.map((name) => textOf(attributes[name])).find((text) => text !== undefined);
  const asName = format.endsWith(':emailAddress') ? profile.nameID : undefined;
  const email = foldedEmail(textOf(mapped.email) ?? named ?? asName ?? '');
  if (!email) {
    throw new ServiceError(
      400,
      'saml_assertion_no_email',
      'SAML Assertion does not contain an email address',
    );
  }
  return {
    provider: `sso:${provider.id}`,
    providerId,
    email,
    emailVerified: true,
    claims: {
      iss: provider.entity_id,
      sub: providerId,
      provider_id: providerId,
      email,
      email_verified: true,
      phone_verified: false,
      ...(Object.keys(mapped).length === 0 ? {} : { custom_claims: mapped }),
    },
  };
}

/** The claims that the operator's mapping names. */
function mappedClaims(
  keys: Readonly<Record<string, AttributeRule>>,
  attributes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const claims = Object.entries(keys)
    .slice(0, MOST_CLAIMS)
    .map(([claim, rule]): [string, unknown] => {
      const names = rule.name === undefined ? (rule.names ?? []) : [rule.name, ...(rule.names ?? [])];
      const given = names.map((name) => attributes[name]).find((value) => value !== undefined);
      if (rule.array === true) {
        const list = [given ?? []].flat().map(textOf);
        return [claim, list.length > 0 ? list.filter((text) => text !== undefined) : (rule.default ?? [])];
      }
      return [claim, textOf(given) ?? rule.default];
    });
  return Object.fromEntries(claims.filter(([, value]) => value !== undefined));
}

function textOf(value: unknown): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' && first !== '' ? first.slice(0, MAX_TEXT) : undefined;
}
