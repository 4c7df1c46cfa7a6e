import { type FormEvent, useEffect, useRef, useSyncExternalStore } from 'react';
import { Button } from '../../ui/parts/button.tsx';
import type { Caption, TestCall, TestCallState } from './test-call.web.ts';

const BARS = [0.1, 0.25, 0.4, 0.6, 0.8] as const;
const PLAYBACK_BLOCKED = 'Your browser holds the sound back. Tap anywhere to hear the assistant.';
const WAITING: Readonly<Record<TestCallState['phase'], string>> = {
  asking: 'Your browser asks whether this page may use your microphone. Allow it, and the call begins.',
  starting: 'Connecting you…',
  open: 'Connected.',
  ended: '',
  failed: '',
};

/** A call, during it and after its end: captions of both sides, controls, and a box to type in. */
export function CallPanel({ call, onClose }: { call: TestCall; onClose: () => void }) {
  const state = useSyncExternalStore(call.subscribe, call.state);
  const over = state.phase === 'ended' || state.phase === 'failed';
  return (
    <section className="call-panel" aria-label="Your call with the AI assistant">
      <p className="call-says">
        <strong>AI assistant.</strong> You are talking to a machine. The call is not recorded; its words are
        kept until you delete them.
      </p>
      <Captions captions={state.captions} phase={state.phase} />
      <Hint words={over ? null : state.typeBecause} />
      <Hint words={state.playbackBlocked ? PLAYBACK_BLOCKED : null} />
      {over ? (
        <AfterCall call={call} state={state} onClose={onClose} />
      ) : (
        <DuringCall call={call} state={state} />
      )}
    </section>
  );
}

function Hint({ words }: { words: string | null }) {
  return words === null ? null : (
    <p className="call-hint" role="alert">
      {words}
    </p>
  );
}

function Captions({ captions, phase }: Pick<TestCallState, 'captions' | 'phase'>) {
  const end = useRef<HTMLLIElement>(null);
  const newest = captions.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is said
  useEffect(() => {
    end.current?.closest('.captions')?.scrollTo({ top: end.current.offsetTop, behavior: 'smooth' });
  }, [newest?.id, newest?.text]);
  if (captions.length === 0)
    return (
      <p className="call-wait" aria-live="polite">
        {WAITING[phase]}
      </p>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a log that scrolls must be reachable by keyboard
    <div className="captions" role="log" aria-label="What is being said" tabIndex={0}>
      <ol>
        {captions.map((caption) => (
          <CaptionLine key={caption.id} caption={caption} end={caption === newest ? end : null} />
        ))}
      </ol>
    </div>
  );
}

function CaptionLine({
  caption,
  end,
}: {
  caption: Caption;
  end: React.RefObject<HTMLLIElement | null> | null;
}) {
  return (
    <li ref={end} data-role={caption.role} data-partial={caption.partial || undefined}>
      <span>{caption.role === 'user' ? 'You' : 'AI assistant'}</span>
      <p>{caption.text}</p>
    </li>
  );
}

function DuringCall({ call, state }: { call: TestCall; state: TestCallState }) {
  const speaks = state.typeBecause === null;
  function send(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const box = event.currentTarget.elements.namedItem('words') as HTMLInputElement;
    call.type(box.value);
    box.value = '';
  }
  return (
    <>
      <form className="call-type" onSubmit={send}>
        <label htmlFor="call-words">Type to the assistant</label>
        <input
          id="call-words"
          name="words"
          maxLength={500}
          autoComplete="off"
          enterKeyHint="send"
          disabled={state.phase !== 'open'}
        />
        <Button type="submit" look="quiet" small disabled={state.phase !== 'open'}>
          Send
        </Button>
      </form>
      <div className="call-controls">
        {speaks ? <Level level={state.muted ? 0 : state.level} /> : null}
        {state.phase === 'asking' ? (
          <Button look="quiet" small onClick={() => call.typeInstead()}>
            Type instead
          </Button>
        ) : null}
        {speaks ? (
          <Button
            look="quiet"
            small
            aria-pressed={state.muted}
            disabled={state.phase !== 'open'}
            onClick={() => call.toggleMute()}
          >
            {state.muted ? 'Unmute' : 'Mute'}
          </Button>
        ) : null}
        <Button look="danger" small onClick={() => call.hangUp()}>
          Hang up
        </Button>
      </div>
    </>
  );
}

/** How loud the caller is: five bars that light up. */
function Level({ level }: { level: number }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no browser lets a meter element be drawn as bars
    <span
      className="call-level"
      role="meter"
      aria-label="Your microphone"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(level * 100)}
    >
      {BARS.map((bar) => (
        <i key={bar} data-lit={level >= bar || undefined} />
      ))}
    </span>
  );
}

const KEPT: Readonly<Record<NonNullable<TestCallState['kept']>, string>> = {
  kept: 'The call is over. These are the words that were kept; an enquiry or a booking that you confirmed is kept as well.',
  deleting: 'Deleting…',
  deleted: 'The words of this call have been deleted.',
  'not-deleted': 'They could not be deleted. Please try again.',
};
const NOT_BEGUN = 'The call could not be started. Please try again in a moment.';

function AfterCall({ call, state, onClose }: { call: TestCall; state: TestCallState; onClose: () => void }) {
  const { kept, ending } = state;
  const words = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button or field in use has gone; keyboard users continue here.
    if (document.activeElement === document.body) words.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="call-after">
      <div ref={words} tabIndex={-1} aria-live="polite">
        {kept === 'kept' && ending !== null ? <p className="call-ending">{ending}</p> : null}
        <p>{kept === null ? (ending ?? NOT_BEGUN) : KEPT[kept]}</p>
      </div>
      {kept === 'kept' || kept === 'not-deleted' ? (
        <Button look="quiet" small onClick={() => void call.deleteWords()}>
          Delete what was said
        </Button>
      ) : null}
      <Button look="quiet" small onClick={onClose}>
        Close
      </Button>
    </div>
  );
}
