import type { Settings } from '../../../kernel/config/settings.ts';

type Limits = Pick<Settings, 'AUTH_SESSION_HOURS' | 'AUTH_SESSION_IDLE_HOURS'>;

/**
 * The SQL condition on `auth.sessions s` that a session is within its limits (ASVS 7.3): its own end, and the
 * current settings, so that a stricter setting applies to existing sessions too. Only whole numbers from the
 * settings go into the text.
 */
export function notOverSql({ AUTH_SESSION_HOURS: hours, AUTH_SESSION_IDLE_HOURS: idle }: Limits): string {
  const conditions = ['coalesce(s.not_after > now(), true)'];
  if (hours > 0) conditions.push(`s.created_at > now() - make_interval(hours => ${Number(hours)})`);
  if (idle > 0) conditions.push(`s.updated_at > now() - make_interval(hours => ${Number(idle)})`);
  return `(${conditions.join(' and ')})`;
}
