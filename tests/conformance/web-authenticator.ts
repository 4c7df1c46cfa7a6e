/** A passkey without a device, by Web Crypto, so that it works in Node and in a page. */
export interface WebAuthenticator {
  readonly id: string;
  create(challenge: string, userHandle: string): Promise<object>;
  get(challenge: string): Promise<object>;
}

type Bytes = Uint8Array<ArrayBuffer>;

const text = (words: string): Bytes => new TextEncoder().encode(words);
const join = (...parts: readonly Iterable<number>[]): Bytes =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
const base64url = (bytes: Bytes): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const fromBase64url = (words: string): Bytes =>
  Uint8Array.from(atob(words.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const sha256 = async (bytes: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));

const PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;
/** CBOR of `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` around the coordinates (RFC 9053 §7.1.1). */
const COSE = { head: [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32], middle: [0x22, 0x58, 32] };

/** @param origin the origin of the page that would use it: http://localhost:… */
export async function newWebAuthenticator(origin: string): Promise<WebAuthenticator> {
  const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
    'sign',
    'verify',
  ]);
  const { x = '', y = '' } = await crypto.subtle.exportKey('jwk', keys.publicKey);
  const rawId = crypto.getRandomValues(new Uint8Array(16));
  const id = base64url(rawId);
  const party = await sha256(text('localhost'));
  let handle = '';
  const clientData = (type: string, challenge: string) =>
    text(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const credential = (response: object) => ({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  return {
    id,
    async create(challenge, userHandle) {
      handle = userHandle;
      const cose = join(COSE.head, fromBase64url(x), COSE.middle, fromBase64url(y));
      const flags = PRESENT_AND_VERIFIED | HAS_CREDENTIAL;
      const authData = join(party, [flags, 0, 0, 0, 0], new Uint8Array(16), [0, rawId.length], rawId, cose);
      // {"fmt": "none", "attStmt": {}, "authData": …}
      const attestation = join(
        [0xa3, 0x63, ...text('fmt'), 0x64, ...text('none'), 0x67, ...text('attStmt'), 0xa0],
        [0x68, ...text('authData'), 0x58, authData.length],
        authData,
      );
      return credential({
        clientDataJSON: base64url(clientData('webauthn.create', challenge)),
        attestationObject: base64url(attestation),
      });
    },
    async get(challenge) {
      const authData = join(party, [PRESENT_AND_VERIFIED, 0, 0, 0, 0]);
      const data = clientData('webauthn.get', challenge);
      const signed = join(authData, await sha256(data));
      const plain = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, keys.privateKey, signed);
      return credential({
        clientDataJSON: base64url(data),
        authenticatorData: base64url(authData),
        signature: base64url(asDer(new Uint8Array(plain))),
        userHandle: handle,
      });
    },
  };
}

/** Web Crypto returns r and s side by side; authenticators write them as ASN.1. */
function asDer(signature: Bytes): Bytes {
  const number = (bytes: Bytes): Bytes => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const trimmed = bytes.slice(start);
    const content = (trimmed[0] ?? 0) > 127 ? join([0], trimmed) : trimmed;
    return join([2, content.length], content);
  };
  const both = join(number(signature.slice(0, 32)), number(signature.slice(32)));
  return join([0x30, both.length], both);
}
