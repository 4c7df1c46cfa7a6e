import { inConsoleWords } from '../../../kernel/config/console-settings.ts';
import type { AuditEntry } from './settings.contract.ts';

/**
 * What an entry says after the name of its actor, for each code of the logs. `{name}` is what the subject is called,
 * `{subject}` the subject itself, every other word a detail; `{name|words}` has words for where it is missing. A part in
 * square brackets is left out if a word in it is missing.
 */
const WORDS: Readonly<Record<string, string>> = {
  'api_key.end': 'ended the API key[ “{name}”]',
  'assistant.create': 'made the assistant[ “{name}”]',
  'assistant.delete': 'deleted an assistant',
  'assistant.file': 'gave the assistant[ “{name}”] a file',
  'assistant.preview': 'listened to a voice of {subject}',
  'assistant.restore': 'put back version {version} of the assistant[ “{name}”]',
  'assistant.save': 'changed the assistant[ “{name}”]',
  'assistant.try': 'called the assistant[ “{name}”] to try it',
  'booking.book': 'booked a call[ on {starts_at}] for {subject}',
  'booking.cancel': 'cancelled the booking[ on {starts_at}][ of {name}]',
  'booking.move': 'moved {name|a booking}[ to {starts_at}]',
  'call.delete': 'deleted a call',
  'call.end': 'ended a call[ with {name}]',
  'call.give_back': 'gave a call[ with {name}] back to the assistant',
  'call.listen': 'listened to the recording of a call[ with {name}]',
  'call.listen_in': 'listened to a call[ with {name}] while it went on',
  'call.say': 'had the assistant say something in a call[ with {name}]',
  'call.take_over': 'took over a call[ with {name}]',
  'call.whisper': 'whispered to the assistant in a call[ with {name}]',
  'campaign.create': 'made the campaign[ “{name}”]',
  'campaign.delete': 'deleted a campaign',
  'campaign.end': 'ended the campaign[ “{name}”]',
  'campaign.save': 'changed the campaign[ “{name}”]',
  'console.leave': 'left the console',
  'course.answer': 'answered the customer about the lesson[ “{name}”]',
  'course.state': 'marked the lesson[ “{name}”] as {state}',
  'course.watch': 'watched the lesson[ “{name}”]',
  'credential.create': 'stored the credential[ “{name}”]',
  'credential.delete': 'deleted a credential',
  'credential.save': 'changed the credential[ “{name}”]',
  'credential.try': 'tried the credential[ “{name}”]',
  'customer.credits': 'gave {amount} to {name|a deleted account}[, because: “{reason}”]',
  'customer.credits taken': 'took {amount} from {name|a deleted account}[, because: “{reason}”]',
  'customer.end_override': 'ended the plan that {name|a deleted account} had been given',
  'customer.override': 'gave {name|a deleted account} the {plan}[ until {until}][, because: “{reason}”]',
  'customer.refund':
    'gave money of the invoice {invoice} back to {name|a deleted account}[, because: “{reason}”]',
  'demo.add': 'added the demo data',
  'demo.remove': 'removed the demo data',
  'enquiry.assign': 'gave {name|an enquiry} to {assignee|nobody}',
  'enquiry.not_suspect': 'marked {name|an enquiry} as genuine',
  'enquiry.note': 'wrote a note on {name|an enquiry}',
  'enquiry.replied': 'marked {name|an enquiry} as answered',
  'enquiry.replied taken': 'marked {name|an enquiry} as not answered',
  'enquiry.reply': 'answered {name|an enquiry}',
  'event.replay': 'sent a notification again',
  'field.customers': 'gave the field[ “{name}”] to all customers',
  'field.me': 'took the field[ “{name}”] back from all customers',
  'field.remove': 'removed a field of all customers',
  'field.rename': 'renamed the field[ “{name}”] of all customers',
  'field.team': 'gave the field[ “{name}”] to the team alone',
  'mail.lift': 'let mails go to {subject} again',
  'mail.retry': 'sent {name|a mail} again',
  'mail.suppress': 'stopped mails to {subject}',
  'message.open_file': 'opened the file[ “{name}”] of a message',
  'message.read': 'read the messages of {name|a deleted account}',
  'message.send': 'wrote to {name|a deleted account}',
  'news.delete': 'deleted a post',
  'news.save': 'saved the post “{title}”',
  'operator.add': 'gave {subject} access to the console[ as {to}]',
  'operator.add joined': 'joined the console[ as {to}][ ({by})]',
  'operator.change': 'changed the role of {subject}[ from {from}][ to {to}]',
  'operator.invite': 'invited {subject} to the console[ as {to}]',
  'operator.remove': 'took the access to the console from {subject}',
  'operator.withdraw': 'withdrew the invitation of {subject}',
  'recording.delete': 'deleted the recording of a meeting',
  'settings.change': 'changed {name}[ from {from}][ to {to}]',
  'settings.restart': 'started the product anew[, for {name}]',
  'site.preview': 'looked at a preview of the site',
  'site.publish': 'published version {subject} of the site[: “{note}”]',
  'support.end': 'ended the support access to the account of {name|a deleted account}',
  'support.look': 'looked at the portal of {name|a deleted account}[, page {page}][, file “{file}”]',
  'target.pause': 'paused the notifications to {subject}',
  'target.replay': 'sent the failed notifications to {subject} again',
  'target.resume': 'let the notifications to {subject} go on',
  'target.test': 'sent a test notification to {subject}',
  'test.delete': 'deleted a test',
  'test.run': 'ran the tests of the assistant[ “{name}”]',
  'test.save': 'saved the test[ “{name}”]',
  'tool.create': 'made the tool[ “{name}”]',
  'tool.delete': 'deleted a tool',
  'tool.save': 'changed the tool[ “{name}”]',
  'tool.try': 'tried the tool[ “{name}”]',
  // Accounts: the actor is the account itself.
  login: 'signed in',
  login_failed: 'tried to sign in and was refused',
  logout: 'signed out',
  token_refreshed: 'went on with a session',
  token_reused: 'showed an old token of a session again',
  token_revoked: 'had sessions ended for safety',
  user_signedup: 'got an account',
  user_repeated_signup: 'tried to sign up with an address that has an account',
  user_confirmation_requested: 'was mailed a confirmation of the address',
  user_recovery_requested: 'asked for a sign-in link or a new password',
  user_reauthenticate_requested: 'asked for a code to confirm a change',
  user_email_change_requested: 'asked to change the mail address',
  user_phone_change_requested: 'asked to change the telephone number',
  user_invited: 'was invited to make an account',
  user_modified: 'has changed data in the account',
  user_deleted: 'was deleted',
  deletion_planned: 'asked to delete the account',
  deletion_withdrawn: 'kept the account after all',
  user_updated_password: 'changed the password',
  passkey_created: 'added a passkey',
  passkey_updated: 'renamed a passkey',
  passkey_deleted: 'removed a passkey',
  identity_linked: 'added a way to sign in[ with {provider}]',
  identity_unlinked: 'removed a way to sign in[ with {provider}]',
  factor_in_progress: 'began to set up a second factor',
  factor_verified: 'set up a second factor',
  factor_unenrolled: 'removed a second factor',
  factor_updated: 'had a second factor renamed',
  factor_deleted: 'had a second factor removed',
  recovery_codes_generated: 'made new recovery codes',
  recovery_code_used: 'used a recovery code',
  challenge_created: 'was asked for the second factor',
  verification_attempted: 'gave the second factor',
  verification_failed: 'gave a wrong code',
  // Payments.
  'link refused': 'was refused a purchase[: {reason}]',
  'purchase linked': 'got a purchase into the account',
};

