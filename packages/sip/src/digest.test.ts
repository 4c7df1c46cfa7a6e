import { expect, test } from 'vitest';
import { answerChallenge, digestResponse, parseDigest } from './digest-challenge.ts';
import { DigestGuard, type DigestVerdict } from './digest-guard.ts';
import { parseMessage } from './message/message-parse.ts';
import type { SipRequest } from './message/sip-message.ts';

test('answers are those of RFC 7616 §3.9.1', () => {
  const question = {
    realm: 'http-auth@example.org',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    method: 'GET',
    uri: '/dir/index.html',
    counted: { nc: '00000001', cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' },
  };
  const mufasa = { username: 'Mufasa', password: 'Circle of Life' };
  expect(digestResponse({ ...question, algorithm: 'MD5' }, mufasa)).toBe('8ca523f5e9506fed4657c9700eebdbec');
  expect(digestResponse({ ...question, algorithm: 'SHA-256' }, mufasa)).toBe(
    '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  );
});

const credentials = { username: 'trunk', password: 'right' };
const passwords = (name: string): string | undefined => (name === 'trunk' ? 'right' : undefined);
const URI = 'sip:+12125550100@127.0.0.1';

function guarded() {
  let now = 1_000_000;
  const guard = new DigestGuard({ now: () => now, after: () => () => {} }, 'northline');
  const ask = (authorization?: string, uri = URI): DigestVerdict => {
    const given = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`;
    const text = `INVITE ${uri} SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: x\r\nCSeq: 1 INVITE\r\n${given}\r\n`;
    return guard.check(parseMessage(Buffer.from(text)) as SipRequest, passwords);
  };
  const challenges = (): readonly string[] => (ask() as { headers: readonly string[] }).headers;
  const wait = (ms: number): void => {
    now += ms;
  };
  return { ask, challenges, wait };
}
const answer = (challenges: readonly string[], more = {}, count = 1): string =>
  answerChallenge(challenges, { method: 'INVITE', uri: URI }, { ...credentials, ...more }, count) ?? '';

test('who knows the password passes, by SHA-256 and by MD5', () => {
  const { ask, challenges } = guarded();
  const both = challenges();
  expect(parseDigest(answer(both))?.algorithm).toBe('SHA-256');
  expect(ask(answer(both))).toEqual({ kind: 'proven', username: 'trunk' });
  expect(ask(answer(challenges().slice(1)))).toMatchObject({ kind: 'proven' });
});

test('an overheard answer, an old or foreign nonce and another address prove nothing', () => {
  const { ask, challenges, wait } = guarded();
  const given = challenges();
  const first = answer(given);
  expect(ask(first)).toMatchObject({ kind: 'proven' });
  expect(ask(first)).toMatchObject({ kind: 'challenge', tried: false });
  // The same nonce is valid again with a higher count, but not with a lower one.
  expect(ask(answer(given, {}, 3))).toMatchObject({ kind: 'proven' });
  expect(ask(answer(given, {}, 2))).toMatchObject({ kind: 'challenge' });
  expect(ask(answer(challenges()), 'sip:+449090000000@127.0.0.1')).toMatchObject({
    kind: 'challenge',
    tried: true,
  });
  const late = answer(challenges());
  wait(61_000);
  const stale = ask(late) as { headers: readonly string[] };
  expect(stale.headers[0]).toContain('stale=true');
  const foreign = given.map((one) => one.replace(/nonce="[^"]*"/, `nonce="${(1e6).toString(36)}.x.y"`));
  expect(ask(answer(foreign))).toMatchObject({ kind: 'challenge', tried: true });
});

test('a wrong password, an unknown name and an answer without qop are refused', () => {
  const { ask, challenges } = guarded();
  expect(ask(answer(challenges(), { password: 'wrong' }))).toMatchObject({ kind: 'challenge', tried: true });
  expect(ask(answer(challenges(), { username: 'nobody' }))).toMatchObject({ kind: 'challenge', tried: true });
  const bare = challenges().map((one) => one.replace(', qop="auth"', ''));
  expect(ask(answer(bare))).toMatchObject({ kind: 'challenge', tried: true });
  for (const wrong of [
    'Basic x',
    'Digest',
    'Digest realm="northline"',
    'Digest realm="northline", nc=zz, qop=auth',
  ])
    expect(ask(wrong).kind).toBe('challenge');
});
