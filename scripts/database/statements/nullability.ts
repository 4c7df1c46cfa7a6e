import type pg from 'pg';
import { firstNode, isTreeNode, parseTree, type TreeNode, type TreeValue } from './query-tree.ts';

/** Names from the catalogue that the analysis needs. */
export interface CatalogueNames {
  /** `oid attnum` of every column that cannot be null. */
  readonly required: ReadonlySet<string>;
  /** Name of each function and aggregate of PostgreSQL itself, by oid. */
  readonly functions: ReadonlyMap<string, string>;
  readonly operators: ReadonlyMap<string, string>;
  /** The query of each of our views, by oid. */
  readonly views: ReadonlyMap<string, TreeNode>;
}

/** PostgreSQL functions that never return null for arguments that are not null. */
const NEVER_NULL = new Set(
  `now clock_timestamp statement_timestamp transaction_timestamp gen_random_uuid lower upper length char_length
   octet_length left right concat concat_ws replace btrim ltrim rtrim encode md5 sha256 date_part extract date_trunc
   timezone to_timestamp make_interval floor ceil ceiling round abs greatest least to_json to_jsonb jsonb_build_object
   json_build_object jsonb_build_array json_build_array hashtextextended starts_with format int2 int4 int8 float4 float8
   numeric text bool date timestamptz timestamp interval bpchar varchar name uuid jsonb json array_append array_cat
   pg_try_advisory_xact_lock pg_try_advisory_lock pg_advisory_unlock pg_notify nextval quote_ident txid_current
   pg_current_xact_id pg_current_snapshot pg_snapshot_xmin xid8 concat string_to_array regexp_replace strpos position
   reverse lpad rpad power sqrt mod div trunc sign set_config version pg_backend_pid current_database random
   pg_database_size row_to_json cardinality make_timestamptz ts_rank ts_rank_cd plainto_tsquery websearch_to_tsquery
   to_tsvector to_tsquery phraseto_tsquery querytree ts_headline json_strip_nulls jsonb_strip_nulls to_char`
    .split(/\s+/)
    .filter(Boolean),
);
/** Casts to a number or a truth value. */
const SCALARS = new Set(['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric']);
/** Operators that may return null for arguments that are not null: paths into JSON. */
const MAY_BE_NULL = new Set(['->', '->>', '#>', '#>>', '@@', '@?', '#-']);
/** Aggregates and window functions that have a value even without rows. */
const COUNTS = new Set(['count', 'row_number', 'rank', 'dense_rank', 'ntile']);

