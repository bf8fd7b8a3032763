// A row of a file that could not be read, in the place of the row: it is reported, and the others are imported.

export class UnreadableRow {
  readonly text: string;
  readonly message: string;
  constructor(text: string, message: string) {
    this.text = text;
    this.message = message;
  }
}
