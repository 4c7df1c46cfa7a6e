import { PAGES } from '../../../kernel/contract/routes.ts';
import { ButtonLink } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';

/** Shown in place of the dashboard to a visitor without a session (docs/specification/site.md §2). */
export function AccessGate() {
  return (
    <section className="gate panel" aria-labelledby="gate-title">
      <EmptyMark />
      <h1 id="gate-title">Secure Access Required</h1>
      <p>Sign in to see your documents and billing, or create an account: it is free.</p>
      <p className="gate-acts">
        <ButtonLink look="signal" href={PAGES.signup.path}>
          Create Free Account
        </ButtonLink>
        <ButtonLink look="quiet" href={PAGES.login.path}>
          Sign In
        </ButtonLink>
      </p>
      <noscript>
        <p>The dashboard needs JavaScript, which is switched off in this browser.</p>
      </noscript>
    </section>
  );
}
