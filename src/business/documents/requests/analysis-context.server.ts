import { createHmac } from 'node:crypto';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { OutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { Outbox } from '../../../kernel/resources/outbound-http/outbox.ts';
import {
  ANALYSIS_TARGET,
  TARGET_COLUMNS,
  targetSecrets,
} from '../../../kernel/resources/outbound-http/webhook-targets.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { DocumentPasswords } from './document-passwords.server.ts';

/** What the analysis needs from the storage of documents. */
export interface StoredDocuments {
  /** Whether the object exists, in the database and on the disk. */
  exists(path: string): Promise<boolean>;
  /** A signed address on this server, as a path with its query, valid for `seconds`; undefined without an object. */
  signedPath(path: string, seconds: number): Promise<string | undefined>;
}

/** What every part of the analysis needs. */
export interface AnalysisContext {
  readonly resources: Resources;
  readonly documents: StoredDocuments;
  readonly outbound: OutboundHttp;
  readonly outbox: Outbox;
  readonly passwords: DocumentPasswords;
  /** The address on which this process listens, e.g. `http://127.0.0.1:8080`; waits until it does. */
  ownOrigin(): Promise<string>;
}

/** Milliseconds within which an automation must answer (docs/contracts/documents.md §7.2). */
export const ANSWER_WITHIN_MS = 15 * 60 * 1000;
/**
 * The same for our own analyser. It limits the processor time of a reading; waiting for it has no deadline, and an analysis
 * whose job is gone is found by its job. This only ends what nothing else found: waiting jobs are deleted after two weeks.
 */
export const OWN_ANSWER_WITHIN_MS = 13 * 24 * 60 * 60 * 1000;
/** The document's address is valid for longer than the deadline. */
export const DOCUMENT_URL_SECONDS = 3600;

/** The bearer token of an analysis's call-back; derived from the installation's secret, so it is not stored. */
export function callbackToken(resources: Pick<Resources, 'keys'>, analysisId: string): string {
  const secret = derivedSecret(resources.keys, 'analysis-callback');
  return createHmac('sha256', secret).update(analysisId).digest('base64url');
}

/** The secret between us and the built-in analyser, `whsec_…`. */
export function embeddedSecret({ settings, keys }: Pick<Resources, 'settings' | 'keys'>): string {
  return (
    settingSecrets({ settings })?.[0] ?? `whsec_${derivedSecret(keys, 'analysis-webhook').toString('base64')}`
  );
}

/** The secrets in ANALYSIS_WEBHOOK_SECRET, newest first; undefined if it is empty and the target's own secrets sign. */
export function settingSecrets({ settings }: Pick<Resources, 'settings'>): readonly string[] | undefined {
  const given = settings.ANALYSIS_WEBHOOK_SECRET.split(',').map((secret) => secret.trim());
  return given[0] === '' ? undefined : given;
}

/** Every secret that signs requests to the analyser now, and that may sign its call-backs; newest first. */
export async function analysisSecrets(resources: Resources): Promise<readonly string[]> {
  const given = settingSecrets(resources);
  if (given !== undefined) return given;
  const target = await resources.database.one(
    `select ${TARGET_COLUMNS} from private.webhook_targets where name = $1`,
    [ANALYSIS_TARGET],
  );
  return targetSecrets(resources.keys, target);
}
