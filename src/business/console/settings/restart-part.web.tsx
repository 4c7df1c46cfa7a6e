import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { QuestionDialog } from '../../../ui/parts/question-dialog.tsx';
import { operatorQuery, postAsOperator } from '../parts/operator-client.web.ts';
import type { RestartBegun, SettingsPage } from './settings.contract.ts';

/** How often the page asks whether the product is back, ms, and after how many answers it says that this takes long. */
const ASK_MS = 1000;
const LONG = 20;

/** Which settings wait for the next start, and the button that starts the product anew and waits until it is back. */
export function RestartPart({ groups, since, restarts }: SettingsPage) {
  const queries = useQueryClient();
  const [step, setStep] = useState<'ask' | 'wait'>();
  const [asked, setAsked] = useState(0);
  const waiting = groups.flatMap(({ settings }) => settings.filter(({ pending }) => pending));
  useEffect(() => {
    if (step !== 'wait') return;
    const timer = setTimeout(async () => {
      // Once without the retries of the page, since a refusal is what is expected.
      const now = await queries
        .fetchQuery({ ...operatorQuery<SettingsPage>('settings'), staleTime: 0, retry: false })
        .catch(() => undefined);
      if (now === undefined || now.since === since) return setAsked(asked + 1);
      setStep(undefined);
      setAsked(0);
      toast.success('The product has started. The settings are in use.');
      await queries.invalidateQueries();
    }, ASK_MS);
    return () => clearTimeout(timer);
  }, [step, asked, queries, since]);
  const start = async (): Promise<void> => {
    setStep('wait');
    try {
      await postAsOperator<RestartBegun>(queries, 'restart', {});
    } catch (error) {
      setStep(undefined);
      toast.error((error as Error).message);
    }
  };
  if (step === 'wait')
    return (
      <p className="panel pad restart" role="status" aria-busy="true">
        <b>The product starts anew.</b>{' '}
        {asked < LONG
          ? 'This page goes on when it is back, usually within some seconds.'
          : 'It is not back yet: look at its log. This page goes on asking.'}
      </p>
    );
  if (waiting.length === 0) return null;
  const names = waiting.map(({ label }) => `“${label}”`).join(', ');
  return (
    <section className="panel pad restart" aria-label="Settings that wait">
      <p>
        <b>
          {waiting.length === 1 ? 'One setting waits' : `${waiting.length} settings wait`} for the next start:
        </b>{' '}
        {names}.
      </p>
      {restarts ? (
        <Button small look="quiet" onClick={() => setStep('ask')}>
          Start the product anew
        </Button>
      ) : (
        <p className="meta">
          Nobody would start the product again by itself here: stop and start it where you started it.
        </p>
      )}
      {step === 'ask' && (
        <QuestionDialog
          heading="Start the product anew?"
          busy={false}
          keep="Not now"
          onClose={() => setStep(undefined)}
          act={
            <Button look="signal" onClick={() => void start()}>
              Start it anew
            </Button>
          }
        >
          <p>The site is away for some seconds, and calls that go on end.</p>
        </QuestionDialog>
      )}
    </section>
  );
}
