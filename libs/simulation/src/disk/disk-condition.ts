/** What ails a disk at the moment. One for all that lies on it. */
export class DiskCondition {
  isFull = false;
  /** The next write or sync comes to an error, once. */
  failsNext: 'write' | 'sync' | null = null;

  /** Whether this operation is the one that fails. */
  fails(operation: 'write' | 'sync'): boolean {
    if (this.failsNext !== operation) return false;
    this.failsNext = null;
    return true;
  }

  mend(): void {
    this.isFull = false;
    this.failsNext = null;
  }
}
