import Foundation

// Compares in one run: every row is a ratio of two medians that were measured in turn.

let rows = try await [LaunchBenchmark.run(), FriendBenchmark.run(), StepBenchmark.run()]
print(Row.header)
for row in rows { print(row.line) }
