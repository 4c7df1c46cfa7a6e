interface MeterProps {
  /** What the meter measures, for assistive technology. */
  label: string;
  /** 0 to `max`; larger values are drawn as full. */
  value: number;
  max?: number;
}

/**
 * A bar for the used part of a limited amount. Drawn in SVG, because the page's policy allows no style
 * attributes.
 */
export function Meter({ label, value, max = 100 }: MeterProps) {
  const percent = Math.min(100, Math.max(0, (value / max) * 100));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a native meter cannot be drawn alike in all browsers
    <div
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
    >
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        <rect className="meter-bar" width={percent} height="8" />
      </svg>
    </div>
  );
}
