import { useEffect, useState } from 'react';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { Button } from '../../ui/parts/button.tsx';
import { callServer } from '../../ui/session/server-call.ts';
import type { SampleCall } from './sample-call.contract.ts';

/** A call to listen to, with its words; it is fetched only when somebody plays it. */
export function SampleCallPlayer() {
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState(false);
  const [call, setCall] = useState<SampleCall & { readonly address: string }>();
  const [at, setAt] = useState(0);
  useEffect(() => () => call && URL.revokeObjectURL(call.address), [call]);
  const play = async (): Promise<void> => {
    setBusy(true);
    setFailed(false);
    try {
      const made = (await (await callServer(SERVICES.sampleCall, { as: 'anyone' })).json()) as SampleCall;
      const bytes = Uint8Array.from(atob(made.sound), (letter) => letter.charCodeAt(0));
      setCall({ ...made, address: URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' })) });
    } catch {
      setFailed(true);
    } finally {
      setBusy(false);
    }
  };
  const current = call?.lines.findLastIndex((line) => line.at <= at) ?? -1;
  return (
    <div className="sample-call">
      {call === undefined ? (
        <Button look="quiet" busy={busy} onClick={() => void play()}>
          Play a sample call
        </Button>
      ) : (
        <>
          {/* biome-ignore lint/a11y/useMediaCaption: its words are below, with the present line marked */}
          <audio
            controls
            autoPlay
            src={call.address}
            aria-label="A sample call"
            onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
          />
          <ol>
            {call.lines.map(({ who, text, at: begins }, index) => (
              <li key={begins} className={who} aria-current={index === current ? 'step' : undefined}>
                <b>{who === 'caller' ? 'Caller' : 'Assistant'}</b> {text}
              </li>
            ))}
          </ol>
        </>
      )}
      <p className="meta" role="status">
        {failed
          ? 'There is no sample call to play at the moment: press Test Now and ask the assistant yourself.'
          : 'The caller is made up by a computer; the answers are what this assistant says today.'}
      </p>
    </div>
  );
}
