import { useId, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import type { WebsiteDraft } from './assistant-editor.contract.ts';

interface OnYourSiteProps {
  /** Null for an assistant that is not stored yet. */
  readonly id: string | null;
  readonly website: WebsiteDraft;
  readonly onWrite: (website: WebsiteDraft) => void;
}

/** Which sites may show the assistant, how it looks there, and what a page needs for it. */
export function OnYourSite({ id, website, onWrite }: OnYourSiteProps) {
  const change = (changes: Partial<WebsiteDraft>): void => onWrite({ ...website, ...changes });
  return (
    <fieldset className="assistant-part on-your-site">
      <legend>On your site</legend>
      <Line
        label="Sites that may show it, one a line"
        hint="Scheme and host, such as https://shop.example. Other sites are refused."
        rows={3}
        value={website.origins.join('\n')}
        onWrite={(text) => change({ origins: text.split('\n').map((origin) => origin.trim()) })}
      />
      <Line
        label="Greeting"
        hint="Left empty, it says its first message."
        value={website.greeting}
        onWrite={(greeting) => change({ greeting })}
      />
      <div className="assistant-engines">
        <Line
          label="Colour"
          hint="Such as #1f4f8f."
          value={website.light}
          onWrite={(light) => change({ light })}
        />
        <Line
          label="Colour in dark pages"
          hint="Such as #8fbcff."
          value={website.dark}
          onWrite={(dark) => change({ dark })}
        />
      </div>
      <Line
        label="Hours"
        hint="Such as mon-fri 9:00-17:00. At other times visitors leave a message; left empty, it is always open."
        value={website.open}
        onWrite={(open) => change({ open })}
      />
      <Snippet id={id} />
    </fieldset>
  );
}

interface LineProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly rows?: number;
  readonly onWrite: (text: string) => void;
}

function Line({ label, hint, value, rows, onWrite }: LineProps) {
  const id = useId();
  const common = {
    ...{ id, value, autoComplete: 'off', 'aria-describedby': `${id}-hint` },
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onWrite(currentTarget.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? <input {...common} /> : <textarea {...common} rows={rows} />}
      <p className="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

function Snippet({ id }: Pick<OnYourSiteProps, 'id'>) {
  const [copied, setCopied] = useState(false);
  if (id === null) return <p className="meta">Save the assistant, and its script stands here.</p>;
  const snippet = `<script src="${location.origin}/voice/on-site.js" data-assistant="${id}" async></script>`;
  return (
    <>
      <p className="meta">
        Put this into your pages. It comes from this server and loads nothing from anywhere else.
      </p>
      <pre>
        <code>{snippet}</code>
      </pre>
      <Button
        look="quiet"
        small
        onClick={() => void navigator.clipboard.writeText(snippet).then(() => setCopied(true))}
      >
        {copied ? 'Copied' : 'Copy the script'}
      </Button>
    </>
  );
}
