import { useState } from 'react';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';

/** The view after sending: the reference, and an account if the visitor has none (docs/specification/site.md §2). */
export function Sent({ id, onLater }: { id: string; onLater: () => void }) {
  return (
    <div className="sent">
      <Reference id={id} />
      <div className="sent-account signed-out">
        <h2>Documents to read meanwhile?</h2>
        <p>An account is free. With a plan in it you upload documents and see what we find in them.</p>
        <div className="form-foot">
          <ButtonLink look="signal" href={PAGES.signup.path}>
            Create Free Account
          </ButtonLink>
          <Button look="quiet" onClick={onLater}>
            Maybe later
          </Button>
        </div>
      </div>
      <div className="form-foot signed-in">
        <ButtonLink href={PAGES.dashboard.path}>Go to your dashboard</ButtonLink>
        <Button look="quiet" onClick={onLater}>
          Close
        </Button>
      </div>
    </div>
  );
}

function Reference({ id }: { id: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <p className="reference">
      <span>
        Your reference <output className="num">{id}</output>
      </span>
      <button
        type="button"
        className="text-btn"
        onClick={() => {
          navigator.clipboard?.writeText(id).then(
            () => setCopied(true),
            () => setCopied(false),
          );
        }}
      >
        {copied ? 'Copied' : 'Copy'}
      </button>
    </p>
  );
}
