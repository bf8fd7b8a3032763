/** Whether a cell is empty. A cell with only spaces counts as empty: read as a number it would be 0. */
export function isEmpty(cell: unknown): boolean {
  return cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '');
}
