import { decryptXml } from '@node-saml/node-saml/lib/xml.js';
import type { SamlKey } from './saml-key.server.ts';

const ENCRYPTED = /<((?:[\w.-]+:)?)EncryptedAssertion[\s>][\s\S]*?<\/\1EncryptedAssertion\s*>/g;
/** PKCS #1 v1.5 tells by its errors what it must not (Bleichenbacher); triple DES is short of bits. */
const WEAK = /#(?:rsa-1_5|tripledes-cbc|kw-tripledes)["']/i;

/** The texts of an answer that hold: what everybody sees, and what was encrypted for us. */
export interface OpenedAnswer {
  readonly outside: string;
  /** The assertion, where it came encrypted. */
  readonly inside: string | undefined;
}

/**
 * Looks behind the encryption, so that the rules for documents (no types, no SHA-1) hold there as well. The library
 * opens and checks it by itself; this is not what is read.
 *
 * @throws Error for more than one encrypted assertion, a weak algorithm, comments around it, or none of our keys
 */
export async function openAnswer(xml: string, key: SamlKey | undefined): Promise<OpenedAnswer> {
  const found = [...xml.matchAll(ENCRYPTED)].map(([text]) => text);
  const named = xml.match(/EncryptedAssertion/g)?.length ?? 0;
  if (named === 0) return { outside: xml, inside: undefined };
  const [only = ''] = found;
  // A part that the two readers could take for different things is refused.
  if (found.length !== 1 || named !== 2 || /<!--|<!\[CDATA\[|<\?(?!xml )/.test(xml))
    throw new Error('an encrypted assertion in an odd place');
  if (key === undefined) throw new Error('an encrypted assertion, and AUTH_SAML_KEY_FILE is empty');
  if (WEAK.test(only)) throw new Error('a weak way of encryption');
  return { outside: xml.replace(only, ''), inside: await decryptXml(only, key.privateKey) };
}
