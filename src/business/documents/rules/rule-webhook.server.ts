import { createHmac, randomBytes } from 'node:crypto';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import { OutboundBlocked } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import { signedHeaders } from '../../../kernel/resources/outbound-http/webhook-signature.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { findRuleDocument, RULE_EVENT } from './rule-application.server.ts';
import { wantedIn } from './rule-matching.server.ts';

const ANSWER_BYTES = 4096;
const PROOF_MS = 10_000;

/** The secret that signs the webhooks of an account's rules, `whsec_…` (Standard Webhooks). */
export function ruleSecret(keys: Resources['keys'], userId: string): string {
  const bytes = createHmac('sha256', derivedSecret(keys, 'document-rules')).update(userId).digest();
  return `whsec_${bytes.toString('base64')}`;
}

/**
 * Asks the program at an address whether it wants the webhooks of an account: it gets a signed question with a random word
 * and has to answer 2xx with that word. Only public addresses are called.
 *
 * @throws ServiceError 422 `webhook_not_proven`
 */
export async function proveWebhook(
  { outbound, keys }: Pick<Resources, 'outbound' | 'keys'>,
  userId: string,
  url: string,
): Promise<void> {
  const challenge = randomBytes(16).toString('hex');
  const body = JSON.stringify({ type: 'webhook.proof', challenge });
  const reply = await outbound
    .request({
      url,
      method: 'POST',
      maxBytes: ANSWER_BYTES,
      headersMs: PROOF_MS,
      totalMs: PROOF_MS,
      body,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Northline/1',
        ...signedHeaders(`proof-${challenge}`, body, [ruleSecret(keys, userId)]),
      },
    })
    .catch((error: unknown) => (error instanceof OutboundBlocked ? 'blocked' : 'unreachable'));
  if (reply === 'blocked')
    throw notProven('This address cannot be called: it must be public and begin with https://.');
  if (reply === 'unreachable') throw notProven('The program at this address did not answer.');
  const isProven =
    reply.status >= 200 && reply.status < 300 && reply.body.toString('utf8').includes(challenge);
  if (!isProven)
    throw notProven(
      'The program at this address has to answer our question with the word “challenge” from it.',
    );
}

const notProven = (sentence: string): ServiceError => new ServiceError(422, 'webhook_not_proven', sentence);

/** Defines how the event of a rule is sent. It is composed at each attempt; a deleted document cancels it. */
export function defineRuleWebhooks({ outbox, outbound, database, keys, siteUrl }: Resources): void {
  outbox.define(RULE_EVENT, {
    async compose(event) {
      const run = await database.maybe(
        `select r.file_id, r.user_id, r.done_at, d.id as rule_id, d.name, d.wanted, d.acts ->> 'webhook' as url
           from northline_app.rule_runs r join northline_app.document_rules d on d.id = r.rule_id
          where r.id = $1`,
        [event.subjectId],
      );
      const url = run?.url;
      const file = run && (await findRuleDocument(database, run.file_id));
      // A rule that was changed meanwhile may want something else.
      const document = file && (wantedIn(run.wanted, file) ?? file);
      if (run === undefined || document === undefined || url === null || url === undefined) return undefined;
      return {
        send: (request) => outbound.request({ ...request, url }),
        secrets: [ruleSecret(keys, run.user_id)],
        headers: { 'user-agent': 'Northline/1' },
        body: {
          type: RULE_EVENT,
          deliveryId: event.id,
          timestamp: event.createdAt.toISOString(),
          rule: { id: run.rule_id, name: run.name },
          document: {
            file_id: run.file_id,
            file_name: document.fileName,
            kind: document.kind,
            title: document.title,
            address: `${siteUrl}/dashboard/files/${run.file_id}/analysis`,
            fields: document.facts.map(({ key, label, value, normalized, type, confidence }) => ({
              ...{ key, label, value, type, confidence },
              normalized: normalized ?? null,
            })),
          },
        },
      };
    },
    settled: async () => {},
  });
}
