import { type MeetingState, requireState } from './states.ts';
import type { Command } from './transport.ts';
import { UnsupportedMethods } from './unsupported-methods.ts';

type Reply = Readonly<Record<string, unknown>>;

/** What a test of a call's quality is given. */
export interface QualityTestInput {
  /** The picture that is sent; one that is drawn here where there is none. */
  readonly videoTrack?: MediaStreamTrack;
  /** Seconds, 30 at most; 15 unless it is said. */
  readonly duration?: number;
}

/** Methods about the connection: tests before a call, what it may take, and how busy the machine is. */
export abstract class ConnectionMethods extends UnsupportedMethods {
  abstract override meetingState(): MeetingState;
  /** Sends a command and resolves with its reply. */
  protected abstract request(command: Command): Promise<Reply>;
  /** Sends a command without a reply; a refusal is logged. */
  protected abstract post(command: Command): void;

  /** How far one would be let in, without joining. @throws Error after joining, or with the room's sentence */
  async preAuth(properties: { readonly url: string; readonly token?: string }): Promise<Reply> {
    requireState('preAuth', this.meetingState());
    return await this.request({ action: 'daily-method-preauth', properties });
  }

  /** How connections are looked for, from the next joining on. */
  setIceConfig(iceConfig?: unknown): this {
    this.post({ action: 'set-ice-config', iceConfig });
    return this;
  }

  /** What the camera may take: kilobits a second, `NO_CAP` or null for no limit; and what its picture is held to. */
  setBandwidth({ kbs, trackConstraints }: { kbs?: unknown; trackConstraints?: MediaTrackConstraints }): this {
    this.post({ action: 'set-bandwidth', kbs, trackConstraints });
    return this;
  }

  /** How busy the machine is with the call; nothing is known before joining. */
  async getCpuLoadStats(): Promise<unknown> {
    if (this.meetingState() !== 'joined-meeting')
      return { cpuLoadState: undefined, cpuLoadStateReason: undefined, stats: {} };
    return (await this.request({ action: 'get-cpu-load-stats' })).cpuStats;
  }

  /** Sends a picture to the installation and tells how well it gets there. */
  async testCallQuality(input: QualityTestInput = {}): Promise<unknown> {
    return (await this.request({ action: 'test-call-quality', ...input })).results;
  }

  stopTestCallQuality(): void {
    this.post({ action: 'stop-test-call-quality' });
  }

  /** Sends a picture to the installation and back, and tells how well it returns. */
  async testPeerToPeerCallQuality(input: QualityTestInput = {}): Promise<unknown> {
    return (await this.request({ action: 'test-p2p-call-quality', ...input })).results;
  }

  stopTestPeerToPeerCallQuality(): void {
    this.post({ action: 'stop-test-p2p-call-quality' });
  }

  /** Whether a picture gets to the installation and back at all. */
  async testNetworkConnectivity(videoTrack?: MediaStreamTrack): Promise<unknown> {
    return (await this.request({ action: 'test-network-connectivity', videoTrack })).results;
  }

  abortTestNetworkConnectivity(): void {
    this.post({ action: 'abort-test-network-connectivity' });
  }

  /** Whether a WebSocket to the installation opens. */
  async testWebsocketConnectivity(): Promise<unknown> {
    return (await this.request({ action: 'test-websocket-connectivity' })).results;
  }

  abortTestWebsocketConnectivity(): void {
    this.post({ action: 'abort-test-websocket-connectivity' });
  }
}
