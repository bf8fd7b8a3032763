// Reports the free space on the disk of the data folder in /metrics.
import { statfs } from 'node:fs/promises';
import type { Metrics } from './metrics.ts';

export function addDiskFigures(metrics: Metrics, folder: string): void {
  metrics.gauge('kindred_disk_free_bytes', 'Free bytes on the disk of the data folder.', async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  });
  metrics.gauge('kindred_disk_size_bytes', 'Size of the disk of the data folder.', async () => {
    const { blocks, bsize } = await statfs(folder);
    return blocks * bsize;
  });
}
