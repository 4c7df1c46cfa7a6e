import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../kernel/contract/messages.ts';
import { Button } from '../../ui/parts/button.tsx';
import { publicConfig } from '../../ui/session/public-config.ts';
import type { MakeCall, TestCall, TestCallState } from './test-call.web.ts';

type CallView = (props: { call: TestCall; onClose: () => void }) => ReactNode;

interface TestNowProps {
  /** The button's text while there is no call. */
  readonly label?: string;
  /** Makes the call; where it is missing, a call with the site's own assistant. */
  readonly make?: MakeCall;
}

/**
 * The button that calls the assistant (docs/specification/platform.md §2, §8), with the call below it. The
 * code for calls is loaded when the button is first pressed.
 */
export function TestNow({ label = 'Test Now', make }: TestNowProps) {
  const [call, setCall] = useState<TestCall | null>(null);
  const [Panel, setPanel] = useState<CallView | null>(null);
  const [preparing, setPreparing] = useState(false);
  const button = useRef<HTMLDivElement>(null);
  const gone = useRef(false);
  const state = useSyncExternalStore(call?.subscribe ?? nothing, call?.state ?? none, none);
  useEffect(() => () => call?.hangUp(), [call]);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);

  async function begin(): Promise<void> {
    const notice = toast.loading(MESSAGES.call.starting);
    setPreparing(true);
    try {
      const [config, { TestCall }, { CallPanel }] = await Promise.all([
        publicConfig(),
        import('./test-call.web.ts'),
        import('./test-call-panel.web.tsx'),
      ]);
      // The visitor went to another page meanwhile and could not hang up.
      if (gone.current) return void toast.dismiss(notice);
      setPanel(() => CallPanel);
      const notices = {
        started: () => toast.success(MESSAGES.call.started, { id: notice }),
        notStarted: () => toast.error(MESSAGES.call.notStarted, { id: notice }),
        failed: () => toast.error(MESSAGES.call.failed),
        cancelled: () => {
          toast.dismiss(notice);
          close();
        },
      };
      setCall(new TestCall(config, notices, make));
    } catch {
      toast.error(MESSAGES.call.notStarted, { id: notice });
    } finally {
      setPreparing(false);
    }
  }

  function close(): void {
    setCall(null);
    // Focuses the button once it can be pressed again, for keyboard users.
    requestAnimationFrame(() => button.current?.querySelector('button')?.focus({ preventScroll: true }));
  }

  const busy = preparing || (state !== null && !['ended', 'failed'].includes(state.phase));
  return (
    <>
      <div ref={button}>
        <Button look="signal" className="test-now" disabled={busy} onClick={begin}>
          {preparing ? 'Processing...' : labelOf(state, label)}
        </Button>
      </div>
      {call && Panel ? <Panel call={call} onClose={close} /> : null}
    </>
  );
}

const nothing = () => () => {};
const none = (): TestCallState | null => null;

/** While a call is open the controls are in its panel: a second call would talk into the first. */
function labelOf(state: TestCallState | null, label: string): string {
  if (state?.phase === 'asking' || state?.phase === 'starting') return 'Processing...';
  return state?.phase === 'open' && state.speaking ? 'AI Speaking...' : label;
}
