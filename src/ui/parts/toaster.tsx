import { useEffect, useRef } from 'react';
import { resolveValue, type Toast, toast, useToaster } from 'react-hot-toast/headless';

const MOST = 20;

/**
 * Short messages at the bottom of the screen, also above dialogs. Kinds and durations are those of
 * docs/specification/platform.md §9 (blank, error and custom 4 s, success 2 s, loading until it is replaced).
 * The clock stops while the pointer or the focus is on them.
 */
export function Toaster() {
  const { toasts, handlers } = useToaster();
  const region = useRef<HTMLDivElement>(null);
  const shown = toasts.filter((one) => one.visible).slice(0, MOST);
  const newest = shown[0]?.id;
  useEffect(() => {
    const element = region.current;
    if (element === null) return;
    // Shown again for every new message, so that it is above a dialog that was opened later.
    if (element.matches(':popover-open')) element.hidePopover();
    if (newest !== undefined) element.showPopover();
  }, [newest]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pausing is a courtesy, nothing is operated here
    <div
      ref={region}
      className="toasts"
      popover="manual"
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
      onFocus={handlers.startPause}
      onBlur={handlers.endPause}
    >
      <div role="status" aria-live="polite">
        {shown.map((one) => (
          <ToastView key={one.id} one={one} />
        ))}
      </div>
    </div>
  );
}

function ToastView({ one }: { one: Toast }) {
  return (
    <div className="toast" data-kind={one.type}>
      <span className="toast-sign" aria-hidden="true" />
      <span className="toast-text">{resolveValue(one.message, one)}</span>
      {one.type === 'loading' ? null : (
        <button type="button" aria-label="Dismiss" onClick={() => toast.dismiss(one.id)}>
          ×
        </button>
      )}
    </div>
  );
}
