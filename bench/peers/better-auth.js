// Comparison for sign-in and session figures: better-auth behind Node's own HTTP server, on the same
// PostgreSQL (in its own schema) and with the product's password hash.
import { createServer } from 'node:http';
import { hash, verify } from '@node-rs/argon2';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import pg from 'pg';

const { PEER_DATABASE, PEER_COST, PEER_PORT } = process.env;
const cost = JSON.parse(PEER_COST ?? '{}');
const pool = new pg.Pool({ ...JSON.parse(PEER_DATABASE ?? '{}'), max: 10, options: '-c search_path=peer' });
await pool.query('create schema if not exists peer');

const auth = betterAuth({
  baseURL: `http://127.0.0.1:${PEER_PORT}`,
  secret: 'a secret of the bench, of thirty-two characters and more',
  database: pool,
  emailAndPassword: {
    enabled: true,
    password: {
      hash: (password) => hash(password, cost),
      verify: ({ hash: stored, password }) => verify(stored, password),
    },
  },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
});
const { runMigrations } = await getMigrations(auth.options);
await runMigrations();

createServer(toNodeHandler(auth)).listen(Number(PEER_PORT), '127.0.0.1', () => console.log('peer is ready'));
