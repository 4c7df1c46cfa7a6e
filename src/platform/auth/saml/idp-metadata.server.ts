import { X509Certificate } from 'node:crypto';
import { parseXml2JsFromString } from '@node-saml/node-saml/lib/xml.js';
import { invalidInput } from '../auth-error.server.ts';

/** What an identity provider's metadata says that a sign-in needs (SAML metadata 2.0 §2.4). */
export interface IdpMetadata {
  readonly entityId: string;
  /** Where people are sent, by HTTP-Redirect. */
  readonly entryPoint: string;
  /** PEM; signatures count by any of them. */
  readonly certificates: readonly string[];
}

const MAX_BYTES = 256 * 1024;
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';

/** An element as the parser gives it: attributes in `$`, text in `_`, children as lists by their local names. */
interface XmlElement {
  readonly $?: Readonly<Record<string, string>>;
  readonly _?: string;
  readonly [child: string]: unknown;
}

/**
 * Reads metadata of exactly one identity provider.
 *
 * @throws ServiceError 400 `validation_failed` with the reason
 */
export async function readIdpMetadata(xml: string): Promise<IdpMetadata> {
  if (Buffer.byteLength(xml) > MAX_BYTES) throw invalidInput('metadata_xml is too large');
  const entity = entityOf(await parse(xml));
  const entityId = entity.$?.entityID ?? '';
  if (entityId === '') throw invalidInput('metadata_xml has no entityID');
  const validUntil = Date.parse(entity.$?.validUntil ?? '');
  if (validUntil < Date.now()) throw invalidInput('metadata_xml is not valid any more (validUntil)');
  const roles = children(entity, 'IDPSSODescriptor').filter(({ $ }) =>
    $?.protocolSupportEnumeration?.split(/\s+/).includes(PROTOCOL),
  );
  const [role] = roles;
  if (role === undefined || roles.length > 1) {
    throw invalidInput('metadata_xml must describe one SAML 2.0 identity provider (IDPSSODescriptor)');
  }
  const service = children(role, 'SingleSignOnService').find(({ $ }) => $?.Binding === REDIRECT);
  const entryPoint = service?.$?.Location ?? '';
  if (!['https:', 'http:'].includes(URL.parse(entryPoint)?.protocol ?? '')) {
    throw invalidInput('metadata_xml names no SingleSignOnService with the HTTP-Redirect binding');
  }
  const certificates = certificatesOf(role);
  if (certificates.length === 0) throw invalidInput('metadata_xml has no certificate for signing');
  return { entityId, entryPoint, certificates };
}

/** Without document types, so that no entity is ever expanded (ASVS 1.5.1). @throws ServiceError 400 */
async function parse(xml: string): Promise<XmlElement> {
  if (/<!DOCTYPE/i.test(xml)) throw invalidInput('metadata_xml must not have a document type');
  try {
    return (await parseXml2JsFromString(xml)) as unknown as XmlElement;
  } catch {
    throw invalidInput('metadata_xml is not well-formed XML');
  }
}

function entityOf(root: XmlElement): XmlElement {
  const one = root.EntityDescriptor as XmlElement | undefined;
  const many = root.EntitiesDescriptor as XmlElement | undefined;
  const found = many === undefined ? one : children(many, 'EntityDescriptor')[0];
  if (found === undefined || (many !== undefined && children(many, 'EntityDescriptor').length !== 1)) {
    throw invalidInput('metadata_xml must hold one EntityDescriptor');
  }
  return found;
}

function children(element: XmlElement, name: string): XmlElement[] {
  const found = Object.hasOwn(element, name) ? element[name] : [];
  return Array.isArray(found) ? (found as XmlElement[]) : [];
}

function certificatesOf(role: XmlElement): string[] {
  return children(role, 'KeyDescriptor')
    .filter(({ $ }) => $?.use === undefined || $.use === 'signing')
    .flatMap((key) => children(key, 'KeyInfo'))
    .flatMap((info) => children(info, 'X509Data'))
    .flatMap((data) => children(data, 'X509Certificate'))
    .map(({ _: text = '' }) => {
      try {
        return new X509Certificate(Buffer.from(text, 'base64')).toString();
      } catch {
        throw invalidInput('metadata_xml has a certificate that cannot be read');
      }
    });
}
