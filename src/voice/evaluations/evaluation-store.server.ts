import { ServiceError } from '../../kernel/contract/service-error.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import {
  decryptSecrets,
  encryptSecrets,
  restoreSecrets,
  separateSecrets,
} from '../records/secret-hiding.server.ts';
import type { EvalBody, EvalListQuery, EvalRunRequest, RunOutcome } from './evaluation.contract.ts';

declare module '../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.voice_evals.body': KeptEval;
    'private.voice_eval_runs.body': KeptRun;
  }
}

/** A conversation with expected replies, as it is stored. */
type KeptEval = Omit<EvalBody, 'assistantId'>;
/** A run, as it is stored: the conversation as it was then, the assistant, and the outcome. */
export interface KeptRun {
  readonly eval: KeptEval;
  readonly target: EvalRunRequest['target'];
  readonly outcome?: RunOutcome & { readonly startedAt: string; readonly endedAt: string };
}

/** What the API shows of evals and runs: their fields with id, orgId, createdAt and updatedAt (ISO 8601). */
export type EvalRecord = Readonly<Record<string, unknown>> & { readonly id: string };

/** One page of a list, and how many entries there are in all. */
interface Found {
  readonly results: readonly EvalRecord[];
  readonly total: number;
}

/** The stored tests of assistants and their runs. */
export interface EvaluationStore {
  create(given: EvalBody, queries?: Queries): Promise<EvalRecord>;
  /** @throws ServiceError 404 `not_found`, and what `next` throws */
  change(id: string, next: (present: EvalBody) => EvalBody, queries?: Queries): Promise<EvalRecord>;
  /** @throws ServiceError 404 `not_found` */
  find(id: string): Promise<EvalRecord>;
  list(query: EvalListQuery): Promise<Found>;
  /** @throws ServiceError 404 `not_found` */
  remove(id: string, queries?: Queries): Promise<EvalRecord>;
  /**
   * Stores a run that is about to begin. @throws ServiceError 404 `not_found` for an eval that does not exist
   */
  begin(given: EvalRunRequest, queries: Queries): Promise<EvalRecord>;
  /** A run in progress; undefined for one that has ended or was deleted. */
  going(id: string): Promise<KeptRun | undefined>;
  end(id: string, outcome: NonNullable<KeptRun['outcome']>): Promise<void>;
  /** @throws ServiceError 404 `not_found` */
  findRun(id: string): Promise<EvalRecord>;
  listRuns(query: EvalListQuery): Promise<Found>;
  /** @throws ServiceError 404 `not_found` */
  removeRun(id: string): Promise<EvalRecord>;
}

const RUNS_KEPT = 1000;

/** Opens the store. */
export function openEvaluationStore(resources: Pick<Resources, 'database' | 'keys'>): EvaluationStore {
  return new DatabaseEvaluations(resources);
}

interface EvalRow {
  readonly id: string;
  readonly assistant_id: string | null;
  readonly body: KeptEval;
  readonly created_at: Date;
  readonly updated_at: Date;
}
interface RunRow {
  readonly id: string;
  readonly eval_id: string | null;
  readonly assistant_version: number | null;
  readonly body: KeptRun;
  readonly status: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

class DatabaseEvaluations implements EvaluationStore {
  readonly #database: Resources['database'];
  readonly #orgId: string;
  readonly #key: Buffer;

  constructor({ database, keys }: Pick<Resources, 'database' | 'keys'>) {
    this.#database = database;
    this.#orgId = keys.voice_org_id;
    this.#key = derivedSecret(keys, 'voice evaluations');
  }

  async create({ assistantId, ...body }: EvalBody, queries: Queries = this.#database): Promise<EvalRecord> {
    const row = await queries.one(
      `insert into private.voice_evals (assistant_id, body) values ($1, $2)
       returning id, assistant_id, body, created_at, updated_at`,
      [assistantId ?? null, JSON.stringify(body)],
    );
    return this.#shown(row);
  }

