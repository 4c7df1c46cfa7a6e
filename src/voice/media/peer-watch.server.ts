import type { MediaState } from '@northline/telephone-audio/sound-session';

/** A peer from which nothing came for this long is gone: browsers check every 2.5 s (RFC 7675). */
const GONE_AFTER_MS = 12_000;
const WATCH_MS = 2000;

/** Whether a peer is there: a lite agent does not check itself, so what comes from the peer is watched (decision 0170). */
export class PeerWatch {
  readonly #listeners: ((state: MediaState) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #state: MediaState | undefined;
  #lastAt = performance.now();

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Told of every change; `closed` comes once and is the last. */
  onState(listener: (state: MediaState) => void): void {
    this.#listeners.push(listener);
  }

  /** The peer was answered: from now on it has to show itself. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), WATCH_MS);
    this.alive();
  }

  /** Something came from the peer. */
  alive(): void {
    this.#lastAt = performance.now();
  }

  /** A state of the connection below. Returns true where that means the end. */
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
