import { execFileSync } from 'node:child_process';

const PROGRAM = 'ffmpeg';
/** Headers of an IVF file and of its first frame, bytes. */
const IVF_HEADERS = 32 + 12;

/** A VP8 key frame of one colour, as a camera of that size would send it; made by ffmpeg. */
export function vp8Frame(colour: string, width: number, height: number): Buffer {
  const ivf = execFileSync(PROGRAM, [
    ...['-v', 'error', '-f', 'lavfi', '-i', `color=c=${colour}:s=${width}x${height}`],
    ...['-frames:v', '1', '-pix_fmt', 'yuv420p', '-c:v', 'libvpx', '-f', 'ivf', 'pipe:1'],
  ]);
  return ivf.subarray(IVF_HEADERS);
}
