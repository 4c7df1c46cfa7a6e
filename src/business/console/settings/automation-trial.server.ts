import { randomUUID } from 'node:crypto';
import { shownSecret } from '../../../kernel/config/console-settings.ts';
import type { Settings } from '../../../kernel/config/settings.ts';
import { signedHeaders } from '../../../kernel/resources/outbound-http/webhook-signature.ts';
import {
  ANALYSIS_TARGET,
  configuredTargets,
  TARGET_COLUMNS,
  targetSecrets,
} from '../../../kernel/resources/outbound-http/webhook-targets.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { TrialReply } from './settings.contract.ts';

type TrialResult = TrialReply['results'][number];
type Parts = Pick<Resources, 'database' | 'keys' | 'outbound'>;

const REPLY_BYTES = 4096;
const LONGEST_REPLY = 120;
const FIRST_SECRET = { secret_version: 1, previous_until: null };

/**
 * Sends one test event to each automation of the settings, signed as the real ones are (docs/contracts/documents.md §7.1),
 * and says what it answered. The events are not in the outbox: nothing is tried again.
 *
 * @param outcomeOf turns an error into a result
 */
export async function tryAutomations(
  settings: Settings,
  parts: Parts,
  outcomeOf: (work: () => Promise<string>) => Promise<TrialResult>,
): Promise<readonly TrialResult[]> {
  const targets = configuredTargets(settings).filter(({ url }) => url !== '');
  if (targets.length === 0)
    return [{ ok: false, sentence: 'No automation is named, so events stay on this machine.' }];
  return Promise.all(
    targets.map(({ name, url }) => outcomeOf(() => tryAutomation(name, url, settings, parts))),
  );
}

async function tryAutomation(
  name: string,
  url: string,
  settings: Settings,
  { database, keys, outbound }: Parts,
): Promise<string> {
  const row = await database.maybe(`select ${TARGET_COLUMNS} from private.webhook_targets where name = $1`, [
    name,
  ]);
  const id = randomUUID();
  const body = JSON.stringify({
    type: 'test',
    event: 'test',
    deliveryId: id,
    timestamp: new Date().toISOString(),
    data: { test: true },
  });
  const secrets = givenSecrets(name, settings) ?? targetSecrets(keys, { ...FIRST_SECRET, ...row, name });
  const place = `${name} at ${shownSecret(url)}`;
  const started = performance.now();
  const reply = await outbound
    .request({
      url,
      method: 'POST',
      maxBytes: REPLY_BYTES,
      body,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-request-source': 'northline',
        'user-agent': 'Northline/1',
        ...signedHeaders(id, body, secrets),
        'idempotency-key': id,
      },
    })
    .catch((error: Error) => {
      throw new Error(`${place} could not be reached: ${error.message}`, { cause: error });
    });
  const words = reply.body.toString('utf8').replace(/\s+/g, ' ').trim().slice(0, LONGEST_REPLY);
  const answer = `${reply.status}${words === '' ? '' : `: “${words}”`}.`;
  if (reply.status < 200 || reply.status > 299)
    throw new Error(`${place} refused the test event with ${answer}`);
  const note =
    row === undefined || row.url !== url
      ? ' Real events go there after the next start.'
      : row.paused_at !== null
        ? ' It is paused: real events wait.'
        : '';
  return `${place} took the test event in ${Math.round(performance.now() - started)} ms and answered ${answer}${note}`;
}

/** ANALYSIS_WEBHOOK_SECRET, where it is set, signs for the automation for documents. */
function givenSecrets(name: string, { ANALYSIS_WEBHOOK_SECRET: given }: Settings): string[] | undefined {
  if (name !== ANALYSIS_TARGET || given === '') return undefined;
  return given.split(',').map((secret) => secret.trim());
}
