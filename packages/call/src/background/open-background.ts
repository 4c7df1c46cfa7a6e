import { type BackgroundSetting, backdropOf } from './background-setting.ts';

/** A camera's picture with another background. */
export interface Background {
  /** What is sent instead of the camera's own track. */
  readonly track: MediaStreamTrack;
  /** @throws Error for a picture that cannot be loaded; the background stays as it was then */
  change(setting: BackgroundSetting): Promise<void>;
  /** Ends the worker. The camera's own track goes on. */
  close(): void;
}

/** What the worker reports: that it is ready, or that it cannot go on. */
export interface WorkerReport {
  readonly fault?: string;
}

/** Chromium's streams of pictures; no library declares them for pages. */
interface PictureStreams {
  readonly MediaStreamTrackProcessor?: new (options: {
    track: MediaStreamTrack;
    maxBufferSize: number;
  }) => { readonly readable: ReadableStream<VideoFrame> };
  readonly MediaStreamTrackGenerator?: new (options: {
    kind: 'video';
  }) => MediaStreamTrack & { readonly writable: WritableStream<VideoFrame> };
}

interface ScriptPolicies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}
let policy: ReturnType<ScriptPolicies['createPolicy']> | undefined;

/** The policy of a page may require that each address of a script is approved; this approves only the worker's. */
function approved(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: ScriptPolicies };
  policy ??= trustedTypes?.createPolicy('northline-background', { createScriptURL: (one) => one });
  return policy?.createScriptURL(address) ?? address;
}

/**
 * Puts another background behind the person in a camera's picture. A worker finds the person, picture by picture;
 * it loads its model from the page's own server. A picture that it cannot process is not sent.
 *
 * @param script address of the worker's script
 * @param camera stays open, and belongs to the caller
 * @param failed is called at most once, if the worker fails later
 * @throws Error in a browser without streams of pictures, and if the worker or the picture cannot be loaded
 */
export async function openBackground(
  script: string,
  camera: MediaStreamTrack,
  setting: BackgroundSetting,
  failed: (message: string) => void,
): Promise<Background> {
  const { MediaStreamTrackProcessor, MediaStreamTrackGenerator } = globalThis as PictureStreams;
  if (
    MediaStreamTrackProcessor === undefined ||
    MediaStreamTrackGenerator === undefined ||
    typeof OffscreenCanvas === 'undefined'
  )
    throw new Error('This browser cannot change the background of a picture.');
  const backdrop = await backdropOf(setting);
  const worker = new Worker(approved(script));
  const track = new MediaStreamTrackGenerator({ kind: 'video' });
  const close = (): void => {
    worker.terminate();
    track.stop();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (): void => reject(new Error('The module for backgrounds cannot be loaded.'));
      worker.addEventListener('error', refuse, { once: true });
      worker.addEventListener('message', ({ data: { fault } }: MessageEvent<WorkerReport>) =>
        fault === undefined ? resolve() : reject(new Error(fault)),
      );
      const { readable } = new MediaStreamTrackProcessor({ track: camera, maxBufferSize: 1 });
      const { writable } = track;
      worker.postMessage({ readable, writable, backdrop }, [readable, writable]);
    });
  } catch (error) {
    close();
    throw error;
  }
  worker.addEventListener(
    'message',
    ({ data: { fault } }: MessageEvent<WorkerReport>) => fault !== undefined && failed(fault),
    { once: true },
  );
  return {
    track,
    change: async (next) => worker.postMessage({ backdrop: await backdropOf(next) }),
    close,
  };
}
