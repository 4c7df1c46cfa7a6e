import { useEffect, useMemo, useRef, useState } from 'react';
import type { CallDetail, TranscriptMessage } from '../call-list.contract.ts';
import { clock } from '../call-words.web.ts';
import { CallRecording, Unrecorded } from './call-recording.web.tsx';
import { captions, lineAt, lineTimes } from './line-times.web.ts';

const SPEAKERS: Readonly<Record<string, string>> = {
  user: 'Caller',
  bot: 'Assistant',
  system: 'Instruction',
  tool_calls: 'Tool',
  tool_call_result: 'Result',
  colleague: 'Colleague',
  notice: 'Notice',
  whisper: 'Whisper',
};
/** With less confidence than this, a line says that the recogniser was not sure. */
const UNSURE = 0.6;

/**
 * The words of a call. With a recording, the line that is being heard is marked and kept in sight, and
 * choosing a line plays it.
 */
export function CallTranscript({ detail }: { detail: CallDetail }) {
  const { messages, recording, unrecorded, erased } = detail;
  const player = useRef<HTMLMediaElement>(null);
  const [at, setAt] = useState<number>();
  const began = recording?.started_at;
  const times = useMemo(
    () => (began === undefined ? [] : lineTimes(messages, Date.parse(began))),
    [messages, began],
  );
  const heard = at === undefined ? -1 : lineAt(times, at);
  const play = (from: number): void => {
    const media = player.current;
    if (media === null) return;
    media.currentTime = from;
    void media.play();
  };
  return (
    <div className="call-talk" data-playing={at === undefined ? undefined : ''}>
      {recording !== null && (
        <CallRecording
          id={detail.call.id}
          recording={recording}
          captions={() => captions(messages, times)}
          player={player}
          onTime={setAt}
        />
      )}
      {unrecorded !== null && <Unrecorded unrecorded={unrecorded} />}
      {messages.length === 0 && (
        <p className="meta">{erased ? 'The words were deleted.' : 'Nothing was said.'}</p>
      )}
      <Lines messages={messages} heard={heard}>
        {(message, line) => {
          const from = at === undefined ? undefined : times[line]?.from;
          return <Line message={message} onPlay={from === undefined ? undefined : () => play(from)} />;
        }}
      </Lines>
    </div>
  );
}

interface LinesProps {
  readonly messages: readonly TranscriptMessage[];
  /** The index of the line that is being heard; -1 for none. */
  readonly heard: number;
  readonly children: (message: TranscriptMessage, line: number) => React.ReactNode;
}

/** The lines. While they are played they scroll in a box of their own, so that the page stays where it is. */
function Lines({ messages, heard, children }: LinesProps) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [box, line] = [list.current, list.current?.children[heard]];
    if (box === null || !(line instanceof HTMLElement)) return;
    const above = line.offsetTop - box.scrollTop;
    if (above < 0 || above + line.offsetHeight > box.clientHeight)
      box.scrollTo({ top: line.offsetTop - (box.clientHeight - line.offsetHeight) / 2 });
  }, [heard]);
  return (
    <ol className="call-lines" ref={list}>
      {messages.map((message, line) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a call never change places
          key={line}
          data-role={message.kind ?? message.role}
          data-heard={line === heard || undefined}
        >
          {children(message, line)}
        </li>
      ))}
    </ol>
  );
}

interface LineProps {
  readonly message: TranscriptMessage;
  /** Undefined while nothing is played, and where the line cannot be heard. */
  readonly onPlay: (() => void) | undefined;
}

function Line({ message, onPlay }: LineProps) {
  const { role, confidence, typed, result, kind } = message;
  const unsure = confidence !== undefined && confidence < UNSURE;
  const time = clock(message.secondsFromStart);
  // Marking words to copy them must not play them.
  const choose = onPlay && (() => document.getSelection()?.isCollapsed !== false && onPlay());
  return (
    <>
      <span className="meta num">
        {SPEAKERS[kind ?? role] ?? role}{' '}
        {onPlay === undefined ? (
          time
        ) : (
          <button type="button" className="text-btn" onClick={onPlay} aria-label={`Play from ${time}`}>
            {time}
          </button>
        )}
        {typed === true && ' · typed'}
        {confidence !== undefined && ` · ${Math.round(confidence * 100)} % sure`}
      </span>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a larger target for a pointer; the button before it does the same */}
      <p data-unsure={unsure || undefined} onClick={choose}>
        {message.message}
      </p>
      {result !== undefined && <pre>{typeof result === 'string' ? result : JSON.stringify(result)}</pre>}
    </>
  );
}
