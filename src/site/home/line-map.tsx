import { words } from '../../ui/brand.ts';

/** One line of the map: its place and its path across the map. */
interface Line {
  readonly name: 'call' | 'docs' | 'chat' | 'leads';
  readonly nth: 'first' | 'second' | 'third' | 'fourth';
  /** Height of its ends on the wide map. */
  readonly y: number;
  /** Place of its ends on the tall map. */
  readonly x: number;
  readonly wide: string;
  readonly tall: string;
  /** How many tokens travel on the wide map. */
  readonly tokens: number;
}

/** The style sheet repeats these paths as `offset-path`: change both together. */
const LINES: readonly Line[] = [
  {
    name: 'call',
    nth: 'first',
    y: 66,
    x: 62,
    wide: 'M196 66H330L434 170H796L900 66H1010',
    tall: 'M62 74V76L152 166V300L62 390V386',
    tokens: 2,
  },
  {
    name: 'docs',
    nth: 'second',
    y: 152,
    x: 144,
    wide: 'M196 152H392L434 194H796L838 152H1010',
    tall: 'M144 74V136L174 166V300L144 330V386',
    tokens: 1,
  },
  {
    name: 'chat',
    nth: 'third',
    y: 238,
    x: 226,
    wide: 'M196 238H414L434 218H796L816 238H1010',
    tall: 'M226 74V136L196 166V300L226 330V386',
    tokens: 2,
  },
  {
    name: 'leads',
    nth: 'fourth',
    y: 324,
    x: 308,
    wide: 'M196 324H352L434 242H796L878 324H1010',
    tall: 'M308 74V76L218 166V300L308 390V386',
    tokens: 2,
  },
];

/** `Phone, rings twice` is a name and a note below it. */
function nameAndNote(text: string): readonly [name: string, note: string] {
  const at = text.indexOf(',');
  return at === -1 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** The lines with the words of the agency. */
const shownLines = () =>
  LINES.map((line) => {
    const [from, fromNote] = nameAndNote(words(`map.${line.nth}.from`));
    const [to, toNote] = nameAndNote(words(`map.${line.nth}.to`));
    return { ...line, from, fromNote, to, toNote };
  });

/** The three stops in the middle. */
const shownStops = (): readonly string[] =>
  words('map.stops')
    .split(',')
    .map((stop) => stop.trim())
    .slice(0, 3);

/** The map in one sentence, for people who do not see it. */
function inWords(): string {
  const lines = shownLines().map(({ from, to }) => `${from} to ${to}`);
  return `Lines from ${lines.join(', ')}, with the stops ${shownStops().join(', ')}`;
}

/** The map of a desktop, left to right. */
export function WideMap() {
  return (
    <svg
      className="map wide-map"
      viewBox="0 0 1230 400"
      role="img"
      aria-label={inWords()}
    >
      {LINES.map((line) => (
        <path key={line.name} className={`trk on-${line.name}`} d={line.wide} />
      ))}
      {shownLines().map(({ name, y, from, fromNote, to, toNote }) => (
        <g key={name}>
          <circle className={`end on-${name}`} cx="196" cy={y} r="9" />
          <text className="at-end" x="172" y={y - 2}>
            {from}
          </text>
          <text className="sub at-end" x="172" y={y + 17}>
            {fromNote}
          </text>
          <circle className={`end on-${name}`} cx="1010" cy={y} r="9" />
          <text x="1036" y={y - 2}>
            {to}
          </text>
          <text className="sub" x="1036" y={y + 17}>
            {toNote}
          </text>
        </g>
      ))}
      <g className="hub">
        {shownStops().map((stop, index) => (
          <g key={stop}>
            <rect className="hubcap" x={485 + index * 121} y="158" width="18" height="96" rx="9" />
            <text x={494 + index * 121} y="284">
              {stop}
            </text>
          </g>
        ))}
      </g>
      {LINES.flatMap(({ name, tokens }) =>
        Array.from({ length: tokens }, (_, index) => `${name}-${index + 1}`).map((token) => (
          <circle key={token} className={`tok wide-${token}`} r="8" />
        )),
      )}
    </svg>
  );
}

/** The map of a phone, top to bottom. */
export function TallMap() {
  return (
    <svg
      className="map tall-map"
      viewBox="0 0 370 452"
      role="img"
      aria-label={inWords()}
    >
      {LINES.map((line) => (
        <path key={line.name} className={`trk on-${line.name}`} d={line.tall} />
      ))}
      {shownLines().map(({ name, x, from, to }) => (
        <g key={name}>
          <circle className={`end on-${name}`} cx={x} cy="74" r="9" />
          <text className="small-end" x={x} y="50">
            {from}
          </text>
          <circle className={`end on-${name}`} cx={x} cy="386" r="9" />
          <text className="small-end" x={x} y="420">
            {to}
          </text>
        </g>
      ))}
      <g className="hub hub-tall">
        {shownStops().map((stop, index) => (
          <g key={stop}>
            <rect className="hubcap" x="140" y={178 + index * 47} width="90" height="16" rx="8" />
            <text x="246" y={191 + index * 47}>
              {stop}
            </text>
          </g>
        ))}
      </g>
      {LINES.map(({ name }) => (
        <circle key={name} className={`tok tall-${name}`} r="8" />
      ))}
    </svg>
  );
}
