import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Play } from 'lucide-react';
import { useRef, useState } from 'react';
import { useConsoleList } from '../../business/console/parts/console-list.web.ts';
import {
  ConsoleListView,
  ConsolePanel,
  OpenRows,
} from '../../business/console/parts/console-list-page.web.tsx';
import {
  operatorQuery,
  postAsOperator,
  REFRESH_MS,
} from '../../business/console/parts/operator-client.web.ts';
import { shortTime } from '../../business/console/parts/time-words.web.ts';
import { Button } from '../../ui/parts/button.tsx';
import { Loaded } from '../../ui/parts/loaded.tsx';
import { clock } from './call-words.web.ts';
import { DeleteButton } from './delete-button.web.tsx';
import type {
  ConsoleMeeting,
  MeetingAddresses,
  MeetingDetail,
  MeetingsPage,
} from './meeting-recordings.contract.ts';
import { CallPlayer } from './playback/call-player.web.tsx';

/** How often it is checked whether pictures and sound have been composed, ms. */
const COMPOSING_MS = 3000;

/** Recorded meetings: a list, the people who were heard, and the recording itself. */
export function MeetingsView() {
  const list = useConsoleList<MeetingsPage>('meeting-recordings', { filters: {} });
  return (
    <ConsoleListView
      list={list}
      searchLabel="Search room or name"
      empty="No meeting was recorded yet."
      hint="Choose a recording to watch it, or to delete it."
      rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
      panel={(id, onBack) => <MeetingPanel id={id} onBack={onBack} />}
    />
  );
}

const wordsOf = ({ id, room_name, people, goes_on, seconds, created_at }: ConsoleMeeting) => ({
  id,
  name: room_name,
  about: people === 1 ? 'One person' : `${people} people`,
  state: goes_on ? 'Going on' : 'Ended',
  note: [shortTime(created_at), seconds === null ? '' : clock(seconds)]
    .filter((part) => part !== '')
    .join(' · '),
});

function MeetingPanel({ id, onBack }: { id: string; onBack: () => void }) {
  const query = useQuery({
    ...operatorQuery<MeetingDetail>('meeting-recording', { id }),
    refetchInterval: ({ state }) => (state.data?.pictures === 'recorded' ? COMPOSING_MS : REFRESH_MS),
  });
  return (
    <ConsolePanel label="Recorded meeting" className="call-detail" onBack={onBack}>
      <Loaded query={query}>
        {(detail) => (
          <>
            <h2>{detail.room_name}</h2>
            <p className="meta num">{detail.id}</p>
            <MeetingPlayer detail={detail} />
            <Heard detail={detail} />
            {detail.faults.map((fault) => (
              <p className="fault" key={fault}>
                {fault}
              </p>
            ))}
            {!detail.goes_on && (
              <DeleteButton
                does="delete-meeting-recording"
                id={id}
                label="Delete recording"
                done="The recording is deleted. Its evidence stays."
                onDeleted={onBack}
              />
            )}
          </>
        )}
      </Loaded>
    </ConsolePanel>
  );
}

/** The sentence about the pictures beside the player. */
const PICTURES: Readonly<Record<MeetingDetail['pictures'], string | null>> = {
  recorded: 'Pictures and sound are still being put together. Until then there is the sound alone.',
  composed: null,
  separate:
    'The pictures are files of their own, as this server could not put them together with the sound (it needs ffmpeg).',
  refused: 'Pictures and sound in one are more than is stored, so there is the sound alone.',
  none: 'There are no pictures.',
};

function MeetingPlayer({ detail }: { detail: MeetingDetail }) {
  const { id, seconds, pictures, goes_on: goesOn, expires_at: until } = detail;
  const queries = useQueryClient();
  const player = useRef<HTMLMediaElement>(null);
  const [opened, setOpened] = useState<MeetingAddresses>();
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle');
  if (goesOn)
    return <p className="meta">The meeting is being recorded. It can be played when that has ended.</p>;
  if (seconds === null) return <p className="meta">Nothing of this meeting is kept.</p>;
  const open = async (): Promise<void> => {
    setState('asking');
    try {
      setOpened(await postAsOperator<MeetingAddresses>(queries, 'play-meeting-recording', { id }));
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  const fail = (): void => {
    setState('failed');
    setOpened(undefined);
  };
  const more = opened?.video === false && pictures === 'composed';
  return (
    <div className="call-recording">
      {opened !== undefined && (
        <CallPlayer
          key={opened.url}
          addresses={{ url: opened.url, video: opened.video, picture_url: null }}
          captions={undefined}
          player={player}
          onTime={() => {}}
          onFail={fail}
        />
      )}
      {(opened === undefined || more) && (
        <Button small look="quiet" busy={state === 'asking'} onClick={() => void open()}>
          <Play size={18} aria-hidden="true" />
          {pictures === 'composed' ? 'Watch' : 'Listen'}, {clock(seconds)}
        </Button>
      )}
      {state === 'failed' && (
        <p className="fault" role="alert">
          The recording could not be played. Please try again.
        </p>
      )}
      {PICTURES[pictures] !== null && <p className="meta">{PICTURES[pictures]}</p>}
      {opened !== undefined && opened.pictures.length > 0 && (
        <ul>
          {opened.pictures.map(({ participant, url }) => (
            <li key={url}>
              <a href={url} target="_blank" rel="noreferrer">
                Picture of {participant || NAMELESS}
              </a>
            </li>
          ))}
        </ul>
      )}
      {until !== null && <p className="meta">Kept until {shortTime(until)}</p>}
    </div>
  );
}

const NAMELESS = 'somebody without a name';

function Heard({ detail: { heard, seconds } }: { detail: MeetingDetail }) {
  return (
    <>
      <h3>Who was heard</h3>
      <p className="meta">
        Everybody here has agreed to be recorded. People who did not are not in the recording.
      </p>
      <ul>
        {heard.map(({ name, from, to }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: people are only ever added at the end, and names come twice
          <li key={at}>
            {name || NAMELESS}{' '}
            <span className="meta num">
              {clock(from)} to {to === null && seconds === null ? 'now' : clock(to ?? seconds ?? from)}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
