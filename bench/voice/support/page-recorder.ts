/// <reference lib="dom" />

/**
 * The functions that the page of a measured call offers to the bench; times are milliseconds of the
 * recording.
 */
export interface PageRecorder {
  /** Both sides as base64 of 16-bit sound, 16 000 samples a second, on one clock. */
  take(): { readonly caller: string; readonly assistant: string };
  /** Plays a clip into the microphone; only in calls without a file. Returns when it begins. */
  play(clip: string): number;
  /**
   * Resolves when the assistant, starting after `since`, has spoken for `ms` without a break of more than 300
   * ms.
   */
  heardFor(ms: number, since: number): Promise<number>;
  /** Resolves when the assistant has been silent for `ms` from now on; returns when the silence began. */
  silentFor(ms: number): Promise<number>;
  messages: { readonly at: number; readonly text: string }[];
  /** Samples that the receiver invented, and all that it received. */
  stats(): Promise<{ readonly concealed: number; readonly received: number }>;
}

declare global {
  interface Window {
    bench: PageRecorder;
  }
}

/** The worklet that records both sides in one graph: equal times are equal samples. */
export const RECORDER_WORKLET = `
registerProcessor('bench-recorder', class extends AudioWorkletProcessor {
  constructor() {
    super();
    this.filled = 0;
    this.sides = [new Float32Array(320), new Float32Array(320)];
  }
  process(inputs) {
    for (let at = 0; at < 128; at += 1) {
      for (const side of [0, 1]) this.sides[side][this.filled] = inputs[side]?.[0]?.[at] ?? 0;
      this.filled += 1;
      if (this.filled === 320) {
        this.port.postMessage({ end: currentFrame + at + 1, sides: this.sides });
        this.filled = 0;
      }
    }
    return true;
  }
});`;

/** Options with which the page is prepared. */
export interface RecorderOptions {
  readonly worklet: string;
  /** Sounds to play into the microphone, base64 of 16-bit sound; null uses the browser's own. */
  readonly clips: Readonly<Record<string, string>> | null;
  /** How loud the assistant is in the microphone, 0 to 1. */
  readonly echo: number;
}

/** Runs in the page before its own scripts: taps the microphone and the received track. */
export function recordPage({ worklet, clips, echo }: RecorderOptions): void {
  const RATE = 16_000;
  const HEARD = 0.005;
  const moduleUrl = URL.createObjectURL(new Blob([worklet], { type: 'text/javascript' }));
  const context = new AudioContext({ sampleRate: RATE });
  const sides: Int16Array[][] = [[], []];
  let firstFrame = -1;
  let heardSince = -1;
  let silentSince = 0;
  let lastHeard = -1;
  const connections: RTCPeerConnection[] = [];
  const messages: PageRecorder['messages'] = [];
  const watchers = new Set<() => void>();
  const now = (): number => context.currentTime * 1000 - (Math.max(0, firstFrame) / RATE) * 1000;

  const ready = context.audioWorklet.addModule(moduleUrl).then(() => {
    const node = new AudioWorkletNode(context, 'bench-recorder', {
      numberOfInputs: 2,
      numberOfOutputs: 1,
      channelCount: 1,
      channelCountMode: 'explicit',
    });
    node.port.onmessage = ({ data }) => take(data.end, data.sides);
    node.connect(context.destination);
    return node;
  });

  function take(end: number, given: readonly Float32Array[]): void {
    if (firstFrame < 0) firstFrame = end - 320;
    given.forEach((samples, side) => {
      sides[side]?.push(Int16Array.from(samples, (value) => Math.max(-1, Math.min(1, value)) * 32767));
    });
    const level = Math.sqrt(
      (given[1] ?? new Float32Array(0)).reduce((sum, value) => sum + value * value, 0) / 320,
    );
    const at = ((end - firstFrame) / RATE) * 1000;
    if (level >= HEARD) {
      if (at - lastHeard > 300 || heardSince < 0) heardSince = at - 20;
      lastHeard = at;
      silentSince = at;
    }
    for (const watch of watchers) watch();
  }

  function when(reached: () => number | undefined): Promise<number> {
    return new Promise((resolve) => {
      const watch = (): void => {
        const value = reached();
        if (value === undefined) return;
        watchers.delete(watch);
        resolve(value);
      };
      watchers.add(watch);
    });
  }

  async function tap(stream: MediaStream, side: 0 | 1): Promise<MediaStreamAudioSourceNode> {
    const node = await ready;
    await context.resume();
    const source = context.createMediaStreamSource(stream);
    source.connect(node, 0, side);
    return source;
  }

  const microphone = clips === null ? null : context.createMediaStreamDestination();
  const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    const stream = microphone === null ? await open(wanted) : microphone.stream.clone();
    await tap(microphone === null ? stream : microphone.stream, 0);
    return stream;
  };

  const Original = RTCPeerConnection;
  window.RTCPeerConnection = class extends Original {
    constructor(...given: ConstructorParameters<typeof Original>) {
      super(...given);
      connections.push(this);
      this.addEventListener('track', ({ track }) => {
        void tap(new MediaStream([track]), 1).then((source) => {
          if (microphone === null || echo === 0) return;
          const quieter = context.createGain();
          quieter.gain.value = echo;
          source.connect(quieter).connect(microphone);
        });
      });
    }
    override createDataChannel(...given: Parameters<RTCPeerConnection['createDataChannel']>): RTCDataChannel {
      const channel = super.createDataChannel(...given);
      channel.addEventListener('message', ({ data }) => messages.push({ at: now(), text: String(data) }));
      return channel;
    }
  };

  function base64(pieces: readonly Int16Array[]): string {
    let bytes = '';
    for (const piece of pieces) {
      const view = new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
      bytes += String.fromCharCode(...view);
    }
    return btoa(bytes);
  }

  function samplesOf(text: string): Float32Array<ArrayBuffer> {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return Float32Array.from(new Int16Array(bytes.buffer), (value) => value / 32768);
  }

  window.bench = {
    messages,
    take: () => ({ caller: base64(sides[0] ?? []), assistant: base64(sides[1] ?? []) }),
    play(name) {
      const samples = samplesOf(clips?.[name] ?? '');
      const buffer = context.createBuffer(1, samples.length, RATE);
      buffer.copyToChannel(samples, 0);
      const source = context.createBufferSource();
      source.buffer = buffer;
      if (microphone !== null) source.connect(microphone);
      const at = context.currentTime + 0.02;
      source.start(at);
      return at * 1000 - (Math.max(0, firstFrame) / RATE) * 1000;
    },
    heardFor: (ms, since) =>
      when(() => (heardSince >= since && lastHeard - heardSince >= ms ? heardSince : undefined)),
    silentFor(ms) {
      const from = now();
      return when(() => (now() - Math.max(from, silentSince) >= ms ? silentSince : undefined));
    },
    async stats() {
      let concealed = 0;
      let received = 0;
      for (const connection of connections) {
        for (const report of (await connection.getStats()).values()) {
          if (report.type !== 'inbound-rtp' || report.kind !== 'audio') continue;
          concealed += report.concealedSamples ?? 0;
          received += report.totalSamplesReceived ?? 0;
        }
      }
      return { concealed, received };
    },
  };
}
