import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { postAsOperator } from '../../../business/console/parts/operator-client.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import {
  ASSISTANT_LENGTHS,
  type EngineChoice,
  type Pronunciation,
  type VoicePreview,
} from './assistant-editor.contract.ts';

const SAMPLE = 'Hello, this is how I sound. How can I help you?';

/** Plays a sentence in the chosen voice, before anybody else hears it. */
export function VoiceSample({ voice }: { voice: EngineChoice }) {
  const id = useId();
  const [text, setText] = useState(SAMPLE);
  return (
    <div className="voice-sample">
      <div className="field">
        <label htmlFor={id}>Words to hear</label>
        <input
          id={id}
          value={text}
          maxLength={ASSISTANT_LENGTHS.preview}
          autoComplete="off"
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </div>
      <Hear voice={voice} text={text} words="Hear this voice" plays="The voice" />
    </div>
  );
}

interface HearProps {
  readonly voice: EngineChoice;
  readonly text: string;
  readonly pronunciations?: readonly Pronunciation[];
  /** The button's words, and the name of what it plays. */
  readonly words: string;
  readonly plays: string;
}

/** A button that has words spoken, and what is heard. */
export function Hear({ voice, text, pronunciations = [], words, plays }: HearProps) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [heard, setHeard] = useState<{ address: string; warnings: readonly string[] }>();
  const [fault, setFault] = useState<string>();
  useEffect(() => () => heard && URL.revokeObjectURL(heard.address), [heard]);
  const listen = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const { sound, warnings } = await postAsOperator<VoicePreview>(queries, 'voice-preview', {
        ...{ voice, text, pronunciations },
      });
      const bytes = Uint8Array.from(atob(sound), (letter) => letter.charCodeAt(0));
      setHeard({ address: URL.createObjectURL(new Blob([bytes], { type: 'audio/wav' })), warnings });
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button look="quiet" busy={busy} disabled={text.trim() === ''} onClick={() => void listen()}>
        {words}
      </Button>
      <div role="status">
        {heard !== undefined && (
          <>
            {/* biome-ignore lint/a11y/useMediaCaption: its words are in the field above */}
            <audio controls autoPlay src={heard.address} aria-label={plays} />
            {heard.warnings.map((warning) => (
              <p className="meta" key={warning}>
                {warning}
              </p>
            ))}
          </>
        )}
        {fault !== undefined && <p className="fault">{fault}</p>}
      </div>
    </>
  );
}
