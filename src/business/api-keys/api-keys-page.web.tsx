import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { RIGHT_WORDS } from '../../kernel/contract/api-rights.ts';
import { Button } from '../../ui/parts/button.tsx';
import { useSession } from '../../ui/session/session.ts';
import { useConsoleList } from '../console/parts/console-list.web.ts';
import { ConsoleListView, ConsolePanel, OpenRows } from '../console/parts/console-list-page.web.tsx';
import { PageHead } from '../console/parts/console-parts.web.tsx';
import { May } from '../console/parts/console-role.web.tsx';
import { postAsOperator } from '../console/parts/operator-client.web.ts';
import type { ConsoleApiKey, ConsoleApiKeyPage } from './api-key.contract.ts';
import { ApiKeysPanel, RevokeQuestion } from './api-keys-panel.web.tsx';
import { isValid, useOf, validityOf } from './api-keys-read.web.ts';

/** The operator's own API keys, and for owners those of all accounts, which an owner can revoke. */
export function ApiKeysView() {
  const session = useSession();
  return (
    <>
      <PageHead
        heading="API keys"
        about="Keys for programs and assistants: yours, and for owners those of all accounts."
      />
      {session.status === 'signed-in' && <ApiKeysPanel userId={session.session.user.id} />}
      <May call="api-keys">
        <AllKeys />
      </May>
    </>
  );
}

function AllKeys() {
  const list = useConsoleList<ConsoleApiKeyPage>('api-keys', { filters: {} });
  return (
    <>
      <h2 className="api-keys-all">All keys</h2>
      <ConsoleListView
        list={list}
        searchLabel="Search name or address"
        empty="Nobody has made a key yet."
        hint="Choose a key to see what it may do, and to revoke it."
        rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
        panel={(id, onBack) => {
          const row = list.query.data?.rows.find((one) => one.id === id);
          return row === undefined ? null : <KeyDetail row={row} onBack={onBack} />;
        }}
      />
    </>
  );
}

const wordsOf = (row: ConsoleApiKey) => ({
  id: row.id,
  name: row.name,
  about: row.email ?? row.user_id,
  badge: !isValid(row) && (
    <span className="badge" data-status="none">
      {row.ended_at === null ? 'Expired' : 'Revoked'}
    </span>
  ),
  state: `…${row.hint}`,
  note: useOf(row),
});

function KeyDetail({ row, onBack }: { row: ConsoleApiKey; onBack: () => void }) {
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  return (
    <ConsolePanel label="API key" onBack={onBack}>
      <h2>{row.name}</h2>
      <dl className="words">
        <div>
          <dt>Account</dt>
          <dd>{row.email ?? row.user_id}</dd>
        </div>
        <div>
          <dt>Standing</dt>
          <dd>
            {validityOf(row)}. {useOf(row)}.
          </dd>
        </div>
        <div>
          <dt>It may</dt>
          <dd>{row.rights.map((right) => RIGHT_WORDS[right]).join('. ')}.</dd>
        </div>
      </dl>
      {isValid(row) && (
        <Button look="danger" onClick={() => setAsked(true)}>
          Revoke this key
        </Button>
      )}
      {asked && (
        <RevokeQuestion
          name={row.name}
          revoke={async () => {
            await postAsOperator(queries, 'end-api-key', { id: row.id });
            await queries.invalidateQueries({ queryKey: ['api-keys'] });
            toast.success('The key was revoked');
          }}
          onClose={() => setAsked(false)}
        />
      )}
    </ConsolePanel>
  );
}
