import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { useMay } from '../../../business/console/parts/console-role.web.tsx';
import { postAsOperator } from '../../../business/console/parts/operator-client.web.ts';
import { shortTime } from '../../../business/console/parts/time-words.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import type { AssistantDetail } from './assistant-editor.contract.ts';

const FIELDS: Readonly<Record<string, string>> = {
  name: 'name',
  firstMessage: 'first message',
  prompt: 'prompt',
  fileIds: 'files',
  toolIds: 'tools',
  model: 'model',
  voice: 'voice',
  transcriber: 'recogniser',
  settings: 'other settings',
};

interface VersionsProps {
  readonly id: string;
  readonly versions: AssistantDetail['versions'];
  /** Whether there are unsaved changes, which going back would overwrite. */
  readonly isChanged: boolean;
}

/** The versions of an assistant, who made them, and the way back to one. */
export function AssistantVersions({ id, versions, isChanged }: VersionsProps) {
  const queries = useQueryClient();
  const mayRestore = useMay('restore-assistant');
  const [busy, setBusy] = useState<number>();
  const restore = async (version: number): Promise<void> => {
    setBusy(version);
    try {
      await postAsOperator(queries, 'restore-assistant', { id, version });
      toast.success('The earlier version is back.');
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <section className="assistant-versions">
      <h3>Versions</h3>
      <p className="meta">
        {isChanged
          ? 'Choose Save or Discard changes before you go back.'
          : 'No version contains keys or passwords.'}
      </p>
      <ol>
        {versions.map(({ version, author, at, changed }, index) => (
          <li key={version}>
            <span className="name">
              <b>Version {version}</b>{' '}
              <span className="meta">
                {shortTime(at)} by {author ?? 'a program'}
                {changed.length > 0 && `: ${changed.map((field) => FIELDS[field] ?? field).join(', ')}`}
              </span>
            </span>
            {index === 0 ? (
              <span className="badge">Present</span>
            ) : mayRestore ? (
              <Button
                small
                look="quiet"
                disabled={isChanged}
                busy={busy === version}
                aria-label={`Go back to version ${version}`}
                onClick={() => void restore(version)}
              >
                Go back
              </Button>
            ) : null}
          </li>
        ))}
      </ol>
    </section>
  );
}
