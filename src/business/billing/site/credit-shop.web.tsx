import { formatMoney } from '@northline/vat/money';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import {
  CREDIT_FUNCTIONS,
  type CreditPack,
  type CreditPacks,
  packName,
} from '../credit-purchase.contract.ts';
import { callBilling } from '../subscription/billing-read.web.ts';

/**
 * Packs of credits, to buy with or without a plan; shows nothing when none are sold or the list cannot be
 * read.
 */
export function CreditShop() {
  const { data } = useQuery({
    queryKey: ['credit packs'],
    queryFn: () => callBilling<CreditPacks>(CREDIT_FUNCTIONS.packs, {}),
    staleTime: Infinity,
  });
  const [busy, setBusy] = useState<number>();
  if (data === undefined || data.packs.length === 0) return null;
  return (
    <section aria-labelledby="more-credits">
      <h2 id="more-credits">More credits</h2>
      <p className="meta">Paid once. Each uploads one document, and they do not lapse.</p>
      <ul className="packs">
        {data.packs.map((pack) => (
          <li key={pack.credits} className="panel pack">
            <h3>{packName(pack.credits)}</h3>
            <p className="num">{formatMoney(pack.amount_pence, data.currency)}</p>
            <Button
              small
              look="quiet"
              busy={busy === pack.credits}
              aria-label={`Buy ${packName(pack.credits)}`}
              onClick={() => void buy(pack)}
            >
              Buy
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );

  async function buy({ credits }: CreditPack): Promise<void> {
    if (busy !== undefined) return;
    setBusy(credits);
    try {
      const { url } = await callBilling<{ url: string }>(CREDIT_FUNCTIONS.buy, {
        credits,
        success_url: location.origin + PAGES.success.path,
        cancel_url: location.origin + PAGES.billing.path,
      });
      location.assign(url);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : MESSAGES.checkout.failed);
      setBusy(undefined);
    }
  }
}
