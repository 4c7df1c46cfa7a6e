import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { toast } from 'react-hot-toast/headless';
import { COURSE_VIDEOS_BUCKET } from '../../../kernel/contract/limits.ts';
import { announce } from '../../files/list/announcer.web.tsx';
import { useUploadsKept } from '../../files/uploads/upload-reports.web.ts';
import { UploadRows } from '../../files/uploads/upload-rows.web.tsx';
import { VIDEO_ACCEPT } from '../course-videos.contract.ts';
import { refreshCourse } from './lesson-changes.web.ts';
import { lessons } from './lesson-upload.web.ts';

/** The videos being uploaded, and those whose upload has stopped, here or elsewhere. */
export function LessonUploads({ userId }: { userId: string }) {
  const queries = useQueryClient();
  useUploadsKept(lessons);
  useEffect(() => {
    const refresh = (): void => void refreshCourse(queries);
    lessons.listener = {
      uploaded({ name }) {
        toast.success('Lesson received');
        announce(`${name} was received`);
        refresh();
      },
      failed: refresh,
      ended: refresh,
    };
  }, [queries]);
  return (
    <UploadRows
      queue={lessons}
      bucket={COURSE_VIDEOS_BUCKET}
      userId={userId}
      accept={VIDEO_ACCEPT}
      finishing="Reading its length"
      onEnded={() => void refreshCourse(queries)}
    />
  );
}
