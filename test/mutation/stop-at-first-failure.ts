// A reporter of node:test that ends the process when a test fails: one failure is enough to find a mutant.
export default async function* stopAtFirstFailure(events: AsyncIterable<{ type: string }>): AsyncGenerator<string> {
  for await (const { type } of events) {
    if (type === 'test:fail') process.exit(1);
    yield '';
  }
}
