import { LEGAL_TEXTS } from '../../kernel/contract/legal-texts.ts';
import { siteContent } from '../../kernel/contract/site-content.ts';
import { WrittenPage } from '../../ui/parts/written-text.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** What is kept, why and for how long; the text as it comes is true of this software as it is installed. */
export default function PrivacyPage() {
  return (
    <PageShell className="prose">
      <h1>Privacy</h1>
      <WrittenPage text={siteContent().legal?.privacy ?? LEGAL_TEXTS.privacy} />
    </PageShell>
  );
}