  async change(id: string, next: (present: EvalBody) => EvalBody, queries?: Queries): Promise<EvalRecord> {
    if (queries === undefined) return this.#database.transaction((inside) => this.change(id, next, inside));
    const { body: present, assistant_id } = found(
      await queries.maybe('select body, assistant_id from private.voice_evals where id = $1 for update', [
        id,
      ]),
    );
    const { assistantId, ...body } = next({
      ...present,
      ...(assistant_id === null ? {} : { assistantId: assistant_id }),
    });
    const row = await queries.one(
      `update private.voice_evals set body = $2, assistant_id = $3, updated_at = now() where id = $1
       returning id, assistant_id, body, created_at, updated_at`,
      [id, JSON.stringify(body), assistantId ?? null],
    );
    return this.#shown(row);
  }

  async find(id: string): Promise<EvalRecord> {
    const row = await this.#database.maybe(
      'select id, assistant_id, body, created_at, updated_at from private.voice_evals where id = $1',
      [id],
    );
    return this.#shown(found(row));
  }

  async list(query: EvalListQuery): Promise<Found> {
    const rows = await this.#database.many(
      `select id, assistant_id, body, created_at, updated_at, count(*) over () as total from private.voice_evals
        where ($1::uuid is null or id = $1) and created_at >= $2 and created_at <= $3
          and updated_at >= $4 and updated_at <= $5
        order by case when $6 then created_at end, case when not $6 then created_at end desc, id limit $7 offset $8`,
      [query.id ?? null, ...boundsOf(query), query.sortOrder === 'ASC', query.limit, offsetOf(query)],
    );
    return { results: rows.map((row) => this.#shown(row)), total: Number(rows[0]?.total ?? 0) };
  }

  async remove(id: string, queries: Queries = this.#database): Promise<EvalRecord> {
    const row = await queries.maybe(
      `delete from private.voice_evals where id = $1
       returning id, assistant_id, body, created_at, updated_at`,
      [id],
    );
    return this.#shown(found(row));
  }

  async begin({ eval: given, evalId, target }: EvalRunRequest, queries: Queries): Promise<EvalRecord> {
    const kept =
      given ??
      found(await queries.maybe('select body from private.voice_evals where id = $1', [evalId ?? null])).body;
    const id = crypto.randomUUID();
    const { shown, secrets } = separateSecrets({ eval: kept, target }, false);
    // A run that changes the assistant is not a test of the assistant's version.
    const versioned = target.assistantOverrides === undefined ? (target.assistantId ?? null) : null;
    const row = await queries.one(
      `insert into private.voice_eval_runs (id, eval_id, assistant_id, assistant_version, body, secrets)
       values ($1, $2, $3, (select max(version) from private.voice_assistant_versions where assistant_id = $4), $5, $6)
       returning id, eval_id, assistant_version, body, status, created_at, updated_at`,
      [
        id,
        evalId ?? null,
        target.assistantId ?? null,
        versioned,
        JSON.stringify(shown),
        encryptSecrets(this.#key, id, secrets),
      ],
    );
    return this.#shownRun(row);
  }

  async going(id: string): Promise<KeptRun | undefined> {
    const row = await this.#database.maybe(
      "select body, secrets from private.voice_eval_runs where id = $1 and status = 'running'",
      [id],
    );
    if (row === undefined) return undefined;
    const secrets = decryptSecrets(this.#key, id, row.secrets);
    return restoreSecrets({ ...row.body }, secrets) as unknown as KeptRun;
  }

  async end(id: string, outcome: NonNullable<KeptRun['outcome']>): Promise<void> {
    await this.#database.run(
      `update private.voice_eval_runs set body = body || jsonb_build_object('outcome', $2::jsonb), secrets = null,
              status = 'ended', passed = $3, updated_at = now()
        where id = $1 and status = 'running'`,
      [id, JSON.stringify(outcome), outcome.status === 'pass'],
    );
    await this.#database.run(
      `delete from private.voice_eval_runs where status = 'ended' and id in (
         select id from private.voice_eval_runs order by created_at desc, id offset $1)`,
      [RUNS_KEPT],
    );
  }

