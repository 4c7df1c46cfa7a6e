import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@supabase/supabase-js';
import { SERVICES } from '../src/kernel/contract/routes.ts';
import { type Figure, median, shown } from './support/figure.ts';
import { freePort, freshDataDir, type Product, removeDataDir, startProduct } from './support/product.ts';

/** Sign-ins of other people, each from the customer's usual address, before and during the attack. */
const OTHERS = 30;
const ROUNDS = 3;
const THINK_MS = 50;
const MOST = 2;

interface Customer {
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

/**
 * How much slower the sign-ins of other people are during credential stuffing (attack 18): a ratio of
 * medians.
 */
export async function measureStuffing(): Promise<Figure> {
  const dataDir = freshDataDir();
  // Limits are on, and each client has its own address, as behind a proxy.
  const product = await startProduct(dataDir, await freePort(), {
    RATE_LIMITS: 'on',
    TRUST_PROXY: '127.0.0.1',
  });
  try {
    const customers = await makeCustomers(product, OTHERS * ROUNDS);
    const quiet: number[] = [];
    const flooded: number[] = [];
    let guesses = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const own = customers.slice(round * OTHERS, (round + 1) * OTHERS);
      quiet.push(...(await signInAll(product, own)));
      const flood = startFlood(product, round);
      try {
        flooded.push(...(await signInAll(product, own)));
      } finally {
        guesses += await flood.stop();
      }
    }
    const ratio = median(flooded) / median(quiet);
    return {
      name: 'Sign-in while stuffed',
      measured: shown(median(flooded), 'ms'),
      against: `${shown(median(quiet), 'ms')} without; ${guesses.toLocaleString('en-GB')} guesses`,
      ratio,
      aim: `below ${MOST}`,
      met: ratio < MOST,
    };
  } finally {
    await product.stop();
    removeDataDir(dataDir);
  }
}

async function makeCustomers(product: Product, count: number): Promise<Customer[]> {
  const { auth } = createClient(product.url, product.serviceKey, { auth: { persistSession: false } });
  const customers: Customer[] = [];
  for (let at = 0; at < count; at += 1) {
    const one = {
      email: `bench-${randomUUID()}@people.example`,
      password: `bench ${randomUUID()}`,
      address: `203.0.${at >> 8}.${at & 255}`,
    };
    const { error } = await auth.admin.createUser({ ...one, email_confirm: true });
    if (error !== null) throw new Error(`a customer was not made: ${error.message}`);
    // The first sign-in makes the customer's address known.
    if ((await signIn(product, one)) !== 200) throw new Error('a customer did not get in');
    customers.push(one);
  }
  return customers;
}

async function signIn(product: Product, { email, password, address }: Customer): Promise<number> {
  const reply = await fetch(`${product.url}${SERVICES.auth}/token?grant_type=password`, {
    method: 'POST',
    headers: {
      apikey: product.anonKey,
      'content-type': 'application/json',
      'x-forwarded-for': address,
    },
    body: JSON.stringify({ email, password }),
  });
  await reply.arrayBuffer();
  return reply.status;
}

/**
 * Milliseconds of each sign-in. @throws Error when one is refused, because the attack must lock nobody out
 */
async function signInAll(product: Product, customers: readonly Customer[]): Promise<number[]> {
  const times: number[] = [];
  for (const customer of customers) {
    const started = performance.now();
    const status = await signIn(product, customer);
    if (status !== 200) throw new Error(`a customer was refused with ${status}`);
    times.push(performance.now() - started);
    await pause(THINK_MS);
  }
  return times;
}

/** The attacker runs in its own process, so that its work does not slow down the measured sign-ins. */
function startFlood(product: Product, round: number): { stop(): Promise<number> } {
  const script = path.join(import.meta.dirname, 'stuff-credentials.ts');
  const child = spawn(process.execPath, [script, String(product.port), product.anonKey, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
      return Number(output);
    },
  };
}
