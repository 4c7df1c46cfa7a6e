import type { ClockFace } from './tell-time.web.ts';

/** 20 of 24 hours. */
const WARNING_SHARE = 20 / 24;
const [START, LENGTH] = [14, 452];
const at = (share: number): number => START + LENGTH * share;

/** The promise as a line: where the enquiry came in, the warning at 20 hours, the end at 24, and how far it is. */
export function ReplyLine({ face }: { face: ClockFace }) {
  return (
    <svg viewBox="0 0 480 40" className="reply-line" data-tone={face.tone} aria-hidden="true">
      <path className="reply-way" d={`M${START} 20H${at(1)}`} />
      <path className="reply-gone" d={`M${START} 20H${at(face.share)}`} />
      <circle className="reply-stop" cx={START} cy="20" r="8" />
      <path className="reply-tick" d={`M${at(WARNING_SHARE)} 8V32`} />
      <circle className="reply-stop" cx={at(1)} cy="20" r="8" />
      <circle className="reply-token" cx={at(face.share)} cy="20" r="11" />
    </svg>
  );
}