  async findRun(id: string): Promise<EvalRecord> {
    const row = await this.#database.maybe(
      `select id, eval_id, assistant_version, body, status, created_at, updated_at
         from private.voice_eval_runs where id = $1`,
      [id],
    );
    return this.#shownRun(found(row));
  }

  async listRuns(query: EvalListQuery): Promise<Found> {
    const rows = await this.#database.many(
      `select id, eval_id, assistant_version, body, status, created_at, updated_at, count(*) over () as total
         from private.voice_eval_runs
        where ($1::uuid is null or id = $1) and created_at >= $2 and created_at <= $3
          and updated_at >= $4 and updated_at <= $5
        order by case when $6 then created_at end, case when not $6 then created_at end desc, id limit $7 offset $8`,
      [query.id ?? null, ...boundsOf(query), query.sortOrder === 'ASC', query.limit, offsetOf(query)],
    );
    return { results: rows.map((row) => this.#shownRun(row)), total: Number(rows[0]?.total ?? 0) };
  }

  async removeRun(id: string): Promise<EvalRecord> {
    const row = await this.#database.maybe(
      `delete from private.voice_eval_runs where id = $1
       returning id, eval_id, assistant_version, body, status, created_at, updated_at`,
      [id],
    );
    return this.#shownRun(found(row));
  }

  #shown({ id, assistant_id, body, created_at, updated_at }: EvalRow): EvalRecord {
    return {
      ...body,
      ...(assistant_id === null ? {} : { assistantId: assistant_id }),
      ...this.#common(id, created_at, updated_at),
    };
  }

  #shownRun(row: RunRow): EvalRecord {
    const { id, eval_id, assistant_version, status, created_at, updated_at } = row;
    const { eval: conversation, target, outcome } = row.body;
    const { startedAt, endedAt, endedReason, endedMessage, cost, messages, warnings, costs } = outcome ?? {};
    return {
      type: 'eval',
      status,
      ...(eval_id === null ? {} : { evalId: eval_id }),
      eval: conversation,
      target,
      ...(assistant_version === null ? {} : { assistantVersion: assistant_version }),
      ...{ startedAt, endedAt, endedReason, endedMessage },
      results: outcome === undefined ? [] : [{ status: outcome.status, messages, startedAt, endedAt }],
      cost: cost ?? 0,
      costs: costs ?? [],
      ...(warnings === undefined || warnings.length === 0 ? {} : { warnings }),
      ...this.#common(id, created_at, updated_at),
    };
  }

  #common(id: string, created: Date, updated: Date) {
    return {
      id,
      orgId: this.#orgId,
      createdAt: created.toISOString(),
      updatedAt: updated.toISOString(),
    };
  }
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such eval or run.');
  return row;
}

const offsetOf = ({ page, limit }: EvalListQuery): number => (page - 1) * limit;

/** The bounds for creation and change, both included; times are stored to the millisecond. */
function boundsOf(query: EvalListQuery): [Date | string, Date | string, Date | string, Date | string] {
  const bound = (included: string | undefined, excluded: string | undefined, step: 1 | -1): Date | string => {
    const times = [
      ...(included === undefined ? [] : [Date.parse(included)]),
      ...(excluded === undefined ? [] : [Date.parse(excluded) + step]),
    ];
    if (times.length === 0) return step === 1 ? '-infinity' : 'infinity';
    return new Date(step === 1 ? Math.max(...times) : Math.min(...times));
  };
  return [
    bound(query.createdAtGe, query.createdAtGt, 1),
    bound(query.createdAtLe, query.createdAtLt, -1),
    bound(query.updatedAtGe, query.updatedAtGt, 1),
    bound(query.updatedAtLe, query.updatedAtLt, -1),
  ];
}
