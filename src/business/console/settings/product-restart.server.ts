import { z } from 'zod';
import { CONSOLE_SETTINGS } from '../../../kernel/config/console-settings.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareOperatorWork, type OperatorScope, signAsOperator } from '../operator-gate.server.ts';
import { requireTrusted } from './second-factor-gate.server.ts';
import type { RestartBegun } from './settings.contract.ts';

const STARTS_A_MINUTE = 3;

/** What a start needs besides the console's own. */
export interface RestartScope extends OperatorScope {
  /** Ends the process in order, after which it is started anew; undefined where nobody would start it. */
  readonly restart: (() => void) | undefined;
}

/**
 * `POST operator-restart`: starts the product anew for the settings that wait for it (decision 0864). It answers first; then
 * requests finish, and the process ends as on SIGTERM. 409 `nothing_to_do` where no setting waits, `nobody_restarts` where
 * nobody would start the product again.
 */
export function serveRestart(scope: RestartScope): void {
  const { resources, restart } = scope;
  declareOperatorWork(scope, {
    name: 'restart',
    input: z.object({}),
    perMinute: STARTS_A_MINUTE,
    allow: requireTrusted,
    async work(caller): Promise<RestartBegun> {
      if (restart === undefined)
        throw new ServiceError(
          409,
          'nobody_restarts',
          'Nobody would start the product again: stop and start it where you started it.',
        );
      const waited = CONSOLE_SETTINGS.filter(resources.settingsStore.isPending);
      if (waited.length === 0) throw new ServiceError(409, 'nothing_to_do', 'No setting waits for a start.');
      await resources.database.transaction((queries) =>
        signAsOperator(queries, caller, { action: 'settings.restart', subject: waited.join(', ') }),
      );
      resources.log.info({ waited }, 'an operator starts the product anew');
      restart();
      return { waited };
    },
  });
}
