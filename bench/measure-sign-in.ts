import { SERVICES } from '../src/contract/routes.ts';
import { hashPassword, verifyPassword } from '../src/resources/crypto/passwords.ts';
import { type Figure, shown } from './figure.ts';
import { runLoad } from './load.ts';
import { newPerson } from './people.ts';
import type { Product } from './product.ts';

const SECONDS = 4;
const AT_ONCE = 4;

/** Password sign-ins per second over HTTP against bare argon2id verifications at the same cost, four at a time. */
export async function measureSignIn(product: Product): Promise<Figure> {
  const person = await newPerson(product);
  const signIn = await runLoad(
    product.port,
    {
      method: 'POST',
      path: `${SERVICES.auth}/token?grant_type=password`,
      headers: { apikey: product.anonKey },
      body: JSON.stringify({ email: person.email, password: person.password }),
    },
    { connections: AT_ONCE, seconds: SECONDS },
  );
  if (signIn.refused > 0) throw new Error(`${signIn.refused} sign-ins were refused`);
  const bare = await bareVerifications(person.password);
  const ratio = signIn.perSecond / bare;
  return {
    name: 'Password sign-in',
    measured: shown(signIn.perSecond, '/s'),
    against: `${shown(bare, '/s')} bare argon2id`,
    ratio,
    aim: 'close to 1: the hash is the cost',
    met: ratio >= 0.7,
  };
}

async function bareVerifications(password: string): Promise<number> {
  const stored = await hashPassword(password);
  const until = Date.now() + SECONDS * 1000;
  const started = performance.now();
  let count = 0;
  const one = async (): Promise<void> => {
    while (Date.now() < until) {
      await verifyPassword(stored, password);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return count / ((performance.now() - started) / 1000);
}
