import { AsyncLocalStorage } from 'node:async_hooks';
import fastify, { type FastifyInstance } from 'fastify';
import Stripe from 'stripe';
import { serveApi } from '../../packages/stripe-emulator/src/api/api-routes.ts';
import type { Payments } from '../../src/business/billing/payments.server.ts';
import { createPriceMap } from '../../src/business/billing/price-map.server.ts';
import { providerHost, providerSecrets } from '../../src/business/billing/stripe-emulator.server.ts';
import { mountWebhook } from '../../src/business/billing/webhook-receipt.server.ts';
import type { Settings } from '../../src/kernel/config/settings.ts';
import { PublishedSite } from '../../src/kernel/contract/site-content.ts';
import type { Keys } from '../../src/kernel/resources/crypto/keys.ts';
import type { Database, Queries } from '../../src/kernel/resources/database/database.ts';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import type { JobAttempt, Jobs } from '../../src/kernel/resources/jobs/jobs.ts';
import { createLog } from '../../src/kernel/resources/log/log.ts';
import { createMailer } from '../../src/kernel/resources/mailer/mail-queue.ts';
import type { Resources } from '../../src/kernel/resources/resources.ts';
import { elsewhere, step, withKills } from './crash-plan.ts';

/** The history that runs now: it has its own jobs and its own time at the provider. */
interface Turn {
  readonly history: string;
  now: number;
}

const turns = new AsyncLocalStorage<Turn>();

/** Runs one history; `setNow` of its turn follows its test clock. */
export function asHistory<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
  return turns.run(turn, work);
}

type Work = (job: JobAttempt<Record<string, unknown>>) => Promise<void>;

/** One process of ours. */
export interface Process {
  readonly resources: Resources;
  readonly payments: Payments;
  readonly server: FastifyInstance;
  /** The handler of each kind of job. */
  readonly work: ReadonlyMap<string, Work>;
}

/** The provider and two processes of ours on one database, without a network between them. */
export interface World {
  readonly database: Database;
  /** The provider's side, which no kill affects. */
  readonly provider: Resources;
  readonly stripe: Stripe;
  readonly webhookSecret: string;
  readonly processes: readonly [Process, Process];
  close(): Promise<void>;
}

/** Makes the world on a migrated, empty database. */
export async function openWorld(database: Database, settings: Settings, keys: Keys): Promise<World> {
  // Jobs are rows, written in the transaction of their cause, as with the real queue.
  await database.run(
    uncheckedSql(
      `create table if not exists private.history_jobs (id bigint generated always as identity primary key,
       history text not null, name text not null, data jsonb not null, copies int not null default 0)`,
      'command',
    ),
  );
  await database.run(
    uncheckedSql('create index if not exists history_jobs_of on private.history_jobs (history)', 'command'),
  );
  const { apiKey, webhook } = providerSecrets(keys);
  const provider = resourcesOn(database, settings, keys, new Map());
  const api = fastify();
  api.removeAllContentTypeParsers();
  api.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, body),
  );
  await api.register(async (scope) =>
    serveApi(scope, { ...providerHost(provider), apiKey, log: provider.log }),
  );
  await api.ready();
  const one = await openProcess(database, settings, keys, api);
  const two = await openProcess(database, settings, keys, api);
  return {
    database,
    provider,
    stripe: clientOf(api, apiKey, false),
    webhookSecret: webhook,
    processes: [one, two],
    async close() {
      for (const server of [api, one.server, two.server]) await server.close();
    },
  };
}

async function openProcess(
  database: Database,
  settings: Settings,
  keys: Keys,
  api: FastifyInstance,
): Promise<Process> {
  const work = new Map<string, Work>();
  const resources = resourcesOn(withKills(database), settings, keys, work);
  const { apiKey, webhook } = providerSecrets(keys);
  const payments: Payments = {
    stripe: clientOf(api, apiKey, true),
    prices: createPriceMap([], { database, site: resources.site }, false),
    webhookSecrets: [webhook],
    livemode: false,
    taxed: false,
    embedded: undefined,
    now: async () => turns.getStore()?.now ?? Math.floor(Date.now() / 1000),
  };
  const server = fastify();
  const http = { server, addressOf: () => '127.0.0.1' };
  mountWebhook(http as never, resources, payments);
  await server.ready();
  return { resources, payments, server, work };
}

function resourcesOn(database: Database, settings: Settings, keys: Keys, work: Map<string, Work>): Resources {
  const log = createLog('silent');
  const jobs = queueOf(work);
  const siteUrl = 'http://127.0.0.1:1';
  const site = new PublishedSite();
  const mailer = createMailer({ settings, site, database, jobs, log, keys, siteUrl } as never);
  return { settings, site, siteUrl, keys, database, jobs, log, mailer } as unknown as Resources;
}

function queueOf(work: Map<string, Work>): Jobs {
  return {
    define: (name, _policy, job) => void work.set(name, job as unknown as Work),
    every: () => {},
    everyByOne: () => {},
    async add(queries: Queries, name: string, data: object) {
      const history = turns.getStore()?.history ?? 'none';
      await queries.run(
        uncheckedSql('insert into private.history_jobs (history, name, data) values ($1, $2, $3)', 'foreign'),
        [history, name, JSON.stringify(data)],
      );
    },
    start: async () => {},
    rest: async () => {},
    stop: async () => {},
  };
}

/** The official client; its requests go to the provider in this process. */
function clientOf(api: FastifyInstance, key: string, killable: boolean): Stripe {
  const httpClient = new Stripe.HttpClient();
  httpClient.getClientName = () => 'in-process';
  httpClient.makeRequest = async (_host, _port, path, method, headers, body) => {
    if (killable) step();
    const reply = await elsewhere(() =>
      api.inject({
        method: method as 'GET',
        url: path,
        headers: headers as Record<string, string>,
        ...(method === 'POST' ? { payload: body } : {}),
      }),
    );
    if (killable) step();
    return {
      getStatusCode: () => reply.statusCode,
      getHeaders: () => reply.headers as Record<string, string>,
      getRawResponse: () => reply,
      toStream: () => undefined,
      toJSON: async () => JSON.parse(reply.body),
    };
  };
  return new Stripe(key, { httpClient, maxNetworkRetries: 0, telemetry: false });
}
