import { PAGES } from '../../../kernel/contract/routes.ts';

/** Shown under plans: the terms that a buyer accepts, and why the buttons do not work without scripts. */
export function PurchaseTerms() {
  return (
    <>
      <p className="meta">
        Buying a plan you accept our <a href={PAGES.terms.path}>terms</a>; what we keep is in our{' '}
        <a href={PAGES.privacy.path}>privacy notice</a>.
      </p>
      <noscript>
        <p className="form-error">Buying a plan needs JavaScript, which is switched off in this browser.</p>
      </noscript>
    </>
  );
}
