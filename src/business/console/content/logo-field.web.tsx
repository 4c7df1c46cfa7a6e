import { useId, useState } from 'react';
import type { ShownLogo, SiteLogo } from '../../../kernel/contract/site-content.ts';
import { Button } from '../../../ui/parts/button.tsx';
import type { LogoReply } from '../../content/content.contract.ts';
import { postContent } from './content-client.web.ts';
import type { PartProps } from './content-page.web.tsx';

const PIECE = 0x8000;

/** A file in base64, which a request can carry. */
async function inBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}

/** The logo as it is kept, from this page's own data. */
function shownHere({ type, data, width, height }: SiteLogo): ShownLogo {
  const src =
    type === 'svg' ? `data:image/svg+xml,${encodeURIComponent(data)}` : `data:image/png;base64,${data}`;
  return { src, width, height };
}

/** The logo: chosen, checked and cleaned by the server, shown, and removed again. */
export function LogoField({ draft, change }: Pick<PartProps, 'draft' | 'change'>) {
  const id = useId();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const shown = draft.logo && shownHere(draft.logo);
  const choose = async (input: HTMLInputElement): Promise<void> => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    setBusy(true);
    setFault('');
    try {
      const { logo } = await postContent<LogoReply>('check-logo', { file: await inBase64(file) });
      change({ logo });
    } catch (error) {
      setFault((error as Error).message);
    } finally {
      input.value = '';
      setBusy(false);
    }
  };
  return (
    <>
      <h2>Logo</h2>
      {shown !== undefined && (
        <p className="logo-shown">
          <img src={shown.src} width={shown.width} height={shown.height} alt="Your logo" />
        </p>
      )}
      <div className="field">
        <label htmlFor={id}>{shown === undefined ? 'SVG or PNG' : 'Another SVG or PNG'}</label>
        <input
          id={id}
          type="file"
          accept=".svg,.png,image/svg+xml,image/png"
          disabled={busy}
          aria-describedby={`${id}-hint`}
          onChange={({ currentTarget }) => void choose(currentTarget)}
        />
        <p className="hint" id={`${id}-hint`}>
          It stands in the header, mails, PDFs and the checkout. A logo twice as wide as high, or wider,
          stands there without your name; a narrower one is the icon of tabs too.
        </p>
      </div>
      <p className={fault === '' ? undefined : 'form-error'} role="alert">
        {fault}
      </p>
      {shown !== undefined && (
        <Button small look="quiet" onClick={() => change({ logo: undefined })}>
          Remove logo
        </Button>
      )}
    </>
  );
}
