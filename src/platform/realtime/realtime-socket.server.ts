import type { IncomingHttpHeaders } from 'node:http';
import type { WebSocket } from 'ws';
import type { Channel } from './channel.server.ts';
import { encodeText, type Version } from './frames.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';

/** One client's connection: what goes out, how fast things may come in, and its channels. */
export class RealtimeSocket {
  readonly channels = new Map<string, Channel>();
  readonly version: Version;
  /** The public key of the handshake: the caller of a channel that brings no token. */
  readonly keyHeaders: IncomingHttpHeaders;
  heardAt = Date.now();
  /** Messages are handled one after the other. */
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

  /** Whether a frame may come in now; a flood closes the socket. */
  admits(): boolean {
    const now = Date.now();
    const refill = ((now - this.#refilledAt) / 1000) * REALTIME_LIMITS.framesPerSecond;
    this.#tokens = Math.min(REALTIME_LIMITS.frameBurst, this.#tokens + refill);
    this.#refilledAt = now;
    this.heardAt = now;
    this.#tokens -= 1;
    return this.#tokens >= 0;
  }

  /** Replies and signals of the protocol. `payload` becomes JSON. */
  push(joinRef: string | null, ref: string | null, topic: string, event: string, payload: unknown): void {
    const text = JSON.stringify(payload);
    this.send(encodeText(this.version, { joinRef, ref, topic, event, payload: text }), 'keep');
  }

  reply(
    message: { joinRef: string | null; ref: string | null; topic: string },
    status: 'ok' | 'error',
    response: unknown,
  ): void {
    this.push(message.joinRef, message.ref, message.topic, 'phx_reply', { status, response });
  }

  /**
   * Sends a frame. What may be dropped is dropped once too much waits for a slow client; its
   * channels get a resync when it reads again (security.md, attack 46).
   */
  send(frame: string | Buffer, kind: 'keep' | 'drop'): void {
    if (!this.open) return;
    if (this.#ws.bufferedAmount > REALTIME_LIMITS.waitingBytes) {
      if (!this.#lagging) this.#laggingSince = Date.now();
      this.#lagging = true;
      if (kind === 'drop') return;
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

  /** Cuts off a client that fell silent or stopped reading. */
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
