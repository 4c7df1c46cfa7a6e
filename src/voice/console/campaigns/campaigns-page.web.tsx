import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NEW_ROW, useConsoleList } from '../../../business/console/parts/console-list.web.ts';
import {
  ConsoleListView,
  ConsolePanel,
  OpenRows,
} from '../../../business/console/parts/console-list-page.web.tsx';
import { PageHead } from '../../../business/console/parts/console-parts.web.tsx';
import { May } from '../../../business/console/parts/console-role.web.tsx';
import { useOperatorCall } from '../../../business/console/parts/operator-action.web.ts';
import { operatorQuery } from '../../../business/console/parts/operator-client.web.ts';
import { addressOf } from '../../../business/console/parts/record-address.web.ts';
import { shortTime } from '../../../business/console/parts/time-words.web.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { QuestionDialog } from '../../../ui/parts/question-dialog.tsx';
import { reasonWords } from '../call-words.web.ts';
import { DeleteButton } from '../delete-button.web.tsx';
import { CampaignForm } from './campaign-form.web.tsx';
import type {
  CampaignDetail,
  CampaignPerson,
  CampaignStatus,
  CampaignsPage,
  ConsoleCampaign,
} from './campaigns.contract.ts';

const STATUSES: Readonly<Record<CampaignStatus, string>> = {
  scheduled: 'Planned',
  'in-progress': 'Calls now',
  ended: 'Over',
};
const ENDS: Readonly<Record<string, string>> = {
  'campaign.scheduled.ended-by-user': 'stopped before it began',
  'campaign.in-progress.ended-by-user': 'stopped by you',
  'campaign.ended.success': 'everybody was called',
  'campaign.ended.time-over': 'its time is over',
};
const STATES: Readonly<Record<CampaignPerson['state'], string>> = {
  waiting: 'Waits',
  calling: 'Is being called',
  done: 'Was called',
  refused: 'May not be called',
  stopped: 'Was not called',
};

/** The console's Campaigns page: many people whom an assistant calls one after another. */
export function CampaignsView() {
  const list = useConsoleList<CampaignsPage>('campaigns', {
    filters: {},
    address: PAGES.operatorCampaigns.path,
  });
  return (
    <>
      <PageHead heading="Campaigns" about="People whom an assistant calls.">
        <May call="save-campaign">
          <Button look="quiet" onClick={() => list.open(NEW_ROW)}>
            New campaign
          </Button>
        </May>
      </PageHead>
      <ConsoleListView
        list={list}
        searchLabel="Search name or id"
        empty="There are no campaigns."
        hint="Choose a campaign to see how far it is."
        rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
        panel={(id, onBack) => <CampaignPanel id={id} onBack={onBack} onSaved={list.open} />}
      />
    </>
  );
}

const wordsOf = ({ id, name, status, created_at: at, customers, done }: ConsoleCampaign) => ({
  ...{ id, name, about: shortTime(at), state: STATUSES[status], note: `${done} of ${customers} called` },
});

interface PanelProps {
  readonly id: string;
  readonly onBack: () => void;
  readonly onSaved: (id: string) => void;
}

function CampaignPanel({ id, onBack, onSaved }: PanelProps) {
  const query = useQuery(operatorQuery<CampaignDetail>('campaign', { id: id === NEW_ROW ? '' : id }));
  return (
    <ConsolePanel label="Campaign" onBack={onBack}>
      <Loaded query={query}>
        {(detail) => (
          <>
            <h2>{detail.campaign?.name ?? 'New campaign'}</h2>
            {detail.campaign !== null && <Progress campaign={detail.campaign} />}
            {detail.campaign?.status !== 'ended' && <CampaignForm detail={detail} onSaved={onSaved} />}
            <People people={detail.people} all={detail.campaign?.customers ?? 0} />
            {detail.campaign !== null && (
              <DeleteButton
                does="delete-campaign"
                id={detail.campaign.id}
                label="Delete campaign"
                done="The campaign is deleted. Records of its calls stay."
                onDeleted={onBack}
              />
            )}
          </>
        )}
      </Loaded>
    </ConsolePanel>
  );
}

function Progress({ campaign }: { readonly campaign: ConsoleCampaign }) {
  const { busy, ask } = useOperatorCall();
  const [asked, setAsked] = useState(false);
  const { id, status, ended_reason: reason, customers, waiting, calling, done, not_called: left } = campaign;
  const numbers = [
    ['People', customers],
    ['Wait', waiting],
    ['Are being called', calling],
    ['Were called', done],
    ['Are not called', left],
  ] as const;
  const stop = async (): Promise<void> => {
    await ask('end-campaign', { id }, 'The campaign is stopped. Calls that go on end by themselves.');
    setAsked(false);
  };
  return (
    <>
      <p>
        <b>{STATUSES[status]}</b>
        {reason !== null && `: ${ENDS[reason] ?? reason}`}
      </p>
      <dl className="campaign-numbers">
        {numbers.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="num">{count}</dd>
          </div>
        ))}
      </dl>
      {status !== 'ended' && (
        <May call="end-campaign">
          <div className="console-acts">
            <Button look="quiet" busy={busy} onClick={() => setAsked(true)}>
              Stop the campaign
            </Button>
          </div>
        </May>
      )}
      {asked && (
        <QuestionDialog
          heading="Stop the campaign?"
          busy={busy}
          onClose={() => setAsked(false)}
          keep="Let it go on"
          act={
            <Button look="danger" busy={busy} onClick={() => void stop()}>
              Stop it
            </Button>
          }
        >
          <p>Nobody else is called. It cannot be begun again; a new campaign can.</p>
        </QuestionDialog>
      )}
    </>
  );
}

function People({ people, all }: { readonly people: readonly CampaignPerson[]; readonly all: number }) {
  if (people.length === 0) return null;
  return (
    <section className="console-section" aria-labelledby="campaign-people">
      <h2 id="campaign-people">People</h2>
      {people.length < all && (
        <p className="meta">
          {people.length} of {all}
        </p>
      )}
      <ul className="rows campaign-people">
        {people.map(({ position, address, name, state, attempts, outcome, call_id: callId }) => (
          <li className="row" key={position}>
            <div className="name">
              <b>{name ?? address}</b>
              {name !== null && <p className="meta num">{address}</p>}
            </div>
            <p>
              {STATES[state]}
              {outcome !== null && `: ${reasonWords(outcome)}`}
              {attempts > 1 && `, ${attempts} times`}
            </p>
            {callId !== null && (
              <a href={addressOf(PAGES.operatorCalls.path, callId)} aria-label={`Call of ${name ?? address}`}>
                Call
              </a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
