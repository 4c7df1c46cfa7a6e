import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const SOURCES = '{src,packages/*/src,tests,scripts,bench}/**/*.{ts,tsx,cjs}';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
/** Names that a clearer one replaced (docs/glossary.md). */
const RETIRED = `
  Door createIdentify askWorker AskedWorker answerAsker HashLane requireRoom WrongGuesses wrongGuesses
  CallDesk openCallDesk pretendedUser raiseSession goodbyeWhenDear useEntrance AddressCount FILE_TYPES
  FileType JoinService OtherProcesses PresenceBook TakenFlow TakenToken UploadTicket asWanted
  askForNewEmail askForNewPhone countAddresses createWrongGuesses declaredFileType demandVersion
  keepChallenge keepFlow keepSchema keepTargets keepWebauthnChallenge mayGoOn noteUse openHub
  openPresenceBook reachProcesses restOf speaksOfOldSchema takeCode takeFlow takeFrame takeLink
  takeTurn takeWebauthnChallenge ticketedTarget OperatorDesk EmptyStop UnlitStation useWayHome
  keepMailedClaim keepCheckoutSecret keepSecret keptCheckouts linkKeptPurchases keepState keepCredits
  lapseCredits standingWords standingOf tellFailure knowPrices workEvent judgeProof WorkVerdict
  PortalDoor PlanTicket PlanTicketProps TicketActs DropVeil isOneSlip MailRoom EnquiriesRoom
  CustomersRoom EventsRoom OperatorRefused BillingRefused HeardTurn HearingListener DialogueCaller
  ClientLine tellStep LaterMethods askProvider hearWindow hearPartial hearFinal hearTyped
  giveUpSilence breakSilence Hearing ServerLine openServerLine askServer vonageNumbers
  deepgramRecogniser filledAssistant HeavyLane inAgencyLane DeskThread DeskLesson DeskCall DeskMeeting
  DeskEngine DeskMessage NewsDeskPage VoiceDesk mountVoiceDesk serveNewsDesk DeskUnread atDesk
  signInAtDesk
`;
const retired = RETIRED.trim().split(/\s+/);
const isRetired = new RegExp(String.raw`\b(?:${retired.join('|')})\b`, 'g');

/** Retired names in a text, without repetitions. */
function retiredNames(text: string): string[] {
  return [...new Set(text.match(isRetired))];
}

test('a retired name is found', () => {
  expect(retired.length).toBeGreaterThan(10);
  expect(retiredNames(retired.map((name) => `const x = ${name}(1);`).join('\n'))).toEqual(retired);
  expect(retiredNames(retired.map((name) => `${name}s`).join('\n'))).toEqual([]);
});

test('no source has a retired name', () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**'] });
  expect(files.length).toBeGreaterThan(500);
  const found = files
    .filter((file) => file !== 'tests/glossary.test.ts')
    .flatMap((file) => retiredNames(read(file)).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});
