import { createHmac, randomUUID } from 'node:crypto';
import os from 'node:os';
import { addressKey } from '../../../kernel/http/client-address.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { CallEvents } from '../call-events.server.ts';
import type { EndedReason } from '../conversation/conversation-events.server.ts';
import type { Evidence, EvidenceKind } from './evidence.server.ts';

type Level = 'INFO' | 'LOG' | 'WARN' | 'ERROR' | 'CHECKPOINT';

/** Seconds without a sign of life from its process after which a call is given up. */
const LOST_SECONDS = 30;
/** Seconds that a call waits for its caller. */
const UNANSWERED_SECONDS = 90;
const LONGEST_LINE = 4000;

/** The rows of calls, while they are in progress and when they end. */
export interface CallStore {
  /** This process carries the call from now on. */
  carry(callId: string): Promise<void>;
  /**
   * As `carry`, for a visitor's call. Returns false if the address already has `most` calls in all processes
   * together.
   */
  carryOf(call: { callId: string; address: string; most: number }): Promise<boolean>;
  /** How many calls of a visitor's address are in progress, in all processes. */
  callsOf(address: string): Promise<number>;
  /** The other person's telephone rings. */
  ring(callId: string): Promise<void>;
  /**
   * Begins a scheduled call in this process; false where another process was faster, or the call was deleted.
   */
  claim(callId: string): Promise<boolean>;
  /** Renews the sign of life of these calls. Returns those that were hung up elsewhere, with the reason. */
  renew(callIds: readonly string[]): Promise<readonly HungUp[]>;
  /**
   * Asks the process that carries a call to end it, which happens within seconds; false where no other
   * process carries it.
   */
  askToEnd(callId: string, reason: EndedReason): Promise<boolean>;
  /**
   * Ends a call with its report, without its words where the caller withdrew them, before the end or after
   * it.
   */
  finish(callId: string, report: Record<string, unknown>, keepsWords?: boolean): Promise<void>;
  /** Deletes what was said and everything made from it; the bare facts of the call stay. */
  erase(callId: string): Promise<void>;
  /** Ends calls whose process has ended, and calls that were never joined. Returns how many. */
  closeLost(): Promise<number>;
  /** The writes for one call, in order; the conversation does not wait for them. */
  journal(callId: string): CallJournal;
}

/** A call that somebody ended through another process, or at the console. */
export interface HungUp {
  readonly callId: string;
  readonly reason: EndedReason;
}

/** Log and evidence of one call. */
export interface CallJournal {
  log(level: Level, line: string): void;
  evidence(kind: EvidenceKind, data: Readonly<Record<string, unknown>>): void;
  /** The caller has joined, at `at` (milliseconds since 1970). */
  begun(at: number): void;
  /** Resolves when everything has been written. */
  written(): Promise<void>;
}

/** What the store needs. */
interface StoreParts extends Pick<Resources, 'database' | 'log'> {
  readonly evidence: Evidence;
  readonly events: CallEvents;
}

