import { words } from '../../ui/brand.ts';

const VALUES = ['first', 'second', 'third'] as const;

/** The three value cards as stations of one line (docs/specification/site.md §1). */
export function Values() {
  return (
    <section className="stop values" aria-labelledby="values">
      <h2 id="values">{words('values.heading')}</h2>
      <ul>
        {VALUES.map((card) => (
          <li key={card}>
            <h3>{words(`values.${card}.name`)}</h3>
            <p>{words(`values.${card}.text`)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
