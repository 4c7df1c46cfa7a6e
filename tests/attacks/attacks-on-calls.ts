import type { Attack } from './attack.ts';

const CALLS = 'src/features/voice/conversation';

/** Attacks on the assistant that takes calls. */
export const ON_CALLS: readonly Attack[] = [
  {
    number: 40,
    attack: 'A caller who gives the assistant instructions',
    tests: [
      'tests/attacks/voice-attacks.test.ts | gets nobody else on the line, nothing of others, and no call back to a costly number',
      'tests/attacks/voice-attacks.test.ts | finds no more in a language model that does what it is told',
    ],
  },
  {
    number: 41,
    attack: 'The browser key elsewhere, with another assistant, too often, for too long',
    tests: [
      'src/features/voice/mount-voice.test.ts | the public key starts calls of the own pages with the own assistant, and does nothing else',
      `${CALLS}/take-calls.test.ts | attack 41: one call too many is refused politely`,
      `${CALLS}/take-calls.test.ts | attack 41: minutes and dollars of a day are capped`,
      `${CALLS}/take-calls.test.ts | attack 41: a call of a visitor lasts a quarter of an hour at most`,
    ],
  },
  {
    number: 42,
    attack: 'Control messages that are too long, of a wrong type, too many, or for another call',
    tests: [
      `${CALLS}/attacks-on-calls.test.ts | attack 42: messages that are too long, of a wrong type or not allowed are refused`,
      `${CALLS}/attacks-on-calls.test.ts | attack 42: a flood of messages is cut to thirty a second`,
      `${CALLS}/take-calls.test.ts | a room opens with its own token only, once, and not after the call`,
    ],
  },
  {
    number: 43,
    attack: 'Malformed signalling, packets and candidates',
    tests: [
      `${CALLS}/attacks-on-calls.test.ts | attack 43: malformed packets`,
      `${CALLS}/attacks-on-calls.test.ts | attack 43: garbage on the port of a call`,
      `${CALLS}/attacks-on-calls.test.ts | attack 43: malformed offers`,
      'tests/process/calls-stay-here.test.ts | attack 43: ',
    ],
  },
  {
    number: 44,
    attack: 'Recording without consent, consent withdrawn',
    tests: [
      'tests/attacks/voice-attacks.test.ts | attack 44: recording is refused before anything of the call is stored',
      'tests/attacks/voice-attacks.test.ts | attack 44: who withdraws the consent in mid-call',
    ],
  },
];
