/** What the buffer returns for the next place in the sound. */
export type BufferedPacket<T> = T | 'lost' | 'wait';

/** Least and most packets that are held back; most telephones send 20 ms in one. */
const LEAST_DEPTH = 2;
const MOST_DEPTH = 12;
/** How many times the jitter is held back: three times covers all but the rarest packets. */
const JITTERS = 3;
/** A larger jump means that the stream has started anew (RFC 3550 A.1). */
const LARGEST_GAP = 50;
/**
 * After this many packets a buffer that was always too full drops one, and one that was never short shrinks.
 */
const REVIEW = 50;
/** After this many missing packets in a row nothing is concealed any more: the sender paused or left. */
const LONGEST_LOSS = 6;
const MODULUS = 0x10000;

/** Signed distance from `a` to `b` in the circle of 16-bit sequence numbers (RFC 1982). */
export function sequenceDistance(a: number, b: number): number {
  const ahead = (b - a + MODULUS) % MODULUS;
  return ahead < MODULUS / 2 ? ahead : ahead - MODULUS;
}

/**
 * Holds packets back as long as they arrive unevenly, so that one is there whenever sound is due. It deepens
 * at once when packets come too late, and shrinks again when they have been even for a second.
 */
export class JitterBuffer<T extends object> {
  readonly #packets = new Map<number, T>();
  #next: number | undefined;
  #filling = true;
  #depth: number = LEAST_DEPTH;
  /** How many packets in a row were missing, and how often a first packet has waited for others. */
  #losses = 0;
  #waits = 0;
  /** Fewest packets in store since the last review, and packets taken since then. */
  #least = Number.POSITIVE_INFINITY;
  #given = 0;
  /** The newest packet, for measuring jitter. */
  #newest: { readonly arrival: number; readonly time: number } | undefined;
  #jitter = 0;
  #lost = 0;
  #late = 0;
  #skipped = 0;

  /** Packets that did not come in time. */
  get lost(): number {
    return this.#lost;
  }

  /** Packets that came twice or too late. */
  get rejected(): number {
    return this.#late;
  }

  /** Packets that were dropped to reduce the delay. */
  get skipped(): number {
    return this.#skipped;
  }

  /** Interarrival jitter (RFC 3550 §6.4.1), milliseconds. */
  get jitterMs(): number {
    return this.#jitter;
  }

  /** How many packets are held back at present. */
  get depth(): number {
    return this.#depth;
  }

  /**
   * Takes a packet.
   *
   * @param packet its sequence number, the time of its sound on the sender's clock and of its arrival in
   * milliseconds, and its payload
   * @param packetMs length of a packet
   */
  put(
    packet: { sequence: number; timeMs: number | undefined; arrivalMs: number; payload: T },
    packetMs: number,
  ): void {
    const { sequence, payload } = packet;
    this.#next ??= sequence;
    const ahead = sequenceDistance(this.#next, sequence);
    if (Math.abs(ahead) > LARGEST_GAP) this.#restart(sequence);
    else if (ahead < 0 && this.#filling && this.#given === 0) this.#next = sequence;
    else if (ahead < 0 || this.#packets.has(sequence)) {
      this.#late += 1;
      // It came just too late: later packets are waited for longer.
      if (ahead < 0 && ahead > -MOST_DEPTH) this.#deepen(this.#depth + 1);
      return;
    }
    this.#packets.set(sequence, payload);
    this.#measure(packet.timeMs, packet.arrivalMs);
    this.#deepen(1 + Math.ceil((JITTERS * this.#jitter) / packetMs));
  }

  /** The next packet in order, when its sound is due. */
  take(): BufferedPacket<T> {
    if (this.#next === undefined) return 'wait';
    if (this.#filling && !this.#isFilled()) return 'wait';
    this.#filling = false;
    this.#review();
    const payload = this.#packets.get(this.#next);
    if (payload === undefined) return this.#missing();
    this.#packets.delete(this.#next);
    this.#losses = 0;
    this.#forward();
    return payload;
  }

  /** Whether the buffer is deep enough, or its packets have waited as long as a full buffer would have. */
  #isFilled(): boolean {
    if (this.#packets.size === 0) return false;
    this.#waits += 1;
    return this.#packets.size >= this.#depth || this.#waits > this.#depth;
  }

  /** If later packets are in store, this one is lost; otherwise it may still come, and its place is kept. */
  #missing(): 'lost' | 'wait' {
    if (this.#packets.size > 0) {
      this.#lost += 1;
      this.#forward();
      return 'lost';
    }
    this.#losses += 1;
    if (this.#losses <= LONGEST_LOSS) return 'lost';
    this.#filling = true;
    this.#waits = 0;
    return 'wait';
  }

  #forward(): void {
    this.#next = ((this.#next ?? 0) + 1) % MODULUS;
    this.#given += 1;
  }

  /**
   * Once a second: a buffer that was always too full drops one packet, and one that was never short shrinks.
   */
  #review(): void {
    this.#least = Math.min(this.#least, this.#packets.size);
    if (this.#given < REVIEW) return;
    if (this.#least > this.#depth && this.#next !== undefined && this.#packets.delete(this.#next)) {
      this.#skipped += 1;
      this.#forward();
    } else if (this.#least > 1) this.#depth = Math.max(LEAST_DEPTH, this.#depth - 1);
    this.#least = Number.POSITIVE_INFINITY;
    this.#given = 1;
  }

  #deepen(depth: number): void {
    this.#depth = Math.min(MOST_DEPTH, Math.max(this.#depth, depth));
  }

  #measure(time: number | undefined, arrival: number): void {
    if (time === undefined) return;
    const last = this.#newest;
    this.#newest = { time, arrival };
    if (last === undefined) return;
    const difference = Math.abs(arrival - last.arrival - (time - last.time));
    // A pause of the sender does not count as jitter.
    if (difference < 1000) this.#jitter += (difference - this.#jitter) / 16;
  }

  #restart(sequence: number): void {
    this.#packets.clear();
    this.#next = sequence;
    this.#filling = true;
    this.#losses = 0;
    this.#given = 0;
    this.#newest = undefined;
  }
}
