import { z } from 'zod';
import { inConsoleWords } from '../../kernel/config/console-settings.ts';
import { diskSpace } from '../../kernel/http/health.ts';
import { readWalStatus, secondsAtRisk } from '../../kernel/resources/database/wal-status.ts';
import { checkDatabase, checkMachine, checkSettings } from '../monitoring/installation-check.server.ts';
import type { HealthPage } from './health.contract.ts';
import { declareForOperators, type OperatorScope, sent } from './operator-gate.server.ts';

const BACKUPS_SHOWN = 10;

/**
 * `GET operator-health`: the findings of `northline doctor`, the queues, the disk and the last backups. The
 * figures are read as the owner, after the database has confirmed that the caller is an operator.
 */
export function serveHealth(scope: OperatorScope): void {
  const { database, settings } = scope.resources;
  declareForOperators(scope, {
    name: 'health',
    method: 'GET',
    input: z.object({}),
    async answer(): Promise<HealthPage> {
      const findings = [
        ...checkSettings(settings),
        ...(await checkMachine(settings)),
        ...(await checkDatabase(database, settings, new Date())),
      ];
      const queues = await database.many(
        `select name as queue /* not null */,
                count(*) filter (where state::text in ('created', 'retry'))::integer as waiting /* not null */,
                count(*) filter (where state::text = 'active')::integer as active /* not null */,
                count(*) filter (where state::text = 'failed')::integer as failed /* not null */,
                coalesce(max(extract(epoch from now() - start_after))
                  filter (where state::text in ('created', 'retry') and start_after < now()), 0)::integer as late /* not null */
           from private.job where state::text in ('created', 'retry', 'active', 'failed') group by 1 order by 1`,
      );
      const backups = await database.many(
        `select id, started_at, finished_at, row_count::float8 as rows, file_count::float8 as files, error
           from private.backups order by finished_at desc limit $1`,
        [BACKUPS_SHOWN],
      );
      const verifications = await database.many(
        `select kind, max(finished_at) filter (where error is null and faults = '{}') as good_at,
                max(finished_at) filter (where error is not null or faults <> '{}') as failed_at,
                (array_agg(coalesce(error, faults[1]) order by finished_at desc)
                  filter (where error is not null or faults <> '{}'))[1] as failure
           from private.backup_verifications group by kind order by kind`,
      );
      const archive = readWalStatus(settings.DATA_DIR);
      const { bytes } = await database.one(
        'select pg_database_size(current_database())::float8 as bytes /* not null */',
      );
      return {
        findings: findings.map(({ level, what, act }) => ({ level, what, act: inConsoleWords(act, true) })),
        queues: queues.map(sent),
        backups: backups.map(sent),
        verifications: verifications.map(sent),
        archive:
          archive === undefined
            ? null
            : {
                usable_from: archive.usable_from,
                at_risk_seconds: secondsAtRisk(archive, new Date()) ?? null,
                waiting_bytes: archive.waiting_bytes,
              },
        disk: (await diskSpace(settings.DATA_DIR)) ?? null,
        databaseBytes: bytes,
        backsUp: settings.BACKUP_TO !== '',
      };
    },
  });
}
