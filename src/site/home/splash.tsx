import { MarkWithName } from '../../ui/parts/brand-mark.tsx';

/**
 * A two-second opening over a page that is already there: the first line of the map is drawn with the name on
 * it. The style sheet ends it by itself, and any key or tap ends it earlier. It is left out on a second visit
 * and under reduced motion (docs/specification/site.md §10).
 */
export function Splash() {
  return (
    <div className="splash" aria-hidden="true">
      <svg aria-hidden="true" viewBox="0 0 1440 800" preserveAspectRatio="xMidYMid slice">
        <path d="M-40 620H170L390 400H1050L1270 180H1480" pathLength="1" />
      </svg>
      <p>
        <MarkWithName />
      </p>
    </div>
  );
}