const VIEWS = `select r.ev_class::int8::text as key, r.ev_action::text as value from pg_rewrite r join pg_class c on c.oid = r.ev_class
  where r.rulename = '_RETURN' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;

/** Reads the names for {@link NullAnalysis}. */
export async function readCatalogueNames(client: pg.Client): Promise<CatalogueNames> {
  const pairs = async (sql: string): Promise<Map<string, string>> => {
    const { rows } = await client.query<{ key: string; value: string }>(sql);
    return new Map(rows.map(({ key, value }) => [key, value]));
  };
  return {
    required: new Set(
      (
        await pairs(
          "select attrelid || ' ' || attnum as key, '' as value from pg_attribute where attnotnull and attnum > 0",
        )
      ).keys(),
    ),
    functions: await pairs(
      "select oid::int8::text as key, proname as value from pg_proc where pronamespace = 'pg_catalog'::regnamespace",
    ),
    operators: await pairs('select oid::int8::text as key, oprname as value from pg_operator'),
    views: new Map(
      [...(await pairs(VIEWS))].flatMap(([oid, tree]) => {
        const query = firstNode(parseTree(tree));
        return query === undefined ? [] : [[oid, query] as const];
      }),
    ),
  };
}

const field = (node: TreeNode, name: string): TreeValue => node.fields.get(name) ?? null;
const textOf = (node: TreeNode, name: string): string => String(field(node, name) ?? '');
const list = (value: TreeValue): readonly TreeValue[] => (Array.isArray(value) ? value : []);
const nodes = (value: TreeValue): TreeNode[] => list(value).filter(isTreeNode);

/** A query and those around it, the innermost last. */
type Scope = readonly TreeNode[];

/** Decides whether an expression of an analysed statement can be null; when in doubt, it can. */
export class NullAnalysis {
  readonly #names: CatalogueNames;

  constructor(names: CatalogueNames) {
    this.#names = names;
  }

  /** Whether column `at` (from 0) of a query's result is never null. */
  columnIsSet(query: TreeNode, at: number, outer: Scope = []): boolean {
    const scope = [...outer, query];
    if (isTreeNode(field(query, 'setOperations'))) {
      const branches = nodes(field(query, 'rtable')).map((entry) => field(entry, 'subquery'));
      return branches.every((branch) => !isTreeNode(branch) || this.columnIsSet(branch, at, scope));
    }
    const column = outputColumns(query)[at];
    return column !== undefined && this.#isSet(field(column, 'expr'), scope);
  }

  #isSet(value: TreeValue, scope: Scope): boolean {
    if (!isTreeNode(value)) return false;
    const check = this.#checks[value.name];
    return check?.(value, scope) ?? false;
  }

  #allSet(value: TreeValue, scope: Scope): boolean {
    return nodes(value).every((each) => this.#isSet(each, scope));
  }

  readonly #same =
    (name: string) =>
    (node: TreeNode, scope: Scope): boolean =>
      this.#isSet(field(node, name), scope);
  readonly #always = (): boolean => true;
  readonly #any = (node: TreeNode, scope: Scope): boolean =>
    nodes(field(node, 'args')).some((each) => this.#isSet(each, scope));
  readonly #all = (node: TreeNode, scope: Scope): boolean => this.#allSet(field(node, 'args'), scope);

  readonly #checks: Readonly<Record<string, (node: TreeNode, scope: Scope) => boolean>> = {
    VAR: (node, scope) => this.#variableIsSet(node, scope),
    CONST: (node) => textOf(node, 'constisnull') === 'false',
    AGGREF: (node, scope) => this.#aggregateIsSet(node, scope),
    WINDOWFUNC: (node) => COUNTS.has(this.#names.functions.get(textOf(node, 'winfnoid')) ?? ''),
    FUNCEXPR: (node, scope) => this.#callIsSet(node, scope),
    OPEXPR: (node, scope) =>
      !MAY_BE_NULL.has(this.#names.operators.get(textOf(node, 'opno')) ?? '->') && this.#all(node, scope),
    SCALARARRAYOPEXPR: (node, scope) => this.#anyOfListIsSet(node, scope),
    BOOLEXPR: this.#all,
    DISTINCTEXPR: this.#always,
    NULLTEST: this.#always,
    BOOLEANTEST: this.#always,
    SQLVALUEFUNCTION: this.#always,
    ARRAYEXPR: this.#always,
    ROWEXPR: this.#always,
    COALESCEEXPR: this.#any,
    MINMAXEXPR: this.#any,
    CASEEXPR: (node, scope) => this.#caseIsSet(node, scope),
    SUBLINK: (node, scope) => this.#sublinkIsSet(node, scope),
    RELABELTYPE: this.#same('arg'),
    COERCEVIAIO: this.#same('arg'),
    ARRAYCOERCEEXPR: this.#same('arg'),
    COLLATEEXPR: this.#same('arg'),
  };

  #callIsSet(node: TreeNode, scope: Scope): boolean {
    const JSONB = '3802';
    const name = this.#names.functions.get(textOf(node, 'funcid')) ?? '';
    const args = nodes(field(node, 'args'));
    // JSON's null becomes SQL's null.
    const fromJson = SCALARS.has(name) && args.some((arg) => textOf(arg, 'vartype') === JSONB);
    return NEVER_NULL.has(name) && !fromJson && args.every((arg) => this.#isSet(arg, scope));
  }

  #aggregateIsSet(node: TreeNode, scope: Scope): boolean {
    const name = this.#names.functions.get(textOf(node, 'aggfnoid')) ?? '';
    if (COUNTS.has(name)) return true;
    // A group has at least one row, so an aggregate of values that are not null has a value.
    const grouped = list(field(scope.at(-1) as TreeNode, 'groupClause')).length > 0;
    const values = nodes(field(node, 'args')).map((entry) => field(entry, 'expr'));
    return grouped && field(node, 'aggfilter') === null && values.every((each) => this.#isSet(each, scope));
  }

  /** `x in (…)`: the elements of an array that is not a list of values may be null. */
  #anyOfListIsSet(node: TreeNode, scope: Scope): boolean {
    const [value, among] = nodes(field(node, 'args'));
    if (value === undefined || among === undefined || !this.#isSet(value, scope)) return false;
    return (
      among.name === 'CONST' || (among.name === 'ARRAYEXPR' && this.#allSet(field(among, 'elements'), scope))
    );
  }

  #caseIsSet(node: TreeNode, scope: Scope): boolean {
    const results = nodes(field(node, 'args')).map((when) => field(when, 'result'));
    return [...results, field(node, 'defresult')].every((each) => this.#isSet(each, scope));
  }

  #sublinkIsSet(node: TreeNode, scope: Scope): boolean {
    const [EXISTS, EXPRESSION, ARRAY] = ['0', '4', '6'];
    const kind = textOf(node, 'subLinkType');
    if (kind === EXISTS || kind === ARRAY) return true;
    const query = field(node, 'subselect');
    if (kind !== EXPRESSION || !isTreeNode(query)) return false;
    // An aggregate without groups returns exactly one row.
    const oneRow =
      textOf(query, 'hasAggs') === 'true' &&
      list(field(query, 'groupClause')).length === 0 &&
      field(query, 'havingQual') === null &&
      field(query, 'limitCount') === null;
    return oneRow && this.columnIsSet(query, 0, scope);
  }

  #variableIsSet(node: TreeNode, scope: Scope): boolean {
    if (list(field(node, 'varnullingrels')).length > 1) return false;
    const depth = scope.length - 1 - Number(textOf(node, 'varlevelsup'));
    const query = scope[depth];
    const entry =
      query === undefined ? undefined : nodes(field(query, 'rtable'))[Number(textOf(node, 'varno')) - 1];
    if (query === undefined || entry === undefined) return false;
    if (isTestedForNull(query, node)) return true;
    return this.#entryColumnIsSet(entry, Number(textOf(node, 'varattno')), scope.slice(0, depth + 1));
  }

  /** Column `at` (from 1, 0 for the whole row) of an entry of the range table. */
  #entryColumnIsSet(entry: TreeNode, at: number, scope: Scope): boolean {
    const [RELATION, SUBQUERY, JOIN, VALUES, CTE, GROUP] = ['0', '1', '2', '5', '6', '9'];
    const kind = textOf(entry, 'rtekind');
    if (at < 1) return kind === RELATION;
    if (kind === RELATION) {
      const view = this.#names.views.get(textOf(entry, 'relid'));
      if (view !== undefined) return this.columnIsSet(view, at - 1);
      return this.#names.required.has(`${textOf(entry, 'relid')} ${at}`);
    }
    if (kind === JOIN) return this.#isSet(list(field(entry, 'joinaliasvars'))[at - 1] ?? null, scope);
    if (kind === GROUP) return this.#isSet(list(field(entry, 'groupexprs'))[at - 1] ?? null, scope);
    if (kind === VALUES) {
      return list(field(entry, 'values_lists')).every((row) => this.#isSet(list(row)[at - 1] ?? null, scope));
    }
    if (kind === SUBQUERY) {
      const query = field(entry, 'subquery');
      return isTreeNode(query) && this.columnIsSet(query, at - 1, scope);
    }
    return kind === CTE && this.#cteColumnIsSet(entry, at, scope);
  }

  #cteColumnIsSet(entry: TreeNode, at: number, scope: Scope): boolean {
    if (textOf(entry, 'self_reference') === 'true') return false;
    const depth = scope.length - 1 - Number(textOf(entry, 'ctelevelsup'));
    const holder = scope[depth];
    const cte = nodes(holder === undefined ? null : field(holder, 'cteList')).find(
      (each) => textOf(each, 'ctename') === textOf(entry, 'ctename'),
    );
    const query = cte === undefined ? null : field(cte, 'ctequery');
    return isTreeNode(query) && this.columnIsSet(query, at - 1, scope.slice(0, depth + 1));
  }
}

/** The result columns of a query: its target list, or that of `returning`. */
export function outputColumns(query: TreeNode): TreeNode[] {
  const SELECT = '1';
  const columns = nodes(
    field(query, textOf(query, 'commandType') === SELECT ? 'targetList' : 'returningList'),
  );
  return columns.filter((column) => textOf(column, 'resjunk') !== 'true');
}

/** Whether a query only returns rows in which one of its variables is not null. */
function isTestedForNull(query: TreeNode, variable: TreeNode): boolean {
  const [SELECT, DELETE, IS_NOT_NULL] = ['1', '4', '1'];
  if (![SELECT, DELETE].includes(textOf(query, 'commandType')) || textOf(variable, 'varlevelsup') !== '0')
    return false;
  const jointree = field(query, 'jointree');
  const same = (value: TreeValue | undefined): boolean => {
    if (!isTreeNode(value)) return false;
    if (value.name === 'RELABELTYPE') return same(field(value, 'arg'));
    return (
      value.name === 'VAR' &&
      ['varno', 'varattno', 'varlevelsup'].every((name) => textOf(value, name) === textOf(variable, name))
    );
  };
  const demands = (value: TreeValue): boolean => {
    if (!isTreeNode(value)) return false;
    if (value.name === 'BOOLEXPR')
      return textOf(value, 'boolop') === 'and' && nodes(field(value, 'args')).some(demands);
    if (value.name === 'NULLTEST')
      return textOf(value, 'nulltesttype') === IS_NOT_NULL && same(field(value, 'arg'));
    return value.name === 'OPEXPR' && nodes(field(value, 'args')).some(same);
  };
  return isTreeNode(jointree) && demands(field(jointree, 'quals'));
}
