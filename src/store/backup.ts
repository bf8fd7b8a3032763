// The door to backups: everything a service keeps, in one file, and back.
export { type BackupConfig, type BackupSummary, backup } from './backup/backup.ts';
export { restore } from './backup/restore.ts';
