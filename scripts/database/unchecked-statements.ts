import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { type SyntaxNode, walkSyntax } from './statements/statement-search.ts';

/** A statement of the product that no tool checks. */
export interface UncheckedStatement {
  readonly file: string;
  /** The reason in the call of `uncheckedSql`. */
  readonly why: string;
  readonly count: number;
}

/** Every use of `uncheckedSql` in the product, by file and reason. */
export function uncheckedStatements(): UncheckedStatement[] {
  const files = globSync('src/**/*.ts', { cwd: PROJECT_ROOT }).filter((file) => !file.endsWith('.test.ts'));
  return files.sort().flatMap((file) => {
    const source = readFileSync(path.join(PROJECT_ROOT, file), 'utf8');
    if (!source.includes('uncheckedSql(') && !source.includes('uncheckedSql<')) return [];
    const counts = new Map<string, number>();
    const { program } = parseSync(file, source, { lang: 'ts' });
    walkSyntax(program as unknown as SyntaxNode, (node) => {
      if (node.type !== 'CallExpression' || (node.callee as SyntaxNode).name !== 'uncheckedSql') return;
      const why = String((node.arguments as SyntaxNode[])[1]?.value);
      counts.set(why, (counts.get(why) ?? 0) + 1);
    });
    return [...counts].map(([why, count]) => ({ file, why, count }));
  });
}
