import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../contract/messages.ts';
import { Button } from '../../web/parts/button.tsx';
import { publicConfig } from '../../web/public-config.ts';
import type { TestCall, TestCallState } from './test-call.web.ts';

const WORDS = MESSAGES.call;

type CallView = (props: { call: TestCall; onClose: () => void }) => ReactNode;

/**
 * The button that calls the assistant (`spec/platform.md §2, §8`), and the call beneath it once it is
 * pressed. What a call needs is fetched by the first press.
 */
export function TestNow() {
  const [call, setCall] = useState<TestCall | null>(null);
  const [Panel, setPanel] = useState<CallView | null>(null);
  const [asked, setAsked] = useState(false);
  useEffect(() => () => call?.hangUp(), [call]);

  async function begin(): Promise<void> {
    const notice = toast.loading(WORDS.starting);
    setAsked(true);
    try {
      const [config, { TestCall }, { CallPanel }] = await Promise.all([
        publicConfig(),
        import('./test-call.web.ts'),
        import('./call-panel.web.tsx'),
      ]);
      setPanel(() => CallPanel);
      setCall(
        await TestCall.begin(config, {
          started: () => toast.success(WORDS.started, { id: notice }),
          notStarted: () => toast.error(WORDS.notStarted, { id: notice }),
          failed: () => toast.error(WORDS.failed),
        }),
      );
    } catch {
      toast.error(WORDS.notStarted, { id: notice });
    } finally {
      setAsked(false);
    }
  }

  return (
    <>
      {call ? (
        <CallButton call={call} onPress={begin} />
      ) : (
        <TestButton busy={asked} label={asked ? 'Processing...' : 'Test Now'} onPress={begin} />
      )}
      {call && Panel ? <Panel call={call} onClose={() => setCall(null)} /> : null}
    </>
  );
}

function CallButton({ call, onPress }: { call: TestCall; onPress: () => void }) {
  const state = useSyncExternalStore(call.subscribe, call.state);
  const over = state.phase === 'ended' || state.phase === 'failed';
  return <TestButton busy={!over} label={labelOf(state)} onPress={onPress} />;
}

/** While a call is open the controls are in its panel: a second call would talk into the first. */
function labelOf({ phase, speaking }: TestCallState): string {
  if (phase === 'starting') return 'Processing...';
  return phase === 'open' && speaking ? 'AI Speaking...' : 'Test Now';
}

function TestButton({ busy, label, onPress }: { busy: boolean; label: string; onPress: () => void }) {
  return (
    <Button look="signal" className="test-now" disabled={busy} onClick={onPress}>
      {label}
    </Button>
  );
}
