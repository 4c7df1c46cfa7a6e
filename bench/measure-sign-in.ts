import { SERVICES } from '../src/kernel/contract/routes.ts';
import { ARGON2_COST, createPasswords } from '../src/kernel/resources/crypto/passwords.ts';
import { type Figure, shown } from './support/figure.ts';
import { interleave } from './support/interleave.ts';
import { type LoadRequest, runLoad } from './support/load.ts';
import { ownerConfig } from './support/owner-connection.ts';
import { startPeer } from './support/peers.ts';
import { newPerson } from './support/people.ts';
import type { Product } from './support/product.ts';

const SECONDS = 2;
const AT_ONCE = 4;
const PEER = '/api/auth';

/**
 * Password sign-ins and session checks per second over HTTP, compared with better-auth using the same hash on
 * the same PostgreSQL, and sign-ins compared with plain argon2id verifications.
 */
export async function measureSignIn(product: Product): Promise<Figure[]> {
  const person = await newPerson(product);
  const peer = await startPeer('better-auth.js', {
    PEER_DATABASE: JSON.stringify(await ownerConfig(product.dataDir)),
    PEER_COST: JSON.stringify(ARGON2_COST),
  });
  try {
    const account = { email: person.email, password: person.password };
    const cookie = await signUpAtPeer(peer.port, account);
    const origin = `http://127.0.0.1:${peer.port}`;
    const signIn = rate(product.port, {
      method: 'POST',
      path: `${SERVICES.auth}/token?grant_type=password`,
      headers: { apikey: product.anonKey },
      body: JSON.stringify(account),
    });
    const peerSignIn = rate(peer.port, {
      method: 'POST',
      path: `${PEER}/sign-in/email`,
      headers: { origin },
      body: JSON.stringify(account),
    });
    const check = rate(product.port, {
      method: 'GET',
      path: `${SERVICES.auth}/user`,
      headers: { apikey: product.anonKey, authorization: `Bearer ${person.accessToken}` },
    });
    const peerCheck = rate(peer.port, {
      method: 'GET',
      path: `${PEER}/get-session`,
      headers: { cookie, origin },
    });
    const bare = await bareVerifications(person.password);
    const [own = 0, peers = 0, hashes = 0] = await interleave([signIn, peerSignIn, bare]);
    const [checks = 0, peersChecks = 0] = await interleave([check, peerCheck]);
    return [
      figure('Password sign-in', own, {
        rate: hashes,
        name: 'bare argon2id',
        aim: 'close to 1: the hash is the cost',
        least: 0.7,
      }),
      figure('Password sign-in', own, {
        rate: peers,
        name: 'better-auth, same hash',
        aim: 'ahead of the peer',
        least: 1,
      }),
      figure('Session check', checks, {
        rate: peersChecks,
        name: 'better-auth',
        aim: 'ahead of the peer',
        least: 1,
      }),
    ];
  } finally {
    peer.stop();
  }
}

/** What a rate is compared with, and the smallest ratio that meets the aim. */
interface Peer {
  readonly rate: number;
  readonly name: string;
  readonly aim: string;
  readonly least: number;
}

function figure(name: string, own: number, peer: Peer): Figure {
  const ratio = own / peer.rate;
  const against = `${shown(peer.rate, '/s')} ${peer.name}`;
  return { name, measured: shown(own, '/s'), against, ratio, aim: peer.aim, met: ratio >= peer.least };
}

function rate(port: number, request: LoadRequest): () => Promise<number> {
  return async () => {
    const { perSecond, refused } = await runLoad(port, request, { connections: AT_ONCE, seconds: SECONDS });
    if (refused > 0) throw new Error(`${refused} requests to ${request.path} were refused`);
    return perSecond;
  };
}

async function signUpAtPeer(port: number, account: { email: string; password: string }): Promise<string> {
  const origin = `http://127.0.0.1:${port}`;
  const reply = await fetch(`${origin}${PEER}/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ ...account, name: 'Bench' }),
  });
  if (!reply.ok) throw new Error(`the peer refused the sign-up: ${await reply.text()}`);
  return reply.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

async function bareVerifications(password: string): Promise<() => Promise<number>> {
  const passwords = createPasswords();
  const stored = await passwords.hash(password);
  return async () => {
    const until = Date.now() + SECONDS * 1000;
    const started = performance.now();
    let count = 0;
    const one = async (): Promise<void> => {
      while (Date.now() < until) {
        await passwords.verify(stored, password);
        count += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    return count / ((performance.now() - started) / 1000);
  };
}
