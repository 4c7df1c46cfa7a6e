/** What the jitter buffer makes of the packets that arrive. */
export type OrderedPacket<Payload = Uint8Array> = { readonly payload: Payload } | 'lost';

/** How long is waited for packets, in packets. */
export interface OrderLimits {
  /** That one may be overtaken by before it counts as lost. */
  readonly patience: number;
  /** A gap beyond this many is a new start of the stream (RFC 3550, A.1: MAX_DROPOUT is 3000). */
  readonly largestGap: number;
}

/** Of sound: 60 ms, and a second, of 20 ms frames. */
const SOUND: OrderLimits = { patience: 3, largestGap: 50 };
const MODULUS = 0x10000;

/** Signed distance from `a` to `b` in the circle of 16-bit sequence numbers (RFC 1982). */
function distance(a: number, b: number): number {
  const ahead = (b - a + MODULUS) % MODULUS;
  return ahead < MODULUS / 2 ? ahead : ahead - MODULUS;
}

/**
 * Puts RTP packets into the order of their sequence numbers. A packet that is next is given on at
 * once: recognition needs no even rhythm, so the buffer adds no delay where nothing is missing.
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

  /** Packets that never came in time. */
  get lost(): number {
    return this.#lost;
  }

  /** Packets that came twice or too late. */
  get rejected(): number {
    return this.#rejected;
  }

  /** Takes a packet (sequence number 0 to 65535) and returns what can be given on now. */
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
