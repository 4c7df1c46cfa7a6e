import path from 'node:path';
import type pg from 'pg';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { readMigrations } from '../../src/kernel/resources/database/migration-files.ts';
import {
  type DatabaseFunction,
  describeFunctions,
  describeRelations,
  type Policy,
  type Relation,
} from './schema-description.ts';
import { triggerReferences } from './trigger-references.ts';
import { uncheckedStatements } from './unchecked-statements.ts';

/** The code that each file of migrations belongs to, by the first word after its number. */
const OWNERS: Readonly<Record<string, string>> = {
  roles: 'src/kernel/resources/database',
  mail: 'src/kernel/resources/mailer',
  accounts: 'src/platform/auth',
  outbox: 'src/kernel/resources/outbound-http',
  storage: 'src/platform/storage',
  realtime: 'src/platform/realtime',
  credits: 'src/business/billing',
  files: 'src/business/files',
  analysis: 'src/business/analysis',
  billing: 'src/business/billing',
  test: 'src/emulators/stripe',
  statistics: 'src/business/statistics',
  enquiries: 'src/business/enquiries',
  news: 'src/business/news',
  voice: 'src/voice',
  bookings: 'src/business/bookings',
  operator: 'src/business/console',
  waiting: 'src/kernel/resources/outbound-http',
  backups: 'src/business/backup',
  second: 'src/platform/auth',
  site: 'src/business/content',
  courses: 'src/business/courses',
  messages: 'src/business/messages',
  people: 'src/business/privacy',
  teams: 'src/business/teams',
  periodic: 'src/kernel/resources/jobs',
  limits: 'src/kernel/http',
  push: 'src/kernel/resources/push',
};

const HEAD = `# The database

What the schema holds, who may read and write it, and what happens by itself. Written by \`npm run docs\` from the
catalogue of a freshly migrated database and from the \`@trigger\` tags of the sources; the sentences are the
\`comment on\` statements of \`migrations/\`. Tables of the job queue (pg-boss, schema \`private\`) and the list of applied
migrations (\`private.schema_migrations\`) are left out. The product itself connects as the owner and is bound by no right
or policy below: they bind requests, which run as \`anon\`, \`authenticated\` or \`service_role\`.
`;

/** The folder of sources that owns what a file of migrations makes. @throws Error when its name says none */
function ownerOf(migration: string): string {
  const word = /^\d+[-_]([a-z]+)/.exec(path.basename(migration))?.[1] ?? '';
  const owner = OWNERS[word];
  if (owner === undefined) {
    throw new Error(
      `${migration} names no owner: start its name with one of ${Object.keys(OWNERS).join(', ')}.`,
    );
  }
  return owner;
}

/** Where each relation and function is made: `schema.name` to the folder of its owner, in the order of the files. */
function owners(): Map<string, string> {
  const found = new Map<string, string>();
  const create = /^create (?:or replace )?(?:unlogged )?(?:table|view|function) (\w+\.\w+)/gm;
  for (const { name, sql } of readMigrations(path.join(PROJECT_ROOT, 'migrations'))) {
    for (const [, made = ''] of sql.matchAll(create)) if (!found.has(made)) found.set(made, ownerOf(name));
  }
  return found;
}

/**
 * `docs/database.md` for the schema of `client`.
 *
 * @throws Error when a table, view, function or trigger has no comment or owner, or a trigger's tag is wrong
 */
export async function databaseDocument(client: pg.Client): Promise<string> {
  const owned = owners();
  const relations = (await describeRelations(client)).filter(({ name }) => owned.has(name));
  const functions = (await describeFunctions(client)).filter(({ name }) =>
    owned.has(name.split('(')[0] ?? ''),
  );
  const references = triggerReferences();
  checkComplete(relations, functions, references);
  const sections = [...new Set(owned.values())].map((folder) => {
    const tables = relations.filter(({ name }) => owned.get(name) === folder);
    const calls = functions.filter(({ name }) => owned.get(name.split('(')[0] ?? '') === folder);
    return [`## ${folder}`, ...tables.map((table) => relationText(table, references)), functionsText(calls)]
      .filter(Boolean)
      .join('\n\n');
  });
  return `${HEAD}\n${[...sections, uncheckedText()].join('\n\n')}\n`;
}

