import type { Attack } from './attack.ts';

const RTP = 'src/voice/media/rtp';

/** Attacks on telephone calls. */
export const ON_TELEPHONES: readonly Attack[] = [
  {
    number: 55,
    attack: 'Sound put into a telephone call from elsewhere, and sound sent elsewhere',
    holds:
      'Who first sends valid packets is heard; another address only with the key, where the signalling named it, or with the next numbers of a source that fell silent. Replayed, changed and malformed packets are counted and dropped; no description leads to a group or from outside to this machine.',
    tests: [
      `${RTP}/source-latch.test.ts | attack 55: a packet from another address is not heard, and nothing is sent there`,
      `${RTP}/srtp-protection.test.ts | attack 55: a packet that was played before, changed, cut or made with another key`,
      `${RTP}/rtp-leg.test.ts | attack 55: what others send to the port of a call is not heard, encrypted or not`,
      `${RTP}/sdp-negotiation.test.ts | attack 55: an offer of %s is refused`,
    ],
  },
];
