import { nearestWord } from '@northline/nearest-word/nearest-word';
import type { ServiceError } from '@northline/service-error/service-error';
import { restError } from '../rest-error.ts';
import type { Argument, Routine, Schema } from '../schema-shape.ts';
import { arrayLiteral, type Parameters, quoteName, quoteQualified } from './sql-text.ts';

/** Name of the column for a scalar result. */
export const SCALAR = 'pgrst_scalar';

/**
 * The arguments of a call: a JSON object's text by POST, texts by GET, or a body that is a single argument.
 */
export type CallArguments =
  | { readonly kind: 'json'; readonly text: string; readonly names: readonly string[] }
  | { readonly kind: 'query'; readonly values: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: 'whole'; readonly text: string; readonly type: 'text' | 'xml' | 'bytea' };

/**
 * The overload that accepts exactly these names.
 *
 * @throws ServiceError 404 PGRST202 for none, 300 PGRST203 for several
 */
export function chooseRoutine(schema: Schema, name: string, given: CallArguments): Routine {
  const overloads = schema.routines.get(name) ?? [];
  const found = mostNamed(
    overloads.filter((routine) => accepts(routine, given)),
    given,
  );
  if (found.length > 1) throw ambiguousRoutine(found);
  const only = found[0] ?? overloads.find((routine) => takesWholeBody(routine, given));
  if (only === undefined) throw noRoutine(schema, name, given);
  return only;
}

/**
 * The overloads that accept the most names: by GET, an overload with fewer arguments treats the others as
 * filters.
 */
function mostNamed(routines: readonly Routine[], given: CallArguments): Routine[] {
  const names = new Set(namesOf(given));
  const taken = ({ args }: Routine): number => args.filter(({ name }) => names.has(name)).length;
  const most = Math.max(...routines.map(taken));
  return routines.filter((routine) => taken(routine) === most);
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
      : `${withNames}${given.kind === 'json' ? ' or with a single unnamed json/jsonb parameter' : ''}`;
  return restError(
    404,
    'PGRST202',
    `Could not find the function ${full}${given.kind === 'whole' ? '' : signature} in the schema cache`,
    {
      details: `Searched for the function ${full}${searched}, but no matches were found in the schema cache.`,
      hint: similarRoutine(schema, name, names),
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

function accepts(routine: Routine, given: CallArguments): boolean {
  if (given.kind === 'whole') return false;
  const names = new Set(namesOf(given));
  // An argument without a name can only be passed by position; clients then send the name ''.
  const unnamed = routine.args.filter((arg) => arg.name === '');
  if (unnamed.length > 1 || (unnamed.length === 1 && routine.args[0]?.name !== '')) return false;
  if (routine.args.some((arg) => arg.required && !names.has(arg.name))) return false;
  // By GET, the other parameters of the query string are filters.
  return given.kind === 'query' || given.names.every((name) => routine.args.some((arg) => arg.name === name));
}

function takesWholeBody(routine: Routine, given: CallArguments): boolean {
  const [only, ...others] = routine.args;
  if (others.length > 0 || only?.name !== '') return false;
  if (given.kind === 'whole') return only.type === given.type;
  return given.kind === 'json' && /^jsonb?$/.test(only.type);
}

/** The select statement that returns the function's results. */
export function compileCall(routine: Routine, given: CallArguments, parameters: Parameters): string {
  const name = quoteQualified(routine);
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
  if (used.some((arg) => arg.name === '')) return callWithUnnamed(routine, used, given.text, parameters);
  const columns = used.map((arg) => `${quoteName(arg.name)} ${arg.type}`).join(', ');
  const from = `json_to_record(${parameters.bind(given.text)}::json) as argument (${columns}), lateral`;
  const list = used.map((arg) => argument(arg, `argument.${quoteName(arg.name)}`));
  return results(routine, `${name}(${list.join(', ')})`, from);
}

/** SQL has no columns with an empty name, so the arguments are taken from the object one by one. */
function callWithUnnamed(
  routine: Routine,
  used: readonly Argument[],
  body: string,
  parameters: Parameters,
): string {
  const from = `(select ${parameters.bind(body)}::json as body) as payload, lateral`;
  const list = used.map((arg) => {
    const record = `json_to_record(json_build_object('value', payload.body -> ${parameters.bind(arg.name)}::text))`;
    return argument(arg, `(select value from ${record} as one (value ${arg.type}))`);
  });
  return results(routine, `${quoteQualified(routine)}(${list.join(', ')})`, from);
}

function argument(arg: Argument, value: string): string {
  const name = arg.name === '' ? '' : `${quoteName(arg.name)} := `;
  return `${arg.variadic ? 'variadic ' : ''}${name}${value}`;
}

function results(routine: Routine, call: string, from: string): string {
  if (routine.returns === 'composite') return `select result.* from ${from} ${call} as result`;
  return `select result.${SCALAR} from ${from} (select ${call} as ${SCALAR}) as result`;
}