/** Who acted, where the log names no account or its account is gone. */
const NOBODY: Readonly<Record<AuditEntry['log'], string>> = {
  console: 'The command line, or a former account,',
  accounts: 'A former or unknown account',
  payments: 'A former account',
};

const TIMES: ReadonlySet<string> = new Set(['starts_at', 'until']);

/** What the sentence about an entry is made from. */
type Told = Pick<AuditEntry, 'log' | 'actor' | 'action' | 'subject' | 'details'>;

/**
 * An entry as a sentence: who did what to what.
 *
 * @param name what the subject is called; undefined where it has no name, or no longer
 * @param zone IANA name of the time zone in which times are written
 */
export function auditSentence(entry: Told, name: string | undefined, zone: string): string {
  const { log, actor, action, subject, details } = entry;
  const words = WORDS[variantOf(entry)] ?? `did “${action}”`;
  const given: Readonly<Record<string, unknown>> = {
    ...details,
    ...(typeof details.amount === 'number' && { amount: credits(details.amount) }),
    name: action.startsWith('settings.') ? inConsoleWords(subject) : (name ?? bookedName(entry)),
    subject,
  };
  const filled = words
    .replace(/\[([^\]]*)\]/g, (_, part: string) => (missing(part, given) ? '' : part))
    .replace(
      /\{(\w+)(?:\|([^}]*))?\}/g,
      (_, key: string, otherwise = '') => said(key, given, zone) || otherwise,
    );
  return `${actor ?? NOBODY[log]} ${filled}.`;
}

/** Whether there are words for a code; the tests ask for each that the product writes. */
export const hasAuditWords = (action: string): boolean => action in WORDS;

/** The codes whose sentence has these words, so that a search finds what it shows. */
export function codesSaying(words: string): string[] {
  const wanted = words.toLowerCase();
  const plain = (text: string): string => text.replace(/[[\]]|\{\w+\|?|\}/g, '').toLowerCase();
  return Object.keys(WORDS)
    .filter((code) => plain(WORDS[code] ?? '').includes(wanted))
    .map((code) => code.replace(/ (taken|joined)$/, ''));
}

/** Some actions say something else by a detail, such as the opposite. */
function variantOf({ action, actor, subject, details }: Told): string {
  const isTaken =
    (action === 'customer.credits' && Number(details.amount) < 0) ||
    (action === 'enquiry.replied' && details.replied === false);
  if (isTaken) return `${action} taken`;
  return action === 'operator.add' && actor === subject ? `${action} joined` : action;
}

const credits = (amount: number): string =>
  `${Math.abs(amount)} ${Math.abs(amount) === 1 ? 'credit' : 'credits'}`;

/** A cancelled booking may be gone; its entry has the name. */
const bookedName = ({ details }: Told): string | undefined =>
  typeof details.name === 'string' ? details.name : undefined;

const missing = (part: string, given: Readonly<Record<string, unknown>>): boolean =>
  [...part.matchAll(/\{(\w+)\}/g)].some(([, key = '']) => given[key] == null || given[key] === '');

function said(key: string, given: Readonly<Record<string, unknown>>, zone: string): string {
  const value = given[key];
  if (value == null) return '';
  if (TIMES.has(key)) return written(new Date(String(value)), zone);
  return key === 'state' ? String(value).replaceAll('_', ' ') : String(value);
}

const written = (at: Date, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'medium', timeStyle: 'short' }).format(at);
