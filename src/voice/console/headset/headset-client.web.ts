import type { HeadsetAddress, HeadsetMessage } from './headset.contract.ts';
import { levelOf, mixFrame, readFrame } from './headset-sound.web.ts';

const WORKLET = '/voice/headset.js';
const WORKLET_NAME = 'northline-headset';
/** Frames of 20 ms between two reports of the level. */
const FRAMES_PER_LEVEL = 5;
/** Close code for the end of a call (RFC 6455 §7.4.1); any other means a fault. */
const OVER = 1000;

/** What happens at a headset. */
export interface HeadsetListener {
  /** How loud the call is, 0 to 1, ten times a second. */
  level(loudness: number): void;
  /** The assistant has the call again. */
  givenBack(): void;
  /** The sound has ended; `over` where the call has ended too. Not called after `close`. */
  closed(over: boolean): void;
}

/** An operator's connection to a call in progress, in this browser: see {@link HeadsetAddress}. */
export class Headset {
  /** Its id at the server. */
  readonly id: string;
  readonly #context: AudioContext;
  readonly #node: AudioWorkletNode;
  readonly #socket: WebSocket;
  readonly #listener: HeadsetListener;
  #microphone: MediaStream | undefined;
  #speaking = false;
  #frames = 0;
  #loudest = 0;
  #closed = false;

  private constructor(
    id: string,
    { context, node }: { context: AudioContext; node: AudioWorkletNode },
    socket: WebSocket,
    listener: HeadsetListener,
  ) {
    this.id = id;
    this.#context = context;
    this.#node = node;
    this.#socket = socket;
    this.#listener = listener;
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('close', ({ code }) => {
      const told = !this.#closed;
      this.close();
      if (told) listener.closed(code === OVER);
    });
    node.port.onmessage = ({ data }: MessageEvent<Int16Array<ArrayBuffer>>) => {
      if (this.#speaking && socket.readyState === WebSocket.OPEN) socket.send(data);
    };
  }

  /** Opens the page's sound and the socket. @throws Error when one of them does not open */
  static async open({ headset, path }: HeadsetAddress, listener: HeadsetListener): Promise<Headset> {
    const context = new AudioContext();
    try {
      await context.audioWorklet.addModule(WORKLET);
      await context.resume();
      const node = new AudioWorkletNode(context, WORKLET_NAME, { outputChannelCount: [1] });
      node.connect(context.destination);
      const address = new URL(path, location.href);
      address.protocol = address.protocol.replace('http', 'ws');
      const socket = new WebSocket(address);
      socket.binaryType = 'arraybuffer';
      await new Promise<void>((resolve, reject) => {
        socket.addEventListener('open', () => resolve(), { once: true });
        socket.addEventListener('error', () => reject(new Error('no socket')), { once: true });
      });
      return new Headset(headset, { context, node }, socket, listener);
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  /** Opens the microphone; nobody hears it before {@link speak}. @throws the errors of getUserMedia */
  async openMicrophone(): Promise<void> {
    const microphone = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    if (this.#closed) return stop(microphone);
    this.#microphone = microphone;
    this.#context.createMediaStreamSource(microphone).connect(this.#node);
  }

  /** The call was taken over: the microphone's sound goes to the caller. */
  speak(): void {
    this.#speaking = true;
  }

  /** Closes the microphone, and goes on listening. */
  fallSilent(): void {
    this.#speaking = false;
    stop(this.#microphone);
    this.#microphone = undefined;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.fallSilent();
    this.#node.port.onmessage = null;
    this.#socket.close();
    void this.#context.close();
  }

  #receive(data: unknown): void {
    if (this.#closed) return;
    if (!(data instanceof ArrayBuffer)) {
      const { type } = JSON.parse(String(data)) as HeadsetMessage;
      if (type !== 'given-back') return;
      this.fallSilent();
      this.#listener.givenBack();
      return;
    }
    const frame = readFrame(data);
    const played = mixFrame(frame, this.#speaking);
    this.#loudest = Math.max(this.#loudest, levelOf(frame.caller), levelOf(frame.assistant));
    this.#node.port.postMessage(played, [played.buffer]);
    this.#frames += 1;
    if (this.#frames % FRAMES_PER_LEVEL !== 0) return;
    this.#listener.level(this.#loudest);
    this.#loudest = 0;
  }
}

function stop(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}
