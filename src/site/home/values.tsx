const VALUES = [
  {
    name: 'Client-First Approach',
    text: 'We start at your front desk, not at our toolbox. You see the first line running on your own calls or papers before you decide about the next.',
  },
  {
    name: 'Precision & Excellence',
    text: 'Every answer can be traced to the page, the call or the rule that it came from. What the system is not sure of goes to a person, with the reason.',
  },
  {
    name: 'Expert Team',
    text: 'The people who design your system are the people who answer when you ring. No hand-over, no ticket queue between you and them.',
  },
] as const;

/** The three value cards as stations of one line (docs/specification/site.md §1). */
export function Values() {
  return (
    <section className="stop values" aria-labelledby="values">
      <h2 id="values">Built around you, by people you can ring</h2>
      <ul>
        {VALUES.map(({ name, text }) => (
          <li key={name}>
            <h3>{name}</h3>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
