import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { newsPath } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { useConsoleList } from '../../operator/console/console-list.web.ts';
import {
  EmptyState,
  ListPages,
  Loaded,
  OpenRow,
  SearchField,
} from '../../operator/console/console-parts.web.tsx';
import { postAsOperator } from '../../operator/console/operator-client.web.ts';
import { shortTime } from '../../operator/console/time-words.web.ts';
import { NEWS_LENGTHS, type NewsDeskPage } from '../news-list.contract.ts';

type Post = NewsDeskPage['rows'][number];
const NEW = 'new';

/** The console's News page, where posts are listed, written and deleted. */
export function NewsView() {
  const { query, q, ends, setEnds, search } = useConsoleList<NewsDeskPage>('news', {});
  const [openId, setOpenId] = useState<string>();
  const open = query.data?.rows.find(({ id }) => id === openId);
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>News</h1>
          <p className="meta">Posts of the home page, each with a page of its own.</p>
        </div>
        <Button look="quiet" onClick={() => setOpenId(NEW)}>
          Write a post
        </Button>
      </div>
      <div className="console-tools">
        <SearchField label="Search posts" onSettled={search} />
      </div>
      <div className="console" data-open={openId === undefined ? undefined : ''}>
        <div className="console-list">
          <Loaded query={query}>
            {({ rows, next }) => (
              <>
                {rows.length === 0 ? (
                  <EmptyState>{q === '' ? 'There are no posts.' : 'Nothing was found.'}</EmptyState>
                ) : (
                  <Rows rows={rows} openId={openId} onOpen={setOpenId} />
                )}
                <ListPages ends={ends} next={next} onEnds={setEnds} />
              </>
            )}
          </Loaded>
        </div>
        {openId !== NEW && open === undefined ? (
          <p className="console-hint meta">Choose a post to change it, or write one.</p>
        ) : (
          <PostForm key={openId} post={open} onDone={() => setOpenId(undefined)} />
        )}
      </div>
    </>
  );
}

interface RowsProps {
  readonly rows: readonly Post[];
  readonly openId: string | undefined;
  readonly onOpen: (id: string) => void;
}

function Rows({ rows, openId, onOpen }: RowsProps) {
  return (
    <ul className="panel rows people">
      {rows.map((row) => (
        <OpenRow
          key={row.id}
          isOpen={row.id === openId}
          onOpen={() => onOpen(row.id)}
          name={row.title}
          about={`${Date.parse(row.published_at) > Date.now() ? 'Waits until ' : ''}${shortTime(row.published_at)}`}
        />
      ))}
    </ul>
  );
}

/** `2026-11-22T09:30` in the reader's own time zone, the form that the field needs. */
function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function PostForm({ post, onDone }: { post: Post | undefined; onDone: () => void }) {
  const queries = useQueryClient();
  const [title, setTitle] = useState(post?.title ?? '');
  const [content, setContent] = useState(post?.content ?? '');
  const [url, setUrl] = useState(post?.url ?? '');
  const [at, setAt] = useState(localTime(post?.published_at ?? new Date().toISOString()));
  const [busy, setBusy] = useState(false);
  const act = async (name: string, body: object, done: string): Promise<void> => {
    setBusy(true);
    try {
      await postAsOperator(queries, name, body);
      toast.success(done);
      onDone();
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  const save = (event: FormEvent): void => {
    event.preventDefault();
    const published = new Date(at).toISOString();
    const more = url.trim() === '' ? null : url.trim();
    void act(
      'save-news',
      { id: post?.id ?? null, title, content, url: more, published_at: published },
      'The post is saved.',
    );
  };
  return (
    <article className="panel pad console-panel" aria-label="Post">
      <button type="button" className="text-btn console-back" onClick={onDone}>
        Back to the list
      </button>
      <h2>{post === undefined ? 'New post' : 'Post'}</h2>
      <form className="lesson-words" onSubmit={save}>
        <div className="field">
          <label htmlFor="post-title">Title</label>
          <input
            id="post-title"
            required
            maxLength={NEWS_LENGTHS.title}
            value={title}
            onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="post-content">Text, with an empty line between paragraphs</label>
          <textarea
            id="post-content"
            required
            rows={9}
            maxLength={NEWS_LENGTHS.content}
            value={content}
            onChange={({ currentTarget }) => setContent(currentTarget.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="post-url">Where there is more (optional)</label>
          <input
            id="post-url"
            maxLength={NEWS_LENGTHS.url}
            placeholder="/#documents or https://…"
            value={url}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </div>
        <div className="field">
          <label htmlFor="post-time">Shown from</label>
          <input
            id="post-time"
            type="datetime-local"
            required
            value={at}
            onChange={({ currentTarget }) => setAt(currentTarget.value)}
          />
        </div>
        <div className="console-acts">
          <Button small type="submit" busy={busy}>
            Save post
          </Button>
          {post !== undefined && (
            <Button
              small
              look="danger"
              busy={busy}
              onClick={() => void act('delete-news', { id: post.id }, 'The post is deleted.')}
            >
              Delete post
            </Button>
          )}
        </div>
      </form>
      {post !== undefined && Date.parse(post.published_at) <= Date.now() && (
        <p>
          <a href={newsPath(post.id)}>See its page</a>
        </p>
      )}
    </article>
  );
}
