import type { TestProject } from 'vitest/node';
import { installedPostgres, startSecondPostgres } from '../../scripts/checks/second-postgres.ts';
import { givenServer, provideDatabase } from './test-database.ts';

/**
 * Starts, once per run, a PostgreSQL from the system's packages, of another major version than the embedded
 * one.
 */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideDatabase(project, 'second', async () => {
    const version = installedPostgres();
    if (version === undefined) throw new Error('the system has no PostgreSQL of its own');
    const { address, stop } = await startSecondPostgres(version);
    return givenServer(address, async () => stop());
  });
}
