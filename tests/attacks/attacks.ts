import type { Attack } from './attack.ts';
import { ON_CALLS } from './attacks-on-calls.ts';
import { ON_MONEY } from './attacks-on-money.ts';

const AUTH = 'src/features/auth';
const STORAGE = 'src/features/storage';
const REALTIME = 'src/features/realtime';
const OWN = 'tests/attacks';

/** Attacks on accounts. */
const ON_ACCOUNTS: readonly Attack[] = [
  {
    number: 1,
    attack: 'Parallel use of one refresh token',
    tests: [
      `${AUTH}/refresh-session.test.ts | twenty refreshes at once with one token all get the same successor`,
      `${AUTH}/refresh-session.test.ts | two processes on one database agree on the successor`,
      'tests/storm/storm.test.ts | attack 1: ',
    ],
  },
  {
    number: 2,
    attack: 'A refresh token that comes back after the window',
    tests: [
      `${AUTH}/refresh-session.test.ts | a replay after the successor was used ends the session for everybody and is written down`,
      `${AUTH}/refresh-session.test.ts | a token two steps behind is a replay after the window`,
    ],
  },
  {
    number: 3,
    attack: 'Two exchanges of one PKCE code at once',
    tests: [`${OWN}/auth-attacks.test.ts | attack 3: `],
  },
  {
    number: 4,
    attack: 'Forged access tokens',
    tests: [
      `${AUTH}/access-token.test.ts | %s is refused everywhere, never with a fault of ours`,
      'src/resources/crypto/tokens.test.ts | attack 4: ',
    ],
  },
  {
    number: 5,
    attack: 'An ID token of another issuer or audience, or a used nonce',
    tests: [
      `${AUTH}/providers/grant-id-token.test.ts | attack: a token of another issuer, audience, key, algorithm or time, or with a wrong nonce, is refused`,
      `${AUTH}/providers/sign-in-by-provider.test.ts | attack: a code of the provider that was used`,
    ],
  },
  {
    number: 6,
    attack: 'An account prepared for somebody else',
    tests: [
      `${AUTH}/providers/sign-in-by-provider.test.ts | attack: an account prepared for somebody else loses every way in when its owner arrives`,
      `${AUTH}/send-one-time-login.test.ts | a code for an account that somebody else prepared drops their password`,
      `${AUTH}/confirm-by-mail.test.ts | a recovery link confirms the address but drops a password that somebody else may have chosen`,
    ],
  },
  {
    number: 7,
    attack: "A provider's unverified address that equals an account's",
    tests: [
      `${AUTH}/providers/sign-in-by-provider.test.ts | attack: an unverified address of a provider never opens the account that has it`,
    ],
  },
  {
    number: 8,
    attack: 'Telling who has an account',
    tests: [
      `${OWN}/tell-accounts-apart.test.ts | attack 8: `,
      `${AUTH}/confirm-by-mail.test.ts | a taken address gets the answer of a new one, key by key, and its owner a notice`,
      `${AUTH}/limit-requests.test.ts | the words that name a taken address come five times an hour`,
    ],
  },
  {
    number: 9,
    attack: 'Mail scanners that open links',
    tests: [
      `${AUTH}/recover-password.test.ts | looking at a link ten times uses nothing up; pressing uses it up once`,
    ],
  },
  {
    number: 10,
    attack: 'Forged Host and X-Forwarded headers',
    tests: [
      `${AUTH}/recover-password.test.ts | links use the configured address whatever the request says of itself`,
    ],
  },
  {
    number: 11,
    attack: 'redirect_to that leads elsewhere',
    tests: [
      `${AUTH}/recover-password.test.ts | redirect_to on the list is kept`,
      `${AUTH}/providers/sign-in-by-provider.test.ts | attack: redirect_to=%s leads to the site instead`,
    ],
  },
  {
    number: 12,
    attack: 'Codes of an authenticator: again, in parallel, guessed',
    tests: [
      `${AUTH}/verify-factor.test.ts | a code counts once, also in parallel, and none of an earlier step after it`,
      `${AUTH}/verify-factor.test.ts | after five wrong codes the factor rests, also for the right one`,
      `${AUTH}/verify-factor.test.ts | an aal1 refresh token is no way to aal2`,
    ],
  },
  {
    number: 13,
    attack: 'Recovery around a second factor',
    tests: [
      `${OWN}/auth-attacks.test.ts | attack 13: `,
      `${AUTH}/verify-factor.test.ts | password, address and factors of an account with a factor need it`,
    ],
  },
  {
    number: 14,
    attack: 'Change of the mail address',
    tests: [
      `${AUTH}/update-user.test.ts | a new address counts when both sides have confirmed it, and the old one is told`,
    ],
  },
  {
    number: 15,
    attack: 'Tokens of a disabled or deleted user',
    tests: [
      `${AUTH}/session-gate.test.ts | %s in any process makes the access token refused, and listeners hear of it`,
      `${REALTIME}/serve-socket.test.ts | the end of a session closes its channels`,
      'tests/storm/storm.test.ts | attack 1: ',
    ],
  },
  {
    number: 16,
    attack: 'Fields that a user may not set',
    tests: [
      `${AUTH}/update-user.test.ts | role, app_metadata, confirmation and id in the body mean nothing`,
      `${AUTH}/sign-up.test.ts | a body that names a role, an id or a confirmation changes nothing of them`,
    ],
  },
  {
    number: 17,
    attack: 'Administration without the service key',
    tests: [
      `${OWN}/auth-attacks.test.ts | attack 17: `,
      `${AUTH}/manage-users.test.ts | nobody but the service key gets in`,
    ],
  },
  {
    number: 18,
    attack: 'Credential stuffing',
    tests: [
      `${AUTH}/limit-requests.test.ts | passwords of one account are guessed thirty times at most, from however many addresses`,
      `${OWN}/stuff-credentials.test.ts | attack 18: `,
      `${AUTH}/wrong-guesses.test.ts | attack 18: `,
    ],
  },
  {
    number: 19,
    attack: "Another user's id in the body",
    tests: [`${OWN}/auth-attacks.test.ts | attack 19: `],
  },
  {
    number: 20,
    attack: 'Headers that look like our own',
    tests: [
      `${OWN}/auth-attacks.test.ts | attack 20: `,
      `${AUTH}/limit-requests.test.ts | an address that no trusted proxy vouches for is not believed`,
    ],
  },
];

