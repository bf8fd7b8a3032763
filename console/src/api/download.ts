// Downloads: text created in the page, and results stored by the service.
import type { ListFormat } from '../../../src/domain/recommendation-job.ts';

export function downloadText(fileName: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

export type ResultFormat = 'json' | 'csv' | 'svg' | ListFormat;

/**
 * The address of a result in a given format. The service signs links for its public address, but the page may have been
 * opened under another name of the same service and may only call its own origin.
 */
export function resultAddress(downloadUrl: string, format: ResultFormat): string {
  const { pathname, searchParams } = new URL(downloadUrl, location.origin);
  if (format === 'json') searchParams.delete('format');
  else searchParams.set('format', format);
  return `${pathname}?${searchParams}`;
}
