import { type ReactNode, useId } from 'react';
import type { WriteDraft } from './assistant-draft-keeping.web.ts';
import {
  ASSISTANT_LENGTHS,
  type AssistantDetail,
  type AssistantDraft,
  type AssistantPart,
  type EngineChoice,
  OWN_VOICES,
} from './assistant-editor.contract.ts';
import { FileAdding } from './file-adding.web.tsx';
import { OnYourSite } from './on-your-site.web.tsx';
import { Pronunciations } from './pronunciation-fields.web.tsx';
import { VoiceSample } from './voice-sample.web.tsx';

interface FieldsProps {
  readonly detail: AssistantDetail;
  readonly draft: AssistantDraft;
  readonly onWrite: WriteDraft;
}

/** All fields of an assistant that the console edits. */
export function AssistantFields({ detail, draft, onWrite }: FieldsProps) {
  const { files, tools, own_tools, providers } = detail;
  return (
    <>
      <Text
        label="Name"
        value={draft.name}
        most={ASSISTANT_LENGTHS.name}
        onWrite={(name) => onWrite({ name })}
      />
      <Text
        label="First message"
        rows={2}
        value={draft.firstMessage}
        most={ASSISTANT_LENGTHS.firstMessage}
        hint="Write words, or the address of a sound file (MP3, Opus or WAVE) that is played instead."
        onWrite={(firstMessage) => onWrite({ firstMessage })}
      />
      <Text
        label="Prompt"
        rows={12}
        value={draft.prompt}
        most={ASSISTANT_LENGTHS.prompt}
        hint="Left empty, it answers from your site."
        onWrite={(prompt) => onWrite({ prompt })}
      />
      <div className="assistant-engines">
        <Engine
          legend="Who answers"
          named="Model"
          value={draft.model}
          providers={providers.model}
          onWrite={(model) => onWrite({ model })}
        />
        <Engine
          legend="Voice"
          named="Voice"
          value={draft.voice}
          providers={providers.voice}
          own={OWN_VOICES}
          onWrite={(voice) => onWrite({ voice })}
        />
        <Engine
          legend="Recogniser"
          named="Model"
          value={draft.transcriber}
          providers={providers.transcriber}
          onWrite={(transcriber) => onWrite({ transcriber })}
        />
      </div>
      <VoiceSample voice={draft.voice} />
      <Pronunciations
        voice={draft.voice}
        list={draft.pronunciations}
        onWrite={(pronunciations) => onWrite({ pronunciations })}
      />
      <div className="assistant-engines">
        <Parts
          legend="Knowledge files"
          parts={files}
          chosen={draft.fileIds}
          onChoose={(fileIds) => onWrite({ fileIds })}
        >
          <FileAdding onAdded={(id) => onWrite(({ fileIds }) => ({ fileIds: [...fileIds, id] }))} />
        </Parts>
        <Parts
          legend="Tools"
          parts={tools}
          chosen={draft.toolIds}
          onChoose={(toolIds) => onWrite({ toolIds })}
        >
          {own_tools.length > 0 && <p className="meta">Of its own: {own_tools.join(', ')}</p>}
        </Parts>
      </div>
      <OnYourSite
        id={detail.assistant?.id ?? null}
        website={draft.website}
        onWrite={(website) => onWrite({ website })}
      />
    </>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly most: number;
  readonly onWrite: (value: string) => void;
  /** Number of lines of a larger field; one line where it is missing. */
  readonly rows?: number;
  readonly hint?: string;
}

function Text({ label, value, most, onWrite, rows, hint }: TextProps) {
  const id = useId();
  const common = {
    id,
    value,
    maxLength: most,
    'aria-describedby': hint === undefined ? undefined : `${id}-hint`,
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input
          {...common}
          required
          autoComplete="off"
          onChange={({ currentTarget }) => onWrite(currentTarget.value)}
        />
      ) : (
        <textarea {...common} rows={rows} onChange={({ currentTarget }) => onWrite(currentTarget.value)} />
      )}
      {hint !== undefined && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

const EMBEDDED = 'embedded';

interface EngineProps {
  readonly legend: string;
  /** The name of the choice that a provider offers: a model or a voice. */
  readonly named: string;
  readonly value: EngineChoice;
  readonly providers: readonly string[];
  /** The choices of the embedded engine; missing where there are none. */
  readonly own?: readonly (readonly [string, string])[];
  readonly onWrite: (value: EngineChoice) => void;
}

function Engine({ legend, named, value, providers, own, onWrite }: EngineProps) {
  const id = useId();
  const { provider, choice } = value;
  const known = [EMBEDDED, ...providers];
  const isOwn = provider === EMBEDDED;
  return (
    <fieldset className="assistant-part">
      <legend>{legend}</legend>
      <div className="field">
        <label htmlFor={`${id}-by`}>By</label>
        <select
          id={`${id}-by`}
          value={provider}
          onChange={({ currentTarget }) => onWrite({ provider: currentTarget.value, choice: '' })}
        >
          {(known.includes(provider) ? known : [...known, provider]).map((name) => (
            <option key={name} value={name}>
              {name === EMBEDDED ? 'This server' : name}
            </option>
          ))}
        </select>
      </div>
      {!isOwn && (
        <div className="field">
          <label htmlFor={`${id}-choice`}>{named}</label>
          <input
            id={`${id}-choice`}
            value={choice}
            maxLength={200}
            autoComplete="off"
            onChange={({ currentTarget }) => onWrite({ provider, choice: currentTarget.value })}
          />
        </div>
      )}
      {isOwn && own !== undefined && (
        <div className="field">
          <label htmlFor={`${id}-choice`}>{named}</label>
          <select
            id={`${id}-choice`}
            value={choice === '' ? (own[0]?.[0] ?? '') : choice}
            onChange={({ currentTarget }) => onWrite({ provider, choice: currentTarget.value })}
          >
            {own.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </div>
      )}
    </fieldset>
  );
}

interface PartsProps {
  readonly legend: string;
  readonly parts: readonly AssistantPart[];
  readonly chosen: readonly string[];
  readonly onChoose: (ids: readonly string[]) => void;
  readonly children?: ReactNode;
}

const STATES: Readonly<Record<string, string>> = { not_indexed: 'not read' };

function Parts({ legend, parts, chosen, onChoose, children }: PartsProps) {
  // A part that was deleted meanwhile can still be removed.
  const gone = chosen.filter((id) => !parts.some((part) => part.id === id));
  const all = [...parts, ...gone.map((id) => ({ id, name: id.slice(0, 8), status: 'deleted' }))];
  return (
    <fieldset className="assistant-part">
      <legend>{legend}</legend>
      {all.length === 0 && <p className="meta">None is kept here yet.</p>}
      {all.map(({ id, name, status }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ currentTarget }) =>
              onChoose(currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
          <span>
            {name}
            {status !== null && status !== 'indexed' && (
              <span className="meta"> {STATES[status] ?? status}</span>
            )}
          </span>
        </label>
      ))}
      {children}
    </fieldset>
  );
}
