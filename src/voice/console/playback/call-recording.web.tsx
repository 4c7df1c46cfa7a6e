import { useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { type RefObject, useState } from 'react';
import { postAsOperator } from '../../../business/console/parts/operator-client.web.ts';
import { shortTime } from '../../../business/console/parts/time-words.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import type {
  CallDetail,
  ConsoleRecording,
  RecordingAddresses,
  Unrecorded as WhyUnrecorded,
} from '../call-list.contract.ts';
import { clock } from '../call-words.web.ts';
import { CallPlayer } from './call-player.web.tsx';

/** The sentence about a picture beside its player. */
const PICTURES: Readonly<Record<Exclude<ConsoleRecording['picture'], 'composed' | null>, string>> = {
  recorded: 'Picture and sound are still being put together. Until then there is the sound alone.',
  separate:
    'Picture and sound are two files, as this server could not put them together (it needs ffmpeg). They are played together here.',
  refused: 'Picture and sound in one are more than is stored, so there is the sound alone.',
  missing: 'There is no picture: no camera was offered, or what it showed was lost.',
};

const WHY: Readonly<Record<WhyUnrecorded['why'], string>> = {
  'not-agreed': 'Nothing was recorded: the caller did not agree.',
  withdrawn: 'The caller withdrew consent, and the recording was deleted.',
  expired: 'The recording was deleted when its time was over.',
  refused: 'The recording was refused for good when it was to be stored. Its files are still on the server.',
  lost: 'The caller agreed, but no recording is there. The log of the call may say why.',
};

interface RecordingProps {
  readonly id: string;
  readonly recording: NonNullable<CallDetail['recording']>;
  /** The words as WebVTT. */
  readonly captions: () => string;
  readonly player: RefObject<HTMLMediaElement | null>;
  /** Reports the position in the recording, seconds; undefined while no recording is open. */
  readonly onTime: (seconds: number | undefined) => void;
}

/**
 * Requests the recording when somebody wants to play it; the browser fetches it in ranges. Playing it is
 * audited.
 */
export function CallRecording({ id, recording, captions, player, onTime }: RecordingProps) {
  const queries = useQueryClient();
  const [opened, setOpened] = useState<RecordingAddresses>();
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle');
  const { picture, seconds, expires_at: until } = recording;
  const watches = picture === 'composed' || picture === 'separate';
  const open = async (): Promise<void> => {
    setState('asking');
    try {
      setOpened(await postAsOperator<RecordingAddresses>(queries, 'call-recording', { id }));
      onTime(0);
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  // It may have been deleted meanwhile: the console fetches the present state.
  const fail = (): void => {
    setState('failed');
    setOpened(undefined);
    onTime(undefined);
    void queries.invalidateQueries({ queryKey: ['operator', 'call'] });
  };
  // Listeners who play the sound while the picture is being composed are offered the picture once it is
  // there.
  const more = opened !== undefined && watches && !opened.video && opened.picture_url === null;
  return (
    <div className="call-recording">
      {opened !== undefined && (
        <CallPlayer
          key={opened.url}
          addresses={opened}
          captions={captions}
          player={player}
          onTime={onTime}
          onFail={fail}
        />
      )}
      {(opened === undefined || more) && (
        <Button small look="quiet" busy={state === 'asking'} onClick={() => void open()}>
          <Play size={18} aria-hidden="true" />
          {watches ? 'Watch' : 'Listen'}, {clock(seconds)}
        </Button>
      )}
      {state === 'failed' && (
        <p className="fault" role="alert">
          The recording could not be played. Please try again.
        </p>
      )}
      {picture !== null && picture !== 'composed' && <p className="meta">{PICTURES[picture]}</p>}
      <p className="meta">Caller left, assistant right. Kept until {shortTime(until)}</p>
    </div>
  );
}

/** Why a call that was to be recorded has nothing to play. */
export function Unrecorded({ unrecorded: { why, at } }: { unrecorded: WhyUnrecorded }) {
  return (
    <p className="meta">
      {WHY[why]}
      {at !== null && <span className="num"> {shortTime(at)}</span>}
    </p>
  );
}
