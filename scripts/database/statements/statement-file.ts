import type pg from 'pg';
import { readCatalogueNames } from './nullability.ts';
import { type FoundStatement, findStatements } from './statement-search.ts';
import { type StatementType, StatementTypes } from './statement-types.ts';

/** Where to search for statements, and the file with their types. */
interface StatementFile {
  readonly file: string;
  readonly holds: (source: string) => boolean;
  readonly head: string;
  readonly tail: string;
}

const GENERATED =
  '// Written by `npm run docs` from the statements in the sources and the schema in migrations/: do not edit.\n';

/** Tests and tools: their statements are not part of the product. */
const isTest = (source: string): boolean =>
  !/^(?:src|packages)\//.test(source) || source.endsWith('.test.ts');

/** A package that brings statements of its own. */
const PROVIDER = 'packages/stripe-emulator/src';
const isProviders = (source: string): boolean => source.startsWith(PROVIDER) && !isTest(source);

const STATEMENT_FILES: readonly StatementFile[] = [
  {
    file: `${PROVIDER}/statements.generated.ts`,
    holds: isProviders,
    head: `${GENERATED}import type { JsonColumn } from './json-columns.ts';

/** Every statement of the provider with the values that it takes and the rows that it returns. */
export interface Statements {
`,
    tail: '}\n',
  },
  {
    file: 'src/kernel/resources/database/statements.generated.ts',
    holds: (source) => !isTest(source) && !isProviders(source),
    head: `${GENERATED}import type { JsonColumn } from './json-columns.ts';

/** Every fixed statement with the values that it takes and the rows that it returns. */
export interface Statements {
`,
    tail: '}\n',
  },
  {
    file: 'tests/statements.generated.ts',
    holds: isTest,
    head: `${GENERATED}import type { JsonColumn } from '../src/kernel/resources/database/json-columns.ts';

declare module '../src/kernel/resources/database/statements.generated.ts' {
  interface Statements {
`,
    tail: '  }\n}\n',
  },
];

/** The expected content of a generated file. */
export interface Written {
  readonly file: string;
  readonly text: string;
}

/** The generated files for this checkout's statements, and every statement that does not fit the schema. */
export async function statementFiles(
  client: pg.Client,
  statements: readonly FoundStatement[] = findStatements([PROVIDER, 'src', 'tests', 'bench', 'scripts']),
): Promise<{ files: Written[]; faults: string[]; statements: number }> {
  const types = await StatementTypes.open(client, await readCatalogueNames(client));
  const known = new Set<string>();
  const faults: string[] = [];
  const files: Written[] = [];
  for (const { file, holds, head, tail } of STATEMENT_FILES) {
    const lines: string[] = [];
    let from = '';
    for (const found of statements.filter((each) => holds(each.file))) {
      if (known.has(found.text)) continue;
      known.add(found.text);
      const type = await describe(types, found, faults);
      if (type === undefined) continue;
      if (found.file !== from) lines.push(`  // ${found.file}`);
      from = found.file;
      lines.push(`  ${JSON.stringify(found.text)}: ${entry(type)};`);
    }
    files.push({ file, text: `${head}${lines.join('\n')}\n${tail}` });
  }
  return { files, faults, statements: known.size };
}

async function describe(
  types: StatementTypes,
  { text, file, line }: FoundStatement,
  faults: string[],
): Promise<StatementType | undefined> {
  try {
    return await types.describe(text);
  } catch (error) {
    faults.push(`${file}:${line}: ${(error as Error).message}`);
    return undefined;
  }
}

function entry({ values, row }: StatementType): string {
  // When two columns have the same name, the last one counts, as in `pg`.
  const named = [...new Map(row.map(({ name, type }) => [name, { name, type }])).values()];
  const columns = named.map(
    ({ name, type }) => `${/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name)}: ${type}`,
  );
  const shape = columns.length === 0 ? 'Record<never, never>' : `{ ${columns.join('; ')} }`;
  return `{ values: [${values.join(', ')}]; row: ${shape} }`;
}
