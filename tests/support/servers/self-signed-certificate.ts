import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** An RSA key and a certificate for it, PEM. */
export interface SelfSigned {
  readonly privateKey: string;
  readonly certificate: string;
}

const SHA256_WITH_RSA = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/**
 * Makes a certificate that is valid from yesterday until tomorrow (RFC 5280), without any program other than
 * Node.
 */
export function selfSignedCertificate(name: string): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const subject = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const day = 86_400_000;
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    SHA256_WITH_RSA,
    subject,
    der(0x30, utcTime(Date.now() - day), utcTime(Date.now() + day)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = der(0x30, content, SHA256_WITH_RSA, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/(.{64})/g, '$1\n');
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 255]), content]);
}

function utcTime(at: number): Buffer {
  const text = new Date(at).toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '').slice(2);
  return der(0x17, Buffer.from(text));
}
