import path from 'node:path';
import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';

/**
 * Reads `--name VALUE` and `--flag` words.
 *
 * @throws UsageError for other words
 */
export function parseOptions<Name extends string, Flag extends string = never>(
  words: readonly string[],
  names: readonly Name[],
  flags: readonly Flag[] = [],
): { readonly values: { readonly [name in Name]?: string }; readonly flags: ReadonlySet<Flag> } {
  try {
    const values: Readonly<Record<string, unknown>> = parseArgs({
      args: [...words],
      options: Object.fromEntries([
        ...names.map((name) => [name, { type: 'string' as const }]),
        ...flags.map((name) => [name, { type: 'boolean' as const }]),
      ]),
    }).values;
    return {
      values: Object.fromEntries(names.map((name) => [name, values[name]])) as { [name in Name]?: string },
      flags: new Set(flags.filter((name) => values[name] === true)),
    };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/**
 * Resolves a path as the operator typed it: npm changes the working folder and remembers the original one.
 */
export function typedPath(word: string): string {
  return path.resolve(process.env.INIT_CWD ?? '.', word);
}
