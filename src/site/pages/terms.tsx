import { LEGAL_TEXTS } from '../../kernel/contract/legal-texts.ts';
import { siteContent } from '../../kernel/contract/site-content.ts';
import { WrittenPage } from '../../ui/parts/written-text.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** The terms, short enough to be read. */
export default function TermsPage() {
  return (
    <PageShell className="prose">
      <h1>Terms</h1>
      <WrittenPage text={siteContent().legal?.terms ?? LEGAL_TEXTS.terms} />
    </PageShell>
  );
}
