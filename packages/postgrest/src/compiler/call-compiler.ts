import { nearestWord } from '@northline/nearest-word/nearest-word';
import type { ServiceError } from '@northline/service-error/service-error';
import { comparedColumns, selectedColumns } from '../query/named-columns.ts';
import type { QueryTree } from '../query/query-tree.ts';
import { restError } from '../rest-error.ts';
import type { Argument, Routine, Schema } from '../schema-shape.ts';
import type { StatementContext } from './select-compiler.ts';
import { arrayLiteral, type Parameters, quoteName, quoteQualified } from './sql-text.ts';

/** Name of the column for a scalar result. */
export const SCALAR = 'pgrst_scalar';

/**
 * The arguments of a call: rows as JSON text, of which the first has the arguments; texts of a query string or
 * a form; or a body that is a single argument.
 */
export type CallArguments =
  | {
      readonly kind: 'json';
      readonly text: string;
      readonly names: readonly string[];
      /** False for rows that came as CSV, which are no JSON argument. */
      readonly isJson: boolean;
    }
  | { readonly kind: 'texts'; readonly values: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: 'whole'; readonly text: string; readonly type: 'text' | 'xml' | 'bytea' };

/**
 * The overload that accepts exactly these names, else one that takes the whole body.
 *
 * @throws ServiceError 404 PGRST202 for none, 300 PGRST203 for several
 */
export function chooseRoutine(schema: Schema, name: string, given: CallArguments): Routine {
  const overloads = schema.routines.get(name) ?? [];
  const byNames = overloads.filter((routine) => accepts(routine, given));
  const found = byNames.length > 0 ? byNames : overloads.filter((routine) => takesWholeBody(routine, given));
  const [only] = found;
  if (only === undefined) throw noRoutine(schema, name, given);
  if (found.length > 1) throw ambiguousRoutine(found);
  return only;
}

/** 300 PGRST203, with the candidates by their number of arguments, as PostgREST lists them. */
export function ambiguousRoutine(candidates: readonly Routine[]): ServiceError {
  const key = ({ args }: Routine): string => args.map(({ name, type }) => `${name} ${type}`).join('\n');
  const sorted = candidates.toSorted((a, b) => a.args.length - b.args.length || (key(a) < key(b) ? -1 : 1));
  const options = sorted.map(
    ({ schema, name, args }) =>
      `${schema}.${name}(${args.map((arg) => `${arg.name} => ${arg.type}`).join(', ')})`,
  );
  return restError(
    300,
    'PGRST203',
    `Could not choose the best candidate function between: ${options.join(', ')}`,
    {
      hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
    },
  );
}

/** 404 PGRST202 in PostgREST's words. */
function noRoutine(schema: Schema, name: string, given: CallArguments): ServiceError {
  const full = `${schema.name}.${name}`;
  const names = namesOf(given);
  const list = names.join(', ');
  const withNames =
    names.length === 0 ? ' without parameters' : ` with parameter${names.length > 1 ? 's' : ''} ${list}`;
  const signature = names.length === 0 ? ' without parameters' : `(${list})`;
  const searched =
    given.kind === 'whole'
      ? ` with a single unnamed ${given.type} parameter`
      : `${withNames}${given.kind === 'json' && given.isJson ? ' or with a single unnamed json/jsonb parameter' : ''}`;
  return restError(
    404,
    'PGRST202',
    `Could not find the function ${full}${given.kind === 'whole' ? '' : signature} in the schema cache`,
    {
      details: `Searched for the function ${full}${searched}, but no matches were found in the schema cache.`,
      hint: given.kind === 'whole' ? null : similarRoutine(schema, name, names),
    },
  );
}

/** A function with a similar name, or an overload with the same name and similar arguments. */
function similarRoutine(schema: Schema, name: string, names: readonly string[]): string | null {
  const near = (word: string, words: readonly string[]): string | undefined =>
    nearestWord(word, words, Math.ceil(word.length / 2));
  const overloads = schema.routines.get(name);
  const signature = (list: readonly string[]): string => `(${list.join(', ')})`;
  const found =
    overloads === undefined
      ? near(name, [...schema.routines.keys()])
      : near(
          signature(names.toSorted()),
          overloads.map(({ args }) => signature(args.map((arg) => arg.name).toSorted())),
        );
  if (found === undefined) return null;
  const suggestion = overloads === undefined ? found : `${name}${found}`;
  return `Perhaps you meant to call the function ${schema.name}.${suggestion}`;
}

