import { type ChangeEvent, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import type { SiteContent } from '../../../kernel/contract/site-content.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { callServer } from '../../../ui/session/server-call.ts';
import type { ContentReply } from '../../content/content.contract.ts';
import { shortTime } from '../parts/time-words.web.ts';
import { downloadContentFile, postContent } from './content-client.web.ts';
import type { PartProps } from './content-page.web.tsx';

/** Every part of a content, so that what a version does not have is taken back, too. */
const NOTHING: { [Part in keyof Required<SiteContent>]: undefined } = {
  brand: undefined,
  colours: undefined,
  logo: undefined,
  sections: undefined,
  services: undefined,
  enquiryServices: undefined,
  plans: undefined,
  quotedTier: undefined,
  currency: undefined,
  texts: undefined,
  pages: undefined,
  legal: undefined,
};

/** `site.yaml` out and in, and what was published before. */
export function HistoryPart({ overview: { history }, change }: PartProps) {
  const [problem, setProblem] = useState<string>();
  const take = async (read: () => Promise<ContentReply>, done: string): Promise<void> => {
    setProblem(undefined);
    try {
      const { content } = await read();
      change({ ...NOTHING, ...content } as Partial<SiteContent>);
      toast.success(done);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const importFile = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = target.files ?? [];
    if (file === undefined) return;
    const yaml = await file.text();
    target.value = '';
    await take(
      () => postContent<ContentReply>('import-content', { yaml }),
      'The file is in the editor. Look at it, then publish.',
    );
  };
  return (
    <>
      <h2>File</h2>
      <p className="meta">
        Everything in one file, site.yaml, as it is published. A file that you import is not published before
        you say so.
      </p>
      <div className="console-acts">
        <Button
          small
          look="quiet"
          onClick={() => void downloadContentFile().catch((error: Error) => setProblem(error.message))}
        >
          Export site.yaml
        </Button>
        <label className="btn quiet small site-import">
          Import site.yaml
          <input
            className="hidden-text"
            type="file"
            accept=".yaml,.yml"
            onChange={(event) => void importFile(event)}
          />
        </label>
      </div>
      {problem === undefined ? null : (
        <p className="form-error" role="alert">
          {problem}
        </p>
      )}
      <h2>History</h2>
      {history.length === 0 ? (
        <p className="meta">Nothing was published yet: visitors see the content that came with it.</p>
      ) : (
        <ol className="site-list" reversed>
          {history.map(({ id, note, made_by: by, created_at: at }) => (
            <li key={id}>
              <span>
                <b>Version {id}</b> {note}
                <span className="meta">
                  {' '}
                  {shortTime(at)}, {by ?? 'the server'}
                </span>
              </span>
              <button
                type="button"
                className="text-btn"
                onClick={() =>
                  void take(
                    () => readVersion(id),
                    `Version ${id} is in the editor. Look at it, then publish.`,
                  )
                }
              >
                Bring version {id} back
              </button>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

async function readVersion(id: number): Promise<ContentReply> {
  const reply = await callServer(`${SERVICES.functions}/operator-content-version?id=${id}`, { as: 'user' });
  return (await reply.json()) as ContentReply;
}
