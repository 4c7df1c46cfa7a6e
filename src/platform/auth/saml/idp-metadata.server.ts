import { X509Certificate } from 'node:crypto';
import { childElements, readXml, textContent, type XmlElement } from '@northline/xml/xml-reader';
import { invalidInput } from '../auth-error.server.ts';

/** The parts of an identity provider's metadata that a sign-in needs (SAML metadata 2.0 §2.4). */
export interface IdpMetadata {
  readonly entityId: string;
  /** Where people are sent, by HTTP-Redirect. */
  readonly entryPoint: string;
  /** PEM; a signature by any of them is valid. */
  readonly certificates: readonly string[];
}

const MAX_BYTES = 256 * 1024;
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';

/**
 * Reads metadata of exactly one identity provider.
 *
 * @throws ServiceError 400 `validation_failed` with the reason
 */
export function readIdpMetadata(xml: string): IdpMetadata {
  const entity = entityOf(parse(xml));
  const entityId = entity.attributes.get('entityID') ?? '';
  if (entityId === '') throw invalidInput('metadata_xml has no entityID');
  const validUntil = Date.parse(entity.attributes.get('validUntil') ?? '');
  if (validUntil < Date.now()) throw invalidInput('metadata_xml is not valid any more (validUntil)');
  const roles = childElements(entity, 'IDPSSODescriptor').filter(({ attributes }) =>
    attributes.get('protocolSupportEnumeration')?.split(/\s+/).includes(PROTOCOL),
  );
  const [role] = roles;
  if (role === undefined || roles.length > 1) {
    throw invalidInput('metadata_xml must describe one SAML 2.0 identity provider (IDPSSODescriptor)');
  }
  const service = childElements(role, 'SingleSignOnService').find(
    ({ attributes }) => attributes.get('Binding') === REDIRECT,
  );
  const entryPoint = service?.attributes.get('Location') ?? '';
  if (!['https:', 'http:'].includes(URL.parse(entryPoint)?.protocol ?? '')) {
    throw invalidInput('metadata_xml names no SingleSignOnService with the HTTP-Redirect binding');
  }
  const certificates = certificatesOf(role);
  if (certificates.length === 0) throw invalidInput('metadata_xml has no certificate for signing');
  return { entityId, entryPoint, certificates };
}

/** @throws ServiceError 400 `validation_failed` */
function parse(xml: string): XmlElement {
  if (/<!DOCTYPE/i.test(xml)) throw invalidInput('metadata_xml must not have a document type');
  if (Buffer.byteLength(xml) > MAX_BYTES) throw invalidInput('metadata_xml is too large');
  try {
    return readXml(xml, { maxBytes: MAX_BYTES });
  } catch {
    throw invalidInput('metadata_xml is not well-formed XML');
  }
}

function entityOf(root: XmlElement): XmlElement {
  if (root.name === 'EntityDescriptor') return root;
  const [only, ...others] = childElements(root, 'EntityDescriptor');
  if (root.name !== 'EntitiesDescriptor' || only === undefined || others.length > 0) {
    throw invalidInput('metadata_xml must hold one EntityDescriptor');
  }
  return only;
}

function certificatesOf(role: XmlElement): string[] {
  return childElements(role, 'KeyDescriptor')
    .filter(({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing')
    .flatMap((key) => childElements(key, 'KeyInfo'))
    .flatMap((info) => childElements(info, 'X509Data'))
    .flatMap((data) => childElements(data, 'X509Certificate'))
    .map((certificate) => {
      try {
        return new X509Certificate(Buffer.from(textContent(certificate), 'base64')).toString();
      } catch {
        throw invalidInput('metadata_xml has a certificate that cannot be read');
      }
    });
}
