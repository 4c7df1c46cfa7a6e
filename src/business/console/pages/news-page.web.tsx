import { type FormEvent, useState } from 'react';
import { newsPath, PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { type ConsolePostPage, NEWS_LENGTHS } from '../../news/news-list.contract.ts';
import type { OperatorFunctionName } from '../operator-roles.contract.ts';
import { NEW_ROW, useConsoleList } from '../parts/console-list.web.ts';
import { ConsoleListView, ConsolePanel, OpenRows } from '../parts/console-list-page.web.tsx';
import { PageHead } from '../parts/console-parts.web.tsx';
import { May, MayWrite } from '../parts/console-role.web.tsx';
import { useOperatorCall } from '../parts/operator-action.web.ts';
import { localTime, shortTime } from '../parts/time-words.web.ts';

type Post = ConsolePostPage['rows'][number];

/** The console's News page, where posts are listed, written and deleted. */
export function NewsView() {
  const list = useConsoleList<ConsolePostPage>('news', {
    filters: {},
    address: PAGES.operatorNews.path,
  });
  return (
    <>
      <PageHead heading="News" about="Posts of the home page, each with a page of its own.">
        <May call="save-news">
          <Button look="quiet" onClick={() => list.open(NEW_ROW)}>
            Write a post
          </Button>
        </May>
      </PageHead>
      <ConsoleListView
        list={list}
        searchLabel="Search posts"
        empty="There are no posts."
        hint="Choose a post to change it, or write one."
        rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
        panel={(openId, onBack) => {
          const open = list.query.data?.rows.find(({ id }) => id === openId);
          return open === undefined && openId !== NEW_ROW ? null : <PostForm post={open} onDone={onBack} />;
        }}
      />
    </>
  );
}

const wordsOf = ({ id, title, published_at: at }: Post) => ({
  id,
  name: title,
  about: `${Date.parse(at) > Date.now() ? 'Waits until ' : ''}${shortTime(at)}`,
});

function PostForm({ post, onDone }: { post: Post | undefined; onDone: () => void }) {
  const [title, setTitle] = useState(post?.title ?? '');
  const [content, setContent] = useState(post?.content ?? '');
  const [url, setUrl] = useState(post?.url ?? '');
  const [at, setAt] = useState(localTime(post?.published_at ?? new Date().toISOString()));
  const { busy, ask } = useOperatorCall();
  const act = async (name: OperatorFunctionName, body: object, done: string): Promise<void> => {
    if ((await ask(name, body, done)) !== undefined) onDone();
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
    <ConsolePanel label="Post" onBack={onDone}>
      <h2>{post === undefined ? 'New post' : 'Post'}</h2>
      <form className="lesson-words" onSubmit={save}>
        <MayWrite call="save-news">
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
            <label htmlFor="post-url">Link (optional)</label>
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
        </MayWrite>
        <May call="save-news">
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
        </May>
      </form>
      {post !== undefined && Date.parse(post.published_at) <= Date.now() && (
        <p>
          <a href={newsPath(post.id)}>See its page</a>
        </p>
      )}
    </ConsolePanel>
  );
}
