import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { nameDevice } from '../../../platform/auth/sessions/device-name.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import type { PushDevice } from '../push-devices.contract.ts';
import { canShowNotices, PushUnavailable, pushQuery, switchOff, switchOn } from './push-registration.web.ts';

const FAILED = 'The notices could not be changed. Check your connection and try again.';

/** On the Account tab, below the mails: whether this browser shows notices, and which others do. */
export function PushPanel({ userId }: { userId: string }) {
  const query = useQuery(pushQuery(userId));
  const queries = useQueryClient();
  const [possible, setPossible] = useState(true);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  useEffect(() => setPossible(canShowNotices()), []);
  const change = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      await work();
    } catch (error) {
      const isSaid = error instanceof PushUnavailable;
      setFault(isSaid ? error.message : (error instanceof CallRefused && error.sentence) || FAILED);
    }
    await queries.invalidateQueries(pushQuery(userId));
    setBusy(false);
  };
  const devices = query.data?.devices ?? [];
  const own = devices.find(({ current }) => current);
  const turn = (wanted: boolean): Promise<void> =>
    change(async () => {
      if (wanted) await switchOn(query.data?.key ?? '');
      else if (own !== undefined) await switchOff(own.id, true);
    });
  return (
    <section className="panel pad" aria-labelledby="browser-notices" aria-busy={query.isPending}>
      <h2 id="browser-notices" tabIndex={-1}>
        Notices in your browser
      </h2>
      {possible ? (
        <label className="notice-choice">
          <input
            type="checkbox"
            checked={own !== undefined && !own.paused}
            disabled={busy || query.data === undefined}
            onChange={(event) => void turn(event.currentTarget.checked)}
          />
          <span>
            Show a notice here when documents are ready, a lesson is answered or a message comes, until I sign
            out in this browser
          </span>
        </label>
      ) : (
        <p className="meta">This browser cannot show notices of a site.</p>
      )}
      {own?.paused === true && (
        <p className="meta">They are paused, as they did not arrive. Switch them on again.</p>
      )}
      <OtherDevices
        devices={devices.filter(({ current }) => !current)}
        busy={busy}
        onEnd={({ id }) => void change(() => switchOff(id, false))}
      />
      {query.isError && <p className="fault">Your browsers could not be loaded.</p>}
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </section>
  );
}

interface OtherDevicesProps {
  readonly devices: readonly PushDevice[];
  readonly busy: boolean;
  readonly onEnd: (device: PushDevice) => void;
}

function OtherDevices({ devices, busy, onEnd }: OtherDevicesProps) {
  if (devices.length === 0) return null;
  return (
    <ul className="notice-devices" aria-label="Other browsers that show notices">
      {devices.map((device) => {
        const name = nameDevice(device.user_agent);
        return (
          <li key={device.id}>
            <span>
              {name}
              {device.paused && ' (paused)'}
            </span>
            <Button
              small
              look="quiet"
              busy={busy}
              aria-label={`Switch off the notices of ${name}`}
              onClick={() => onEnd(device)}
            >
              Switch off
            </Button>
          </li>
        );
      })}
    </ul>
  );
}
