import type { Attack } from './attack.ts';
import { ON_CALLS } from './call-attacks.ts';
import { ON_MONEY } from './money-attack-list.ts';
import { ON_OPERATION } from './operation-attack-list.ts';
import { ON_CONTENT } from './outbound-attack-list.ts';
import { ON_TELEPHONES } from './telephone-attacks.ts';

const AUTH = 'src/platform/auth';
const STORAGE = 'src/platform/storage';
const REALTIME = 'src/platform/realtime';
const OWN = 'tests/security';

/** Attacks on accounts. */
const ON_ACCOUNTS: readonly Attack[] = [
  {
    number: 1,
    attack: 'Parallel use of one refresh token',
    holds: 'One rotation: all of twenty tabs get the same successor within 10 s, and nobody is signed out.',
    tests: [
      `${AUTH}/sessions/session-refresh.test.ts | twenty refreshes at once with one token all get the same successor`,
      `${AUTH}/sessions/session-refresh.test.ts | two processes on one database agree on the successor`,
      'tests/storm/run.ts | Many tabs with one stored session refresh it at the same moment',
    ],
  },
  {
    number: 2,
    attack: 'A refresh token that comes back after the window',
    holds: 'The family of the token is revoked and its other holders are signed out; the event is logged.',
    tests: [
      `${AUTH}/sessions/session-refresh.test.ts | a replay after the successor was used ends the session for everybody and is logged`,
      `${AUTH}/sessions/session-refresh.test.ts | a token two steps behind is a replay after the window`,
    ],
  },
  {
    number: 3,
    attack: 'Two exchanges of one PKCE code at once',
    holds: 'Exactly one session; the second exchange revokes it.',
    tests: [`${OWN}/auth-attacks.test.ts | attack 3: `],
  },
  {
    number: 4,
    attack: 'Forged access tokens',
    holds:
      '`none`, HS256 with the public key, an unknown or path-like `kid`, `jku`, a wrong `typ` or `aud`, expired by 1 s, a header of 100 KB: 401 after equal work and without a request to elsewhere.',
    tests: [
      `${AUTH}/sessions/access-token.test.ts | %s is refused everywhere, and never causes an internal error`,
      'src/kernel/resources/crypto/tokens.test.ts | attack 4: ',
    ],
  },
  {
    number: 5,
    attack: 'An ID token of another issuer or audience, or a used nonce',
    holds: 'Another issuer, the right issuer with a wrong `aud`, or a used nonce is refused.',
    tests: [
      `${AUTH}/providers/id-token-grant.test.ts | attack: a token of another issuer, audience, key, algorithm or time, or with a wrong nonce, is refused`,
      `${AUTH}/providers/provider-sign-in.test.ts | attack: a used code of the provider`,
    ],
  },
  {
    number: 6,
    attack: 'An account prepared for somebody else',
    holds:
      'Password, sessions and identities of the unverified account are dropped before its owner is joined; there are never two owners.',
    tests: [
      `${AUTH}/providers/provider-sign-in.test.ts | attack: an account prepared for somebody else loses every way to sign in when its owner arrives`,
      `${AUTH}/mails/one-time-login.test.ts | a code for an account that somebody else prepared removes their password`,
      `${AUTH}/users/email-confirmation.test.ts | a recovery link confirms the address but removes a password that somebody else may have chosen`,
    ],
  },
  {
    number: 7,
    attack: "A provider's unverified address that equals an account's",
    holds: 'Nothing is joined.',
    tests: [
      `${AUTH}/providers/provider-sign-in.test.ts | attack: an unverified address of a provider never opens the account that has it`,
    ],
  },
  {
    number: 8,
    attack: 'Telling who has an account',
    holds:
      "Where mails confirm: the same status, body and time (medians less than 5 % apart over 500 samples each). Where accounts confirm themselves the specified 'already registered' is allowed, five times an hour from one address.",
    tests: [
      `${OWN}/account-enumeration.soak.test.ts | attack 8: `,
      `${AUTH}/users/email-confirmation.test.ts | a taken address gets the reply of a new one, key by key, and its owner a notice`,
      `${AUTH}/request-limits.test.ts | the message that an address is taken comes five times an hour`,
    ],
  },
  {
    number: 9,
    attack: 'Mail scanners that open links',
    holds: 'GET and HEAD use nothing up however often they come; POST does, once.',
    tests: [
      `${AUTH}/passwords/password-reset.test.ts | opening a link ten times uses nothing up; pressing the button uses it up once`,
    ],
  },
  {
    number: 10,
    attack: 'Forged Host and X-Forwarded headers',
    holds: 'Links use the configured origin only.',
    tests: [
      `${AUTH}/passwords/password-reset.test.ts | links use the configured address, whatever the request’s headers say`,
    ],
  },
  {
    number: 11,
    attack: 'redirect_to that leads elsewhere',
    holds:
      "`//evil`, `https://good@evil`, `good.evil.com`, `javascript:`, punycode, IP addresses, tabs and line breaks lead to the site's own address instead.",
    tests: [
      `${AUTH}/passwords/password-reset.test.ts | a redirect_to on the list is used`,
      `${AUTH}/providers/provider-sign-in.test.ts | attack: redirect_to=%s leads to the site instead`,
    ],
  },
  {
    number: 12,
    attack: 'Codes of an authenticator: again, in parallel, guessed',
    holds:
      'A code counts once, also in parallel, and none of an earlier step after it; five tries, then a growing pause; an aal1 token never reaches aal2.',
    tests: [
      `${AUTH}/factors/factor-verification.test.ts | a code works once, also in parallel, and no code of an earlier step after it`,
      `${AUTH}/factors/factor-verification.test.ts | after five wrong codes the factor is locked, also for the right one`,
      `${AUTH}/factors/factor-verification.test.ts | an aal1 refresh token does not lead to aal2`,
    ],
  },
  {
    number: 13,
    attack: 'Recovery around a second factor',
    holds: 'The session is aal1; changes of address, password and factors still need the factor.',
    tests: [
      `${OWN}/auth-attacks.test.ts | attack 13: `,
      `${AUTH}/factors/factor-verification.test.ts | password, address and factors of an account with a factor need it`,
    ],
  },
  {
    number: 14,
    attack: 'Change of the mail address',
    holds: 'Both addresses confirm, the old one is informed, and tokens sent to it die.',
    tests: [
      `${AUTH}/users/user-update.test.ts | a new address takes effect when both sides have confirmed it, and the old one is informed`,
    ],
  },
  {
    number: 15,
    attack: 'Tokens of a disabled or deleted user',
    holds: 'The old access token is refused within 5 s; sockets and live calls close.',
    tests: [
      `${AUTH}/sessions/session-gate.test.ts | %s in any process makes the access token invalid, and listeners are notified`,
      `${REALTIME}/socket-frames.test.ts | the end of a session closes its channels`,
      'tests/storm/run.ts | Many tabs with one stored session refresh it at the same moment',
    ],
  },
  {
    number: 16,
    attack: 'Fields that a user may not set',
    holds: '`role`, `app_metadata`, `email_confirmed_at` and `id` in the body are ignored.',
    tests: [
      `${AUTH}/users/user-update.test.ts | role, app_metadata, confirmation and id in the body are ignored`,
      `${AUTH}/users/sign-up.test.ts | a body that names a role, an id or a confirmation changes none of them`,
    ],
  },
  {
    number: 17,
    attack: 'Administration without the service key',
    holds: "The anonymous key, a user's token or an expired token get 401 or 403, never 500.",
    tests: [
      `${OWN}/auth-attacks.test.ts | attack 17: `,
      `${AUTH}/admin/user-management.test.ts | nobody but the service key gets in`,
    ],
  },
  {
    number: 18,
    attack: 'Credential stuffing',
    holds:
      '10,000 pairs from 1,000 addresses meet limits by account and for all; the owner is not locked out, as passkey and mailed code stay open; the hash queue is bounded, and others sign in less than twice as slowly.',
    tests: [
      `${AUTH}/request-limits.test.ts | passwords of one account are guessed thirty times at most, from however many addresses`,
      `${OWN}/credential-stuffing.test.ts | attack 18: `,
      `${AUTH}/passwords/sign-in-priority.test.ts | attack 18: `,
      `${AUTH}/request-limits.test.ts | of links about a deletion: thirty, then 429 and everybody else is served`,
    ],
  },
  {
    number: 19,
    attack: "Another user's id in the body",
    holds: "The server takes the identity from the session and ignores the body's.",
    tests: [`${OWN}/auth-attacks.test.ts | attack 19: `],
  },
  {
    number: 20,
    attack: 'Headers that look like our own',
    holds:
      '`x-middleware-subrequest`, `x-user-id`, and `x-real-ip` of a peer that is not trusted mean nothing.',
    tests: [
      `${OWN}/auth-attacks.test.ts | attack 20: `,
      `${AUTH}/request-limits.test.ts | an address for which no trusted proxy vouches is not believed`,
    ],
  },
];

