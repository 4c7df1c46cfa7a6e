import { type Queries, sqlState } from './database.ts';
import { uncheckedSql } from './fixed-sql.ts';

/** `unique_violation`. */
const TAKEN = '23505';

/**
 * Makes a change inside a transaction that a unique index may refuse, because another row may have the value
 * by now. Returns true when the change was made. Returns false when the value is taken; the transaction then
 * continues as if nothing had been tried.
 *
 * @throws whatever else the change throws
 */
export async function changedUnlessTaken(queries: Queries, change: () => Promise<unknown>): Promise<boolean> {
  await queries.run(uncheckedSql('savepoint unless_taken', 'command'));
  try {
    await change();
    return true;
  } catch (error) {
    if (sqlState(error)?.code !== TAKEN) throw error;
    await queries.run(uncheckedSql('rollback to savepoint unless_taken', 'command'));
    return false;
  }
}
