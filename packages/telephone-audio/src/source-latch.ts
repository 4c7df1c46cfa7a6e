import { sequenceDistance } from './jitter-buffer.ts';

/** Where a packet came from, or is sent. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The parts of a packet that identify its source. */
export interface PacketTrace {
  readonly ssrc: number;
  readonly sequence: number;
  /** Whether it was decrypted with the other side's key, so that nobody else can have sent it. */
  readonly proven: boolean;
}

/**
 * This many packets in a row, with the source's SSRC and its next sequence numbers, prove that the source has
 * moved.
 */
const PROOF = 3;
/** How many packets ahead a stream that has moved may continue. */
const LARGEST_STEP = 50;

const same = (one: Endpoint | undefined, other: Endpoint): boolean =>
  one !== undefined && one.address === other.address && one.port === other.port;

/**
 * Decides which packets are heard (RFC 4961, RFC 7362): those of the first valid source, since a telephone
 * behind a router does not know its own address. Others are refused, so that nobody can speak into a call
 * (docs/security-attacks.md, attack 55). Exceptions are the address that the signalling named, packets with
 * the right key, and a source that continues with its own numbers from another address while the old one is
 * silent.
 */
export class SourceLatch {
  readonly #named: Endpoint;
  #source: Endpoint | undefined;
  #ssrc = 0;
  #newest = 0;
  #candidate: { readonly from: Endpoint; readonly sequence: number; readonly count: number } | undefined;
  #refused = 0;

  /** @param named the address in the other side's description */
  constructor(named: Endpoint) {
    this.#named = named;
  }

  /** Where our packets are sent: to the source, or, until there is one, to the named address. */
  get target(): Endpoint {
    return this.#source ?? this.#named;
  }

  /** Whether a valid packet has come. */
  get latched(): boolean {
    return this.#source !== undefined;
  }

  /** Packets of others that were refused. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether a report from there belongs to the call; reports may come from another port. */
  knows(address: string): boolean {
    return address === this.target.address;
  }

  /** Whether a valid packet is heard. */
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
