import { expect, test } from 'vitest';
import { MessageFraming } from '../../packages/sip/src/message/message-framing.ts';
import { parseMessage } from '../../packages/sip/src/message/message-parse.ts';
import { printMessage } from '../../packages/sip/src/message/sip-message.ts';

const SEEDS = [
  'INVITE sip:+12025550100@127.0.0.1:5060;transport=tcp SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:5062;branch=z9hG4bK1;rport\r\nv: SIP / 2.0 / TCP a.example ; branch = z9hG4bK2\r\nf: "A \\" B" <sip:a@b>;tag=1\r\nTo : sip:c@d ; tag = 2\r\nCall-ID: x@y\r\nCSeq: 1 INVITE\r\nm: <sip:a@b:5062>;q=0.3, "x" <sips:c@[::1]>\r\nSession-Expires: 1800;refresher=uac\r\nAuthorization: Digest username="a", realm="b", nc=00000001, qop=auth\r\nl: 4\r\n\r\nv=0\n',
  'SIP/2.0 200 OK\r\nVia: SIP/2.0/TLS h;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>;tag=2\r\nCall-ID: x\r\nCSeq: 2 BYE\r\nRecord-Route: <sip:p;lr>,<sip:q;lr>\r\nContent-Length: 0\r\n\r\n',
].map((text) => Buffer.from(text));
const PIECES = [
  '\r\n',
  '\r\n ',
  ':',
  ';',
  ',',
  '<',
  '>',
  '"',
  '\\',
  '@',
  '=',
  ' ',
  '\0',
  '%',
  '\u00ff',
  'SIP/2.0',
  '99999999999',
];
const COUNT = 1_000_000;

/** Random numbers that are the same in every run (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

test(`${COUNT} changed messages are read or refused, and read ones can be written and read again`, () => {
  const chance = seeded(20_260);
  const counts = { request: 0, response: 0, failure: 0 };
  for (let round = 0; round < COUNT; round += 1) {
    let bytes = Buffer.from(SEEDS[chance(SEEDS.length)] ?? []);
    for (let change = chance(4); change >= 0; change -= 1) {
      const at = chance(bytes.length);
      const piece = Buffer.from(PIECES[chance(PIECES.length)] ?? '');
      const cut = chance(3) === 0 ? chance(20) : chance(2);
      bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + cut)]);
    }
    const message = parseMessage(bytes);
    counts[message.kind] += 1;
    if (message.kind === 'failure') continue;
    const again = parseMessage(printMessage(message));
    if (again.kind !== message.kind) throw new Error(`read once only: ${JSON.stringify(bytes.toString())}`);
    if (round % 50 === 0) new MessageFraming().push(bytes);
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(1000);
});
