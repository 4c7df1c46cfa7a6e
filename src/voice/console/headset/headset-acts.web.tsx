import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { useOperatorCall } from '../../../business/console/parts/operator-action.web.ts';
import { postAsOperator } from '../../../business/console/parts/operator-client.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Meter } from '../../../ui/parts/meter.tsx';
import type { LiveCalls } from '../call-list.contract.ts';
import { type CallAct, type HeadsetAddress, LONGEST_WORDS } from './headset.contract.ts';
import { Headset } from './headset-client.web.ts';

type Call = LiveCalls['calls'][number];
type State = 'off' | 'busy' | 'listening' | 'speaking';

/** Root mean square of loud speech: a full bar. */
const LOUD = 0.25;
const NO_MICROPHONE = 'Your microphone could not be reached.';
const NO_SOUND = 'The sound of this call could not be reached.';

/** The operator's sound in one call: listening, and speaking in the assistant's place. */
function useHeadset(call: Call) {
  const queries = useQueryClient();
  const [state, setState] = useState<State>('off');
  const [level, setLevel] = useState(0);
  const headset = useRef<Headset>(undefined);
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      headset.current?.close();
      headset.current = undefined;
    };
  }, []);
  const direct = (act: CallAct): Promise<unknown> =>
    postAsOperator(queries, 'direct-call', { act, id: call.id, headset: headset.current?.id });

  async function open(): Promise<Headset> {
    if (headset.current !== undefined) return headset.current;
    const address = await postAsOperator<HeadsetAddress>(queries, 'call-headset', { id: call.id });
    const opened = await Headset.open(address, {
      level: setLevel,
      givenBack: () => setState('listening'),
      closed(over) {
        headset.current = undefined;
        setState('off');
        if (!over) toast.error(NO_SOUND);
      },
    }).catch((error: unknown) => {
      throw new Error(NO_SOUND, { cause: error });
    });
    // The operator has left the page meanwhile, or the call has ended.
    if (gone.current) opened.close();
    else headset.current = opened;
    return opened;
  }
  /** Runs `work` while the buttons are busy; if it fails, the state before it stays. */
  async function attempt(next: State, work: () => Promise<void>): Promise<void> {
    setState('busy');
    try {
      await work();
      // The sound may have been closed meanwhile, by its button or with the call.
      setState(headset.current === undefined ? 'off' : next);
    } catch (error) {
      toast.error((error as Error).message);
      headset.current?.fallSilent();
      setState(headset.current === undefined ? 'off' : 'listening');
    }
  }
  return {
    state,
    level,
    listen: () => attempt('listening', async () => void (await open())),
    stop() {
      headset.current?.close();
      headset.current = undefined;
      setState('off');
    },
    takeOver: () =>
      attempt('speaking', async () => {
        const opened = await open();
        await opened.openMicrophone().catch((error: unknown) => {
          throw new Error(NO_MICROPHONE, { cause: error });
        });
        await direct('take-over');
        opened.speak();
      }),
    giveBack: () =>
      attempt('listening', async () => {
        await direct('give-back');
        headset.current?.fallSilent();
      }),
  };
}

/** What an operator can do in a call in progress, besides hanging up. `who` is the person in the call. */
export function HeadsetActs({ call, who }: { call: Call; who: string }) {
  const { state, level, ...headset } = useHeadset(call);
  const mine = state === 'speaking';
  const listens = state === 'listening' || mine;
  return (
    <div className="live-acts">
      <div className="live-buttons">
        {!mine && (
          <Button
            small
            look="quiet"
            busy={state === 'busy'}
            aria-label={listens ? `Stop listening to the call of ${who}` : `Listen in on the call of ${who}`}
            onClick={listens ? headset.stop : headset.listen}
          >
            {listens ? 'Stop listening' : 'Listen in'}
          </Button>
        )}
        {(mine || call.taken_by === null) && (
          <Button
            small
            look="quiet"
            busy={state === 'busy'}
            aria-label={mine ? `Give back the call of ${who}` : `Take over the call of ${who}`}
            onClick={mine ? headset.giveBack : headset.takeOver}
          >
            {mine ? 'Give back' : 'Take over'}
          </Button>
        )}
      </div>
      {/* Messages that come and go are below the buttons, so that no button moves while it is pressed. */}
      {mine && <p>You speak with the caller.</p>}
      {!mine && call.taken_by !== null && <p>{call.taken_by} speaks with the caller.</p>}
      {listens && <Meter label={`Loudness of the call of ${who}`} value={level} max={LOUD} />}
      {call.taken_by === null && !mine && <WordsForm call={call} who={who} />}
    </div>
  );
}

/** Words for the assistant: to be said to the caller, or an instruction. */
function WordsForm({ call, who }: { call: Call; who: string }) {
  const id = useId();
  const [text, setText] = useState('');
  const { busy, ask } = useOperatorCall();
  async function send(act: CallAct): Promise<void> {
    if (text.trim() === '') return;
    const done = act === 'whisper' ? 'The assistant heeds it from its next answer on.' : undefined;
    if ((await ask('direct-call', { act, id: call.id, text }, done)) !== undefined) setText('');
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!busy) void send('say');
  };
  return (
    <form className="live-words" onSubmit={submit}>
      <label htmlFor={id}>Words for the assistant</label>
      <input
        id={id}
        type="text"
        autoComplete="off"
        maxLength={LONGEST_WORDS}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Button type="submit" small look="quiet" busy={busy} aria-label={`Say it to ${who}`}>
        Say
      </Button>
      <Button
        small
        look="quiet"
        busy={busy}
        aria-label={`Whisper it to the assistant of ${who}`}
        onClick={() => void send('whisper')}
      >
        Whisper
      </Button>
    </form>
  );
}
