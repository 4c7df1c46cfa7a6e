import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { ask } from './test-database.ts';

/** An empty database on the tests' server; `drop` removes it. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { admin, owner, ownerRole } = inject('testDatabase');
  const name = `northline_empty_${randomBytes(6).toString('hex')}`;
  await ask(admin, `create database ${name} owner ${ownerRole}`);
  return {
    url: owner.replace('DATABASE', name),
    drop: () => ask(admin, `drop database if exists ${name} with (force)`),
  };
}
