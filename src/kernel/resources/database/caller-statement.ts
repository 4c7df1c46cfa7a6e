import pg, { type Client, type Connection, type FieldDef, type Submittable } from 'pg';
import { type Caller, statementTimeoutOf } from './caller.ts';

/** Rows of one statement as text: `null` or the value as PostgreSQL prints it. */
export interface StatementResult {
  readonly fields: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Rows that the statement changed or returned. */
  readonly rowCount: number;
}

/** The parts of pg's connection that carry the extended protocol. */
interface Wire {
  parse(query: { text: string; name?: string; types?: number[] }): void;
  bind(config: { statement?: string; values?: (string | null)[] }): void;
  describe(message: { type: 'S' | 'P'; name: string }): void;
  execute(config: { portal?: string; rows?: number }): void;
  sync(): void;
  stream: { cork?(): void; uncork?(): void };
}

const WIRE_METHODS = ['parse', 'bind', 'describe', 'execute', 'sync'] as const;

/**
 * Checks that this version of pg has the parts of its connection that `CallerStatement` uses. They are not
 * part of its documented interface; package.json pins the version.
 *
 * @throws Error that names what is missing
 */
export function requirePgWire(connection: unknown = pg.Connection.prototype): void {
  const missing = WIRE_METHODS.filter(
    (name) => typeof (connection as Readonly<Record<string, unknown>>)[name] !== 'function',
  );
  if (missing.length === 0) return;
  throw new Error(
    `This version of pg has no ${missing.join(', ')}: install the one that package.json names.`,
  );
}

/**
 * The HTTP request that a statement answers; SQL reads it by `current_setting('request.headers')`, `.method`
 * and `.path`.
 */
export interface RequestOfStatement {
  /** Lower-case names, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly method: string;
  /** The path below the service, e.g. `/notes` or `/rpc/add`. */
  readonly path: string;
  /** The `search_path` for this statement; the connection's when missing. */
  readonly searchPath?: string;
}

const BEGIN = { name: 'nl_begin', text: 'begin' };
const BEGIN_READ_ONLY = { name: 'nl_begin_ro', text: 'begin read only' };
const BECOME = {
  name: 'nl_become',
  text: "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true), set_config('request.headers', $3, true), set_config('request.method', $5, true), set_config('request.path', $6, true), set_config('statement_timeout', coalesce($4, current_setting('statement_timeout')), true), set_config('search_path', coalesce($7, current_setting('search_path')), true)",
};
const COMMIT = { name: 'nl_commit', text: 'commit' };
const NO_REQUEST: RequestOfStatement = { headers: {}, method: '', path: '' };
/** The caller's statement is the third of the four that are sent together. */
const STATEMENT = 2;
const prepared = new WeakMap<object, Set<string>>();

/**
 * One statement under a caller's rights in one round trip: begin, take the role and claims, the statement,
 * commit. They are sent together in the extended protocol, so the text can never contain a second statement.
 *
 * After an error the connection is left in a failed transaction: roll it back.
 */
export class CallerStatement implements Submittable {
  readonly done: Promise<StatementResult>;
  #resolve!: (result: StatementResult) => void;
  #reject!: (error: Error) => void;
  #error: Error | undefined;
  #completed = 0;
  #fields: string[] = [];
  #rows: (string | null)[][] = [];
  #rowCount = 0;
  readonly #client: Client;
  readonly #caller: Caller;
  readonly #request: RequestOfStatement;
  readonly #text: string;
  readonly #values: (string | null)[];
  readonly #readOnly: boolean;

  constructor(
    client: Client,
    caller: Caller,
    statement: {
      text: string;
      values: (string | null)[];
      readOnly: boolean;
      request?: RequestOfStatement | undefined;
    },
  ) {
    this.#client = client;
    this.#caller = caller;
    this.#text = statement.text;
    this.#values = statement.values;
    this.#readOnly = statement.readOnly;
    this.#request = statement.request ?? NO_REQUEST;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    wire.stream.cork?.();
    const begin = this.#readOnly ? BEGIN_READ_ONLY : BEGIN;
    // All are prepared before the caller's statement, because after its error the server skips what follows.
    for (const statement of [begin, BECOME, COMMIT]) this.#prepare(wire, statement);
    this.#send(wire, begin.name, []);
    const { role, claims } = this.#caller;
    const timeout = statementTimeoutOf(this.#caller) ?? null;
    const { headers, method, path, searchPath = null } = this.#request;
    const request = [JSON.stringify(headers), timeout, method, path, searchPath];
    this.#send(wire, BECOME.name, [role, JSON.stringify(claims), ...request]);
    wire.parse({ text: this.#text });
    wire.bind({ values: this.#values });
    wire.describe({ type: 'P', name: '' });
    wire.execute({});
    this.#send(wire, COMMIT.name, []);
    wire.sync();
    wire.stream.uncork?.();
  }

  #prepare(wire: Wire, statement: { name: string; text: string }): void {
    let known = prepared.get(this.#client);
    if (known === undefined) {
      known = new Set();
      prepared.set(this.#client, known);
    }
    if (known.has(statement.name)) return;
    wire.parse(statement);
    known.add(statement.name);
  }

  #send(wire: Wire, name: string, values: (string | null)[]): void {
    wire.bind({ statement: name, values });
    wire.execute({});
  }

  handleRowDescription(message: { fields: FieldDef[] }): void {
    this.#fields = message.fields.map((field) => field.name);
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    if (this.#completed === STATEMENT) this.#rows.push(message.fields);
  }

  handleCommandComplete(message: { text?: string }): void {
    if (this.#completed === STATEMENT) {
      this.#rowCount = Number(/(\d+)$/.exec(message.text ?? '')?.[1] ?? 0);
    }
    this.#completed += 1;
  }

  handleEmptyQuery(): void {
    this.#completed += 1;
  }

  handleError(error: Error): void {
    this.#error = error;
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#error === undefined) {
      this.#resolve({ fields: this.#fields, rows: this.#rows, rowCount: this.#rowCount });
    }
  }
}
