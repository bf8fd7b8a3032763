// Files for the visitor: texts made here, and results the service keeps.

export function downloadText(fileName: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

export type ResultFormat = 'json' | 'csv' | 'svg';

/**
 * The address of a result in a form. The service signs links for its public address; this page may have been opened under
 * another name of the same service, and may only call the one it came from.
 */
export function resultAddress(downloadUrl: string, format: ResultFormat): string {
  const { pathname, search } = new URL(downloadUrl, location.origin);
  return `${pathname}${search}${format === 'json' ? '' : `&format=${format}`}`;
}