/** Attacks on data and files. */
const ON_DATA: readonly Attack[] = [
  {
    number: 21,
    attack: "Other users' rows and files",
    holds: 'By id, path, swapped signature, list prefix, `%` in a search, sort or filter: 404 or nothing.',
    tests: [
      'tests/security/roles-and-routes.test.ts | one customer sees, changes and deletes nothing of another',
      `${STORAGE}/storage-routes.test.ts | nobody stores in, sees, signs, lists or removes in another folder`,
      `${STORAGE}/storage-routes.test.ts | returns the level below a prefix: folders first, sorted, paged, searched literally`,
      `${OWN}/request-attacks.test.ts | attack 21: `,
      "src/business/messages/messages.test.ts | attacks: another's thread and files, forged messages, the console and too much are refused",
      'src/business/avatars/avatars.test.ts | a picture is seen by the person, their team and operators, as long as they are that, and by nobody else',
      'src/business/avatars/avatars.test.ts | attacks: nobody stores, replaces, moves, copies or removes in another person’s place, or elsewhere in the bucket',
    ],
  },
  {
    number: 22,
    attack: 'The public key over every route and table',
    holds: 'Only the routes and tables of the public list answer.',
    tests: [
      'tests/security/roles-and-routes.test.ts | every route accepts exactly the callers that the table names: %s',
      'tests/security/roles-and-routes.test.ts | every table of the API is in the table, protected by row rights',
    ],
  },
  {
    number: 23,
    attack: 'Names of files',
    holds:
      '`../`, `..%2f`, `%00`, `C:\\`, 4 KB, right-to-left override, trailing dot, clashes of case and of Unicode form: the server makes the key, the original is a label.',
    tests: [
      `${STORAGE}/objects/object-name.test.ts | any name is accepted, comes back unchanged, and stays one segment`,
      `${STORAGE}/storage-routes.test.ts | one name in two Unicode forms is one object`,
    ],
  },
  {
    number: 24,
    attack: 'Files that are two things at once',
    holds:
      'HTML, SVG or script as `.pdf`, a wrong type, octet-stream: the bytes are compared, stored inert, and served as an attachment with nosniff and a sandbox policy.',
    tests: [
      `${STORAGE}/objects/object-download.test.ts | is inert: attachment, nosniff, sandbox, own origin only, private`,
      `${STORAGE}/uploads/object-upload.test.ts | bytes, name and declared type must agree`,
      'src/business/avatars/avatars.test.ts | attacks: SVG, HTML, other types, too many bytes, gigapixels and animations are refused as pictures',
    ],
  },
  {
    number: 25,
    attack: 'Hostile documents',
    holds:
      'Zip bombs, 100,000 entries, external entities, macros, PDFs of a million objects or endless depth: the reader ends at its limits, the job fails with a clear reason, and no credit is lost.',
    tests: [
      'packages/document-reader/src/reader/hostile-documents.test.ts | hostile files lead to a defined result',
    ],
  },
  {
    number: 26,
    attack: 'Uploads that lie about their size or never end',
    holds:
      'A false or missing length, lying offsets, two writers, 10,000 abandoned uploads: stopped in the stream at the limit, one writer wins, the quota counts reservations, and what is abandoned expires.',
    tests: [
      `${STORAGE}/uploads/object-upload.test.ts | 101 MB without a length are stopped in the stream, with a length before it`,
      `${STORAGE}/uploads/resumable-routes.test.ts | refuses wrong offsets and lengths, and stays unchanged`,
      `${STORAGE}/uploads/resumable-routes.test.ts | has one writer: of two at one offset one is refused`,
      `${STORAGE}/uploads/resumable-routes.test.ts | ends when its day is over, and credit and quota are released`,
    ],
  },
  {
    number: 27,
    attack: 'Overwriting',
    holds: 'Upsert, rename, copy and a reused upload address are refused.',
    tests: [
      `${STORAGE}/storage-routes.test.ts | upsert, update, move and copy never overwrite or rename in user-uploads`,
      `${STORAGE}/uploads/upload-signing.test.ts | store once, also after the object was removed`,
    ],
  },
  {
    number: 28,
    attack: 'Signed addresses that were changed or outlived',
    holds:
      'A changed path, expiry or parameter, use after deletion or after 3600 s: 400 or 404; keys can be rotated.',
    tests: [
      `${STORAGE}/objects/object-download.test.ts | another path, another token, a missing token and an expired one are refused`,
      `${STORAGE}/objects/object-download.test.ts | end with the object, also when a new one takes its path`,
    ],
  },
  {
    number: 29,
    attack: 'JSON that pretends to be a parsed form',
    holds: 'Refused by its content type.',
    tests: [`${OWN}/request-attacks.test.ts | attack 29: `],
  },
  {
    number: 30,
    attack: 'Ranges, slow senders, idle sockets',
    holds:
      'A thousand overlapping ranges, slow readers and senders and 10,000 idle sockets are capped, and others are not affected.',
    tests: [
      `${OWN}/request-attacks.test.ts | attack 30: `,
      'src/kernel/http/slow-bodies.test.ts | attack 30: ',
      `${REALTIME}/address-limit.test.ts | one address has a limited number of sockets; another address and a closed socket free places`,
    ],
  },
];

