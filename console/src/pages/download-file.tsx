// The link to the file of a job that made one, while it is kept.
import { Download } from 'lucide-react';
import type { Job } from '../../../src/client/index.ts';
import type { ListFormat } from '../../../src/domain/recommendation-job.ts';
import { resultAddress } from '../api/download.ts';
import { downloadOf, FORMAT_NAMES } from '../api/list-jobs.ts';

export function DownloadFile({ job, small }: { job: Job; small?: boolean }) {
  const download = downloadOf(job);
  if (download === null) return null;
  const format = job.job_data.format as ListFormat;
  return (
    <a
      className={small ? 'button small' : 'button primary'}
      href={resultAddress(download.url, format)}
      download={`${job.job_id}.${format}`}
      aria-label={`Download ${FORMAT_NAMES[format]}: ${job.name}`}
    >
      <Download size={14} aria-hidden /> {small ? FORMAT_NAMES[format] : `Download ${FORMAT_NAMES[format]}`}
    </a>
  );
}
