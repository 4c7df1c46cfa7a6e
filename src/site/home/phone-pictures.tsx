/**
 * Three details of the line map, one for each card of the phone system. Decorative: the cards say the same in
 * words.
 */
const VIEW = '0 0 560 360';

/** The call line passes a station whose ring is a clock that shows seven minutes past three at night. */
export function NightPicture() {
  return (
    <svg className="phone-picture" viewBox={VIEW} aria-hidden="true">
      <path className="trk faint on-docs" d="M-20 346H320L392 310H580" />
      <path className="trk faint on-leads" d="M-20 30H90L190 66H390L470 30H580" />
      <path className="trk on-call" d="M-20 250H110L190 180H370L450 110H580" />
      <circle className="end on-call" cx="280" cy="180" r="92" />
      {['M280 104v12', 'M280 244v12', 'M204 180h12', 'M344 180h12'].map((tick) => (
        <path key={tick} className="hand thin" d={tick} />
      ))}
      <path className="hand" d="M280 180 320 182.5" />
      <path className="hand" d="M280 180 324 131" />
      <circle className="hub-dot" cx="280" cy="180" r="7" />
      <path className="moon" d="M492 176a34 34 0 1 0 36 46 27 27 0 0 1-36-46z" />
      <text x="40" y="290">
        03:07
      </text>
      <text className="sub" x="40" y="312">
        picked up at once
      </text>
    </svg>
  );
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'] as const;
const TAKEN = new Set(['0-0', '0-1', '1-0', '1-2', '2-1', '2-2', '3-0', '4-0', '4-2', '2-3', '0-3']);

/** The call line ends in the one free slot of a week. */
export function CalendarPicture() {
  return (
    <svg className="phone-picture" viewBox={VIEW} aria-hidden="true">
      <path className="trk faint on-chat" d="M-20 40H92L126 74V150L92 184H-20" />
      <path className="trk on-call" d="M-20 312H96L182 226" />
      {DAYS.map((day, column) => (
        <g key={day}>
          <text className="sub small-end" x={205 + column * 76} y="58">
            {day}
          </text>
          {[0, 1, 2, 3].map((row) => (
            <rect
              key={row}
              className={TAKEN.has(`${column}-${row}`) ? 'slot taken' : 'slot'}
              x={172 + column * 76}
              y={76 + row * 62}
              width="66"
              height="52"
              rx="8"
            />
          ))}
        </g>
      ))}
      <path className="trk on-call" d="M170 238 182 226H400L433 193" />
      <rect className="slot held" x="400" y="138" width="66" height="52" rx="8" />
      <path className="tick" d="M421 164l9 9 17-18" />
      <text className="sub" x="40" y="344">
        Thu 10:30, held while you decide
      </text>
    </svg>
  );
}

const COLLEAGUES = [
  { name: 'Accounts', y: 84, line: 'docs' },
  { name: 'On call', y: 180, line: 'call' },
  { name: 'Reception', y: 276, line: 'leads' },
] as const;

/** One line comes in, passes the switch, and leaves as three of your own. */
export function BranchPicture() {
  return (
    <svg className="phone-picture" viewBox={VIEW} aria-hidden="true">
      <path className="trk on-docs" d="M230 180 326 84H400" />
      <path className="trk on-leads" d="M230 180 326 276H400" />
      <path className="trk on-call" d="M-20 180H400" />
      <rect className="hubcap" x="164" y="132" width="20" height="96" rx="10" />
      <text className="sub small-end" x="174" y="258">
        Your rules
      </text>
      {COLLEAGUES.map(({ name, y, line }) => (
        <g key={name}>
          <circle className={`end on-${line}`} cx="400" cy={y} r="11" />
          <text x="428" y={y + 6}>
            {name}
          </text>
        </g>
      ))}
    </svg>
  );
}