/** Attacks on realtime and on the parsers. */
const ON_SERVICES: readonly Attack[] = [
  {
    number: 45,
    attack: "Other users' channels, floods, tokens that end",
    holds: 'Refused or closed with a reason; no row leaks after a right was lost.',
    tests: [
      `${REALTIME}/pub-sub.test.ts | private channels open only by policy and are separate from public ones`,
      `${REALTIME}/socket-frames.test.ts | too many channels are refused, a flood and a huge frame close the socket`,
      `${REALTIME}/socket-frames.test.ts | an expired token closes the channel with the reason, a bad one at once`,
      `${REALTIME}/change-feed.test.ts | nobody sees another user’s changes, including deletions`,
    ],
  },
  {
    number: 46,
    attack: 'A client that does not read',
    holds: 'A bounded buffer, then `resync`; memory does not grow.',
    tests: [
      `${REALTIME}/socket-frames.test.ts | a client that does not read gets a resync instead of an endless queue`,
    ],
  },
  {
    number: 47,
    attack: 'Polluted prototypes',
    holds: '`__proto__` and `constructor.prototype` in JSON, query, form and metadata mean nothing.',
    tests: [`${OWN}/request-attacks.test.ts | attack 47: `],
  },
  {
    number: 48,
    attack: 'Nested, repeated and endless input',
    holds: '1 MB of nested JSON or brackets and slow patterns: 4xx within 50 ms.',
    tests: [
      `${OWN}/request-attacks.test.ts | attack 48: `,
      'packages/postgrest/src/compiler/statement-compiler.test.ts | no query string makes a second statement',
      `${REALTIME}/frames.test.ts | no text frame makes the reader throw`,
    ],
  },
];

