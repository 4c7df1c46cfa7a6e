import { currencyWord, formatMoney, placesOf } from '@northline/vat/money';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { USUAL_CURRENCY } from '../../../kernel/contract/plans.ts';
import { servicePages } from '../../../kernel/contract/service-pages.ts';
import type { SiteContent } from '../../../kernel/contract/site-content.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import type {
  ContentOverview,
  FormerNames,
  PreviewReply,
  PublishReply,
} from '../../content/content.contract.ts';
import { PageHead } from '../parts/console-parts.web.tsx';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { BrandPart } from './brand-part.web.tsx';
import { postContent } from './content-client.web.ts';
import { HistoryPart } from './history-part.web.tsx';
import { HomePart } from './home-part.web.tsx';
import { PlansPart } from './plans-part.web.tsx';
import { type DraftKeeper, useDraftKeeper } from './site-draft-keeping.web.ts';
import { LegalPart, PagesPart, TextsPart } from './texts-part.web.tsx';

/** A part of the editor: the content as it is being written, and its change. */
export interface PartProps {
  readonly draft: SiteContent;
  readonly overview: ContentOverview;
  /** A part that is undefined goes. */
  readonly change: (part: { readonly [Name in keyof SiteContent]?: SiteContent[Name] | undefined }) => void;
}

const PARTS: readonly { name: string; view: (props: PartProps) => ReactNode }[] = [
  { name: 'Brand and colours', view: BrandPart },
  { name: 'Home page', view: HomePart },
  { name: 'Texts', view: TextsPart },
  { name: 'Pages', view: PagesPart },
  { name: 'Plans and prices', view: PlansPart },
  { name: 'Legal pages', view: LegalPart },
  { name: 'File and history', view: HistoryPart },
];

/** The console's Content page: everything that an agency can make its own, looked at first, then published. */
export function SiteContentView() {
  const query = useQuery({
    ...operatorQuery<ContentOverview>('content'),
    // A refetch must not replace text that is being typed.
    refetchInterval: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    // Coming back to the page begins with the draft that the server has.
    gcTime: 0,
  });
  return (
    <>
      <PageHead
        heading="Content"
        about="Your name, colours, words, plans and prices. Nothing is shown to visitors before you publish."
      />
      <Loaded query={query}>
        {(overview) => <Editor key={`${overview.version} ${overview.draft === null}`} overview={overview} />}
      </Loaded>
    </>
  );
}

function Editor({ overview }: { overview: ContentOverview }) {
  const { draft: kept } = overview;
  const [draft, setDraft] = useState<SiteContent>(kept?.content ?? overview.content);
  const [base, setBase] = useState(kept?.base ?? overview.version);
  const [part, setPart] = useState(PARTS[0]);
  const keeper = useDraftKeeper(kept?.updated_at);
  // Two changes may come before the next drawing.
  const newest = useRef(draft);
  const write = (next: SiteContent): void => {
    newest.current = next;
    setDraft(next);
  };
  const change: PartProps['change'] = (changed) => {
    const parts = Object.entries({ ...newest.current, ...changed }).filter(([, part]) => part !== undefined);
    write(Object.fromEntries(parts) as SiteContent);
    keeper.keep({ base, content: newest.current });
  };
  const discard = async (): Promise<void> => {
    await keeper.discard();
    write(overview.content);
    setBase(overview.version);
  };
  const View = part?.view;
  return (
    <div className="site-editor">
      <nav className="site-parts" aria-label="Parts of the site">
        {PARTS.map((one) => (
          <button
            key={one.name}
            type="button"
            aria-current={one === part ? 'true' : undefined}
            onClick={() => setPart(one)}
          >
            {one.name}
          </button>
        ))}
      </nav>
      <div className="site-part panel pad">
        {base === overview.version ? null : (
          <div className="form-error" role="alert">
            <p>
              You began this draft from version {base}. Since then version {overview.version} was published.
            </p>
            <div className="console-acts">
              <Button
                small
                look="quiet"
                onClick={() => {
                  setBase(overview.version);
                  keeper.keep({ base: overview.version, content: draft });
                }}
              >
                Keep my draft
              </Button>
              <Button small look="quiet" onClick={() => void discard()}>
                Take version {overview.version}
              </Button>
            </div>
          </div>
        )}
        <CurrencyNote from={overview.content.currency} to={draft.currency} />
        {View === undefined ? null : <View draft={draft} overview={overview} change={change} />}
      </div>
      <PublishBar draft={draft} base={base} overview={overview} keeper={keeper} onDiscard={discard} />
    </div>
  );
}

interface PublishBarProps {
  readonly draft: SiteContent;
  readonly base: number;
  readonly overview: ContentOverview;
  readonly keeper: DraftKeeper;
  readonly onDiscard: () => Promise<void>;
}