/** Opens the store; `events` are queued for the assistant's server in the same transaction. */
export function openCallStore(
  { database, log, keys }: Pick<Resources, 'database' | 'log' | 'keys'>,
  evidence: Evidence,
  events: CallEvents,
): CallStore {
  const worker = `${os.hostname()} ${process.pid} ${randomUUID()}`;
  const parts = { database, log, evidence, events };
  const key = derivedSecret(keys, 'voice visitors');
  const digest = (address: string): Buffer => createHmac('sha256', key).update(addressKey(address)).digest();
  return {
    async carry(callId) {
      await database.run(
        `insert into private.voice_live_calls (call_id, worker) values ($1, $2)
         on conflict (call_id) do update set worker = excluded.worker, seen_at = now()`,
        [callId, worker],
      );
    },
    async carryOf({ callId, address, most }) {
      const visitor = digest(address);
      return database.transaction(async (queries) => {
        // Calls of one visitor are counted one after another, whichever processes they come to.
        await queries.run(`select pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex'), 0))`, [
          visitor,
        ]);
        if ((await countOf(queries, visitor)) >= most) return false;
        await queries.run(
          `insert into private.voice_live_calls (call_id, worker, visitor) values ($1, $2, $3)
           on conflict (call_id) do update set worker = excluded.worker, visitor = excluded.visitor, seen_at = now()`,
          [callId, worker, visitor],
        );
        return true;
      });
    },
    callsOf: (address) => countOf(database, digest(address)),
    async ring(callId) {
      await database.transaction(async (queries) => {
        if ((await moveOn(queries, callId, 'queued', 'ringing')) > 0)
          await events.announce(queries, callId, 'rung');
      });
    },
    async claim(callId) {
      const rows = await database.transaction(async (queries) => {
        const moved = await moveOn(queries, callId, 'scheduled', 'queued');
        if (moved > 0)
          await queries.run(
            `insert into private.voice_live_calls (call_id, worker) values ($1, $2)
             on conflict (call_id) do update set worker = excluded.worker, seen_at = now()`,
            [callId, worker],
          );
        return moved;
      });
      return rows > 0;
    },
    async renew(callIds) {
      if (callIds.length === 0) return [];
      const rows = await database.many(
        `update private.voice_live_calls set seen_at = now() where call_id = any($1::uuid[])
         returning call_id, end_asked_at is not null as ends, end_reason`,
        [callIds],
      );
      return rows
        .filter(({ ends }) => ends === true)
        .map(({ call_id: callId, end_reason: reason }) => ({
          callId,
          reason: (reason ?? 'manually-canceled') as EndedReason,
        }));
    },
    async askToEnd(callId, reason) {
      const asked = await database.run(
        `update private.voice_live_calls
            set end_asked_at = coalesce(end_asked_at, now()), end_reason = coalesce(end_reason, $2)
          where call_id = $1 and worker <> $3`,
        [callId, reason, worker],
      );
      return asked > 0;
    },
    async erase(callId) {
      await database.transaction((queries) => eraseWords(queries, evidence, callId));
    },
    finish: (callId, report, keepsWords = true) => finishCall(parts, callId, report, keepsWords),
    closeLost: () => closeLostCalls(parts, worker),
    journal: (callId) => new DatabaseJournal(parts, callId),
  };
}

async function countOf(queries: Pick<Queries, 'one'>, visitor: Buffer): Promise<number> {
  const { calls } = await queries.one(
    'select count(*) as calls from private.voice_live_calls where visitor = $1',
    [visitor],
  );
  return Number(calls);
}

/**
 * @trigger private.voice_records announce_ended
 */
function mergeIntoBody(queries: Queries, callId: string, members: Record<string, unknown>): Promise<number> {
  return queries.run(
    `update private.voice_records set body = body || $2::jsonb, updated_at = now()
        where id = $1 and kind = 'call'`,
    [callId, JSON.stringify(members)],
  );
}

/**
 * @trigger private.voice_records announce_ended
 * @trigger private.voice_records follow_call
 */
function moveOn(queries: Pick<Queries, 'run'>, callId: string, from: string, to: string): Promise<number> {
  return queries.run(
    `update private.voice_records set body = jsonb_set(body, '{status}', to_jsonb($3::text)), updated_at = now()
        where id = $1 and kind = 'call' and body ->> 'status' = $2`,
    [callId, from, to],
  );
}

async function eraseWords(queries: Queries, evidence: Evidence, callId: string): Promise<void> {
  await queries.run(
    `update private.voice_records
        set body = (body - '{messages,transcript,analysis,artifact,assistantOverrides,squadOverrides,metadata,name,customer}'::text[])
                   || '{"erased": true}', updated_at = now()
      where id = $1 and kind = 'call'`,
    [callId],
  );
  await queries.run('delete from private.voice_call_logs where call_id = $1', [callId]);
  await queries.run('delete from private.voice_recordings where call_id = $1', [callId]);
  await evidence.add(queries, callId, { kind: 'deleted', data: { what: 'content' } });
}

