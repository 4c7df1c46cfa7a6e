import { sequenceDistance } from './jitter-buffer.ts';

/** Where a packet came from, or goes to. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** What of a packet tells whose it is. */
export interface PacketTrace {
  readonly ssrc: number;
  readonly sequence: number;
  /** It was opened with the other side's key: nobody else can have sent it. */
  readonly proven: boolean;
}

/** Packets in a row, with the source's number and the next sequences, that prove that a source has moved. */
const PROOF = 3;
/** Packets ahead at which a stream that moved may go on. */
const LARGEST_STEP = 50;

const same = (one: Endpoint | undefined, other: Endpoint): boolean =>
  one !== undefined && one.address === other.address && one.port === other.port;

/**
 * Decides whose packets are heard (RFC 4961, RFC 7362): those of the first valid source, since a telephone behind
 * a router does not know its own address. Others are refused, so that nobody speaks into a call
 * (docs/security-attacks.md, attack 55), but for the address that the signalling named, for whoever has the key,
 * and for a source that goes on with its own numbers from another address while the old one is silent.
 */
export class SourceLatch {
  readonly #named: Endpoint;
  #source: Endpoint | undefined;
  #ssrc = 0;
  #newest = 0;
  #candidate: { readonly from: Endpoint; readonly sequence: number; readonly count: number } | undefined;
  #refused = 0;

  /** @param named where the other side's description says that it is */
  constructor(named: Endpoint) {
    this.#named = named;
  }

  /** Where our packets go: to the source, or to the address that was named until there is one. */
  get target(): Endpoint {
    return this.#source ?? this.#named;
  }

  /** Whether anything valid came. */
  get latched(): boolean {
    return this.#source !== undefined;
  }

  /** Packets of others. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether a report from there belongs to the call: reports may come from another port. */
  knows(address: string): boolean {
    return address === this.target.address;
  }

  /** Whether a valid packet is to be heard. */
  accepts(from: Endpoint, trace: PacketTrace): boolean {
    if (same(this.#source, from)) {
      this.#candidate = undefined;
      this.#follow(trace);
      return true;
    }
    if (
      this.#source === undefined ||
      trace.proven ||
      same(this.#named, from) ||
      this.#hasMoved(from, trace)
    ) {
      this.#source = from;
      this.#candidate = undefined;
      this.#ssrc = trace.ssrc;
      this.#newest = trace.sequence;
      return true;
    }
    this.#refused += 1;
    return false;
  }

  #follow({ ssrc, sequence }: PacketTrace): void {
    if (ssrc !== this.#ssrc || sequenceDistance(this.#newest, sequence) > 0) this.#newest = sequence;
    this.#ssrc = ssrc;
  }

  #hasMoved(from: Endpoint, { ssrc, sequence }: PacketTrace): boolean {
    const before = same(this.#candidate?.from, from) ? this.#candidate : undefined;
    const ahead = sequenceDistance(before?.sequence ?? this.#newest, sequence);
    if (ssrc !== this.#ssrc || ahead <= 0 || ahead > LARGEST_STEP) return false;
    this.#candidate = { from, sequence, count: (before?.count ?? 0) + 1 };
    return this.#candidate.count >= PROOF;
  }
}
