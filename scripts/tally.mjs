/**
 * A vitest reporter that closes a run with one plain line: `N passed, N failed`, and what was skipped.
 *
 * A file that cannot be loaded and an error outside any test count as one failure each.
 */
export default class Tally {
  onTestRunEnd(files, errors) {
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const file of files) {
      for (const test of file.children.allTests()) {
        const { state } = test.result();
        if (state in counts) counts[state]++;
      }
      if (file.errors().length > 0) counts.failed++;
    }
    const { passed, failed, skipped } = counts;
    process.on('exit', () => {
      process.stdout.write(
        `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
      );
    });
  }
}
