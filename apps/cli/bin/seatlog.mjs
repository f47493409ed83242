#!/usr/bin/env node
// The seatlog command, on the right Node.js with the right packages: scripts/bootstrap.mjs sees to both.
process.argv.splice(2, 0, 'seatlog');
await import('../../../scripts/bootstrap.mjs');
