import type { MediaState } from '@northline/telephone-audio/sound-session';

/** A peer that sent nothing for this long is gone: browsers send a check every 2.5 s (RFC 7675). */
const GONE_AFTER_MS = 12_000;
const WATCH_MS = 2000;

/**
 * Watches whether a peer is still there. An ICE-lite agent sends no checks itself, so what the peer sends is
 * watched (decision 0170).
 */
export class PeerWatch {
  readonly #listeners: ((state: MediaState) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #state: MediaState | undefined;
  #lastAt = performance.now();

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Calls the listener at every change; `closed` comes once, as the last state. */
  onState(listener: (state: MediaState) => void): void {
    this.#listeners.push(listener);
  }

  /** The peer was answered: from now on it has to send something. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), WATCH_MS);
    this.alive();
  }

  /** The peer sent something. */
  alive(): void {
    this.#lastAt = performance.now();
  }

  /** Takes a state of the connection below. Returns true where that means the end. */
  connection(state: string): boolean {
    if (state === 'connected' || state === 'connecting' || state === 'failed') this.#tell(state);
    return state === 'closed' && !this.isClosed;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#tell('closed');
  }

  #look(): void {
    const gone = performance.now() - this.#lastAt > GONE_AFTER_MS;
    if (gone && this.#state !== 'disconnected') this.#tell('disconnected');
    else if (!gone && this.#state === 'disconnected') this.#tell('connected');
  }

  #tell(state: MediaState): void {
    if (this.isClosed || this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}
