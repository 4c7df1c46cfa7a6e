import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded into the product before its own code (`--import`): makes the machine's clock and name lookup behave
 * as the file SURROUNDINGS_FILE says, because a real clock cannot be set for one program, nor real names
 * hidden from it alone.
 */
interface Machine {
  /** How wrong the clock is, milliseconds. */
  readonly clockMs: number;
  /** Whether names are resolved. */
  readonly knowsNames: boolean;
}

const LOOK_MS = 50;
const file = process.env.SURROUNDINGS_FILE ?? '';
let machine: Machine = { clockMs: 0, knowsNames: true };

function look(): void {
  try {
    machine = JSON.parse(readFileSync(file, 'utf8')) as Machine;
  } catch {
    // The file is being written, or the run is over.
  }
}
look();
setInterval(look, LOOK_MS).unref();

const RealDate = Date;
const now = (): number => RealDate.now() + machine.clockMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, made) as Date,
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

const realLookup = dns.lookup as (...given: unknown[]) => void;
/** Names in this run end in `.test`, which belongs to nobody (RFC 6761), and stand for this machine. */
function lookup(name: string, ...rest: unknown[]): void {
  if (machine.knowsNames || !name.endsWith('.test')) {
    realLookup(name.endsWith('.test') ? '127.0.0.1' : name, ...rest);
    return;
  }
  const answer = rest.at(-1) as (error: Error) => void;
  const error = Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' });
  setImmediate(answer, error);
}
dns.lookup = lookup as never;
syncBuiltinESMExports();
