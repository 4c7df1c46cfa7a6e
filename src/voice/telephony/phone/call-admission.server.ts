import { DigestGuard } from '@northline/sip/digest-guard';
import type { IncomingCall } from '@northline/sip/sip-call';
import { systemClock } from '@northline/sip/sip-clock';
import { isLoopbackAddress, type SipSource } from '@northline/sip/sip-transport';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { RateLimit, RateLimiter } from '../../../kernel/http/rate-limit.ts';
import type { openNumberAddresses } from '../provider-proof.server.ts';
import type { OwnNumber, PhoneParts } from './phone-parts.server.ts';
import type { Trunk } from './trunk-directory.server.ts';

/** Where a call is proved to come from: this machine, a trunk, or the provider of a number. */
export type CallProof =
  | { readonly kind: 'near' }
  | { readonly kind: 'trunk'; readonly trunk: Trunk }
  /** The provider of that imported number, which brings its calls. */
  | { readonly kind: 'number'; readonly id: string };

/** Limits for the messages of one address, its calls, its calls from one person, and its wrong passwords. */
const MESSAGES = { name: 'telephone messages', count: 6000, seconds: 60, burst: 2000 };
const CALLS = { name: 'telephone calls', count: 60, seconds: 60 };
const CALLS_OF_ONE = { name: 'telephone calls of one number', count: 20, seconds: 60 };
const WRONG_PROOFS = { name: 'telephone passwords', count: 10, seconds: 60 };
const REALM = 'northline';

/** What the admission needs. */
export interface AdmissionParts extends Pick<PhoneParts, 'trunks' | 'rateLimiter'> {
  readonly addresses: Pick<ReturnType<typeof openNumberAddresses>, 'proof' | 'ofUser'>;
}

/** Decides who may call, and how often. */
export class CallAdmission {
  readonly #parts: AdmissionParts;
  readonly #guard = new DigestGuard(systemClock, REALM);

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Whether a message of that sender is read at all. */
  admits(from: SipSource): boolean {
    try {
      this.#parts.rateLimiter.takeHere(MESSAGES, from.address);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Where a call comes from. The loopback needs no proof; everybody else has to be a trunk, by its address or
   * its password. Undefined without a proof: then the call has been asked for one, or was refused.
   */
  async proofOf(call: IncomingCall): Promise<CallProof | undefined> {
    const { from, request } = call.incoming;
    if (from.listener.loopback && isLoopbackAddress(from.address)) return { kind: 'near' };
    const trunks = await this.#parts.trunks.all();
    const known = trunks.find((trunk) => trunk.trusts(from.address));
    if (known !== undefined) return { kind: 'trunk', trunk: known };
    const ofName = (name: string) => trunks.find(({ credentials }) => credentials?.username === name);
    const { addresses } = this.#parts;
    const verdict = this.#guard.check(request, (name) => {
      const id = addresses.ofUser(name);
      return id === undefined ? ofName(name)?.credentials?.password : addresses.proof(id).password;
    });
    if (verdict.kind === 'proven') {
      const id = addresses.ofUser(verdict.username);
      const trunk = ofName(verdict.username);
      if (id !== undefined) return { kind: 'number', id };
      if (trunk !== undefined) return { kind: 'trunk', trunk };
    }
    if (
      verdict.kind === 'challenge' &&
      verdict.tried &&
      !(await takes(this.#parts.rateLimiter, WRONG_PROOFS, from.address))
    )
      call.hangUp(403);
    else call.hangUp(401, { 'www-authenticate': verdict.kind === 'challenge' ? verdict.headers : [] });
    return undefined;
  }

  /**
   * Whether a call with this proof may reach a number. A bought number is reached from this machine only,
   * other numbers by their trunk or by one of the settings' trunks.
   */
  reaches(proof: CallProof, { id, body }: OwnNumber): boolean {
    if (body.status !== 'active') return false;
    if (proof.kind === 'near') return true;
    if (proof.kind === 'number') return proof.id === id;
    if (body.provider === 'byo-phone-number') return body.credentialId === proof.trunk.id;
    return body.provider !== 'vapi' && proof.trunk.id.startsWith('setting:');
  }

  /**
   * The trunk whose account a call names instead of a number: a registrar replaces the called address by the
   * one that we registered. Undefined for other calls, and for callers who have not proved to be a trunk.
   */
  async accountOf(proof: CallProof, call: IncomingCall, user: string): Promise<Trunk | undefined> {
    const isCalled = ({ credentials }: Trunk): boolean => user !== '' && credentials?.username === user;
    if (proof.kind === 'trunk') return isCalled(proof.trunk) ? proof.trunk : undefined;
    if (proof.kind !== 'near') return undefined;
    const trunks = await this.#parts.trunks.all();
    return trunks.find((trunk) => isCalled(trunk) && trunk.trusts(call.incoming.from.address));
  }

  /** Whether another call of that address and that person is accepted now. */
  async isWelcome(call: IncomingCall): Promise<boolean> {
    const { rateLimiter } = this.#parts;
    const person = call.remote.uri?.user ?? call.remote.text;
    return (
      (await takes(rateLimiter, CALLS, call.incoming.from.address)) &&
      (await takes(rateLimiter, CALLS_OF_ONE, `${call.incoming.from.address} ${person}`))
    );
  }
}

/** Uses up one unit of a limit; false where none is left. */
async function takes(limiter: RateLimiter, limit: RateLimit, key: string): Promise<boolean> {
  try {
    await limiter.take(limit, key);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 429) return false;
    throw error;
  }
}
