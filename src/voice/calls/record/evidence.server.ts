import { createHmac } from 'node:crypto';
import { derivedSecret, equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.voice_evidence.data': Data;
  }
}

/** The kinds of evidence, in the order in which a call has them. */
export type EvidenceKind = 'begun' | 'disclosure' | 'consent' | 'turn' | 'ended' | 'deleted';
type Data = Readonly<Record<string, string | number | boolean>>;

interface Row {
  readonly call_id: string;
  readonly position: number;
  readonly kind: EvidenceKind;
  readonly at: Date;
  readonly data: Data;
  readonly previous: string;
  readonly mark: string;
}

/** What a check of the evidence found. */
export interface EvidenceCheck {
  readonly calls: number;
  readonly entries: number;
  /** One sentence for each fault, naming call and position. */
  readonly faults: readonly string[];
}

/** One thing that a call disclosed, was allowed to do, or ended with. */
export interface EvidenceEntry {
  readonly kind: EvidenceKind;
  /** Its member `text` is stored as a keyed digest, never as words. */
  readonly data: Data;
  /** The present time where it is missing. */
  readonly at?: Date;
}

/**
 * The evidence of calls: for each a chain of entries, each with a mark made from the installation's key and
 * the mark before.
 */
export interface Evidence {
  /** Adds an entry to a call's chain, in the transaction of what it proves. */
  add(queries: Queries, callId: string, entry: EvidenceEntry): Promise<void>;
  /** Checks one call or all of them. */
  verify(callId?: string): Promise<EvidenceCheck>;
}

const FIRST = 'first';

/** Opens the evidence of the installation. */
export function openEvidence({ database, keys }: Pick<Resources, 'database' | 'keys'>): Evidence {
  const key = derivedSecret(keys, 'voice evidence');
  const keyed = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
  const markOf = (row: Omit<Row, 'mark'>): string =>
    keyed(
      JSON.stringify([
        row.call_id,
        row.position,
        row.kind,
        row.at.toISOString(),
        sorted(row.data),
        row.previous,
      ]),
    );
  const digest = ({ text, ...rest }: Data): Data =>
    text === undefined ? rest : { ...rest, textDigest: keyed(`text\n${text}`) };

  return {
    async add(queries, callId, { kind, data, at = new Date() }) {
      // Entries of one call are added one after another, even by two processes.
      await queries.run('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `voice evidence ${callId}`,
      ]);
      const last = await queries.maybe(
        'select position, mark from private.voice_evidence where call_id = $1 order by position desc limit 1',
        [callId],
      );
      const row = {
        call_id: callId,
        position: (last?.position ?? 0) + 1,
        kind,
        at,
        data: digest(data),
        previous: last?.mark ?? FIRST,
      };
      await queries.run(
        `insert into private.voice_evidence (call_id, position, kind, at, data, previous, mark)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [callId, row.position, kind, at, JSON.stringify(row.data), row.previous, markOf(row)],
      );
    },
    async verify(callId) {
      const rows = await database.many(
        `select call_id, position, kind, at, data, previous, mark from private.voice_evidence
          where $1::uuid is null or call_id = $1 order by call_id, position`,
        [callId ?? null],
      );
      const chains = Map.groupBy(rows, (row) => row.call_id);
      const faults = [...chains].flatMap(([id, chain]) => faultsOf(id, chain, markOf));
      const missing = await database.many(
        `select id from private.voice_records r where kind = 'call' and ($1::uuid is null or id = $1)
            and not exists (select from private.voice_evidence e where e.call_id = r.id)
            and body ? 'webCallUrl'`,
        [callId ?? null],
      );
      faults.push(...missing.map(({ id }) => `call ${id}: it has no evidence at all`));
      const cut = await database.many(
        `select id from private.voice_records r where kind = 'call' and ($1::uuid is null or id = $1)
            and body ->> 'status' = 'ended' and body ? 'webCallUrl'
            and exists (select from private.voice_evidence e where e.call_id = r.id)
            and not exists (select from private.voice_evidence e where e.call_id = r.id and kind = 'ended')`,
        [callId ?? null],
      );
      faults.push(...cut.map(({ id }) => `call ${id}: the end of its evidence is missing`));
      return { calls: chains.size, entries: rows.length, faults };
    },
  };
}

function faultsOf(callId: string, chain: readonly Row[], markOf: (row: Row) => string): string[] {
  let previous = FIRST;
  for (const [index, row] of chain.entries()) {
    const where = `call ${callId}, entry ${row.position}`;
    if (row.position !== index + 1) return [`${where}: entry ${index + 1} is missing`];
    if (row.previous !== previous) return [`${where}: it does not follow the entry before it`];
    if (!equalSecrets(row.mark, markOf(row))) return [`${where}: it was changed`];
    previous = row.mark;
  }
  return chain[0]?.kind === 'begun' ? [] : [`call ${callId}: its evidence does not begin with the call`];
}

/** The members in the order of their names, since a database returns them in another order. */
function sorted(data: Data): [string, unknown][] {
  return Object.entries(data).sort(([one], [other]) => (one < other ? -1 : 1));
}
