import type { SipUserAgent } from '@northline/sip/user-agent';
import type { RateLimiter } from '../../../kernel/http/rate-limit.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { CallManager } from '../../calls/call-manager.server.ts';
import type { DoNotCallList } from '../../calls/record/do-not-call.server.ts';
import type { VoiceEngines } from '../../engines/engines.server.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';
import type { LineDialling } from './call-dialling.server.ts';
import type { CallerLedger } from './incoming-call-limits.server.ts';
import type { DialLedger } from './outgoing-call-limits.server.ts';
import type { PhoneConnection } from './phone-connection.server.ts';
import type { TrunkDirectory } from './trunk-directory.server.ts';

/** What telephone calls need. */
export interface PhoneParts {
  readonly resources: Resources;
  readonly records: VoiceRecords;
  readonly manager: CallManager;
  readonly engines: VoiceEngines;
  readonly rateLimiter: RateLimiter;
  readonly defaultAssistantId: string;
  readonly doNotCall: DoNotCallList;
  readonly agent: SipUserAgent;
  readonly trunks: TrunkDirectory;
  readonly ledger: DialLedger;
  readonly callers: CallerLedger;
  readonly dialling: LineDialling;
  /** Opens a line for a call over the loopback (`near`) or from outside. */
  openLine(near: boolean, secure: boolean): Promise<PhoneConnection>;
  log(line: string): void;
}

/** A phone number of the installation: bought, brought from a trunk, or imported; or a trunk's account. */
export interface OwnNumber {
  /** The number's record; undefined for an account that no number belongs to. */
  readonly id: string | undefined;
  readonly number: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The stored number that is written in this form; undefined where there is none. */
export async function ownNumber(
  { resources }: Pick<PhoneParts, 'resources'>,
  number: string,
): Promise<OwnNumber | undefined> {
  const row = await resources.database.maybe(
    `select id, body from private.voice_records where kind = 'phone-number' and body ->> 'number' = $1`,
    [number],
  );
  return row === undefined ? undefined : { id: row.id, number, body: row.body };
}

/** The phone numbers that were brought from a trunk, by its id. */
export async function numbersOfTrunk(
  { resources }: Pick<PhoneParts, 'resources'>,
  trunkId: string,
): Promise<OwnNumber[]> {
  const rows = await resources.database.many(
    `select id, body from private.voice_records
      where kind = 'phone-number' and body ->> 'credentialId' = $1 and body ->> 'status' = 'active'
      order by created_at limit 2`,
    [trunkId],
  );
  return rows.map(({ id, body }) => ({ id, number: String(body.number), body }));
}

/** A number in its stored form: with its plus, and without the signs that people write between digits. */
export function plainNumber(user: string): string {
  const digits = user.replace(/[\s().-]/g, '');
  return /^\d{6,15}$/.test(digits) ? `+${digits.replace(/^00/, '')}` : digits;
}