/** The statements of which `npm run lint` cannot say whether they fit the schema. */
function uncheckedText(): string {
  const rows = uncheckedStatements().map(({ file, why, count }) => `| \`${file}\` | ${count} | ${why} |`);
  return [
    '## Statements that no tool checks',
    '',
    'Every other statement of the product is fixed: `npm run lint` compares it with this schema, and its types come',
    'from there. These are *composed* of parts that depend on a request or a setting, *commands* that PostgreSQL does',
    'not prepare, or about *foreign* tables, which the schema does not have.',
    '',
    '| Source | Statements | Why |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

function checkComplete(
  relations: readonly Relation[],
  functions: readonly DatabaseFunction[],
  references: ReadonlyMap<string, readonly string[]>,
): void {
  const triggers = relations.flatMap(({ name, triggers: own }) =>
    own.map((each) => ({ ...each, table: name })),
  );
  const known = new Set(triggers.map(({ table, name }) => `${table} ${name}`));
  const faults = [
    ...[...relations, ...functions, ...triggers]
      .filter(({ about }) => about === null)
      .map(({ name }) => `${name} has no comment`),
    ...[...known].filter((name) => !references.has(name)).map((name) => `no source says @trigger ${name}`),
    ...[...references.keys()]
      .filter((name) => !known.has(name))
      .map((name) => `${references.get(name)?.join(', ')} names the trigger ${name}, which does not exist`),
  ];
  if (faults.length > 0) throw new Error(`docs/database.md cannot be written: ${faults.join('; ')}.`);
}

const cell = (text: string | null): string => (text ?? '').replaceAll('|', '\\|').replace(/\s+/g, ' ');

function relationText(relation: Relation, references: ReadonlyMap<string, readonly string[]>): string {
  const { name, kind, about, columns, rights, policies, triggers } = relation;
  const blocks = [
    `### ${name}`,
    `${kind === 'view' ? 'View. ' : ''}${about}`,
    [
      '| Column | Type | Default | |',
      '|---|---|---|---|',
      ...columns.map(
        (column) =>
          `| \`${column.name}\` | ${column.type}${column.required || kind === 'view' ? '' : ', may be null'} | ${cell(column.fallback === null ? null : `\`${column.fallback}\``)} | ${cell(column.about)} |`,
      ),
    ].join('\n'),
    rightsText(relation),
    policies.map(policyText).join('\n'),
  ];
  if (rights.length === 0 && policies.length > 0)
    throw new Error(`${name} has policies that nobody can use.`);
  if (triggers.length > 0) {
    const rows = triggers.map(({ name: trigger, moment, calls, about: what }) => {
      const sources = (references.get(`${name} ${trigger}`) ?? []).map((file) => `\`${file}\``).join(', ');
      return `| \`${trigger}\` | ${moment} | ${cell(what)} | \`${calls}\` | ${sources} |`;
    });
    blocks.push(
      ['| Trigger | Fires | What it does | Calls | Relied on by |', '|---|---|---|---|---|', ...rows].join(
        '\n',
      ),
    );
  }
  return blocks.filter(Boolean).join('\n\n');
}

function rightsText({ rights, kind, rowSecurity }: Relation): string {
  if (rights.length === 0) return 'Rights: none but the product itself.';
  const rows = kind === 'table' && !rowSecurity ? ' Without row level security.' : '';
  return `Rights: ${rights.join('; ')}.${rows}`;
}

const policyText = ({ name, command, roles, condition }: Policy): string =>
  `- Policy “${name}”: ${roles} may ${command === 'all' ? 'do anything with' : command} rows where \`${cell(condition)}\`.`;

function functionsText(functions: readonly DatabaseFunction[]): string {
  if (functions.length === 0) return '';
  const rows = functions.map(({ name, about, callers }) => `| \`${name}\` | ${cell(about)} | ${callers} |`);
  return ['### Functions', '', '| Function | What it does | Called by |', '|---|---|---|', ...rows].join(
    '\n',
  );
}
