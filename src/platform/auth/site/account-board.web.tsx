/** Stations of the documents line, which the right side of the account pages shows. */
const STATIONS = [
  { y: 120, name: 'Upload', text: 'PDF, Word or text' },
  { y: 300, name: 'Read', text: 'Every page, every clause' },
  { y: 480, name: 'Report', text: 'Facts, each with its place' },
] as const;

/** The documents line from top to bottom, with a document that moves along it; purely decorative. */
export function AccountBoard() {
  return (
    <svg className="account-board" viewBox="0 0 480 640" aria-hidden="true">
      <path className="account-trunk" d="M-20 40H90q40 0 40 40v470q0 40 40 40h330" />
      <path className="account-branch" d="M-20 600H30q60 0 60-60V350q0-30 40-50" />
      {STATIONS.map(({ y, name, text }) => (
        <g key={name} transform={`translate(130 ${y})`}>
          <circle r="15" />
          <text x="44" y="-2">
            {name}
          </text>
          <text className="sub" x="44" y="24">
            {text}
          </text>
        </g>
      ))}
      <circle className="account-token" r="8" />
    </svg>
  );
}
