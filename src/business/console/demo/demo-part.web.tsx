import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import type { DemoState } from '../console.contract.ts';
import { May } from '../parts/console-role.web.tsx';
import { useOperatorCall } from '../parts/operator-action.web.ts';

/** Milliseconds between two looks while demo data comes or goes. */
const LOOK_MS = 2000;

const WORDS: Readonly<Record<DemoState, string>> = {
  adding: 'Demo data is being added. Its documents are read as any other.',
  ready:
    'There is demo data: the people whose names end in “(demo)” are invented. It counts in these lists and figures.',
  removing: 'The demo data is being removed.',
};

function useDemoOrder() {
  const { busy, ask } = useOperatorCall();
  return { busy, order: (wanted: 'add' | 'remove') => void ask('demo-data', { do: wanted }) };
}

/** Above every page of the console while there is demo data. */
export function DemoBanner({ state }: { state: DemoState }) {
  const queries = useQueryClient();
  const { busy, order } = useDemoOrder();
  useEffect(() => {
    if (state === 'ready') return;
    const timer = setInterval(() => void queries.invalidateQueries({ queryKey: ['operator'] }), LOOK_MS);
    return () => clearInterval(timer);
  }, [state, queries]);
  return (
    <div className="console-warning demo-banner" role="status">
      <p>{WORDS[state]}</p>
      {state !== 'removing' && (
        <May call="demo-data">
          <Button small look="quiet" busy={busy} onClick={() => order('remove')}>
            Remove demo data
          </Button>
        </May>
      )}
    </div>
  );
}

/** On the home, while there is no demo data: the way to see the console in use. */
export function DemoOffer() {
  const { busy, order } = useDemoOrder();
  return (
    <section className="panel pad demo-offer" aria-labelledby="demo">
      <h2 id="demo">See the console in use</h2>
      <p className="meta">
        Six invented customers come with files, reports, calls, enquiries, a course, money, messages and
        bookings. Nobody gets a mail, and one button removes all of it again.
      </p>
      <Button look="quiet" busy={busy} onClick={() => order('add')}>
        Add demo data
      </Button>
    </section>
  );
}
