import type { SamlKey } from './saml-key.server.ts';

const ENCRYPTED = /<((?:[\w.-]+:)?)EncryptedAssertion[\s>][\s\S]*?<\/\1EncryptedAssertion\s*>/g;
/** Errors of PKCS #1 v1.5 reveal the plain text (Bleichenbacher); triple DES is too short. */
const WEAK = /#(?:rsa-1_5|tripledes-cbc|kw-tripledes)["']/i;

/** The texts of an answer: the open one, and the decrypted assertion. */
export interface OpenedAnswer {
  readonly outside: string;
  /** The assertion, if it was encrypted. */
  readonly inside: string | undefined;
}

/**
 * Decrypts the assertion, so that the rules for documents (no document type, no SHA-1) can be applied to it
 * as well. The library decrypts and checks the answer by itself; the text returned here is not used for the
 * sign-in.
 *
 * @throws Error for more than one encrypted assertion, a weak algorithm, comments around it, or when no key
 * of ours fits
 */
export async function openAnswer(xml: string, key: SamlKey | undefined): Promise<OpenedAnswer> {
  const found = [...xml.matchAll(ENCRYPTED)].map(([text]) => text);
  const named = xml.match(/EncryptedAssertion/g)?.length ?? 0;
  if (named === 0) return { outside: xml, inside: undefined };
  const [only = ''] = found;
  // Refused, because the two readers could take such a part for different things.
  if (found.length !== 1 || named !== 2 || /<!--|<!\[CDATA\[|<\?(?!xml )/.test(xml))
    throw new Error('an encrypted assertion in an odd place');
  if (key === undefined) throw new Error('an encrypted assertion, and AUTH_SAML_KEY_FILE is empty');
  if (WEAK.test(only)) throw new Error('a weak way of encryption');
  const { decryptXml } = await import('@node-saml/node-saml/lib/xml.js');
  return { outside: xml.replace(only, ''), inside: await decryptXml(only, key.privateKey) };
}
