import { expect, test } from 'vitest';
import type { IncomingCall } from '../../../../packages/sip/src/dialog/sip-call.ts';
import { answerChallenge } from '../../../../packages/sip/src/digest-challenge.ts';
import { parseMessage } from '../../../../packages/sip/src/message/message-parse.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { CallAdmission } from './call-admission.server.ts';
import { requireAllowedNumber } from './toll-rules.server.ts';
import type { Trunk } from './trunk-directory.server.ts';

test('a number needs an allowed beginning, a costly one its whole beginning', () => {
  const allowed = (number: string, ...prefixes: string[]): boolean => {
    try {
      requireAllowedNumber(number, prefixes);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ status: 403, code: 'destination_not_allowed' });
      return false;
    }
  };
  expect(allowed('+442079460000')).toBe(false);
  expect(allowed('+442079460000', '+44')).toBe(true);
  expect(allowed('+12025550100', '+44')).toBe(false);
  for (const costly of ['+449012345678', '+19005550100', '+18765550100', '+881612345678', '+97912345678'])
    expect(allowed(costly, '+44', '+1', '+8', '+9'), costly).toBe(false);
  expect(allowed('+449012345678', '+449')).toBe(true);
});

const URI = 'sip:+442079460000@203.0.113.1';
const trunk: Trunk = {
  id: 'trunk',
  outbound: [],
  credentials: { username: 'trunk', password: 'secret' },
  registrar: undefined,
  sendsPlus: true,
  prefix: '',
  trusts: (address) => address === '192.0.2.7',
};

function caller(address: string, loopback: boolean, authorization = '') {
  const refused: {
    status: number | undefined;
    headers: Readonly<Record<string, string | readonly string[]>>;
  }[] = [];
  const proof = authorization === '' ? '' : `Authorization: ${authorization}\r\n`;
  const text = `INVITE ${URI} SIP/2.0\r\nVia: SIP/2.0/UDP ${address};branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: x\r\nCSeq: 1 INVITE\r\n${proof}\r\n`;
  const listener = { protocol: 'udp', host: loopback ? '127.0.0.1' : '0.0.0.0', port: 5060, loopback };
  const call = {
    incoming: {
      request: parseMessage(Buffer.from(text)),
      from: { protocol: 'udp', address, port: 5060, listener },
    },
    hangUp: (status?: number, headers = {}) => void refused.push({ status, headers }),
  };
  return { call: call as unknown as IncomingCall, refused };
}

test('from outside only a trunk calls, by its address or its password; wrong passwords come to an end', async () => {
  let left = 3;
  const admission = new CallAdmission({
    trunks: { all: async () => [trunk], find: async () => trunk, foundAt() {} },
    addresses: { ofUser: () => undefined, proof: () => ({ username: '', password: '' }) },
    rateLimiter: {
      async take() {
        left -= 1;
        if (left < 0) throw new ServiceError(429, 'over_request_rate_limit', 'Too many requests.');
      },
      takeHere() {},
    },
  });
  expect(await admission.proofOf(caller('127.0.0.1', true).call)).toEqual({ kind: 'near' });
  // Only the loopback's own listener is trusted, not an address that somebody claims.
  const claimed = caller('127.0.0.1', false);
  expect(await admission.proofOf(claimed.call)).toBeUndefined();
  expect(claimed.refused[0]?.status).toBe(401);
  expect(await admission.proofOf(caller('192.0.2.7', false).call)).toMatchObject({ kind: 'trunk' });
  const challenges = claimed.refused[0]?.headers['www-authenticate'] as readonly string[];
  const answer = (password: string) =>
    answerChallenge(challenges, { method: 'INVITE', uri: URI }, { username: 'trunk', password }) ?? '';
  const proven = caller('203.0.113.9', false, answer('secret'));
  expect(await admission.proofOf(proven.call)).toMatchObject({ kind: 'trunk', trunk: { id: 'trunk' } });
  const statuses: unknown[] = [];
  for (let round = 0; round < 5; round += 1) {
    const guess = caller('203.0.113.9', false, answer(`guess ${round}`));
    await admission.proofOf(guess.call);
    statuses.push(guess.refused[0]?.status);
  }
  expect(statuses).toEqual([401, 401, 401, 403, 403]);
  const number = (body: object) => ({ id: 'n', number: '+1', body: { status: 'active', ...body } });
  const byTrunk = { kind: 'trunk', trunk } as const;
  expect(admission.reaches({ kind: 'near' }, number({ provider: 'vapi' }))).toBe(true);
  expect(admission.reaches(byTrunk, number({ provider: 'vapi' }))).toBe(false);
  expect(admission.reaches(byTrunk, number({ provider: 'byo-phone-number', credentialId: 'trunk' }))).toBe(
    true,
  );
  expect(admission.reaches(byTrunk, number({ provider: 'byo-phone-number', credentialId: 'other' }))).toBe(
    false,
  );
  expect(admission.reaches({ kind: 'number', id: 'other' }, number({ provider: 'twilio' }))).toBe(false);
});