const ON_TEAMS: readonly Attack[] = [
  {
    number: 62,
    attack:
      'A team as the way to others: to files beyond those that are shown, after being removed, by a guessed, used or passed on invitation, by two things at once',
    holds:
      'Members read what is shown and nothing else; a removed member loses rows, bytes, signed addresses, changes and credits at once, also what is under way; an invitation is for one address, once; a team has an owner or ends.',
    tests: [
      'src/business/teams/team-attacks.test.ts | attack 62: ',
      'src/business/teams/team-changes.test.ts | attack 62: ',
      'src/business/teams/teams.test.ts | an invitation that was used, withdrawn, replaced or is old opens nothing',
      'src/business/teams/teams.test.ts | attacks: other roles and strangers change nothing',
    ],
  },
];

const ON_CONNECTIONS: readonly Attack[] = [
  {
    number: 63,
    attack:
      'Odd targets, offers of other protocols and reset connections at every address that takes a WebSocket',
    holds:
      'A target that is no address is refused, an offer of HTTP/2 is ignored, and a reset connection is closed: the process goes on. A fault that slips through ends in a restart with everything that was acknowledged.',
    tests: [
      'src/kernel/http/upgrade-door.test.ts | a WebSocket at the target %s is refused, and the server goes on',
      'src/kernel/http/upgrade-door.test.ts | connections at %s that are reset during the handshake end nothing',
      'src/kernel/http/upgrade-door.test.ts | an offer of HTTP/2 is ignored: the page comes by HTTP/1.1 (RFC 9110 §7.8)',
      'tests/process/supervised-server.test.ts | after a fault in a handler of a %s the product is back with everything that it acknowledged',
      'tests/event-sources.test.ts | what emits errors has a listener for them in the file that makes it',
    ],
  },
];

