import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** Errors that a ceremony should make. */
export interface Ceremony {
  readonly origin: string;
  readonly rpId?: string;
  /** True when the person was not asked for a PIN or a fingerprint. */
  readonly unverified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
}

/** One key on one device (WebAuthn §6), without the device. */
export interface SoftwareAuthenticator {
  readonly credentialId: string;
  /** `navigator.credentials.create` */
  create(options: { challenge: string; user: { id: string } }, ceremony: Ceremony): RegistrationResponseJSON;
  /** `navigator.credentials.get` */
  get(options: { challenge: string }, ceremony: Ceremony): AuthenticationResponseJSON;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const AAGUID = Buffer.alloc(16);

/** How a new key attests itself (WebAuthn §8.2, self attestation); without attestation when left out. */
interface Attestation {
  readonly badlySigned: boolean;
}

/** A new key (P-256). */
export function newAuthenticator(attestation?: Attestation): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  const credentialId = id.toString('base64url');
  let handle = '';
  let counter = 0;
  return {
    credentialId,
    create({ challenge, user }, ceremony) {
      handle = user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const credential = Buffer.concat([AAGUID, length, id, coseKey(publicKey)]);
      const authData = authenticatorData(ceremony, HAS_CREDENTIAL, ceremony.counter ?? counter, credential);
      const data = clientData('webauthn.create', challenge, ceremony.origin);
      const signed = Buffer.concat([authData, createHash('sha256').update(data).digest()]);
      if (attestation?.badlySigned) signed[0] = (signed[0] ?? 0) ^ 1;
      const statement = new Map<string, CborValue>([
        ['alg', -7],
        ['sig', sign('sha256', signed, privateKey)],
      ]);
      const made = cbor(
        new Map<string, CborValue>([
          ['fmt', attestation === undefined ? 'none' : 'packed'],
          ['attStmt', attestation === undefined ? new Map() : statement],
          ['authData', authData],
        ]),
      );
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: data.toString('base64url'),
          attestationObject: made.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get({ challenge }, ceremony) {
      counter += 1;
      const authData = authenticatorData(ceremony, 0, ceremony.counter ?? counter);
      const data = clientData('webauthn.get', challenge, ceremony.origin);
      const signed = Buffer.concat([authData, createHash('sha256').update(data).digest()]);
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: sign('sha256', signed, privateKey).toString('base64url'),
          userHandle: ceremony.userHandle ?? handle,
        },
      };
    },
  };
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function authenticatorData(
  { rpId = 'localhost', unverified = false }: Ceremony,
  flag: number,
  counter: number,
  credential = Buffer.alloc(0),
): Buffer {
  const flags = USER_PRESENT | (unverified ? 0 : USER_VERIFIED) | flag;
  const tail = Buffer.alloc(5);
  tail.writeUInt8(flags);
  tail.writeUInt32BE(counter, 1);
  return Buffer.concat([createHash('sha256').update(rpId).digest(), tail, credential]);
}

/** The public key as authenticators encode it (RFC 9053 §7.1.1): EC2, ES256, P-256, x, y. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return cbor(
    new Map<number, CborValue>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

type CborValue = number | string | Buffer | Map<number, CborValue> | Map<string, CborValue>;

/** The part of CBOR (RFC 8949) that an attestation without a statement needs. */
function cbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value.entries()].flatMap(([name, item]) => [cbor(name), cbor(item)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(major: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(major << 5) | count]);
  if (count < 256) return Buffer.from([(major << 5) | 24, count]);
  return Buffer.from([(major << 5) | 25, count >> 8, count & 255]);
}
