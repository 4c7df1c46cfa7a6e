import type { Attack } from './attack.ts';

const RTP = 'packages/telephone-audio/src';
const TELEPHONY = 'src/voice/telephony';

/** Attacks on telephone calls. */
export const ON_TELEPHONES: readonly Attack[] = [
  {
    number: 55,
    attack: 'Sound put into a telephone call from elsewhere, and sound sent elsewhere',
    holds:
      'The first sender of valid packets is heard; another address only with the key, if the signalling named it, or with the next numbers of a source that fell silent. Replayed, changed and malformed packets are counted and dropped; no description leads to a group or from outside to this machine.',
    tests: [
      `${RTP}/source-latch.test.ts | attack 55: a packet from another address is not heard, and nothing is sent there`,
      `${RTP}/srtp-protection.test.ts | attack 55: a packet that was played before, changed, cut or made with another key`,
      `${RTP}/rtp-leg.test.ts | attack 55: what others send to the port of a call is not heard, encrypted or not`,
      `${RTP}/sdp-negotiation.test.ts | attack 55: an offer of %s is refused`,
    ],
  },
  {
    number: 56,
    attack: 'A digest of SIP that was overheard, guessed or made for another address',
    holds:
      'Nonces are ours, a minute old at most, and each count is good once; ten wrong passwords a minute.',
    tests: [
      `packages/sip/src/digest.test.ts | an overheard answer, an old or foreign nonce and another address prove nothing`,
      `packages/sip/src/digest.test.ts | a wrong password, an unknown name and an answer without qop are refused`,
    ],
  },
  {
    number: 57,
    attack: 'Toll fraud: calls to costly numbers, foreign hosts, through other paths, too many',
    holds:
      'Only allowed prefixes and hosts are called, costly numbers by their whole prefix, and a limited number a day; only trunks call from outside; a REFER leads only to addresses that may be called anyway, never to a number through a trunk, and a place in a call is taken only with its secret tags.',
    tests: [
      `${TELEPHONY}/phone/phone-calls.test.ts | toll fraud: what may not be called is refused by its reason, and nothing is stored`,
      `${TELEPHONY}/phone/toll-fraud.test.ts | `,
      'src/voice/rooms/meeting-telephones.test.ts | attack 57: who is no owner calls nobody, and nobody is called out of a room that does not allow it',
      'src/voice/rooms/meeting-telephones.test.ts | attack 57: a room calls by the rules of every call: foreign hosts, numbers without a way, too many at once',
      'src/voice/rooms/meeting-telephones.test.ts | attack 57: a telephone in a room takes one of the lines of all calls, and gives it back once',
      'src/voice/rooms/meeting-telephones.test.ts | attack 57: telephones are hung up when all who are left wait before the room, answered or not',
      `packages/sip/src/user-agent.test.ts | a call over %s: ring, answer, hold, key, hang-up, each told once`,
      `${TELEPHONY}/phone/call-transfer.test.ts | a caller puts the assistant through to somebody else, who goes on talking with it`,
      `${TELEPHONY}/phone/call-transfer.test.ts | another telephone takes a caller’s place with what only the two know, and nobody without it`,
    ],
  },
  {
    number: 58,
    attack: 'Oversized, tortured and too many messages of SIP; one telephone that takes all lines',
    holds:
      'Refused by their status or dropped; head, lines, headers, connections and transactions have limits. Calls from one number are limited at once and within an hour, counted in all processes by a keyed digest; all withheld numbers are one; a refusal costs a sentence once an hour. No value begins a line of its own, sound that cannot be used ends nothing but itself, and nobody makes a timer run out at once.',
    tests: [
      `packages/sip/src/message/message-parse.test.ts | RFC 4475: `,
      `packages/sip/src/message/message-parse.test.ts | no value begins a line of its own, wherever it comes from`,
      `packages/sip/src/dialog/reliable-progress.test.ts | early sound that cannot be used is not heard, and harms nothing`,
      `packages/sip/src/dialog/session-timer.test.ts | a session of %s with %o is agreed to as %s`,
      'tests/voice/sip-fuzz.soak.test.ts | changed messages are read or refused',
      `${TELEPHONY}/phone/incoming-call-limits.test.ts | attack 58: `,
    ],
  },
  {
    number: 59,
    attack: 'Bookings of others: a guessed link, a stranger in a call, mails and text messages to victims',
    holds:
      'Only the signed link of that booking opens it; in a call its name and number prove whose it is, three tries a call; to one address or number go three confirmations a day, without a word of the caller in them. On the booking page only the link of a mail books; an address gets three mails a day until one is used, holds one time and has five calls to come, and strangers get 200 such mails an hour together.',
    tests: [
      'src/business/bookings/bookings.test.ts | attack 59: a guessed, changed or foreign link opens nothing',
      'src/business/bookings/bookings.test.ts | no more than three bookings of a day are confirmed to one address',
      'src/business/bookings/pages/book-page.test.ts | attack 59: one address gets three mails a day while it proves nothing',
      'src/business/bookings/pages/book-page.test.ts | attack 59: an address has five calls to come at most',
      'src/business/bookings/pages/book-page.test.ts | attack 59: nothing but our own link proves an address',
      'src/voice/dialogue/agency-dialogue.test.ts | a stranger is told nothing of it, and offered a message',
      'src/voice/dialogue/tool-limits.test.ts | names and numbers are tried three times in a call',
    ],
  },
  {
    number: 60,
    attack:
      'Tokens of meetings that are forged, changed, early, late or for another room; one place taken twice',
    holds:
      'Only tokens signed here for that room open it, within their time; the name and the owner are the token’s, not the page’s; if several people ask for the last place at once, one gets it; only the private key issues tokens and puts people out.',
    tests: [
      'src/voice/rooms/meeting-token.test.ts | attack 60: tokens that were not issued here are refused, whatever they say',
      'src/voice/rooms/room-admission.test.ts | a token says who somebody is, whatever the page says',
      'src/voice/rooms/meeting-rooms.test.ts | each refusal at the door has its fatal type',
      'src/voice/rooms/meeting-rooms.test.ts | two who come at once to the last place: one is let in',
      'src/voice/rooms/meeting-rooms.test.ts | rooms and tokens are made with the private key only',
      'src/voice/rooms/meeting-recording.test.ts | attack 60: recordings of meetings are read, fetched and deleted with the private key only',
    ],
  },
  {
    number: 61,
    attack: 'Eavesdropping on a room, acting for others in it, flooding it',
    holds:
      'A person who waits outside a room learns nothing of it; nobody gets what a person may not send; only owners switch tracks off, permit, admit, eject and record; each person leaves by an address of their own; messages have a size, a depth and a pace, each person a bandwidth, rooms a number of people; only owners steer the assistant.',
    tests: [
      'src/voice/rooms/meeting.test.ts | attack 61: who waits before a room hears and sees nothing of it until an owner lets them in',
      'src/voice/rooms/meeting.test.ts | attack 61: who is no owner changes nobody, mutes nobody and puts nobody out',
      'src/voice/rooms/meeting.test.ts | messages reach everybody else or one; too many and too long ones nobody',
      'src/voice/rooms/meeting.test.ts | attack 61: what nests so deep that it cannot be looked through is refused, and the room goes on',
      'src/voice/rooms/meeting.test.ts | attack 61: who takes no long texts has to leave, and keeps nothing from the others',
      'src/voice/rooms/meeting-rooms.test.ts | the assistant of a room comes with the first, hears all and is heard by all, and goes with the last',
      'src/voice/rooms/meeting-rooms.test.ts | who enters is whom the token names, and leaves by an address of their own',
      'src/voice/rooms/meeting-rooms.test.ts | an installation takes no more people than it forwards',
      'src/voice/rooms/meeting.test.ts | an owner has a meeting transcribed: all read who said what, and who comes later knows of it',
      'src/voice/rooms/meeting-transcripts.test.ts | attack 61: so many meetings are transcribed at once, and one that ends makes place',
      'src/voice/rooms/meeting-players.test.ts | attack 61: only owners play, only what may be fetched and is sound, and nobody writes to a player',
      'src/voice/rooms/meeting.test.ts | attack 61: tracks with the names %j are refused, and nobody sees them',
      'src/voice/rooms/connection-tests.test.ts | attack 61: what is sent in a test comes back to who sent it, the picture alone, and to nobody else',
      'src/voice/rooms/connection-tests.test.ts | attack 61: four connections are tested at once; one that ends, or was none, makes place',
      'src/voice/rooms/meeting-recording.test.ts | attack 61: who is no owner begins, changes and ends no recording, and agrees for nobody else',
      'src/voice/rooms/meeting-recording.test.ts | attack 61: a room that does not allow it has no recording, nor one whose assistant may not be recorded',
      'src/voice/rooms/meeting-recording.test.ts | attack 61: who waits before a room is neither asked nor recorded until they are let in',
      'src/voice/rooms/meeting-recording.test.ts | attack 61: two meetings are recorded at once; one that ends makes place, and a full disk refuses all',
      'src/voice/rooms/meeting-recording.test.ts | attack 61: who takes their answer back again and again is not taken into a recording for ever',
      'src/voice/media/room/werift-room.test.ts | what somebody may not send reaches nobody',
      'src/voice/rooms/meeting-telephones.test.ts | a telephone that may not send is heard by nobody, also by no other telephone, and may be heard again',
      'src/voice/media/room/werift-room.test.ts | two people hear and see each other, and each what was routed only',
    ],
  },
];
