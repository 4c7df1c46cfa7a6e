/** What comes out of the jitter buffer. */
export type OrderedPacket<Payload = Uint8Array> = { readonly payload: Payload } | 'lost';

/** How long the buffer waits for a packet, in packets. */
export interface OrderLimits {
  /** How many later packets may arrive before a missing one counts as lost. */
  readonly patience: number;
  /** A larger gap means that the stream has started anew (RFC 3550, A.1: MAX_DROPOUT is 3000). */
  readonly largestGap: number;
}

/** For sound in frames of 20 ms: 60 ms, and one second. */
const SOUND: OrderLimits = { patience: 3, largestGap: 50 };
const MODULUS = 0x10000;

/** Signed distance from `a` to `b` in the circle of 16-bit sequence numbers (RFC 1982). */
function distance(a: number, b: number): number {
  const ahead = (b - a + MODULUS) % MODULUS;
  return ahead < MODULUS / 2 ? ahead : ahead - MODULUS;
}

/**
 * Puts RTP packets into the order of their sequence numbers. The packet that is next is passed on at once:
 * recognition needs no even rhythm, so the buffer adds no delay while nothing is missing.
 */
export class PacketOrder<Payload = Uint8Array> {
  readonly #limits: OrderLimits;
  readonly #waiting = new Map<number, Payload>();
  #next: number | undefined;
  #lost = 0;
  #rejected = 0;

  constructor(limits: OrderLimits = SOUND) {
    this.#limits = limits;
  }

  /** Packets that did not come in time. */
  get lost(): number {
    return this.#lost;
  }

  /** Packets that came twice or too late. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Takes a packet (sequence number 0 to 65535) and returns what can be passed on now. */
  take(sequence: number, payload: Payload): OrderedPacket<Payload>[] {
    this.#next ??= sequence;
    const ahead = distance(this.#next, sequence);
    if (Math.abs(ahead) > this.#limits.largestGap) return this.#restart(sequence, payload);
    if (ahead < 0 || this.#waiting.has(sequence)) {
      this.#rejected += 1;
      return [];
    }
    this.#waiting.set(sequence, payload);
    const ready: OrderedPacket<Payload>[] = [];
    while (this.#waiting.size > 0) {
      const payloadOfNext = this.#waiting.get(this.#next);
      if (payloadOfNext === undefined && this.#waiting.size < this.#limits.patience) break;
      if (payloadOfNext === undefined) this.#lost += 1;
      this.#waiting.delete(this.#next);
      ready.push(payloadOfNext === undefined ? 'lost' : { payload: payloadOfNext });
      this.#next = (this.#next + 1) % MODULUS;
    }
    return ready;
  }

  #restart(sequence: number, payload: Payload): OrderedPacket<Payload>[] {
    this.#waiting.clear();
    this.#next = (sequence + 1) % MODULUS;
    return [{ payload }];
  }
}
