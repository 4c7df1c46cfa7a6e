import './inner-pages.css';
import { useLocation } from 'wouter';
import { pageText } from '../../kernel/contract/page-texts.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { site } from '../../ui/brand.ts';
import { SideIndex } from '../../ui/parts/side-index.tsx';
import { headingsOf, WrittenPage } from '../../ui/parts/written-page.tsx';
import { PageShell } from '../frame/page-shell.tsx';
import { SampleFacts } from '../home/sample-facts.tsx';

const HEADINGS: Readonly<Record<string, { readonly name: string; readonly heading: string }>> = {
  [PAGES.about.path]: { name: 'about', heading: `About ${site.brand}` },
  [PAGES.faq.path]: { name: 'faq', heading: 'Questions and answers' },
  [PAGES.help.path]: { name: 'help', heading: 'Help' },
  [PAGES.changelog.path]: { name: 'changelog', heading: 'What changed' },
  [PAGES.privacy.path]: { name: 'privacy', heading: 'Privacy' },
  [PAGES.terms.path]: { name: 'terms', heading: 'Terms' },
};

/** The pages whose text the agency writes: about, questions, help, changes, and the legal pages. */
export default function WrittenPageOfSite() {
  const [path] = useLocation();
  const { name, heading } = HEADINGS[path] ?? { name: 'about', heading: '' };
  const text = pageText(site, name);
  const parts = headingsOf(text);
  return (
    <PageShell className="prose">
      <h1>{heading}</h1>
      <div className="indexed">
        {parts.length > 0 && <SideIndex label="On this page" parts={parts} />}
        <div className="indexed-text">
          <WrittenPage text={text} />
          {name === 'about' && <SampleFacts />}
        </div>
      </div>
    </PageShell>
  );
}
