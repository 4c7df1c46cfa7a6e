import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatBytes, formatStorage } from '../../../kernel/contract/formats.ts';
import { PAGES, SERVICES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { EmptyState, PageHead } from '../parts/console-parts.web.tsx';
import { addressOf } from '../parts/record-address.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import { fileState, planName, signed } from './customer-words.web.ts';
import {
  NO_SUPPORT_ACCESS,
  PORTAL_PAGES,
  type PortalAnswer,
  type PortalPage as PortalPageData,
  type PortalPageName,
} from './portal-view.contract.ts';
import { EndAccess } from './support-state.web.tsx';

const NAMES: Readonly<Record<PortalPageName, string>> = {
  files: 'Files',
  courses: 'Course',
  messages: 'Messages',
  billing: 'Billing',
};

/** `POST operator-NAME` without a refresh of the console. @throws CallRefused */
const post = async <T,>(name: string, body: object): Promise<T> =>
  (await callServer(`${SERVICES.functions}/operator-${name}`, { as: 'user', body })).json() as Promise<T>;

/** The portal as its customer sees it: read only, while the customer allows it. Each page that is opened is recorded. */
export function PortalPage({ id }: { id: string }) {
  const [page, setPage] = useState<PortalPageName>('files');
  const query = useQuery({
    queryKey: ['operator', 'portal', id, page],
    queryFn: () => post<PortalAnswer>('portal', { id, page }),
    retry: false,
    // Each request is a look that the customer reads about, so only a click makes one.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  useEffect(() => {
    // In newer browsers it returns a promise, which is no clean-up.
    window.scrollTo(0, 0);
  }, []);
  const customer = addressOf(PAGES.operatorCustomers.path, id);
  const { error } = query;
  if (error instanceof CallRefused && error.code === NO_SUPPORT_ACCESS) {
    return (
      <div className="panel empty" role="alert">
        <h1>You cannot see this portal now</h1>
        <p className="meta">{error.message}</p>
        <Link href={customer}>Back to the customer</Link>
      </div>
    );
  }
  return (
    <>
      <PageHead
        heading="Portal"
        about={query.data === undefined ? 'As the customer sees it.' : sayWhose(query.data)}
      >
        <div className="console-acts">
          <Link className="customer-back" href={customer}>
            Back to the customer
          </Link>
          {query.data?.until !== null && <EndAccess id={id} />}
        </div>
      </PageHead>
      <fieldset className="console-views portal-views">
        <legend className="hidden-text">Page of the portal</legend>
        {PORTAL_PAGES.map((name) => (
          <label key={name}>
            <input type="radio" name="portal-page" checked={page === name} onChange={() => setPage(name)} />
            {NAMES[name]}
          </label>
        ))}
      </fieldset>
      {query.data?.until !== null && (
        <p className="meta portal-note">The customer reads when you opened which page.</p>
      )}
      <Loaded query={query}>{({ shown }) => <Shown id={id} shown={shown} />}</Loaded>
    </>
  );
}

const sayWhose = ({ name, until }: PortalAnswer): string =>
  until === null
    ? `As ${name} would see it. You can change nothing here.`
    : `As ${name} sees it, until ${shortTime(until)}. You can change nothing here.`;

function Shown({ id, shown }: { id: string; shown: PortalPageData }) {
  switch (shown.page) {
    case 'files':
      return <Files id={id} files={shown.files} />;
    case 'courses':
      return (
        <Rows empty="No lesson was sent.">
          {shown.lessons.map((lesson) => (
            <li key={lesson.id}>
              <b>{lesson.title}</b>
              <span className="badge">{lesson.state.replaceAll('_', ' ')}</span>
              <span className="meta num">{shortTime(lesson.created_at)}</span>
            </li>
          ))}
        </Rows>
      );
    case 'messages':
      return (
        <Rows empty="Nothing was written yet.">
          {shown.messages.map((message) => (
            <li key={message.id} className="portal-message">
              <b>{message.from_agency ? 'You' : 'Customer'}</b>
              <p>{message.body}</p>
              <span className="meta num">{shortTime(message.sent_at)}</span>
            </li>
          ))}
        </Rows>
      );
    case 'billing':
      return <Billing billing={shown} />;
  }
}

function Rows({ empty, children }: { empty: string; children: readonly ReactNode[] }) {
  return children.length === 0 ? (
    <EmptyState>{empty}</EmptyState>
  ) : (
    <ul className="panel rows customer-rows portal-rows">{children}</ul>
  );
}

type FilesPage = Extract<PortalPageData, { page: 'files' }>;

function Files({ id, files }: { id: string; files: FilesPage['files'] }) {
  const open = async (file: string, name: string): Promise<void> => {
    try {
      const { url } = await post<{ url: string }>('portal-file', { id, file });
      const link = document.createElement('a');
      link.href = `${url}&download=${encodeURIComponent(name)}`;
      link.download = name;
      link.click();
    } catch (error) {
      toast.error((error as Error).message);
    }
  };
  return (
    <Rows empty="No file is stored.">
      {files.map((file) => (
        <li key={file.id}>
          <span>
            <b>{file.file_name}</b>
            <span className="meta portal-line">{file.report_line}</span>
          </span>
          <span className="meta num">{formatBytes(file.file_size)}</span>
          <span className="badge" data-status={file.status}>
            {fileState(file.status)}
          </span>
          <Button
            small
            look="quiet"
            aria-label={`Download ${file.file_name}`}
            onClick={() => void open(file.id, file.file_name)}
          >
            Download
          </Button>
        </li>
      ))}
    </Rows>
  );
}

function Billing({ billing }: { billing: Extract<PortalPageData, { page: 'billing' }> }) {
  return (
    <>
      <dl className="customer-figures panel">
        <div>
          <dt className="meta">Credits</dt>
          <dd className="num">
            <b>{billing.credits}</b>
          </dd>
        </div>
        <div>
          <dt className="meta">Storage</dt>
          <dd className="num">
            <b>{formatStorage(billing.storage_limit_bytes / 1024 ** 2)}</b>
          </dd>
        </div>
        {billing.plans.map((plan, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan may be held twice
          <div key={at}>
            <dt className="meta">Plan</dt>
            <dd>
              <b>{planName({ price_id: plan.price_id ?? '', tier: plan.tier })}</b>
              <span className="meta">{(plan.subscription_status ?? '').replaceAll('_', ' ')}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Rows empty="No credit has moved yet.">
        {billing.history.map((entry) => (
          <li key={entry.id}>
            <b>{entry.what}</b>
            <span className="num">{signed(entry.amount)}</span>
            <span className="meta num">{shortTime(entry.created_at)}</span>
          </li>
        ))}
      </Rows>
    </>
  );
}
