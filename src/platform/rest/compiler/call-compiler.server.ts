import type { Argument, Routine, Schema } from './load-schema.server.ts';
import { restError } from './rest-error.server.ts';
import { arrayLiteral, type Parameters, quoteName } from './sql-text.server.ts';

/** Name of the column that a scalar result gets. */
export const SCALAR = 'pgrst_scalar';

/** Arguments as they came: a JSON object's text by POST, texts by GET, or a body that is one argument as a whole. */
export type CallArguments =
  | { readonly kind: 'json'; readonly text: string; readonly names: readonly string[] }
  | { readonly kind: 'query'; readonly values: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: 'whole'; readonly text: string; readonly type: 'text' | 'xml' | 'bytea' };

/**
 * The overload that takes exactly these names.
 *
 * @throws ServiceError 404 PGRST202 for none, 300 PGRST203 for several
 */
export function chooseRoutine(schema: Schema, name: string, given: CallArguments): Routine {
  const overloads = schema.routines.get(name) ?? [];
  const found = overloads.filter((routine) => accepts(routine, given));
  const only = found[0] ?? overloads.find((routine) => takesWholeBody(routine, given));
  if (found.length > 1) {
    const options = found.map(
      (routine) => `public.${name}(${routine.args.map((arg) => `${arg.name} => ${arg.type}`).join(', ')})`,
    );
    throw restError(
      300,
      'PGRST203',
      `Could not choose the best candidate function between: ${options.join(', ')}`,
      {
        hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
      },
    );
  }
  if (only !== undefined) return only;
  const names = given.kind === 'json' ? given.names : given.kind === 'whole' ? [] : [...given.values.keys()];
  const whole = given.kind === 'whole' ? given.type : 'json/jsonb';
  const list = names.length === 0 ? 'without parameters' : `(${names.join(', ')})`;
  const signature = names.length === 0 ? ` ${list}` : list;
  throw restError(
    404,
    'PGRST202',
    `Could not find the function public.${name}${signature} in the schema cache`,
    {
      details: `Searched for the function public.${name} with ${names.length === 0 ? 'no parameters' : `parameters ${names.join(', ')}`} or with a single unnamed ${whole} parameter, but no matches were found in the schema cache.`,
    },
  );
}

function accepts(routine: Routine, given: CallArguments): boolean {
  if (given.kind === 'whole') return false;
  const has = (name: string) => (given.kind === 'json' ? given.names.includes(name) : given.values.has(name));
  if (routine.args.some((arg) => arg.name === '')) return false;
  if (routine.args.some((arg) => arg.required && !has(arg.name))) return false;
  // By GET the other parameters of the query string are filters.
  return given.kind === 'query' || given.names.every((name) => routine.args.some((arg) => arg.name === name));
}

function takesWholeBody(routine: Routine, given: CallArguments): boolean {
  const [only, ...others] = routine.args;
  if (others.length > 0 || only?.name !== '') return false;
  if (given.kind === 'whole') return only.type === given.type;
  return given.kind === 'json' && /^jsonb?$/.test(only.type);
}

/** The select statement whose rows are the function's results. */
export function compileCall(routine: Routine, given: CallArguments, parameters: Parameters): string {
  const name = `public.${quoteName(routine.name)}`;
  if (given.kind === 'whole' || (given.kind === 'json' && takesWholeBody(routine, given))) {
    return results(routine, `${name}(${parameters.bind(given.text)}::${routine.args[0]?.type})`, '');
  }
  if (given.kind === 'query') {
    const used = routine.args.filter((arg) => given.values.has(arg.name));
    const list = used.map((arg) => {
      const values = given.values.get(arg.name) ?? [];
      const value = arg.variadic && values.length > 1 ? arrayLiteral(values) : (values.at(-1) ?? '');
      return argument(arg, `${parameters.bind(value)}::${arg.type}`);
    });
    return results(routine, `${name}(${list.join(', ')})`, '');
  }
  const used = routine.args.filter((arg) => given.names.includes(arg.name));
  if (used.length === 0) return results(routine, `${name}()`, '');
  const columns = used.map((arg) => `${quoteName(arg.name)} ${arg.type}`).join(', ');
  const from = `json_to_record(${parameters.bind(given.text)}::json) as argument (${columns}), lateral`;
  const list = used.map((arg) => argument(arg, `argument.${quoteName(arg.name)}`));
  return results(routine, `${name}(${list.join(', ')})`, from);
}

function argument(arg: Argument, value: string): string {
  return `${arg.variadic ? 'variadic ' : ''}${quoteName(arg.name)} := ${value}`;
}

function results(routine: Routine, call: string, from: string): string {
  if (routine.returns === 'composite') return `select result.* from ${from} ${call} as result`;
  return `select result.${SCALAR} from ${from} (select ${call} as ${SCALAR}) as result`;
}
