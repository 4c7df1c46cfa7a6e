import { useQuery } from '@tanstack/react-query';
import { type ComponentType, Suspense } from 'react';
import { lessonsQuery } from '../../business/courses/site/lesson-changes.web.ts';
import {
  FieldColumnChoice,
  useFieldColumns,
} from '../../business/documents/own-fields/field-columns.web.tsx';
import { FilesTab } from '../../business/files/list/files-tab.web.tsx';
import { lazyPart } from '../../ui/parts/lazy-part.tsx';

const sharing = () => import('../../business/teams/site/team-sharing.web.tsx');
const preview = () => import('../../business/documents/viewer/file-preview.web.tsx');
const inbox = () => import('../../business/inbox/inbox-panel.web.tsx');

// What comes after the list of files: it does not wait for them.
const FilePreview = later(lazyPart(preview, ({ FilePreview: Part }) => Part));
const TeamChoice = later(lazyPart(sharing, ({ TeamChoice: Part }) => Part));
const TeamCredits = later(lazyPart(sharing, ({ TeamCredits: Part }) => Part));
const TeamFiles = later(lazyPart(sharing, ({ TeamFiles: Part }) => Part));
const InboxPanel = later(lazyPart(inbox, ({ InboxPanel: Part }) => Part));

/** A part that takes no place until it is fetched. */
function later<Props extends object>(Part: ComponentType<Props>) {
  return (props: Props) => (
    <Suspense fallback={null}>
      <Part {...props} />
    </Suspense>
  );
}

/** The Files tab; lesson videos use the same storage. */
export function FilesPart({ userId }: { userId: string }) {
  const lessons = useQuery({ ...lessonsQuery(userId), refetchInterval: false });
  return (
    <FilesTab
      userId={userId}
      furtherSizes={lessons.data?.map(({ file_size: size }) => size)}
      Preview={FilePreview}
      Choice={TeamChoice}
      Further={FurtherFiles}
      columns={useFieldColumns(userId)}
      columnChoice={<FieldColumnChoice userId={userId} />}
      Beside={TeamCredits}
    />
  );
}

/** Below the user's own lists: the team's files, and documents by mail. */
function FurtherFiles({ userId }: { userId: string }) {
  return (
    <>
      <TeamFiles userId={userId} />
      <InboxPanel userId={userId} />
    </>
  );
}
