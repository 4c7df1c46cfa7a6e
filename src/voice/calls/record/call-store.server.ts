import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Queries } from '../../../resources/database/database.ts';
import type { Resources } from '../../../resources/resources.ts';
import type { EndedReason } from './conversation-events.server.ts';
import type { Evidence, EvidenceKind } from './keep-evidence.server.ts';
import type { CallEvents } from './tell-server.server.ts';

type Level = 'INFO' | 'LOG' | 'WARN' | 'ERROR' | 'CHECKPOINT';

/** Seconds after which a call whose process does not say that it lives is given up. */
const LOST_SECONDS = 30;
/** Seconds that a call waits for its caller. */
const UNANSWERED_SECONDS = 90;
const LONGEST_LINE = 4000;

/** What is known of the load, for admission. */
export interface CallLoad {
  /** Minutes of calls within 24 hours, those going on included. */
  readonly minutes: number;
  /** US dollars within 24 hours. */
  readonly spent: number;
}

/** The rows of calls while they go on and when they end. */
export interface CallStore {
  load(): Promise<CallLoad>;
  /** The call is carried by this process from now on. */
  carry(callId: string): Promise<void>;
  /** Says that these calls live. */
  renew(callIds: readonly string[]): Promise<void>;
  finish(callId: string, report: Record<string, unknown>): Promise<void>;
  /** Takes out what was said and what was made of it; the bare facts of the call stay. */
  erase(callId: string): Promise<void>;
  /** Ends calls whose process is gone, and those that nobody joined. Returns how many. */
  closeLost(): Promise<number>;
  /** Writes of one call, one after another and beside the conversation. */
  journal(callId: string): CallJournal;
}

/** Log and evidence of one call. */
export interface CallJournal {
  log(level: Level, line: string): void;
  evidence(kind: EvidenceKind, data: Readonly<Record<string, unknown>>): void;
  /** The caller is there, since `at` (milliseconds since 1970). */
  begun(at: number): void;
  /** Resolves when everything has been written. */
  written(): Promise<void>;
}

/** Opens the store; `events` tell the assistant's server in the same transaction. */
export function openCallStore(
  { database, log }: Pick<Resources, 'database' | 'log'>,
  evidence: Evidence,
  events: CallEvents,
): CallStore {
  const worker = `${os.hostname()} ${process.pid} ${randomUUID()}`;
  const merge = (queries: Queries, callId: string, members: Record<string, unknown>): Promise<number> =>
    queries.run(
      `update private.voice_records set body = body || $2::jsonb, updated_at = now()
        where id = $1 and kind = 'call'`,
      [callId, JSON.stringify(members)],
    );
  const finish = (callId: string, report: Record<string, unknown>): Promise<void> =>
    database.transaction(async (queries) => {
      const open = await queries.maybe(
        `select id from private.voice_records where id = $1 and kind = 'call' and body ->> 'status' <> 'ended'
          for update`,
        [callId],
      );
      await queries.run('delete from private.voice_live_calls where call_id = $1', [callId]);
      if (open === undefined) return;
      await merge(queries, callId, report);
      await evidence.add(queries, callId, 'ended', { reason: String(report.endedReason) });
      await events.announce(queries, callId, 'ended', 'report');
    });

  return {
    finish,
    async load() {
      const row = await database.one<{ minutes: string; spent: string }>(
        `select coalesce(sum(extract(epoch from coalesce((body ->> 'endedAt')::timestamptz, now())
                  - (body ->> 'startedAt')::timestamptz)) / 60, 0) as minutes,
                coalesce(sum((body ->> 'cost')::numeric), 0) as spent
           from private.voice_records
          where kind = 'call' and created_at > now() - interval '24 hours' and body ? 'startedAt'`,
      );
      return { minutes: Number(row.minutes), spent: Number(row.spent) };
    },
    async carry(callId) {
      await database.run(
        `insert into private.voice_live_calls (call_id, worker) values ($1, $2)
         on conflict (call_id) do update set worker = excluded.worker, seen_at = now()`,
        [callId, worker],
      );
    },
    async renew(callIds) {
      if (callIds.length === 0) return;
      await database.run(
        'update private.voice_live_calls set seen_at = now() where call_id = any($1::uuid[])',
        [callIds],
      );
    },
    async erase(callId) {
      await database.transaction(async (queries) => {
        await queries.run(
          `update private.voice_records
              set body = (body - '{messages,transcript,analysis,artifact,assistantOverrides,metadata,name,customer}'::text[])
                         || '{"erased": true}', updated_at = now()
            where id = $1 and kind = 'call'`,
          [callId],
        );
        await queries.run('delete from private.voice_call_logs where call_id = $1', [callId]);
        await evidence.add(queries, callId, 'deleted', { what: 'content' });
      });
    },
    async closeLost() {
      const here = await database.many<{ call_id: string; worker: string; late: boolean }>(
        `select call_id, worker, seen_at < now() - make_interval(secs => $1) as late
           from private.voice_live_calls where worker <> $2`,
        [LOST_SECONDS, worker],
      );
      const lost = here.filter((row) => row.late || workerIsGone(row.worker));
      for (const { call_id } of lost) {
        const reason: EndedReason = 'call.in-progress.error-vapifault-worker-died';
        await finish(call_id, { status: 'ended', endedReason: reason, endedAt: new Date().toISOString() });
      }
      const unanswered = await database.many<{ id: string }>(
        `select id from private.voice_records r where kind = 'call' and body ->> 'status' = 'queued'
            and body ? 'webCallUrl' and created_at < now() - make_interval(secs => $1)
            and not exists (select from private.voice_live_calls l where l.call_id = r.id)`,
        [UNANSWERED_SECONDS],
      );
      for (const { id } of unanswered) {
        const reason: EndedReason = 'customer-did-not-answer';
        await finish(id, { status: 'ended', endedReason: reason, endedAt: new Date().toISOString() });
      }
      return lost.length + unanswered.length;
    },
    journal(callId) {
      let last: Promise<unknown> = Promise.resolve();
      const then = (work: () => Promise<unknown>): void => {
        last = last
          .then(work)
          .catch((error: unknown) => log.warn({ err: error }, 'a line of a call was lost'));
      };
      return {
        log: (level, line) =>
          then(() =>
            database.run('insert into private.voice_call_logs (call_id, level, log) values ($1, $2, $3)', [
              callId,
              level,
              line.slice(0, LONGEST_LINE),
            ]),
          ),
        evidence: (kind, data) => {
          const at = new Date();
          then(() => database.transaction((queries) => evidence.add(queries, callId, kind, plain(data), at)));
        },
        begun: (at) =>
          then(() =>
            database.transaction(async (queries) => {
              await merge(queries, callId, { status: 'in-progress', startedAt: new Date(at).toISOString() });
              await events.announce(queries, callId, 'began');
            }),
          ),
        written: async () => {
          await last;
        },
      };
    },
  };
}

/** A process of this machine that does not run any more. */
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
