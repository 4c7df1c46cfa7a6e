import { useId } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import type { EngineChoice, Pronunciation } from './assistant-editor.contract.ts';
import { Hear } from './voice-sample.web.tsx';

interface PronunciationsProps {
  readonly voice: EngineChoice;
  readonly list: readonly Pronunciation[];
  readonly onWrite: (list: readonly Pronunciation[]) => void;
}

/** Words, and how this server's voice says them, each with a trial. */
export function Pronunciations({ voice, list, onWrite }: PronunciationsProps) {
  const change = (at: number, changes: Partial<Pronunciation>): void =>
    onWrite(list.map((one, index) => (index === at ? { ...one, ...changes } : one)));
  return (
    <fieldset className="assistant-part">
      <legend>How is this said?</legend>
      <p className="meta">
        {voice.provider === 'embedded'
          ? 'In plain spelling, such as Neev, or in phonemes between slashes, such as /nˈiːv/.'
          : 'Only the voice of this server reads this list. A provider’s voice says words in its own way.'}
      </p>
      {list.map((entry, at) => (
        <Entry
          // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other name, and are only added at the end
          key={at}
          voice={voice}
          entry={entry}
          onChange={(changes) => change(at, changes)}
          onRemove={() => onWrite(list.filter((_one, index) => index !== at))}
        />
      ))}
      <Button look="quiet" small onClick={() => onWrite([...list, { word: '', said: '' }])}>
        Add a word
      </Button>
    </fieldset>
  );
}

interface EntryProps {
  readonly voice: EngineChoice;
  readonly entry: Pronunciation;
  readonly onChange: (changes: Partial<Pronunciation>) => void;
  readonly onRemove: () => void;
}

function Entry({ voice, entry, onChange, onRemove }: EntryProps) {
  const id = useId();
  const { word, said } = entry;
  return (
    <div className="voice-sample pronunciation">
      <div className="field">
        <label htmlFor={`${id}-word`}>Word</label>
        <input
          id={`${id}-word`}
          value={word}
          required
          maxLength={60}
          autoComplete="off"
          onChange={({ currentTarget }) => onChange({ word: currentTarget.value })}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-said`}>Said as</label>
        <input
          id={`${id}-said`}
          value={said}
          required
          maxLength={120}
          autoComplete="off"
          onChange={({ currentTarget }) => onChange({ said: currentTarget.value })}
        />
      </div>
      <Hear
        voice={voice}
        text={said.trim() === '' ? '' : word}
        pronunciations={[entry]}
        words="Try it"
        plays={`${word}, as it is said`}
      />
      <Button look="quiet" small aria-label={`Remove ${word}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  );
}
