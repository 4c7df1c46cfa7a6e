import { type MeetingState, requireState } from './states.ts';
import type { Command } from './transport.ts';
import { UnsupportedMethods } from './unsupported-methods.ts';

type Reply = Readonly<Record<string, unknown>>;

/** The input of a test of a call's quality. */
export interface QualityTestInput {
  /** The picture to send; without one, a picture is drawn. */
  readonly videoTrack?: MediaStreamTrack;
  /** Seconds, at most 30; 15 by default. */
  readonly duration?: number;
}

/** Methods about the connection: tests before a call, its bandwidth, and the load of the machine. */
export abstract class ConnectionMethods extends UnsupportedMethods {
  abstract override meetingState(): MeetingState;
  /** Sends a command and resolves with its reply. */
  protected abstract request(command: Command): Promise<Reply>;
  /** Sends a command without waiting for its reply; a refusal is logged. */
  protected abstract post(command: Command): void;

  /**
   * Whether this client would be let in or has to wait, without joining. @throws Error after joining, or with
   * the room's sentence
   */
  async preAuth(properties: { readonly url: string; readonly token?: string }): Promise<Reply> {
    requireState('preAuth', this.meetingState());
    return await this.request({ action: 'daily-method-preauth', properties });
  }

  /** Sets how connections are made, from the next join on. */
  setIceConfig(iceConfig?: unknown): this {
    this.post({ action: 'set-ice-config', iceConfig });
    return this;
  }

  /**
   * Limits the camera: `kbs` in kilobits a second (`NO_CAP` or null for no limit), and constraints for its
   * picture.
   */
  setBandwidth({ kbs, trackConstraints }: { kbs?: unknown; trackConstraints?: MediaTrackConstraints }): this {
    this.post({ action: 'set-bandwidth', kbs, trackConstraints });
    return this;
  }

  /** The machine's load by the call; unknown before joining. */
  async getCpuLoadStats(): Promise<unknown> {
    if (this.meetingState() !== 'joined-meeting')
      return { cpuLoadState: undefined, cpuLoadStateReason: undefined, stats: {} };
    return (await this.request({ action: 'get-cpu-load-stats' })).cpuStats;
  }

  /** Sends a picture to the installation and measures how well it arrives. */
  async testCallQuality(input: QualityTestInput = {}): Promise<unknown> {
    return (await this.request({ action: 'test-call-quality', ...input })).results;
  }

  stopTestCallQuality(): void {
    this.post({ action: 'stop-test-call-quality' });
  }

  /** Sends a picture to the installation and back, and measures how well it returns. */
  async testPeerToPeerCallQuality(input: QualityTestInput = {}): Promise<unknown> {
    return (await this.request({ action: 'test-p2p-call-quality', ...input })).results;
  }

  stopTestPeerToPeerCallQuality(): void {
    this.post({ action: 'stop-test-p2p-call-quality' });
  }

  /** Tests whether a picture reaches the installation and comes back at all. */
  async testNetworkConnectivity(videoTrack?: MediaStreamTrack): Promise<unknown> {
    return (await this.request({ action: 'test-network-connectivity', videoTrack })).results;
  }

  abortTestNetworkConnectivity(): void {
    this.post({ action: 'abort-test-network-connectivity' });
  }

  /** Tests whether a WebSocket to the installation opens. */
  async testWebsocketConnectivity(): Promise<unknown> {
    return (await this.request({ action: 'test-websocket-connectivity' })).results;
  }

  abortTestWebsocketConnectivity(): void {
    this.post({ action: 'abort-test-websocket-connectivity' });
  }
}
