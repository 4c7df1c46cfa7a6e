import path from 'node:path';
import type pg from 'pg';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { readMigrations } from '../../src/kernel/resources/database/migration-files.ts';
import { madeBy, ownerOf } from './migration-owners.ts';
import {
  type DatabaseFunction,
  describeFunctions,
  describeRelations,
  type Policy,
  type Relation,
} from './schema-description.ts';
import { triggerReferences } from './trigger-references.ts';
import { uncheckedStatements } from './unchecked-statements.ts';

const HEAD = `# The database

What the schema holds, who may read and write it, and what happens by itself. \`npm run docs\` writes this page from the catalogue
of a freshly migrated database and from the \`@trigger\` tags of the sources. The sentences are the \`comment on\` statements of
\`migrations/\`. The page leaves out the tables of the job queue (pg-boss, schema \`private\`) and the list of applied migrations
(\`private.schema_migrations\`).

The rights and policies below apply to requests, which run as \`anon\`, \`authenticated\` or \`service_role\`. They do not apply to the
product itself, which connects as the owner.
`;

/**
 * The folder of the owner of each relation and function: `schema.name` to folder, in the order of the files. A file
 * without an owner is a fault of `migrationOwners`.
 */
function owners(): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, sql } of readMigrations(path.join(PROJECT_ROOT, 'migrations'))) {
    for (const made of madeBy(sql)) if (!found.has(made)) found.set(made, ownerOf(name) ?? '');
  }
  return found;
}

/**
 * `docs/database.md` for the schema of `client`, and what is missing for it: an owner, a comment, the tag of a trigger.
 * Each fault says what to do.
 */
export async function databaseDocument(client: pg.Client): Promise<{ text: string; faults: string[] }> {
  const owned = owners();
  const relations = (await describeRelations(client)).filter(({ name }) => owned.has(name));
  const functions = (await describeFunctions(client)).filter(({ name }) =>
    owned.has(name.split('(')[0] ?? ''),
  );
  const references = triggerReferences();
  const sections = [...new Set(owned.values())].map((folder) => {
    const tables = relations.filter(({ name }) => owned.get(name) === folder);
    const calls = functions.filter(({ name }) => owned.get(name.split('(')[0] ?? '') === folder);
    return [`## ${folder}`, ...tables.map((table) => relationText(table, references)), functionsText(calls)]
      .filter(Boolean)
      .join('\n\n');
  });
  return {
    text: `${HEAD}\n${[...sections, uncheckedText()].join('\n\n')}\n`,
    faults: databaseFaults(relations, functions, references),
  };
}

/** The statements that `npm run lint` cannot check against the schema. */
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

function databaseFaults(
  relations: readonly Relation[],
  functions: readonly DatabaseFunction[],
  references: ReadonlyMap<string, readonly string[]>,
): string[] {
  const triggers = relations.flatMap(({ name, triggers: own }) =>
    own.map((each) => ({ ...each, table: name })),
  );
  const known = new Set(triggers.map(({ table, name }) => `${table} ${name}`));
  return [
    ...[...relations, ...functions]
      .filter(({ about }) => about === null)
      .map(
        ({ name }) =>
          `${name} has no comment: say in its migration what it is for, by "comment on … ${name}".`,
      ),
    ...triggers
      .filter(({ about }) => about === null)
      .map(
        ({ name, table }) =>
          `The trigger ${name} has no comment: add "comment on trigger ${name} on ${table}".`,
      ),
    ...[...known]
      .filter((name) => !references.has(name))
      .map(
        (name) =>
          `No source relies on the trigger ${name}: add "@trigger ${name}" to the docstring that does.`,
      ),
    ...[...references.keys()]
      .filter((name) => !known.has(name))
      .map(
        (name) =>
          `${references.get(name)?.join(', ')} names the trigger ${name}, which does not exist: correct its tag "@trigger".`,
      ),
    ...relations
      .filter(({ rights, policies }) => rights.length === 0 && policies.length > 0)
      .map(({ name }) => `${name} has policies that nobody can use: grant the right, or drop the policies.`),
  ];
}

const cell = (text: string | null): string => (text ?? '').replaceAll('|', '\\|').replace(/\s+/g, ' ');

function relationText(relation: Relation, references: ReadonlyMap<string, readonly string[]>): string {
  const { name, kind, about, columns, policies, triggers } = relation;
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