const ON_API_KEYS: readonly Attack[] = [
  {
    number: 64,
    attack:
      'API keys that were stolen, revoked, guessed, put into an address or taken for another key, and pages of other sites at the MCP server',
    holds:
      'A revoked key ends with the next request in every process; a guess costs no query; a key in an address is refused; no key counts as another kind; a request for another host name or from another page is refused; a change needs a confirmation that is signed, for that change and key, and counts once.',
    tests: [
      'src/business/api-keys/api-keys.test.ts | a revoked key ends at once in every process, and an expired one by itself',
      'src/business/api-keys/api-keys.test.ts | a guessed or mistyped key is refused by its checksum, and a key in an address always',
      'src/business/mcp/mcp-attacks.test.ts | attack 64: ',
      'src/business/mcp/mcp.test.ts | a client that cannot ask gets the question, and its confirmation counts for that change once',
      `${OWN}/roles-and-routes.test.ts | an API key opens the functions of its rights and /mcp, and every other route refuses it in the same words`,
    ],
  },
];

/** All attacks, in the order of their numbers. */
export const ATTACKS: readonly Attack[] = [
  ...ON_ACCOUNTS,
  ...ON_DATA,
  ...ON_MONEY,
  ...ON_CONTENT,
  ...ON_CALLS,
  ...ON_SERVICES,
  ...ON_OPERATION,
  ...ON_TELEPHONES,
  ...ON_TEAMS,
  ...ON_CONNECTIONS,
  ...ON_API_KEYS,
];
