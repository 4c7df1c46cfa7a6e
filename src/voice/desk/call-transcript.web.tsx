import { useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useRef, useState } from 'react';
import { postAsOperator } from '../../business/operator/console/operator-client.web.ts';
import { shortTime } from '../../business/operator/console/time-words.web.ts';
import { Button } from '../../ui/parts/button.tsx';
import type { CallDetail, DeskMessage } from './call-desk.contract.ts';
import { clock } from './call-words.web.ts';

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
/** Below this the recogniser was not sure, and the line says so. */
const UNSURE = 0.6;

/**
 * The words of a call; where its sound is kept, the line that is being heard is marked, and a line that is chosen is
 * played.
 */
export function CallTranscript({ detail }: { detail: CallDetail }) {
  const { messages, recording, erased } = detail;
  const player = useRef<HTMLAudioElement>(null);
  const [at, setAt] = useState<number>();
  const ends = recording === null ? [] : endsOf(messages, Date.parse(recording.started_at));
  const heard = at === undefined ? -1 : ends.findIndex((end) => end >= at);
  const play = (line: number): void => {
    const audio = player.current;
    if (audio === null) return;
    audio.currentTime = Math.max(0, ends[line - 1] ?? 0);
    void audio.play();
  };
  return (
    <>
      {recording !== null && (
        <Recording id={detail.call.id} recording={recording} player={player} onTime={setAt} />
      )}
      {messages.length === 0 && (
        <p className="meta">{erased ? 'The words were deleted.' : 'Nothing was said.'}</p>
      )}
      <ol className="call-lines">
        {messages.map((message, line) => (
          <Line
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a call never change places
            key={line}
            message={message}
            heard={line === heard}
            onPlay={at === undefined ? undefined : () => play(line)}
          />
        ))}
      </ol>
    </>
  );
}

/** Where in the recording each line ends, seconds; lines from before it end before its beginning. */
function endsOf(messages: readonly DeskMessage[], began: number): number[] {
  return messages.map(({ endTime }) => (endTime === undefined ? -1 : (endTime - began) / 1000));
}

interface LineProps {
  readonly message: DeskMessage;
  readonly heard: boolean;
  /** Undefined while no sound is loaded. */
  readonly onPlay: (() => void) | undefined;
}

function Line({ message, heard, onPlay }: LineProps) {
  const { role, confidence, typed, result, kind } = message;
  const unsure = confidence !== undefined && confidence < UNSURE;
  const time = clock(message.secondsFromStart);
  return (
    <li data-role={kind ?? role} data-heard={heard || undefined}>
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
      <p data-unsure={unsure || undefined}>{message.message}</p>
      {result !== undefined && <pre>{JSON.stringify(result)}</pre>}
    </li>
  );
}

interface RecordingProps {
  readonly id: string;
  readonly recording: NonNullable<CallDetail['recording']>;
  readonly player: React.RefObject<HTMLAudioElement | null>;
  readonly onTime: (seconds: number) => void;
}

/** Asks for the sound when it is wanted; the browser fetches it in ranges, and that it was played is noted. */
function Recording({ id, recording, player, onTime }: RecordingProps) {
  const queries = useQueryClient();
  const [address, setAddress] = useState<string>();
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle');
  const listen = async (): Promise<void> => {
    setState('asking');
    try {
      setAddress((await postAsOperator<{ url: string }>(queries, 'call-recording', { id })).url);
      onTime(0);
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  return (
    <div className="call-sound">
      {address === undefined || state === 'failed' ? (
        <Button small look="quiet" busy={state === 'asking'} onClick={() => void listen()}>
          <Play size={18} aria-hidden="true" />
          Listen, {clock(recording.seconds)}
        </Button>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: the transcript beneath runs along
        <audio
          ref={player}
          controls
          autoPlay
          preload="metadata"
          aria-label="Recording of the call"
          src={address}
          onTimeUpdate={({ currentTarget }) => onTime(currentTarget.currentTime)}
          onError={() => setState('failed')}
        />
      )}
      {state === 'failed' && (
        <p className="fault" role="alert">
          The recording could not be played. Please try again.
        </p>
      )}
      <p className="meta">Caller left, assistant right. Kept until {shortTime(recording.expires_at)}</p>
    </div>
  );
}
