import type { Attack } from './attack.ts';

const CALLS = 'src/voice/calls';

/** Attacks on the assistant that answers calls. */
export const ON_CALLS: readonly Attack[] = [
  {
    number: 40,
    attack: 'A caller who gives the assistant instructions',
    holds:
      'Tools take ids from an allow-list and numbers from the settings; premium and satellite prefixes are denied; each call and each day has a limit of money.',
    tests: [
      'tests/security/voice-attacks.test.ts | gets nobody else on the line, nothing of others, and no call back to an expensive number',
      'tests/security/voice-attacks.test.ts | gets no more from a language model that obeys',
    ],
  },
  {
    number: 41,
    attack:
      'The browser key elsewhere, the assistant on a page of somebody else, with another assistant, too often, for too long',
    holds: 'Refused; calls at once, minutes and tokens are limited.',
    tests: [
      'src/voice/api/voice-routes.test.ts | the public key starts calls of the own pages with the own assistant, and does nothing else',
      'src/voice/api/website.test.ts | attack 41: a page of a site that is not named is refused, and reads why',
      'src/voice/api/website.test.ts | attack 41: the limits of the public key hold on every site',
      'src/voice/api/website.test.ts | attack 41: a written call cannot be joined with sound',
      `${CALLS}/call-manager.test.ts | attack 41: one call too many is refused politely`,
      `${CALLS}/call-manager.test.ts | attack 41: minutes and dollars of a day are capped`,
      `${CALLS}/record/daily-caps.test.ts | attack 41: a test that costs money counts towards the day, also when it is deleted`,
      `${CALLS}/call-manager.test.ts | attack 41: a call of a visitor lasts a quarter of an hour at most`,
    ],
  },
  {
    number: 42,
    attack: 'Control messages that are too long, of a wrong type, too many, or for another call',
    holds: 'More than 4096 characters, a wrong type or another call: refused.',
    tests: [
      `${CALLS}/call-attacks.test.ts | attack 42: messages that are too long, of a wrong type or not allowed are refused`,
      `${CALLS}/call-attacks.test.ts | attack 42: a flood of messages is cut to thirty a second`,
      `${CALLS}/call-manager.test.ts | a room opens with its own token only, once, and not after the call`,
    ],
  },
  {
    number: 43,
    attack: 'Malformed signalling, packets and candidates',
    holds: 'The process lives, and the jitter of other calls does not change.',
    tests: [
      `${CALLS}/call-attacks.test.ts | attack 43: malformed packets`,
      `${CALLS}/call-attacks.test.ts | attack 43: garbage on the port of a call`,
      `${CALLS}/call-attacks.test.ts | attack 43: malformed offers`,
      'tests/process/calls-stay-here.soak.test.ts | attack 43: ',
    ],
  },
  {
    number: 44,
    attack: 'Recording without consent, consent withdrawn',
    holds:
      'No byte is written before a yes to a question that was heard to its end; an earlier part is deleted when the consent is taken back, and the evidence says so; in a meeting each agrees for themselves only, also who comes later.',
    tests: [
      'tests/security/voice-attacks.test.ts | attack 44: a visitor cannot switch recording on, with the camera or without',
      'src/voice/recording/call-recording.test.ts | attack 44: ',
      'src/voice/recording/video-recording.test.ts | attack 44: ',
      'src/voice/dialogue/recording-consent.test.ts | attack 44: ',
      'src/voice/rooms/meeting-recording.test.ts | attack 44: who takes the yes back is deleted from the recording while it is made, and the others stay',
      'src/voice/rooms/meeting-recording.test.ts | attack 44: where everybody takes the yes back nothing is kept, and where nobody agreed nothing ever was',
      'src/voice/rooms/meeting-recording.test.ts | who agrees is recorded, each for themselves; who says nothing or no is not; all are told',
      'src/voice/console/meeting-recordings.test.ts | attack 44: who is no operator sees, plays and deletes no recorded meeting',
      'tests/security/voice-attacks.test.ts | attack 44: withdrawing consent during a call',
    ],
  },
];
