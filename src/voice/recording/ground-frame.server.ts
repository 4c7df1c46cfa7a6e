import { inflateSync } from 'node:zlib';

/**
 * The ground of recordings, the colour `#1F2D3D` behind every picture, as one VP8 keyframe of 1280×720,
 * compressed: made once by `ffmpeg -f lavfi -i color=c=0x1F2D3D:s=1280x720 -frames:v 1 -pix_fmt yuv420p -c:v
 * libvpx -f ivf`.
 */
export const GROUND_FRAME: Buffer = inflateSync(
  Buffer.from(
    'eNoLOMwwl1GLgfUCE4M7R2trR2tLBxMTU+kqJra01Mza9Xk5cx6+GUWjaBSNolE0EtE9hn//3u+KP3ftsEDI/vUNmo8cAHMT6Eo=',
    'base64',
  ),
);
