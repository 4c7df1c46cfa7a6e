import type { IncomingHttpHeaders } from 'node:http';
import type { WebSocket } from 'ws';
import type { Channel } from './channel.server.ts';
import { encodeText, type Version } from './frames.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';

/** The join and the message that a reply or event refers to. */
interface MessageHead {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
}

/** One client's connection: outgoing frames, the rate of incoming frames, and its channels. */
export class RealtimeSocket {
  readonly channels = new Map<string, Channel>();
  readonly version: Version;
  /** Headers with the public key of the handshake: the caller of a channel without a token. */
  readonly keyHeaders: IncomingHttpHeaders;
  heardAt = Date.now();
  /** Messages are handled one after another. */
  work: Promise<void> = Promise.resolve();
  queued = 0;
  #tokens: number = REALTIME_LIMITS.frameBurst;
  #refilledAt = Date.now();
  #lagging = false;
  #laggingSince = 0;
  readonly #ws: WebSocket;

  constructor(ws: WebSocket, version: Version, keyHeaders: IncomingHttpHeaders) {
    this.#ws = ws;
    this.version = version;
    this.keyHeaders = keyHeaders;
  }

  get open(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  /** Whether a frame may come in now; a flood of frames closes the socket. */
  admits(): boolean {
    const now = Date.now();
    const refill = ((now - this.#refilledAt) / 1000) * REALTIME_LIMITS.framesPerSecond;
    this.#tokens = Math.min(REALTIME_LIMITS.frameBurst, this.#tokens + refill);
    this.#refilledAt = now;
    this.heardAt = now;
    this.#tokens -= 1;
    return this.#tokens >= 0;
  }

  /** Sends a reply or event of the protocol. `payload` becomes JSON. */
  push({ joinRef, ref, topic, event }: MessageHead & { readonly event: string }, payload: unknown): void {
    const text = JSON.stringify(payload);
    this.send(encodeText(this.version, { joinRef, ref, topic, event, payload: text }), 'required');
  }

  reply({ joinRef, ref, topic }: MessageHead, status: 'ok' | 'error', response: unknown): void {
    this.push({ joinRef, ref, topic, event: 'phx_reply' }, { status, response });
  }

  /**
   * Sends a frame. Droppable frames are dropped once too many bytes wait for a slow client; its channels get
   * a resync when it reads again (docs/security-attacks.md, attack 46).
   */
  send(frame: string | Buffer, kind: 'required' | 'droppable'): void {
    if (!this.open) return;
    if (this.#ws.bufferedAmount > REALTIME_LIMITS.waitingBytes) {
      if (!this.#lagging) this.#laggingSince = Date.now();
      this.#lagging = true;
      if (kind === 'droppable') return;
      if (this.#ws.bufferedAmount > 2 * REALTIME_LIMITS.waitingBytes) {
        this.#ws.terminate();
        return;
      }
    }
    this.#ws.send(frame, { binary: typeof frame !== 'string' }, () => this.#sent());
  }

  #sent(): void {
    if (!this.#lagging || this.#ws.bufferedAmount > 0) return;
    this.#lagging = false;
    for (const channel of [...this.channels.values()]) channel.resync();
  }

  /** Cuts off a client that has fallen silent or stopped reading. */
  sweep(now: number): void {
    const stuck = this.#lagging && now - this.#laggingSince > REALTIME_LIMITS.slow;
    if (stuck || now - this.heardAt > REALTIME_LIMITS.silence) this.#ws.terminate();
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }

  terminate(): void {
    this.#ws.terminate();
  }
}