/**
 * Ends a call once: a second end changes nothing. Words that were erased before the report came are not
 * stored again with it, and words that must not be kept are deleted in the same transaction.
 */
function finishCall(
  { database, evidence, events }: StoreParts,
  callId: string,
  report: Record<string, unknown>,
  keepsWords = true,
): Promise<void> {
  return database.transaction(async (queries) => {
    const open = await queries.maybe(
      `select body ? 'erased' as erased from private.voice_records
        where id = $1 and kind = 'call' and body ->> 'status' <> 'ended' for update`,
      [callId],
    );
    await queries.run('delete from private.voice_live_calls where call_id = $1', [callId]);
    if (open === undefined) return;
    await mergeIntoBody(queries, callId, report);
    await evidence.add(queries, callId, { kind: 'ended', data: { reason: String(report.endedReason) } });
    if (open.erased || !keepsWords) await eraseWords(queries, evidence, callId);
    await events.announce(queries, callId, 'ended', 'report');
  });
}

async function closeLostCalls(parts: StoreParts, worker: string): Promise<number> {
  const { database } = parts;
  const close = (callId: string, endedReason: EndedReason): Promise<void> =>
    finishCall(parts, callId, { status: 'ended', endedReason, endedAt: new Date().toISOString() });
  const here = await database.many(
    `select call_id, worker, seen_at < now() - make_interval(secs => $1) as late
           from private.voice_live_calls where worker <> $2`,
    [LOST_SECONDS, worker],
  );
  const lost = here.filter((row) => row.late || workerIsGone(row.worker));
  for (const { call_id } of lost) await close(call_id, 'call.in-progress.error-vapifault-worker-died');
  const unanswered = await database.many(
    `select id from private.voice_records r where kind = 'call' and body ->> 'status' in ('queued', 'ringing')
            and (body ? 'webCallUrl' or body ->> 'type' <> 'webCall') and created_at < now() - make_interval(secs => $1)
            and not exists (select from private.voice_live_calls l where l.call_id = r.id)`,
    [UNANSWERED_SECONDS],
  );
  for (const { id } of unanswered) await close(id, 'customer-did-not-answer');
  return lost.length + unanswered.length;
}

/** Writes for one call, in order; a write that fails is logged, and the conversation goes on. */
class DatabaseJournal implements CallJournal {
  readonly #parts: StoreParts;
  readonly #callId: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: StoreParts, callId: string) {
    this.#parts = parts;
    this.#callId = callId;
  }

  log(level: Level, line: string): void {
    this.#enqueue(() =>
      this.#parts.database.run(
        'insert into private.voice_call_logs (call_id, level, log) values ($1, $2, $3)',
        [this.#callId, level, line.slice(0, LONGEST_LINE)],
      ),
    );
  }

  evidence(kind: EvidenceKind, data: Readonly<Record<string, unknown>>): void {
    const { database, evidence } = this.#parts;
    const entry = { kind, data: plain(data), at: new Date() };
    this.#enqueue(() => database.transaction((queries) => evidence.add(queries, this.#callId, entry)));
  }

  begun(at: number): void {
    const { database, events } = this.#parts;
    this.#enqueue(() =>
      database.transaction(async (queries) => {
        const members = { status: 'in-progress', startedAt: new Date(at).toISOString() };
        await mergeIntoBody(queries, this.#callId, members);
        await events.announce(queries, this.#callId, 'began');
      }),
    );
  }

  async written(): Promise<void> {
    await this.#last;
  }

  #enqueue(write: () => Promise<unknown>): void {
    this.#last = this.#last.then(write).catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'a line of a call was lost');
    });
  }
}

/** Whether a process of this machine has ended. */
function workerIsGone(worker: string): boolean {
  const [host, pid] = worker.split(' ');
  if (host !== os.hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

const plain = (data: Readonly<Record<string, unknown>>): Record<string, string | number | boolean> =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      typeof value === 'number' || typeof value === 'boolean' ? value : String(value),
    ]),
  );