function namesOf(given: CallArguments): readonly string[] {
  if (given.kind === 'whole') return [];
  return given.kind === 'json' ? given.names : [...given.values.keys()];
}

function accepts({ args }: Routine, given: CallArguments): boolean {
  if (given.kind === 'whole') return false;
  const names = new Set(namesOf(given));
  const known = new Set(args.map(({ name }) => name));
  return args.every(({ name, required }) => !required || names.has(name)) && names.isSubsetOf(known);
}

/** True for a function whose only argument has no name. */
const isUnnamed = ({ args }: Routine): boolean => args.length === 1 && args[0]?.name === '';

function takesWholeBody(routine: Routine, given: CallArguments): boolean {
  const type = routine.args[0]?.type ?? '';
  if (!isUnnamed(routine)) return false;
  if (given.kind === 'whole') return type === given.type;
  return given.kind === 'json' && given.isJson && /^jsonb?$/.test(type);
}

/** The select statement that returns the function's results, with the computed fields that the query names. */
export function compileCall(
  { schema, tree, parameters }: StatementContext,
  routine: Routine,
  given: CallArguments,
): string {
  const fields = computedFields(schema, routine, tree);
  return results(routine, compileArguments(routine, given, parameters), fields);
}

/** The computed fields of the result's table that a query names. The results alone would not have them. */
function computedFields({ withFields }: Schema, { relation, columns }: Routine, tree: QueryTree): string[] {
  const known = withFields.get(relation ?? '');
  if (known === undefined) return [];
  const named = new Set([...selectedColumns(tree), ...comparedColumns(tree.root.conditions)]);
  return [...named].filter((name) => known.has(name) && !columns.has(name));
}

/** A call, and the rows that its arguments come from. */
interface CompiledArguments {
  readonly call: string;
  readonly from: string;
}

function compileArguments(routine: Routine, given: CallArguments, parameters: Parameters): CompiledArguments {
  const name = quoteQualified(routine);
  if (given.kind === 'whole' || (given.kind === 'json' && isUnnamed(routine))) {
    return { call: `${name}(${parameters.bind(given.text)}::${routine.args[0]?.type})`, from: '' };
  }
  const used = routine.args.filter((arg) => namesOf(given).includes(arg.name));
  if (used.length === 0) return { call: `${name}()`, from: '' };
  if (given.kind === 'texts') {
    const list = used.map((arg) => {
      const values = given.values.get(arg.name) ?? [];
      const value = arg.variadic ? arrayLiteral(values) : (values.at(-1) ?? '');
      return argument(arg, `${parameters.bind(value)}::${arg.type}`);
    });
    return { call: `${name}(${list.join(', ')})`, from: '' };
  }
  const columns = used.map((arg) => `${quoteName(arg.name)} ${arg.type}`).join(', ');
  const isList = given.text.trimStart().startsWith('[');
  const object = `${parameters.bind(given.text)}::json${isList ? ' -> 0' : ''}`;
  const from = `json_to_record(${object}) as argument (${columns}), lateral`;
  const list = used.map((arg) => argument(arg, `argument.${quoteName(arg.name)}`));
  return { call: `${name}(${list.join(', ')})`, from };
}

function argument(arg: Argument, value: string): string {
  const name = arg.name === '' ? '' : `${quoteName(arg.name)} := `;
  return `${arg.variadic ? 'variadic ' : ''}${name}${value}`;
}

function results(routine: Routine, { call, from }: CompiledArguments, fields: readonly string[]): string {
  const list = ['result.*', ...fields.map((name) => `result.${quoteName(name)}`)].join(', ');
  if (routine.returns === 'composite') return `select ${list} from ${from} ${call} as result`;
  return `select result.${SCALAR} from ${from} (select ${call} as ${SCALAR}) as result`;
}