function PublishBar({ draft, base, overview, keeper, onDiscard }: PublishBarProps) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState<'preview' | 'publish'>();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [preview, setPreview] = useState<{ path: string; of: SiteContent }>();
  const [named, setNamed] = useState<{ found: FormerNames['found']; of: SiteContent }>();
  const [note, setNote] = useState('');
  const isChanged = JSON.stringify(draft) !== JSON.stringify(overview.content);
  const found = named?.of === draft ? named.found : [];

  async function run(what: 'preview' | 'publish', work: () => Promise<void>): Promise<void> {
    if (busy !== undefined) return;
    setBusy(what);
    setProblems([]);
    try {
      await work();
    } catch (error) {
      setProblems(problemsOf(error));
    } finally {
      setBusy(undefined);
    }
  }
  const look = () =>
    run('preview', async () => {
      const { path } = await postContent<PreviewReply>('preview-content', { content: draft });
      setPreview({ path, of: draft });
    });
  const publish = () =>
    run('publish', async () => {
      if (named?.of !== draft) {
        const names = await postContent<FormerNames>('content-names', { content: draft });
        setNamed({ found: names.found, of: draft });
        if (names.found.length > 0) return;
      }
      await keeper.settle();
      await postContent<PublishReply>('publish-content', { content: draft, base, note });
      toast.success('Published: visitors see it from now on.');
      await queries.invalidateQueries({ queryKey: ['operator', 'content'] });
      await queries.invalidateQueries({ queryKey: ['operator', 'overview'] });
    });
  return (
    <section className="site-publish panel pad" aria-label="Publish">
      {problems.length > 0 && (
        <div className="form-error" role="alert">
          <b>This cannot be published yet</b>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
      {found.length > 0 && (
        <div className="form-error" role="alert">
          <b>Words that still name the old brand or currency</b>
          <ul>
            {found.map(({ place, name, words }) => (
              <li key={`${place} ${name}`}>
                {place}: “{words}”
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="field">
        <label htmlFor="site-note">
          Note for the history <span className="optional">(optional)</span>
        </label>
        <input
          id="site-note"
          value={note}
          maxLength={300}
          onChange={(event) => setNote(event.target.value)}
        />
      </div>
      <div className="console-acts">
        <Button look="quiet" busy={busy === 'preview'} onClick={() => void look()}>
          Make a preview
        </Button>
        <Button look="signal" busy={busy === 'publish'} disabled={!isChanged} onClick={() => void publish()}>
          {busy === 'publish' ? 'Publishing...' : found.length > 0 ? 'Publish all the same' : 'Publish'}
        </Button>
        {isChanged && (
          <Button look="quiet" onClick={() => void onDiscard()}>
            Discard draft
          </Button>
        )}
      </div>
      {preview !== undefined && (
        <p role="status">
          Preview, for an hour, nothing in it can be pressed: <PreviewLinks {...preview} />
          {preview.of === draft ? null : ' It is older than what you see here.'}
        </p>
      )}
      {isChanged ? (
        <p className="meta">{keeper.words}</p>
      ) : (
        <p className="meta">This is what visitors see.</p>
      )}
    </section>
  );
}

/** What another currency means, before it is published. */
function CurrencyNote({ from = USUAL_CURRENCY, to = USUAL_CURRENCY }) {
  if (from === to) return null;
  const [former, next] = [currencyWord(from), currencyWord(to)];
  return (
    <div role="status" className="site-currency">
      <b>
        Prices are made anew in {next}. Look at each: {formatMoney(49 * 10 ** placesOf(from), from)} becomes{' '}
        {formatMoney(49 * 10 ** placesOf(to), to)}.
      </b>
      <ul>
        <li>
          People who have a plan go on paying for it in {former}, as they bought it, until it ends. They
          cannot change it to a plan in {next}.
        </li>
        <li>Credit packs are sold in {next} at once: look at their prices in the settings.</li>
        <li>Sums of the console are shown for each currency by itself.</li>
      </ul>
    </div>
  );
}

function PreviewLinks({ path, of }: { path: string; of: SiteContent }) {
  const pages: readonly (readonly [name: string, page: string])[] = [
    ['home page', ''],
    ['about', 'about'],
    ['questions', 'faq'],
    ['help', 'help'],
    ['what changed', 'changelog'],
    ['privacy', 'privacy'],
    ['terms', 'terms'],
    ...servicePages(of).map(({ name, slug }) => [name, `services/${slug}`] as const),
  ];
  return pages.map(([name, page], index) => (
    <span key={page}>
      {index === 0 ? null : ', '}
      <a href={path + page} target="_blank" rel="noopener">
        {name}
      </a>
    </span>
  ));
}

/** The server's sentences, each with the field that it is about. */
function problemsOf(error: unknown): readonly string[] {
  if (!(error instanceof CallRefused)) return [(error as Error).message];
  const fields = Object.entries(error.fields).map(
    ([field, reason]) => `${field.replace(/^content\./, '')}: ${reason}`,
  );
  return fields.length > 0 ? fields : [error.message];
}
