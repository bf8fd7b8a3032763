/** Whether a cell holds nothing. Spaces are nothing: as a number they would be 0. */
export function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '');
}
