import { expect, test } from 'vitest';
import { RtpHeader, SrtpSession } from 'werift';
import { deriveSessionKeys, newSrtpKey, SrtpStream, type SrtpSuite } from './srtp-protection.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** Master key and salt of RFC 3711 B.3. */
const MATERIAL = hex('E1F97A0D3E018BE0D64FA32C06DE4139 0EC675AD498AFEEBB6960B3AABE6');
const stream = (suite: SrtpSuite = 'AES_CM_128_HMAC_SHA1_80', material = MATERIAL): SrtpStream =>
  new SrtpStream({ suite, material });

function rtp(sequence: number, text = 'some sound'): Buffer {
  const head = hex('80 00 0000 00000000 cafebabe');
  head.writeUInt16BE(sequence, 2);
  return Buffer.concat([head, Buffer.from(text)]);
}

test('session keys are those of RFC 3711 B.3', () => {
  const { cipher, salt, auth } = deriveSessionKeys(MATERIAL, 'rtp');
  expect(cipher).toEqual(hex('C61E7A93744F39EE10734AFE3FF7A087'));
  expect(salt).toEqual(hex('30CBBC08863D8C85D49DB34A9AE1'));
  expect(auth).toEqual(hex('CEBE321F6FF7716B6FD4AB49AF256A156D38BAA4'));
});

test('a packet and a report are encrypted as libsrtp does it', () => {
  const packet = Buffer.concat([hex('80 0f 1234 decafbad cafebabe'), Buffer.alloc(16, 0xab)]);
  const secret = hex('800f1234decafbadcafebabe 4e55dc4ce79978d88ca4d215949d2402 b78d6acc99ea179b8dbb');
  expect(stream().protect(packet)).toEqual(secret);
  expect(stream().unprotect(secret)).toEqual(packet);
  const report = Buffer.concat([hex('81c8000b cafebabe'), Buffer.alloc(16, 0xab)]);
  const secretReport = hex('81c8000bcafebabe 7128035be487b9bdbef89041f977a5a8 80000001 993e08cd54d6c1230798');
  expect(stream().protectReport(report)).toEqual(secretReport);
  expect(stream().unprotectReport(secretReport)).toEqual(report);
});

test('it is understood by another implementation and understands it', () => {
  const [key, salt] = [MATERIAL.subarray(0, 16), MATERIAL.subarray(16)];
  const keys = { localMasterKey: key, localMasterSalt: salt, remoteMasterKey: key, remoteMasterSalt: salt };
  const other = new SrtpSession({ keys, profile: 1 });
  const packet = rtp(7);
  expect(other.decrypt(stream().protect(packet))).toEqual(packet);
  const header = RtpHeader.deSerialize(packet);
  expect(stream().unprotect(other.encrypt(packet.subarray(12), header))).toEqual(packet);
});

test('numbers go round, packets overtake each other, and both are opened', () => {
  const suite = 'AES_CM_128_HMAC_SHA1_32';
  const [sender, receiver] = [stream(suite), stream(suite)];
  const secret = [65_533, 65_534, 65_535, 0, 1, 2].map((sequence) => sender.protect(rtp(sequence)));
  expect(secret[0]?.length).toBe(rtp(0).length + 4);
  const order = [0, 1, 3, 2, 5, 4].map((n) => receiver.unprotect(secret[n] ?? Buffer.alloc(0)));
  expect(order.map((packet) => packet?.readUInt16BE(2))).toEqual([65_533, 65_534, 0, 65_535, 2, 1]);
});

test('attack 55: a packet that was played before, changed, cut or made with another key is not heard', () => {
  const [sender, receiver] = [stream(), stream()];
  const first = sender.protect(rtp(100));
  expect(receiver.unprotect(first)).toEqual(rtp(100));
  expect(receiver.unprotect(first)).toBeUndefined();
  const changed = sender.protect(rtp(101));
  changed.writeUInt8(changed.readUInt8(14) ^ 1, 14);
  expect(receiver.unprotect(changed)).toBeUndefined();
  expect(receiver.unprotect(sender.protect(rtp(102)).subarray(0, 15))).toBeUndefined();
  expect(
    receiver.unprotect(new SrtpStream(newSrtpKey('AES_CM_128_HMAC_SHA1_80')).protect(rtp(103))),
  ).toBeUndefined();
  // Too old to be distinguished from a replay.
  for (let sequence = 104; sequence < 200; sequence += 1) receiver.unprotect(sender.protect(rtp(sequence)));
  expect(receiver.unprotect(stream().protect(rtp(101)))).toBeUndefined();
  const report = sender.protectReport(hex('80c90001cafebabe 00000000'));
  expect(receiver.unprotectReport(report)).toEqual(hex('80c90001cafebabe 00000000'));
  expect(receiver.unprotectReport(report)).toBeUndefined();
  expect(receiver.unprotectReport(report.subarray(1))).toBeUndefined();
});
