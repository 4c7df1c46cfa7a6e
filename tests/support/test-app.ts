import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pino from 'pino';
import { inject } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readSettings, type Settings } from '../../src/kernel/config/settings.ts';
import { createLog } from '../../src/kernel/resources/log/log.ts';
import type { Resources } from '../../src/kernel/resources/resources.ts';
import type { VoiceEngines } from '../../src/voice/engines/engines.server.ts';
import { openThings } from './open-things.ts';
import { type S3Server, startS3Server } from './servers/s3-server.ts';
import { ask } from './test-database.ts';

const DROP_ATTEMPTS = 25;
/** The lowest cost that argon2 accepts: most tests are not about passwords. */
const CHEAP_HASH = { algorithm: 2, memoryCost: 8, timeCost: 1, parallelism: 1 } as const;

/** The real product, running in this process on its own database and data folder. */
export interface TestApp {
  /** Address of the site, without a trailing slash. */
  readonly url: string;
  readonly resources: Resources;
  readonly anonKey: string;
  readonly serviceKey: string;
  /** Every mounted route, such as `POST /functions/v1/enquiry`. */
  readonly routes: readonly string[];
  /** Address of its database, as the owner. */
  readonly databaseUrl: string;
  /** Stops it, drops the database and removes the folder. */
  close(): Promise<void>;
}

/** How a test may differ from a fresh installation. */
export interface TestAppOptions {
  /** Settings by their environment names, as the operator writes them. */
  readonly settings?: Partial<Record<keyof Settings, string>>;
  /** The destination of the log; set LOG_LEVEL too. */
  readonly logTo?: pino.DestinationStream;
  /** Engines of calls, which replace the product's own. */
  readonly voiceEngines?: VoiceEngines;
  /** What a supervised process does when an operator starts the product anew. */
  readonly restart?: () => void;
  /** Hashes passwords at the cost of production, for tests of passwords. */
  readonly realPasswords?: boolean;
  /** Another test app whose database to use, to run a second process of the same installation. */
  readonly beside?: TestApp;
  /** The data of another version to start on, in place of a fresh installation. */
  readonly restored?: RestoredInstallation;
}

/** A database as SQL, and the files of a data folder: path to base64. */
export interface RestoredInstallation {
  readonly dump: string;
  readonly folder: Readonly<Record<string, string>>;
}

/** Address of the migrated database from which each test's own is copied; nothing writes to it. */
export function templateAddress(): string {
  const { owner, template } = inject('testDatabase');
  return owner.replace('DATABASE', template);
}

/** Creates a database with this name and loads a dump into it; returns its address. */
export async function restoreDatabase(name: string, dump: string): Promise<string> {
  const { admin, owner, ownerRole } = inject('testDatabase');
  await ask(admin, `create database ${name} owner ${ownerRole}`);
  const address = owner.replace('DATABASE', name);
  await ask(address, dump);
  return address;
}

async function makeDatabase(name: string, restored: RestoredInstallation | undefined): Promise<void> {
  const { admin, ownerRole, template, strategy } = inject('testDatabase');
  if (restored) await restoreDatabase(name, restored.dump);
  else
    await ask(admin, `create database ${name} template ${template} owner ${ownerRole} strategy ${strategy}`);
}

function writeFolder(folder: string, files: RestoredInstallation['folder']): void {
  for (const [file, bytes] of Object.entries(files)) {
    const place = path.join(folder, file);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, Buffer.from(bytes, 'base64'));
  }
}

/** `TEST_STORAGE=s3` (a project of vitest.config.ts) gives each app its own bucket in place of a folder. */
async function ownBucket({ settings, beside }: TestAppOptions): Promise<S3Server | undefined> {
  const given = settings?.STORAGE_URL !== undefined || beside !== undefined;
  return process.env.TEST_STORAGE === 's3' && !given ? startS3Server() : undefined;
}

/**
 * Starts the product as `npm start` does, in-process: PORT=0, RATE_LIMITS=off and
 * LOG_LEVEL=silent unless `settings` say otherwise.
 */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const { admin, owner } = inject('testDatabase');
  const name = `northline_test_${randomBytes(6).toString('hex')}`;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-data-'));
  const databaseUrl = options.beside?.databaseUrl ?? owner.replace('DATABASE', name);
  if (!options.beside) await makeDatabase(name, options.restored);
  if (options.restored) writeFolder(folder, options.restored.folder);
  const bucket = await ownBucket(options);
  const clean = async (): Promise<void> => {
    await bucket?.close();
    if (!options.beside) await dropDatabase(admin, name);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const settings = readSettings(
      {
        PORT: '0',
        DATA_DIR: options.beside?.resources.settings.DATA_DIR ?? folder,
        DATABASE_URL: databaseUrl,
        DATABASE_POOL: '4',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'silent',
        STORAGE_URL: bucket?.storageUrl ?? options.beside?.resources.settings.STORAGE_URL,
        ...options.settings,
      },
      folder,
    );
    const { resources, routes, close } = await startApp(
      settings,
      createLog(settings.LOG_LEVEL, options.logTo),
      {
        ...(options.voiceEngines === undefined ? {} : { voiceEngines: options.voiceEngines }),
        ...(options.restart === undefined ? {} : { restart: options.restart }),
        ...(options.realPasswords ? {} : { passwordCost: CHEAP_HASH }),
      },
    );
    let closing: Promise<void> | undefined;
    const app: TestApp = {
      url: resources.siteUrl,
      resources,
      anonKey: resources.keys.anon_key,
      serviceKey: resources.keys.service_role_key,
      routes,
      databaseUrl,
      close() {
        closing ??= close().then(clean);
        openThings().delete(app);
        return closing;
      },
    };
    openThings().add(app);
    return app;
  } catch (error) {
    await clean();
    throw error;
  }
}

/** An autovacuum worker, which only a superuser may end, can hold the database for a moment. */
export async function dropDatabase(admin: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ask(admin, `drop database if exists ${name} with (force)`);
      return;
    } catch (error) {
      if (attempt === DROP_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
