import { randomBytes } from 'node:crypto';
import samlify from 'samlify';
import { selfSignedCertificate } from '../servers/self-signed-certificate.ts';

/** A person at the company, and what is wrong with the assertion about them, if anything. */
export interface SamlPerson {
  readonly nameId: string;
  /** Persistent by default. */
  readonly nameIdFormat?: string;
  /** The issuer, if it is not the identity provider itself. */
  readonly issuer?: string;
  readonly email?: string;
  readonly audience?: string;
  readonly recipient?: string;
  readonly inResponseTo?: string;
  readonly assertionId?: string;
  /** Seconds from now. */
  readonly notBefore?: number;
  readonly notOnOrAfter?: number;
}

/** A company's identity provider without pages: the tests act as its browser. */
export interface SamlIdp {
  readonly entityId: string;
  readonly metadata: string;
  /** The form that the identity provider's page would post, for the address that our service gave. */
  answer(url: string, serviceMetadata: string, person: SamlPerson): Promise<SamlForm>;
  /** The same form with a signed answer that nobody is signed in (SAML core 2.0 §3.2.2.2, NoPassive). */
  nobody(url: string, serviceMetadata: string): Promise<SamlForm>;
}

/** Fields of the form. */
export interface SamlForm {
  readonly SAMLResponse: string;
  readonly RelayState: string;
}

const NAME_ID = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** Makes an identity provider with its own key; `hash` is the hash function of its signatures. */
export function newSamlIdp(
  entityId: string,
  hash: 'sha1' | 'sha256' = 'sha256',
  strict: { encrypted?: boolean; keyEncryption?: string; wantsSigned?: boolean } = {},
): SamlIdp {
  const { privateKey, certificate } = selfSignedCertificate('idp.test');
  samlify.setSchemaValidator({ validate: async () => 'the shape is not what these tests are about' });
  const idp = samlify.IdentityProvider({
    entityID: entityId,
    privateKey,
    signingCert: certificate,
    isAssertionEncrypted: strict.encrypted === true,
    ...(strict.keyEncryption === undefined ? {} : { keyEncryptionAlgorithm: strict.keyEncryption }),
    wantAuthnRequestsSigned: strict.wantsSigned === true,
    requestSignatureAlgorithm: SIGNATURES[hash],
    messageSigningOrder: 'sign-then-encrypt',
    nameIDFormat: [NAME_ID],
    singleSignOnService: [
      { Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: `${entityId}/login` },
    ],
    // The library warns about an identity provider without one.
    singleLogoutService: [
      { Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: `${entityId}/logout` },
    ],
    loginResponseTemplate: {
      context: samlify.SamlLib.defaultLoginResponseTemplate.context,
      attributes: [
        {
          name: 'mail',
          nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
          valueXsiType: 'xs:string',
          valueTag: 'mail',
        },
      ],
    },
  });
  /** The request that the service sent in the address. */
  async function read(url: string, serviceMetadata: string) {
    const query = Object.fromEntries(new URL(url).searchParams);
    const service = samlify.ServiceProvider({ metadata: serviceMetadata });
    // The signed part of the address: everything before the signature.
    const octetString = url.slice(url.indexOf('?') + 1).split('&Signature=')[0] ?? '';
    const asked = await idp.parseLoginRequest(service, 'redirect', { query, octetString });
    return { service, asked, RelayState: query.RelayState ?? '' };
  }
  return {
    entityId,
    metadata: idp.getMetadata(),
    async answer(url, serviceMetadata, person) {
      const { service, asked, RelayState } = await read(url, serviceMetadata);
      const { context } = await idp.createLoginResponse(
        service,
        asked as never,
        'post',
        {},
        {
          customTagReplacement: (template: string) =>
            fill(template, { issuer: entityId, service, asked: asked as never, person }),
        },
      );
      return { SAMLResponse: context, RelayState };
    },
    async nobody(url, serviceMetadata) {
      const { asked, RelayState } = await read(url, serviceMetadata);
      const { request } = asked.extract as Answer['asked']['extract'];
      const xml = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(16).toString('hex')}" Version="2.0" IssueInstant="${at(0)}" InResponseTo="${request.id}"><saml:Issuer>${entityId}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:NoPassive"/></samlp:StatusCode></samlp:Status></samlp:Response>`;
      const SAMLResponse = samlify.SamlLib.constructSAMLSignature({
        rawSamlMessage: xml,
        privateKey,
        signatureAlgorithm: SIGNATURES[hash],
        signingCert: certificate.replace(/-----[^-]+-----|\s/g, ''),
        isBase64Output: true,
        isMessageSigned: true,
      });
      return { SAMLResponse, RelayState };
    },
  };
}

const SIGNATURES = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  sha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
};

const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

/** The parts of an identity provider's answer. */
interface Answer {
  readonly issuer: string;
  readonly service: ReturnType<typeof samlify.ServiceProvider>;
  readonly asked: { extract: { request: { id: string } } };
  readonly person: SamlPerson;
}

function fill(template: string, { issuer, service, asked, person }: Answer): { id: string; context: string } {
  const consumer = String(service.entityMeta.getAssertionConsumerService('post'));
  const id = person.assertionId ?? `_${randomBytes(16).toString('hex')}`;
  const request = person.inResponseTo ?? asked.extract.request.id;
  const context = samlify.SamlLib.replaceTagsByValue(template, {
    ID: `_${randomBytes(16).toString('hex')}`,
    AssertionID: id,
    Destination: consumer,
    Audience: person.audience ?? service.entityMeta.getEntityID(),
    EntityID: service.entityMeta.getEntityID(),
    SubjectRecipient: person.recipient ?? consumer,
    AssertionConsumerServiceURL: consumer,
    Issuer: person.issuer ?? issuer,
    IssueInstant: at(0),
    StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    ConditionsNotBefore: at(person.notBefore ?? -5),
    ConditionsNotOnOrAfter: at(person.notOnOrAfter ?? 300),
    SubjectConfirmationDataNotOnOrAfter: at(person.notOnOrAfter ?? 300),
    NameIDFormat: person.nameIdFormat ?? NAME_ID,
    NameID: person.nameId,
    InResponseTo: request,
    AuthnStatement: '',
    attrMail: person.email ?? '',
  });
  return { id, context };
}