/** Attacks on data and files. */
const ON_DATA: readonly Attack[] = [
  {
    number: 21,
    attack: "Other users' rows and files",
    tests: [
      'tests/roles-and-routes.test.ts | one customer sees, changes and deletes nothing of another',
      `${STORAGE}/mount-storage.test.ts | nobody stores in, sees, signs, lists or removes in another folder`,
      `${STORAGE}/mount-storage.test.ts | gives the level below a prefix: folders first, sorted, paged, searched literally`,
      `${OWN}/request-attacks.test.ts | attack 21: `,
    ],
  },
  {
    number: 22,
    attack: 'The public key over every route and table',
    tests: [
      'tests/roles-and-routes.test.ts | every route lets exactly those pass whom the table names',
      'tests/roles-and-routes.test.ts | every table of the API is in the table, guarded by row rights',
    ],
  },
  {
    number: 23,
    attack: 'Names of files',
    tests: [
      `${STORAGE}/object-name.test.ts | whatever the name: it is taken, comes back as it was, and stays one segment`,
      `${STORAGE}/mount-storage.test.ts | one name in two Unicode forms is one object`,
    ],
  },
  {
    number: 24,
    attack: 'Files that are two things at once',
    tests: [
      `${STORAGE}/serve-object.test.ts | is inert: attachment, nosniff, sandbox, own origin only, private`,
      `${STORAGE}/upload-object.test.ts | bytes, name and declared type must agree`,
    ],
  },
  {
    number: 25,
    attack: 'Hostile documents',
    tests: ['src/features/analysis/read-documents.test.ts | hostile files end in a defined state'],
  },
  {
    number: 26,
    attack: 'Uploads that lie about their size or never end',
    tests: [
      `${STORAGE}/upload-object.test.ts | 101 MB without a length is stopped in the stream, with a length before it`,
      `${STORAGE}/resume-upload.test.ts | refuses offsets and lengths that lie, and stays as it was`,
      `${STORAGE}/resume-upload.test.ts | has one writer: of two at one offset one is refused`,
      `${STORAGE}/resume-upload.test.ts | ends when its day is over, and credit and quota are free`,
    ],
  },
  {
    number: 27,
    attack: 'Overwriting',
    tests: [
      `${STORAGE}/mount-storage.test.ts | upsert, update, move and copy never overwrite or rename in user-uploads`,
      `${STORAGE}/sign-upload.test.ts | store once, also after the object was removed`,
    ],
  },
  {
    number: 28,
    attack: 'Signed addresses that were changed or outlived',
    tests: [
      `${STORAGE}/serve-object.test.ts | another path, another token, no token and time that has passed are refused`,
      `${STORAGE}/serve-object.test.ts | die with the object, also when a new one takes its path`,
    ],
  },
  {
    number: 29,
    attack: 'JSON that pretends to be a parsed form',
    tests: [`${OWN}/request-attacks.test.ts | attack 29: `],
  },
  {
    number: 30,
    attack: 'Ranges, slow senders, idle sockets',
    tests: [
      `${OWN}/request-attacks.test.ts | attack 30: `,
      'src/http/watch-bodies.test.ts | attack 30: ',
      `${REALTIME}/count-addresses.test.ts | one address has only so many sockets, another one and a closed one make room`,
    ],
  },
];

/** Attacks on realtime and on the parsers. */
const ON_SERVICES: readonly Attack[] = [
  {
    number: 45,
    attack: "Other users' channels, floods, tokens that end",
    tests: [
      `${REALTIME}/realtime-hub.test.ts | private channels open only by policy and do not meet public ones`,
      `${REALTIME}/serve-socket.test.ts | too many channels are refused, a flood and a huge frame close the socket`,
      `${REALTIME}/serve-socket.test.ts | a token that runs out closes the channel with the reason, a bad one at once`,
      `${REALTIME}/follow-changes.test.ts | nobody sees the changes of another, deletions neither`,
    ],
  },
  {
    number: 46,
    attack: 'A client that does not read',
    tests: [
      `${REALTIME}/serve-socket.test.ts | a client that does not read gets a resync instead of an endless queue`,
    ],
  },
  { number: 47, attack: 'Polluted prototypes', tests: [`${OWN}/request-attacks.test.ts | attack 47: `] },
  {
    number: 48,
    attack: 'Nested, repeated and endless input',
    tests: [
      `${OWN}/request-attacks.test.ts | attack 48: `,
      'src/features/rest/compile-statement.test.ts | no query string makes a second statement',
      `${REALTIME}/frames.test.ts | no text frame makes the reader throw`,
    ],
  },
];

/** Attacks 1 to 35 and 40 to 48. */
export const ATTACKS: readonly Attack[] = [
  ...ON_ACCOUNTS,
  ...ON_DATA,
  ...ON_MONEY,
  ...ON_CALLS,
  ...ON_SERVICES,
];
