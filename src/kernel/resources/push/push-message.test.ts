import { createECDH, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openMessage } from '../../../../tests/support/servers/push-service.ts';
import { isCurvePoint, sealPushMessage } from './push-message.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

function browser() {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  const authSecret = randomBytes(16);
  return { pair, keys: { publicKey: pair.getPublicKey(), authSecret } };
}

test('the example of RFC 8291 §5 is reproduced exactly', () => {
  const own = createECDH('prime256v1');
  own.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const keys = {
    publicKey: bytes(
      'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    ),
    authSecret: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
  };
  const text = Buffer.from('When I grow up, I want to be a watermelon');
  const sealed = sealPushMessage(text, keys, 1, { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), own });
  expect(sealed.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('only the browser can decrypt a message, and its length does not reveal the text', () => {
  const [one, other] = [browser(), browser()];
  const [short, long] = ['lease.pdf', 'a much longer name of a document.pdf'].map((name) =>
    sealPushMessage(Buffer.from(name), one.keys, 512),
  );
  expect(short?.length).toBe(long?.length);
  expect(openMessage(long ?? Buffer.of(), one.pair, one.keys.authSecret).toString()).toContain('longer name');
  expect(() => openMessage(long ?? Buffer.of(), other.pair, one.keys.authSecret)).toThrow();
  expect(() => openMessage(long ?? Buffer.of(), one.pair, other.keys.authSecret)).toThrow();
});

test('a message longer than push services accept is not sent, and a key off the curve is refused', () => {
  const { keys } = browser();
  expect(sealPushMessage(Buffer.alloc(3993), keys)).toHaveLength(4096);
  expect(() => sealPushMessage(Buffer.alloc(3994), keys)).toThrow('longer than push services take');
  expect(isCurvePoint(keys.publicKey)).toBe(true);
  expect(isCurvePoint(Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]))).toBe(false);
  expect(isCurvePoint(Buffer.alloc(65))).toBe(false);
});
