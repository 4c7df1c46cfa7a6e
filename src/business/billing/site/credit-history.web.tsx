import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { supabase } from '../../../ui/session/client.ts';
import { dateWords } from '../subscription/billing-words.web.ts';

const PAGE = 10;

interface Entry {
  readonly id: string;
  readonly created_at: string;
  readonly amount: number;
  readonly kind: string;
  readonly description: string | null;
  readonly state: string;
  /** The user who uploaded; null when that account no longer exists. */
  readonly user_id: string | null;
  /** The owner of the credits; null when they belong to another customer. */
  readonly customer: { readonly id: string } | null;
}

/** The newest entries of the user's own ledger, one more than are shown. @throws the service's error */
async function readEntries(shown: number): Promise<Entry[]> {
  const { data, error } = await (await supabase())
    .from('credit_transactions')
    .select('id, created_at, amount, kind, description, state, user_id, customer:customers(id)')
    .order('created_at', { ascending: false })
    .order('id')
    .limit(shown + 1)
    .overrideTypes<Entry[], { merge: false }>();
  if (error !== null) throw error;
  return data;
}

/** The user's credits granted and spent, newest first. */
export function CreditHistory({ userId }: { userId: string }) {
  const [shown, setShown] = useState(PAGE);
  const { data, isError } = useQuery({
    queryKey: ['credit history', userId, shown],
    queryFn: () => readEntries(shown),
    placeholderData: keepPreviousData,
  });
  if (isError) return <p className="meta">The history of your credits could not be loaded.</p>;
  if (data === undefined || data.length === 0) return null;
  return (
    <section aria-labelledby="credit-history">
      <h2 id="credit-history">Credit history</h2>
      <div className="panel rows">
        <table className="invoices credits">
          <thead>
            <tr>
              <th scope="col">Date</th>
              <th scope="col">What</th>
              <th scope="col" className="amount">
                Credits
              </th>
            </tr>
          </thead>
          <tbody>
            {data.slice(0, shown).map((entry) => (
              <tr key={entry.id}>
                <td className="date">
                  <time dateTime={entry.created_at}>{dateWords(entry.created_at)}</time>
                </td>
                <td className="what">{entryWords(entry, userId)}</td>
                <td className="amount num">{signed(entry.amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {data.length > shown && (
          <button type="button" className="text-btn more" onClick={() => setShown(shown + PAGE)}>
            Show older entries
          </button>
        )}
      </div>
    </section>
  );
}

const signed = (amount: number): string => (amount > 0 ? `+${amount}` : String(amount).replace('-', '−'));

function entryWords({ description, kind, state, customer, user_id: spender }: Entry, userId: string): string {
  const isOfTeam = kind === 'spend' && spender !== userId;
  const whose = customer === null ? ', paid by your team' : isOfTeam ? ', by your team' : '';
  const words = `${description ?? kind}${whose}`;
  if (state === 'returned') return `${words} (given back)`;
  return state === 'settled' ? words : `${words} (under way)`;
}
