import Stripe from 'stripe';
import { shownSecret } from '../../../kernel/config/console-settings.ts';
import type { Settings } from '../../../kernel/config/settings.ts';
import { mailBody } from '../../../kernel/resources/mailer/mail-body.ts';
import { openTransport } from '../../../kernel/resources/mailer/mail-delivery.ts';
import { outboundFetch } from '../../../kernel/resources/outbound-http/outbound-fetch.ts';
import { approveAddress } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { configuredPlace } from '../../backup/backup-record.server.ts';
import { tryBackupPlace } from '../../backup/backup-trial.server.ts';
import type { Payments } from '../../billing/payments.server.ts';
import { openModel } from '../../documents/questions/document-model.server.ts';
import { fetchFeed } from '../../news/feed-fetch.server.ts';
import { tryAutomations } from './automation-trial.server.ts';
import type { TrialReply } from './settings.contract.ts';

/** How one part of a trial went. */
type TrialResult = TrialReply['results'][number];

/** What trials need. */
export interface TrialParts {
  readonly resources: Resources;
  readonly payments: Payments;
  /** The operator's own address. */
  readonly email: string;
  /** Tries the providers of calls; the voice wing knows them. */
  readonly tryVoice: (settings: Settings) => Promise<readonly TrialResult[]>;
  /** Asks the trunks of the telephone. */
  readonly tryTelephone: (settings: Settings) => Promise<readonly TrialResult[]>;
}

const LONGEST_ERROR = 400;
const LONGEST_ANSWER = 120;
const STRIPE_PATIENCE_MS = 15_000;
const QUESTION = { system: 'Answer with one JSON object: {"answer":"one word"}.', message: 'Are you there?' };

/** Tries a group with the values that the next start would use. A failure is a sentence with the real reason. */
export async function tryGroup(group: string, parts: TrialParts): Promise<readonly TrialResult[]> {
  const settings = parts.resources.settingsStore.wanted().settings;
  switch (group) {
    case 'mail':
      return [await outcomeOf(() => tryMail(settings, parts))];
    case 'payments':
      return [await outcomeOf(() => tryPayments(settings, parts))];
    case 'backup':
      return [await outcomeOf(() => tryBackup(settings))];
    case 'news':
      return settings.NEWS_FEEDS.length === 0
        ? [failed('No feed is named.')]
        : Promise.all(settings.NEWS_FEEDS.map((url) => outcomeOf(() => tryFeed(parts.resources, url))));
    case 'documents':
      return [await outcomeOf(() => tryModel(settings, parts.resources))];
    case 'voice':
      return parts.tryVoice(settings);
    case 'telephone':
      return parts.tryTelephone(settings);
    case 'automations':
      return tryAutomations(settings, parts.resources, outcomeOf);
    default:
      return [];
  }
}

const failed = (sentence: string): TrialResult => ({ ok: false, sentence });

/** The sentence that `work` returns, or the one of its error. */
async function outcomeOf(work: () => Promise<string>): Promise<TrialResult> {
  try {
    return { ok: true, sentence: await work() };
  } catch (error) {
    const { message } = error as Error;
    return failed(message.slice(0, LONGEST_ERROR));
  }
}

async function tryMail(
  { SMTP_URL: url, MAIL_FROM: sender }: Settings,
  { resources, email }: TrialParts,
): Promise<string> {
  if (url === '') throw new Error('No mail server is named, so mails stay on this machine.');
  if (email === '') throw new Error('Your account has no mail address.');
  const { settings, settingsStore, outbound, database } = resources;
  if (settingsStore.wanted().originOf('SMTP_URL') === 'console') await approveAddress(outbound, url);
  const subject = `A test mail of ${settings.BRAND}`;
  const from = sender || `${settings.BRAND} <${settings.CONTACT_EMAIL}>`;
  const transport = await openTransport(url);
  try {
    await transport.sendMail({
      from,
      to: { name: '', address: email },
      subject,
      ...mailBody(resources, [
        { kind: 'text', text: 'Your mail server takes mails from this installation.' },
      ]),
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
  } catch (error) {
    throw new Error(`${shownSecret(url)} did not take the mail: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    transport.close();
  }
  await database.run(
    `insert into private.mails (recipient, sender, subject, body_text, body_html, state, purpose, attempts, sent_at)
     values ($1, $2, $3, '', '', 'sent', 'service', 1, now())`,
    [email, from, subject],
  );
  return `${shownSecret(url)} took a mail to ${email}. Look into your mailbox.`;
}

async function tryPayments(
  { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret }: Settings,
  { payments }: TrialParts,
): Promise<string> {
  if (key === '') {
    await askForPrice(payments.stripe);
    return 'The built-in provider answers. It charges nobody: write a key of Stripe here to take money.';
  }
  await askForPrice(new Stripe(key, { timeout: STRIPE_PATIENCE_MS, maxNetworkRetries: 0, telemetry: false }));
  const mode = /_live_/.test(key) ? 'in live mode' : 'in test mode, which takes no money';
  const signed = secret.trim().startsWith('whsec_')
    ? ''
    : ' The secret of the webhook does not begin with whsec_.';
  return `Stripe takes the key, ${mode}.${signed}`;
}

/** Asks a provider for one price, which changes nothing. @throws Error with the provider's reason */
export async function askForPrice(stripe: Stripe): Promise<void> {
  try {
    await stripe.prices.list({ limit: 1 });
  } catch (error) {
    throw new Error(`The payment provider refused: ${(error as Error).message}`, { cause: error });
  }
}

async function tryBackup(settings: Settings): Promise<string> {
  const place = configuredPlace(settings);
  if (place === '') throw new Error('No place is named, so no daily backup is made.');
  await tryBackupPlace(place);
  const sealed = settings.BACKUP_PASSPHRASE !== '' || settings.BACKUP_PASSPHRASE_FILE !== '';
  return `A file was written to ${shownPlaceOf(place)}, read and deleted.${sealed ? '' : ' Backups there are not encrypted.'}`;
}

const shownPlaceOf = (place: string): string => (place.includes('://') ? shownSecret(place) : place);

async function tryFeed({ outbound }: Resources, url: string): Promise<string> {
  const host = URL.parse(url)?.host ?? url;
  const copy = await fetchFeed(outbound, url).catch((error: unknown) => {
    throw new Error(`${host}: ${(error as Error).message}`, { cause: error });
  });
  return `${host}: ${copy?.items.length ?? 0} articles.`;
}

async function tryModel({ DOCUMENT_LLM_URL: url }: Settings, resources: Resources): Promise<string> {
  if (url === '') throw new Error('No model is named, so customers see the best passages.');
  const isGuarded = resources.settingsStore.wanted().originOf('DOCUMENT_LLM_URL') === 'console';
  const { content } = await openModel(url, isGuarded ? outboundFetch(resources.outbound) : undefined)
    .ask(QUESTION)
    .catch((error: unknown) => {
      throw new Error(`${shownSecret(url)} did not answer: ${(error as Error).message}`, { cause: error });
    });
  if (content.trim() === '') throw new Error(`${shownSecret(url)} answered without a word.`);
  return `${shownSecret(url)} answers: ${content.slice(0, LONGEST_ANSWER)}`;
}
