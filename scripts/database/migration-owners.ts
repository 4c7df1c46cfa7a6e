import path from 'node:path';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { readMigrations } from '../../src/kernel/resources/database/migration-files.ts';
import { FEATURE_IMPORTS, LAYERS } from '../../src/plan.ts';

/** Files of migrations that are not named after a feature or a wing: the first word of their name, and their owner. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  roles: 'src/kernel/resources/database',
  mail: 'src/kernel/resources/mailer',
  analysis: 'src/business/documents',
  accounts: 'src/platform/auth',
  operator: 'src/business/console',
  outbox: 'src/kernel/resources/outbound-http',
  credits: 'src/business/billing',
  test: 'packages/stripe-emulator',
  waiting: 'src/kernel/resources/outbound-http',
  backups: 'src/business/backup',
  second: 'src/platform/auth',
  site: 'src/business/content',
  people: 'src/business/privacy',
  periodic: 'src/kernel/resources/jobs',
  limits: 'src/kernel/http',
  push: 'src/kernel/resources/push',
};

/**
 * The folder of sources that owns what a file of migrations makes: the feature or the wing of `src/plan.ts` that the
 * first word after its number names. Undefined where it names none.
 */
export function ownerOf(migration: string): string | undefined {
  const word = /^\d+[-_]([a-z]+)/.exec(path.basename(migration))?.[1] ?? '';
  const other = OTHER_WORDS[word];
  if (other !== undefined) return other;
  const feature = Object.keys(FEATURE_IMPORTS).find((name) => path.basename(name) === word);
  if (feature !== undefined) return `src/${feature}`;
  return LAYERS[word] === undefined ? undefined : `src/${word}`;
}

/** The tables, views and functions that a file of migrations makes, as `schema.name`. */
export function madeBy(sql: string): string[] {
  const create = /^create (?:or replace )?(?:unlogged )?(?:table|view|function) (\w+\.\w+)/gm;
  return [...sql.matchAll(create)].map(([, made = '']) => made);
}

/** The files of migrations that make something and whose names say no owner, each with what to do. */
export function ownerFaults(): string[] {
  return readMigrations(path.join(PROJECT_ROOT, 'migrations'))
    .filter(({ name, sql }) => madeBy(sql).length > 0 && ownerOf(name) === undefined)
    .map(
      ({ name }) =>
        `migrations/${name} names no owner: after its number comes the folder of a feature in src/plan.ts, as in 0541_news_drafts.sql.`,
    );
}
