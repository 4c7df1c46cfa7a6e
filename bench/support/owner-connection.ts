import path from 'node:path';
import pg from 'pg';
import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../src/kernel/resources/crypto/secrets.ts';

/** How the owner of an embedded database connects. */
export async function ownerConfig(dataDir: string): Promise<pg.ClientConfig> {
  const keys = await loadKeys(dataDir);
  return {
    host: path.join(dataDir, 'postgres', 'socket'),
    user: 'northline',
    database: 'northline',
    password: derivedSecret(keys, 'postgres').toString('base64url'),
  };
}

/** A connection as the owner of an embedded database, for what a run must set up or check. */
export async function connectAsOwner(dataDir: string): Promise<pg.Client> {
  const client = new pg.Client(await ownerConfig(dataDir));
  await client.connect();
  return client;
}
