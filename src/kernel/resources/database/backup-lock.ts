/** Key of the advisory lock that a backup holds from before its snapshot until its files are copied. */
export const BACKUP_LOCK = 7_204_003;

/**
 * SQL: whether a backup of this database is under way. As long as one is, the bytes of deleted objects have
 * to stay, because the snapshot may name them. A statement that finds no lock began before any later
 * snapshot, so that snapshot sees as deleted what the statement sees as deleted. Put this condition into the
 * statement that chooses what to remove.
 */
export const BACKUP_UNDER_WAY = `exists (
  select from pg_locks where locktype = 'advisory' and objid::bigint = ${BACKUP_LOCK} and granted
     and database = (select oid from pg_database where datname = current_database()))`;
