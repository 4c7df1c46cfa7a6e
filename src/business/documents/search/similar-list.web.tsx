import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import { similarQuery } from './search-read.web.ts';

/** Documents that use the same words, with the words. */
export function SimilarDocuments({ userId, fileId }: { userId: string; fileId: string }) {
  const { data = [] } = useQuery(similarQuery(userId, fileId));
  if (data.length === 0) return null;
  return (
    <section className="panel pad" aria-labelledby="similar-title">
      <h2 id="similar-title">Similar documents</h2>
      <ul className="similar">
        {data.map(({ file_id: id, title, file_name: name, shared }) => (
          <li key={id}>
            <Link href={analysisPath(id)}>{title}</Link> <span className="meta">{name}</span>
            {shared.length > 0 && <p className="meta">Both say {shared.join(', ')}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}
