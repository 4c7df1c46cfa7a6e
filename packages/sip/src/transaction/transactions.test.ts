import { expect, test } from 'vitest';
import { handClock } from '../hand-clock.fixture.ts';
import { parseMessage } from '../message/message-parse.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import { ClientTransaction } from './client-transaction.ts';
import { ServerTransaction } from './server-transaction.ts';

const COMMON =
  'Via: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: x\r\n';
const response = (status: number, method = 'INVITE'): SipResponse =>
  parseMessage(Buffer.from(`SIP/2.0 ${status} Word\r\n${COMMON}CSeq: 1 ${method}\r\n\r\n`)) as SipResponse;
const request = (method: string): SipRequest =>
  parseMessage(Buffer.from(`${method} sip:c@d SIP/2.0\r\n${COMMON}CSeq: 1 ${method}\r\n\r\n`)) as SipRequest;

function client(invite: boolean, reliable = false) {
  const time = handClock();
  const seen: string[] = [];
  const sent: number[] = [];
  const transaction = new ClientTransaction({
    clock: time.clock,
    invite,
    reliable,
    send: () => void sent.push(time.clock.now()),
    acknowledge: ({ status }) => void seen.push(`ACK ${status}`),
    answered: ({ status }) => void seen.push(String(status)),
    failed: () => void seen.push('failed'),
    gone: () => void seen.push('gone'),
  });
  return { ...time, transaction, seen, sent };
}

test('an INVITE is repeated at 0.5, 1, 2 … s until something comes, and given up after 32 s', () => {
  const { advance, sent, seen, timers } = client(true);
  advance(40_000);
  expect(sent).toEqual([0, 500, 1500, 3500, 7500, 15_500, 31_500]);
  expect(seen).toEqual(['gone', 'failed']);
  expect(timers.size).toBe(0);
});

test('another request is repeated at most every 4 s, and over TCP not at all', () => {
  const { advance, sent } = client(false);
  advance(40_000);
  expect(sent).toEqual([0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
  const overTcp = client(false, true);
  overTcp.advance(40_000);
  expect([overTcp.sent, overTcp.seen]).toEqual([[0], ['gone', 'failed']]);
});

test('a provisional answer ends the repetition of an INVITE, and it may ring for long', () => {
  const { advance, sent, seen, transaction } = client(true);
  transaction.receive(response(180));
  advance(120_000);
  transaction.receive(response(200));
  transaction.receive(response(200));
  advance(64_000);
  expect([sent, seen]).toEqual([[0], ['180', '200', '200', 'gone']]);
});

test('a refusal of an INVITE is told once and acknowledged each time that it comes', () => {
  const { advance, seen, transaction } = client(true);
  transaction.receive(response(486));
  transaction.receive(response(486));
  advance(40_000);
  transaction.receive(response(486));
  expect(seen).toEqual(['ACK 486', '486', 'ACK 486', 'gone']);
});

function server(method: string, reliable = false) {
  const time = handClock();
  const sent: [number, number][] = [];
  const transaction = new ServerTransaction({
    clock: time.clock,
    reliable,
    request: request(method),
    send: ({ status }) => void sent.push([time.clock.now(), status]),
    gone: () => void sent.push([time.clock.now(), 0]),
  });
  return { ...time, transaction, sent };
}

test('a refused INVITE is repeated until its ACK, a repeated request gets the same answer', () => {
  const { transaction, advance, sent } = server('INVITE');
  transaction.respond(response(180));
  transaction.receive(request('INVITE'));
  transaction.respond(response(486));
  advance(1600);
  transaction.receive(request('INVITE'));
  transaction.receive(request('ACK'));
  advance(10_000);
  expect(sent).toEqual([
    [0, 180],
    [0, 180],
    [0, 486],
    [500, 486],
    [1500, 486],
    [1600, 486],
    [6600, 0],
  ]);
  const bye = server('BYE');
  bye.transaction.respond(response(200, 'BYE'));
  bye.transaction.respond(response(500, 'BYE'));
  bye.transaction.receive(request('BYE'));
  bye.advance(40_000);
  expect(bye.sent).toEqual([
    [0, 200],
    [0, 200],
    [32_000, 0],
  ]);
});
